"""The runner that commands use."""

from __future__ import annotations

from collections.abc import Callable

from neuron_evals import conf
from neuron_evals.connections import (
    close_connections,
    forget_connections,
    own_async_connections,
    refresh_connections,
)
from neuron_evals.container.building import callable_from
from neuron_evals.core.runner import EvaluatorRunner, InPlaceRunner


def make_runner() -> EvaluatorRunner:
    """Return a runner with the hooks of the `RUNNER` setting, whose workers look after their database connections.

    Raises:
        SettingsError: A hook cannot be imported or called.
    """
    settings = conf.read().runner
    before = hook("BEFORE_CHILD", settings.before_child)
    return EvaluatorRunner(
        before_child=refresh_connections if before is None else _in_turn(refresh_connections, before),
        after_child=hook("AFTER_CHILD", settings.after_child),
        after_worker=close_connections,
        before_call=refresh_connections,
        around_async=own_async_connections,
        after_fork=forget_connections,
    )


def make_test_runner() -> InPlaceRunner:
    """Return a runner for tests, which looks after the connections of async code."""
    return InPlaceRunner(around_async=own_async_connections)


def hook(key: str, setting: conf.Hook) -> Callable[[], None] | None:
    """Return a hook of the `RUNNER` setting.

    Raises:
        SettingsError: It cannot be imported or called.
    """
    if setting is None:
        return None
    return callable_from(setting, f'{conf.NAME}["RUNNER"]["{key}"]', "Name a callable without parameters.")


def _in_turn(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def both() -> None:
        first()
        second()

    return both
