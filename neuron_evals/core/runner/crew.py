"""Which workers an evaluator gets."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from neuron_evals.core.caches import Cache, MemoryCache, RunOutputs
from neuron_evals.core.cancellation import StopToken
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.execution import is_async
from neuron_evals.core.runner.pools.contract import Hooks, Pool

if TYPE_CHECKING:
    from neuron_evals.core.evaluators import BaseEvaluator

AroundFork = Callable[[], AbstractContextManager[object]]
WorkerKind = Literal["inline", "threads", "async", "processes"]
KINDS: tuple[WorkerKind, ...] = ("inline", "threads", "async", "processes")

MANY_THREADS = 50
"""Above so many threads in one process the one that reads their results starves."""


@dataclass(slots=True)
class Crew:
    """Makes the workers of each evaluator of a run.

    Attributes:
        concurrency: How many items are in flight at most.
        kind: The kind that was asked for; `None` for the one that fits: inline for one item at a time, else `async`
            where `run` is an `async def`, else threads.
        hooks: What to do in workers.
        stop: What stops the run.
        cache: Where outputs of `run` are looked up and stored; `None` for nowhere.
        refresh: Look nothing up, so that everything runs.
        notices: What a person should know of the workers, each once.
        own: Whether the `concurrency` of an evaluator, where it has one, goes before.
        around_fork: Gives a context manager that is around the fork of process workers, beside which no thread may be.
    """

    concurrency: int
    kind: WorkerKind | None
    hooks: Hooks
    stop: StopToken
    cache: Cache | None = None
    refresh: bool = False
    notices: list[str] = field(default_factory=list)
    own: bool = False
    around_fork: AroundFork = nullcontext

    def __post_init__(self) -> None:
        """Refuse a concurrency or kind that does not exist, or that do not go together."""
        _validate_concurrency(self.concurrency)
        if self.kind is not None and self.kind not in KINDS:
            msg = f"workers is one of {', '.join(KINDS)}, got {self.kind!r}"
            raise ConfigurationError(msg)
        if self.kind == "inline" and self.concurrency > 1:
            msg = f"inline workers run one item at a time, got a concurrency of {self.concurrency}"
            raise ConfigurationError(msg)

    def of(self, evaluator: object) -> Crew:
        """Return what makes the workers of an evaluator."""
        wanted = getattr(evaluator, "concurrency", None) if self.own else None
        return self if wanted is None else replace(self, concurrency=wanted)

    def outputs(self) -> RunOutputs | None:
        """Return where the outputs of one evaluator are cached."""
        return None if self.cache is None else RunOutputs(self.cache, refresh=self.refresh)

    def pool(self, evaluator: BaseEvaluator, outputs: RunOutputs | None) -> tuple[Pool, WorkerKind]:
        """Return the workers of an evaluator that is set up, and their kind; other kinds are not even imported.

        Raises:
            ConfigurationError: Process workers cannot share the cache.
        """
        with self.around_fork() if self.kind == "processes" else nullcontext():
            return self._pool(evaluator, outputs)

    def _pool(self, evaluator: BaseEvaluator, outputs: RunOutputs | None) -> tuple[Pool, WorkerKind]:
        kind = self._kind(evaluator)
        if kind == "processes":
            if isinstance(self.cache, MemoryCache):
                msg = "process workers cannot share a MemoryCache: what a child stores ends with it; use a FileCache"
                raise ConfigurationError(msg)
            from neuron_evals.core.runner.pools.processes import ProcessPool  # noqa: PLC0415  (see above)

            return ProcessPool(evaluator, self.concurrency, self.hooks, outputs), kind
        if kind == "async":
            from neuron_evals.core.runner.pools.loop import LoopPool  # noqa: PLC0415  (see above)

            return LoopPool(self.concurrency, self.hooks), kind
        if kind == "threads":
            from neuron_evals.core.runner.pools.threads import ThreadPool  # noqa: PLC0415  (see above)

            return ThreadPool(self.concurrency, self.hooks), kind
        from neuron_evals.core.runner.pools.inline import InlinePool  # noqa: PLC0415  (see above)

        return InlinePool(self.hooks, self.stop), kind

    def _kind(self, evaluator: BaseEvaluator) -> WorkerKind:
        kind = self.kind
        if kind is None and self.concurrency == 1:
            return "inline"
        if kind is None:
            kind = "async" if is_async(type(evaluator)) else "threads"
        if kind == "processes":
            from neuron_evals.core.runner.pools.processes import why_no_fork  # noqa: PLC0415  (see above)

            reason = why_no_fork()
            if reason is not None:
                self._notice(f"no process workers here: {reason}; using threads, so a hung item cannot be killed")
                kind = "threads"
        if kind == "threads" and self.concurrency > MANY_THREADS:
            self._notice(
                f"{self.concurrency} threads in one process slow each other down; `async` or `processes` workers do not"
            )
        return kind

    def _notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)


def _validate_concurrency(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = f"concurrency is a number of items from 1 up, got {value!r}"
        raise ConfigurationError(msg)
