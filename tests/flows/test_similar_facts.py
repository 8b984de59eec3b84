"""Facts that say nearly the same, found before another is stored (MX-8)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scrubjay import Memory
from scrubjay.ports import Encoded, EncodedQuery


def similar(memory: Memory, text: str) -> list[str]:
    return [fact.text for fact in memory.similar(text)]


def test_a_statement_in_nearly_the_same_words_is_similar(memory: Memory) -> None:
    """MX-8: superseding it may be meant."""
    memory.remember("Max prefers uv over pip for Python projects.")
    memory.remember("The office is closed on Fridays.")
    assert similar(memory, "Max prefers uv over pip for all Python projects") == [
        "Max prefers uv over pip for Python projects."
    ]


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Service alpha listens on port 8080 in staging.", "Service alpha listens on port 8081 in staging."),
        ("Anna drinks her first cup of green tea at the office window.", "Olga drinks her first cup of green tea at "
         "the office window."),
        ("Production deployment is allowed on Fridays.", "Production deployment is not allowed on Fridays."),
        ("Релиз выходит по пятницам в 10 утра.", "Релиз выходит по пятницам в 11 утра."),
    ],
)  # fmt: skip
def test_another_number_name_or_negation_is_another_statement(memory: Memory, known: str, new: str) -> None:
    """F15, F16: likeness alone never makes a duplicate."""
    memory.remember(known)
    assert similar(memory, new) == []


def test_the_same_wording_is_known_and_not_similar(memory: Memory) -> None:
    """F22: ``remember`` says so itself."""
    memory.remember("The office is closed on Fridays.")
    assert similar(memory, "the office is  closed on Fridays.") == []


def test_superseded_facts_are_not_similar(memory: Memory) -> None:
    """F90."""
    fact = memory.remember("The office kitchen is closed on Fridays.")
    memory.supersede(fact.id, "Everybody eats at the canteen.")
    assert similar(memory, "The office kitchen is closed on all Fridays.") == []


class Meaning:
    """A model that knows what each of a few sentences means."""

    name = "meaning@2"
    dimensions = 2

    def passages(self, texts: Sequence[str]) -> Encoded:
        vectors = [[1.0, 0.0] if "package manager" in text or "uv" in text else [0.0, 1.0] for text in texts]
        return Encoded(np.array(vectors, np.float32))

    def query(self, text: str) -> EncodedQuery:
        return EncodedQuery(self.passages([text]).vectors[0])


def test_the_same_in_other_words_is_similar(tmp_path: Path) -> None:
    """MX-8: by the vectors of the model, where there is one; numbers and names still make another statement."""
    with Memory.open(tmp_path / "vault", embedder=Meaning(), background=False) as memory:
        memory.remember("Max prefers uv over pip.")
        memory.remember("The office is closed.")
        memory.drain()
        assert similar(memory, "Max does not prefer uv over pip.") == []
        assert similar(memory, "As a package manager Max likes uv best.") == ["Max prefers uv over pip."]
        assert similar(memory, "As a package manager Olga likes uv best.") == []
        assert similar(memory, "Since 2024 the package manager is uv.") == []
