from __future__ import annotations

import pytest

from tests.core.conversations.doubles import Hold, hold_async, hold_plain


@pytest.fixture(params=[hold_plain, hold_async], ids=["plain", "async"])
def hold(request) -> Hold:
    held: Hold = request.param
    return held
