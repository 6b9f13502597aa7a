"""Suites: evaluators written as data. Reading them, everything that can be wrong with them, and running them."""

from __future__ import annotations

from neuron_evals.core.suites.async_evaluator import AsyncSuiteEvaluator, suite_evaluator
from neuron_evals.core.suites.defaults import project_defaults
from neuron_evals.core.suites.evaluator import SuiteEvaluator
from neuron_evals.core.suites.faking import as_fake, unmatched_scripts
from neuron_evals.core.suites.files import load_suite, load_suites
from neuron_evals.core.suites.imports import Imports, no_imports, project_imports
from neuron_evals.core.suites.parsing import dataset_problems, parse_suite
from neuron_evals.core.suites.problems import Problem, SuiteError
from neuron_evals.core.suites.resources import Resources
from neuron_evals.core.suites.spec import AssertionSpec, CheckSpec, ItemSpec, SuiteDefaults, SuiteSpec

__all__ = [
    "AssertionSpec",
    "AsyncSuiteEvaluator",
    "CheckSpec",
    "Imports",
    "ItemSpec",
    "Problem",
    "Resources",
    "SuiteDefaults",
    "SuiteError",
    "SuiteEvaluator",
    "SuiteSpec",
    "as_fake",
    "dataset_problems",
    "load_suite",
    "load_suites",
    "no_imports",
    "parse_suite",
    "project_defaults",
    "project_imports",
    "suite_evaluator",
    "unmatched_scripts",
]
