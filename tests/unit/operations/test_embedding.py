"""How large a batch is: quick ones grow, slow ones shrink, so that stopping never waits long (F64)."""

from __future__ import annotations

import pytest

from scrubjay.operations.embedding import BATCH, FIRST_BATCH, QUICK_SECONDS, _next_size


@pytest.mark.parametrize(
    ("size", "seconds", "expected"),
    [
        (FIRST_BATCH, 0.0, 2 * FIRST_BATCH),
        (BATCH, 0.0, BATCH),
        (16, QUICK_SECONDS, 16),
        (16, 10.0, 8),
        (1, 10.0, 1),
    ],
)
def test_a_batch_follows_how_long_the_last_one_took(size: int, seconds: float, expected: int) -> None:
    assert _next_size(size, seconds) == expected
