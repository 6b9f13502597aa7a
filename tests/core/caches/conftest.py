from __future__ import annotations

import pytest

from tests.core.caches.modules import Edited


@pytest.fixture
def edited(tmp_path, monkeypatch):
    return Edited(tmp_path, monkeypatch)
