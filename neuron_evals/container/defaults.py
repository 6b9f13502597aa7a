"""What suites run with where neither run, item nor suite say it: the setting `SUITE_DEFAULTS`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from neuron_evals import conf
from neuron_evals.core.suites import SuiteDefaults

_PLACE = f'{conf.NAME}["SUITE_DEFAULTS"]["MODEL"]'


def suite_defaults() -> SuiteDefaults:
    """Return what the settings say for all suites. How many items are in flight is said by `RUNNER`.

    Raises:
        SettingsError: The settings are of the wrong shape.
    """
    return SuiteDefaults(**asdict(conf.read().suite_defaults))


def refuse_unknown_provider(model: str, providers: Iterable[str]) -> None:
    """Refuse the name of a model with a colon, before which stands no provider of the settings.

    Args:
        model: The name.
        providers: The names of the providers.

    Raises:
        SettingsError: There is no such provider, or no model stands behind it.
    """
    alias, colon, name = model.partition(":")
    if not colon or (name and alias in providers):
        return
    if name:
        message = f'{_PLACE}: there is no provider "{alias}" in {conf.NAME}["PROVIDERS"]'
        hint = f"{conf.did_you_mean(alias, providers)} The names are {', '.join(providers) or 'none'}.".lstrip()
    else:
        message, hint = f'{_PLACE}: "{model}" names no model', f"Use {model}NAME, such as {model}qwen3."
    raise conf.SettingsError([conf.Problem("E006", message, hint)])
