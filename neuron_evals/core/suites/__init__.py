"""Suites: evaluators as data."""
