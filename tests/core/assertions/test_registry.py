from __future__ import annotations

import pytest

from neuron_evals.core import assertions
from neuron_evals.core.assertions import MatchesRegex, StringContains, StringContainsAll, StringContainsAny, registry
from neuron_evals.core.checking import Assertion, StringAssertion
from neuron_evals.core.exceptions import ConfigurationError
from tests.core.assertions.doubles import Gives


@pytest.fixture(autouse=True)
def _own_entries(monkeypatch):
    monkeypatch.setattr(registry, "_entries", dict(registry._entries))


@pytest.mark.parametrize(
    ("name", "cls"),
    [
        ("contains", StringContains),
        ("contains_all", StringContainsAll),
        ("contains_any", StringContainsAny),
        ("regex", MatchesRegex),
        ("matches_regex", MatchesRegex),
        ("string_contains", StringContains),
        ("is_valid_json", assertions.IsValidJson),
        ("not", assertions.Not),
    ],
)
def test_a_type_name_leads_to_its_class(name, cls):
    assert registry.assertion_types()[name] is cls


def test_every_assertion_of_the_package_has_its_name_in_snake_case():
    types = registry.assertion_types()
    for name in set(assertions.__all__) - {"Contains"}:
        cls = getattr(assertions, name)
        assert types[registry.type_name(cls)] is cls


def test_contains_of_nous_has_no_type_name_because_the_documents_give_it_to_another():
    assert assertions.Contains not in registry.assertion_types().values()


def test_the_names_are_sorted_and_cannot_be_changed_from_outside():
    types = registry.assertion_types()
    assert list(types) == sorted(types)
    with pytest.raises(TypeError):
        types["mine"] = Gives  # type: ignore[index]  # (that is the point)


def test_an_assertion_of_a_project_gets_a_name():
    registry.register("gives", Gives)
    assert registry.assertion_types()["gives"] is Gives


@pytest.mark.parametrize("name", ["qa", "contains", "string_contains"])
def test_a_name_given_twice_is_refused_with_both_places(name):
    first = type("First", (Gives,), {"__module__": "shop.a"})
    second = type("Second", (Gives,), {"__module__": "shop.b"})
    if name == "qa":
        registry.register(name, first)
    with pytest.raises(ConfigurationError) as caught:
        registry.register(name, second, 'NEURON_EVALS["ASSERTIONS"]')
    message = str(caught.value)
    assert f"assertion type '{name}' is registered twice" in message
    assert ("shop.a.First" if name == "qa" else "assertions.contains.StringContains") in message
    assert 'shop.b.Second (NEURON_EVALS["ASSERTIONS"])' in message
    assert registry.assertion_types()[name] is not second


@pytest.mark.parametrize("cls", [Assertion, StringAssertion, str, Gives(None), "shop.evals.Sentiment"])
def test_what_is_no_assertion_class_is_refused(cls):
    with pytest.raises(ConfigurationError, match=r"'mine': .* is no class that derives from Assertion"):
        registry.register("mine", cls)


@pytest.mark.parametrize("name", ["", "Mine", "1st", "a-b", "a.b", "a b", "é"])
def test_a_malformed_name_is_refused(name):
    with pytest.raises(ConfigurationError, match="lower-case letters, digits and underscores"):
        registry.register(name, Gives)
