"""What every cache does; a test module of an implementation derives from it and has a fixture `cache`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from neuron_evals.core.exceptions import InvalidArgument

if TYPE_CHECKING:
    from neuron_evals.core.caches import Cache

KEY = "0" * 63 + "a"
OTHER = "0" * 63 + "b"


class CacheBehaviour:
    """Tests of the contract."""

    def test_nothing_set__is_missing(self, cache: Cache):
        assert cache.get(KEY) is None
        assert cache.has(KEY) is False

    @pytest.mark.parametrize(
        "text", ['{"output":0}', "", "null", "a\r\nb\rc\n", "é 🚀 \u2028", "x" * 300_000], ids=repr
    )
    def test_set__gives_the_same_text_back(self, cache: Cache, text):
        cache.set(KEY, text)
        assert cache.get(KEY) == text
        assert cache.has(KEY) is True

    def test_set_again__the_last_text_counts(self, cache: Cache):
        cache.set(KEY, "a long first text")
        cache.set(KEY, "second")
        assert cache.get(KEY) == "second"

    def test_set__other_keys_are_as_before(self, cache: Cache):
        cache.set(KEY, "one")
        assert cache.get(OTHER) is None
        cache.set(OTHER, "other")
        assert (cache.get(KEY), cache.get(OTHER)) == ("one", "other")

    @pytest.mark.parametrize(
        "key",
        [
            "",
            "a",
            "../" + "a" * 61,
            "A" * 64,
            "a" * 63,
            "a" * 65,
            "a" * 64 + "\n",
            "\u0660" * 64,
            "/etc/passwd",
            "\x00",
            7,
            None,
        ],
        ids=repr,
    )
    def test_what_is_no_sha256__is_refused_as_a_key(self, cache: Cache, key):
        for call in (cache.get, cache.has, lambda key: cache.set(key, "{}")):
            with pytest.raises(InvalidArgument, match="64 lower-case hex digits"):
                call(key)

    def test_a_cache_that_can_be_written__has_no_problems(self, cache: Cache):
        assert cache.problems() == []

    def test_many_threads_on_one_key__every_reader_gets_a_whole_text(self, cache: Cache):
        texts = {str(number) * 50_000 for number in range(4)}
        seen: set[str | None] = set()

        def work(text: str) -> None:
            for _ in range(25):
                cache.set(KEY, text)
                seen.add(cache.get(KEY))

        threads = [threading.Thread(target=work, args=(text,)) for text in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen <= texts
        assert cache.get(KEY) in texts
