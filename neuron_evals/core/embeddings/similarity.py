"""How alike two vectors are."""

from __future__ import annotations

from collections.abc import Sequence

from neuron_evals.core.exceptions import EmbeddingsError


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of the angle between two vectors, -1 to 1; 0 when one of them is all zeros.

    Raises:
        EmbeddingsError: They have different lengths, or hold something that is no finite number.
    """
    import numpy as np  # noqa: PLC0415  (costs start-up time that most runs need not spend)

    try:
        a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    except (TypeError, ValueError):
        msg = "a vector is a list of numbers"
        raise EmbeddingsError(msg) from None
    if a.ndim != 1 or a.shape != b.shape:
        msg = f"vectors of different lengths cannot be compared: {_length(a.shape)} and {_length(b.shape)}"
        raise EmbeddingsError(msg)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        msg = "a non-finite vector: it holds NaN or an infinity"
        raise EmbeddingsError(msg)
    largest_a, largest_b = np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)
    if largest_a == 0 or largest_b == 0:
        return 0.0
    # Scaled first, so that squares of very large or small numbers neither overflow nor vanish.
    a, b = a / largest_a, b / largest_b
    # One square root: for two equal vectors the quotient is exactly 1.
    return max(-1.0, min(1.0, float(np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b)))))


def _length(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "a number"
