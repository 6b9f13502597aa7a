"""Reading the `SUITE_DEFAULTS` setting: what suites run with where neither run, item nor suite say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from neuron_evals.conf.values import SuiteDefaultSettings

if TYPE_CHECKING:
    from neuron_evals.core.suites.shapes import Shape

_KEYS = ("MODEL", "INSTRUCTIONS", "MODEL_SETTINGS", "TIMEOUT", "RETRIES")


class Reader(Protocol):
    """What reads settings, and notes what is wrong with them."""

    def section(self, where: str, raw: object, keys: Iterable[str]) -> list[tuple[str, object]]:
        """Return the entries of a dict that have a known key."""

    def wrong(self, where: str, raw: object, valid: str) -> None:
        """Note that a value cannot be used."""


def read_suite_defaults(reader: Reader, where: str, raw: object) -> SuiteDefaultSettings:
    """Return the setting; what is wrong with it is noted, and is as if it were left out, which `None` stands for.

    What each key may be is what the key of a suite of the same meaning may be.

    Args:
        reader: Notes what is wrong.
        where: The setting, for messages.
        raw: Its value.
    """
    given = reader.section(where, raw, _KEYS)
    if not given:
        return SuiteDefaultSettings()
    from neuron_evals.core.suites import studio  # noqa: PLC0415  (only a project that has defaults pays for it)

    values: dict[str, Any] = {}
    for key, value in given:
        place, name = f'{where}["{key}"]', key.lower()
        if name == "model_settings" and value is not None:
            settings = reader.section(place, value, studio.MODEL_SETTINGS.keys)
            values[name] = dict(_usable(reader, place, settings, studio.MODEL_SETTINGS.keys))
        else:
            values |= dict(_usable(reader, where, [(key, value)], {key: studio.KEYS[name]}))
    return SuiteDefaultSettings(**{name.lower(): value for name, value in values.items()})


def _usable(
    reader: Reader, where: str, given: Iterable[tuple[str, object]], shapes: Mapping[str, Shape]
) -> Iterable[tuple[str, object]]:
    """Yield the entries that have the shape of their key; what is wrong with the others is noted."""
    for key, value in given:
        if value is None:
            continue
        if any(shapes[key].faults(value, key)):
            reader.wrong(f'{where}["{key}"]', value, f"Use {shapes[key].noun}.")
        else:
            yield key, value
