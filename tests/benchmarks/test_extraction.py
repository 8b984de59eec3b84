"""The extractor without a model is precise on labelled messages, in each language (MX-12, F105)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.extraction import Labelled, measure, of_open_data, own
from scrubjay.operations.extract import StatementExtractor

LEAST = 0.9


def require(messages: Sequence[Labelled], *names: str) -> None:
    counts, wrong = measure(messages, StatementExtractor())
    for name in names:
        count = counts[name]
        assert count.right >= LEAST * count.reported, f"{name}: " + "\n".join(wrong)
        assert count.found >= LEAST * count.labelled, f"{name}: " + "\n".join(wrong)


def test_messages_written_for_it() -> None:
    messages = own()
    assert len(messages) >= 150 and {one.language for one in messages} == {"en", "ru", "zh"}
    require(messages, "all", "en", "ru", "zh")


@pytest.mark.parametrize("kind", ["recalled", "code", "log", "quoted", "question", "task"])
def test_nothing_comes_of_what_nobody_asserted(kind: str) -> None:
    counts, wrong = measure([one for one in own() if one.kind == kind], StatementExtractor())
    assert counts["all"].reported == 0, "\n".join(wrong)


def test_messages_of_open_data(shared_data: Path) -> None:
    require(of_open_data(shared_data), "all")
