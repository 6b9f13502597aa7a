"""Evaluations of AI agents for Django: evaluators, honest statistics, shared reports."""
