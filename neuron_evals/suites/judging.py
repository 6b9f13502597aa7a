"""Which agent grades the answers of a stored suite."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.models.legacy_judges import legacy_judge, referred_judge

if TYPE_CHECKING:
    from neuron_evals.models import AgentDefinition, EvalSuite


def suite_judge(suite: EvalSuite) -> AgentDefinition | None:
    """Return the agent definition that grades: the suite's judge, else what its legacy `judge_config` says, else none.

    Args:
        suite: The row.

    Returns:
        The definition; one that is made of a `judge_config` is not stored.

    Raises:
        ConfigurationError: `judge_config` names an agent definition that does not exist.
    """
    if suite.judge is not None:
        stored: AgentDefinition = suite.judge
        return stored
    if not suite.has_judge:
        return None
    warnings.warn(
        f'suite "{suite.slug}": judge_config is deprecated; define the judge as an agent and choose it as judge',
        DeprecationWarning,
        stacklevel=2,
    )
    reference = suite.judge_config.get("agent_id")
    if reference in (None, ""):
        return legacy_judge(suite.judge_config, suite.agent)
    found = referred_judge(reference, suite._state.db)  # noqa: SLF001  (Django's documented name)
    if found is None:
        msg = f'suite "{suite.slug}": judge_config names the agent definition "{reference}", which does not exist'
        raise ConfigurationError(msg)
    return found
