"""A server, each dialect, and both ways of calling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from neuron_evals import BaseProvider, Message, ModelReply, ModelRequest
from tests.core.providers.dialects import DIALECTS, Dialect
from tests.core.providers.server import Server

Call = Callable[[BaseProvider, ModelRequest], ModelReply]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return DIALECTS[request.param]


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest) -> Call:
    if request.param == "sync":
        return lambda provider, asked: provider.complete(asked)
    return lambda provider, asked: asyncio.run(provider.acomplete(asked))


@pytest.fixture
def hello() -> ModelRequest:
    return ModelRequest((Message("user", "Hello?"),))
