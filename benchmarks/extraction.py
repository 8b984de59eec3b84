"""Does the extractor find what people state outright, and nothing else?

Each labelled message (``tests/labelled``) is read as the message of a conversation. A statement counts as right when
its quote overlaps a labelled stretch that has its category; a stretch counts as found when a right statement does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import command, metrics
from scrubjay.operations.extract import StatementExtractor
from scrubjay.operations.hearing import audible
from scrubjay.ports import Extractor
from scrubjay.temporal import parse_time
from scrubjay.types import Candidate, Message

LABELLED = Path(__file__).parents[1] / "tests" / "labelled"
MONDAY = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message with the stretches that state something: start, end, categories that fit."""

    id: str
    language: str
    kind: str
    text: str
    at: datetime
    facts: tuple[tuple[int, int, frozenset[str]], ...]


@dataclass(slots=True)
class Count:
    """How many statements were reported and right, how many stretches there are and were found."""

    messages: int = 0
    reported: int = 0
    right: int = 0
    labelled: int = 0
    found: int = 0

    def result(self) -> dict[str, Any]:
        """The counts with precision and recall."""
        return {
            "messages": self.messages,
            "reported": self.reported,
            "labelled": self.labelled,
            "precision": metrics.rounded(self.right / self.reported) if self.reported else None,
            "recall": metrics.rounded(self.found / self.labelled) if self.labelled else None,
        }


def own() -> list[Labelled]:
    """The messages written for this purpose."""
    return [_labelled(value, value["text"]) for value in _lines(LABELLED / "statements.jsonl")]


def of_open_data(data: Path) -> list[Labelled]:
    """The messages of open data sets below ``data``; those whose file is absent are left out."""
    wanted = list(_lines(LABELLED / "statements-open.jsonl"))
    texts: dict[tuple[str, str, str], tuple[str, datetime]] = {}
    for file in sorted({value["file"] for value in wanted}):
        names = {(value["corpus"], value["memory"]) for value in wanted if value["file"] == file}
        path = data / file
        if path.is_file():
            for row in _lines(path):
                if (row["corpus_id"], row["memory_id"]) in names:
                    at = parse_time(row["time"]) if row.get("time") else MONDAY
                    texts[file, row["corpus_id"], row["memory_id"]] = row["text"], at
    keys = {(value["file"], value["corpus"], value["memory"]): value for value in wanted}
    return [
        _labelled({**keys[key], "id": "/".join(key), "kind": "open"}, text, at) for key, (text, at) in texts.items()
    ]


def measure(messages: Sequence[Labelled], extractor: Extractor) -> tuple[dict[str, Count], list[str]]:
    """Counts overall, by language and by kind, and what went wrong, a line each."""
    counts: dict[str, Count] = {}
    wrong: list[str] = []
    for one in messages:
        found = _read(one, extractor)
        right = [candidate for candidate in found if _hits(candidate, one)]
        missed = [fact for fact in one.facts if not any(_overlaps(candidate, one, fact) for candidate in right)]
        wrong += [f"- {one.id} reported {c.text!r} ({c.category}, {c.rule})" for c in found if c not in right]
        wrong += [f"+ {one.id} missed {one.text[start:end]!r}" for start, end, _ in missed]
        for name in ("all", one.language, one.kind):
            count = counts.setdefault(name, Count())
            count.messages += 1
            count.reported += len(found)
            count.right += len(right)
            count.labelled += len(one.facts)
            count.found += len(one.facts) - len(missed)
    return counts, wrong


def _read(one: Labelled, extractor: Extractor) -> list[Candidate]:
    message = Message(id=one.id, role="user", text=one.text, at=one.at)
    return list(extractor.candidates(audible([message]), zone=UTC))


def _hits(candidate: Candidate, one: Labelled) -> bool:
    return any(_overlaps(candidate, one, fact) for fact in one.facts)


def _overlaps(candidate: Candidate, one: Labelled, fact: tuple[int, int, frozenset[str]]) -> bool:
    start = one.text.find(candidate.quote)
    return fact[0] < start + len(candidate.quote) and start < fact[1] and candidate.category in fact[2]


def _labelled(value: dict[str, Any], text: str, at: datetime = MONDAY) -> Labelled:
    facts = tuple((fact["start"], fact["end"], frozenset(fact["categories"])) for fact in value["facts"])
    return Labelled(value["id"], value["language"], value["kind"], text, at, facts)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--wrong", action="store_true", help="list on stderr what was reported wrongly or missed")
    given = parser.parse_args(args)
    extractor = StatementExtractor()
    messages = [*own(), *of_open_data(given.data.parent)]
    counts, wrong = measure(messages, extractor)
    if given.wrong:
        for line in wrong:
            command.say(line)
    own_only, _ = measure(own(), extractor)
    command.answer(
        "extraction",
        {
            "extractor": extractor.name,
            **{name: count.result() for name, count in counts.items()},
            "own": {name: own_only[name].result() for name in ("all", "en", "ru", "zh")},
        },
    )


if __name__ == "__main__":
    main()
