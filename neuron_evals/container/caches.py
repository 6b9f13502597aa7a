"""The cache of run outputs that the `CACHE` setting names."""

from __future__ import annotations

from collections.abc import Mapping

from neuron_evals import conf
from neuron_evals.container.backed import built_with
from neuron_evals.core.caches import Cache
from neuron_evals.registries.backends import Kind

CACHES: Mapping[str, str] = {
    "file": "neuron_evals.core.caches.file.FileCache",
    "database": "neuron_evals.caches.DatabaseCache",
}
"""Names that stand for our own caches."""

_KIND = Kind("cache", Cache, CACHES)


def make_cache() -> Cache:
    """Build the cache that the `CACHE` setting names; by default a `FileCache` in `.neuron/cache/evaluation`.

    Raises:
        SettingsError: The setting names no cache, or has an unknown option.
        ConfigurationError: The cache cannot be built.
    """
    entry = conf.read().cache
    return built_with(cache_class(entry), entry.options)


def cache_class(entry: conf.CacheEntry) -> type[Cache]:
    """Return the class of a cache, after its name and the names of its options were checked.

    Raises:
        SettingsError: The name is unknown or names no cache, or an option is none of its constructor's.
    """
    return _KIND.named(entry.backend, entry.options, f'{conf.NAME}["CACHE"]')
