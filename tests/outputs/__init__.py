"""Tests of results in the database."""
