"""Agents by name, where somebody knows the names and where nobody does."""

from __future__ import annotations

from typing import Any

import pytest

from neuron_evals import ConfigurationError, as_agent
from neuron_evals.core import naming


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody knows agents by name."""
    monkeypatch.setattr(naming, "_resolvers", [])


@pytest.mark.usefixtures("names")
def test_name_where_nobody_knows_names__refused_with_a_way_out():
    with pytest.raises(ConfigurationError, match=r"nobody here knows agents by name, got 'support'"):
        as_agent("support")


@pytest.mark.usefixtures("names")
def test_name__looked_up_by_who_said_last_that_it_knows_them():
    def shout(text: str) -> str:
        return text.upper()

    def resolve(name: str) -> Any:
        if name != "shout":
            raise ConfigurationError(f"there is no {name}")
        return shout

    naming.name_agents_by(lambda name: pytest.fail("asked"))
    naming.name_agents_by(resolve)
    assert as_agent("shout").chat("hi").text == "HI"
    with pytest.raises(ConfigurationError, match="there is no whisper"):
        as_agent("whisper")
