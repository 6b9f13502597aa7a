"""What a project says for all its suites."""

from __future__ import annotations

from typing import cast

from neuron_evals.core.naming import suite_defaults
from neuron_evals.core.suites.spec import SuiteDefaults


def project_defaults() -> SuiteDefaults:
    """Return what goes where neither run, item nor suite say it: nothing, where nobody said what.

    Raises:
        ConfigurationError: What was said cannot be used.
    """
    return cast("SuiteDefaults | None", suite_defaults()) or SuiteDefaults()
