"""What an agent reads: each answer as text inside a token budget, and the same as data (MX-3, MX-6).

Recalled text is evidence, not instruction: it is fenced, cited, dated, and cannot close its fence (SEC-3). Data holds
no more than the text does, because many clients show the model the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from scrubjay.interfaces.mcp.excerpt import cost, cut, excerpt
from scrubjay.operations.recall.packing import INTRODUCTION, telling
from scrubjay.temporal import format_time, validity
from scrubjay.text.analyze import query_lexemes
from scrubjay.text.fence import CLOSING, OPENING, harmless
from scrubjay.text.readable import readable
from scrubjay.types import Fact, Hit, Recall, Record

FACTS_BUDGET = 2_600
"""Tokens of a list of facts."""

ITEM_SHARE = 4
"""A single item gets at most this part of the budget, so that one long message never stands for all."""

SIDE_SHARE = 3
"""What hardly bears on the question, or came from a tool, gets at most this part of that."""

LEAST = 24
"""Tokens that an excerpt needs to say anything."""

NOISE = 0.03
"""Probability below which an item is left out (MX-3)."""

WEAK = 0.1
"""Probability of the best item below which it is said that all are weak, and only a few are shown."""

LOW = 0.2
"""Probability below which an item that is not the best one gets less room."""

FEW = 3
WEAKLY = "Only weak matches: look whether any of them answers the question before you use it."

SHORT = 160
"""Characters of a text that is only mentioned."""

_RERANKED = frozenset({"interaction", "rerank"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool says: ``text`` for reading, ``data`` by the tool's schema, or an error with its ``data``."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


def recalled(found: Recall, *, most: int, zone: tzinfo, warnings: Sequence[str] = ()) -> Answer:
    """The answer to a question: at most ``most`` facts and as many results, best first, inside the query's budget."""
    hits = [hit for hit in telling(found.hits) if hit.score >= NOISE] or list(found.hits[:1])
    weak = bool(hits) and max(hit.score for hit in hits) < WEAK
    writer = _Writer(found, zone, weak=weak)
    facts = [hit for hit in hits if hit.layer == "facts"][:most]
    results = [hit for hit in hits if hit.layer != "facts"][: min(most, FEW) if weak else most]
    told = [one for hit in facts if (one := writer.fact(hit))]
    shown = [one for hit in results if (one := writer.result(hit))]
    omitted = len(facts) + len(results) - len(told) - len(shown) - writer.repeated
    notes = [*warnings, *found.warnings]
    data: dict[str, Any] = {
        "facts": told,
        "results": shown,
        "suppressed": writer.replaced,
        "abstained": not hits,
        "reason": WEAKLY if weak else found.reason,
        "omitted": omitted,
        "reranked": bool(_RERANKED & set(found.signals)),
        "warnings": notes,
    }
    lines = [writer.page.text()] if told or shown else [f"{found.reason or 'Nothing was found.'} {_AGAIN}"]
    if weak:
        lines.append(WEAKLY)
    if omitted:
        lines.append(f"{omitted} more did not fit; ask more narrowly to see them.")
    return Answer(text="\n".join([*lines, *(f"Note: {note}" for note in notes)]), data=data)


_AGAIN = "Try once more with other words or with names, project and date; if that fails too, it is not remembered."


def listed(facts: Sequence[Fact], *, category: str | None, known: Mapping[str, int], zone: tzinfo) -> Answer:
    """Facts that hold, newest first, as many as fit; ``known`` counts the facts of every category."""
    page = _Page(FACTS_BUDGET)
    shown = [fact for fact in facts if page.add(_line(fact, page.share, zone))]
    omitted = len(facts) - len(shown)
    data = {
        "facts": [fact_data(fact, page.share) for fact in shown],
        "total": len(facts),
        "omitted": omitted,
        "categories": dict(known),
    }
    counted = ", ".join(f"{harmless(name)} {count}" for name, count in known.items()) or "none yet"
    if not facts:
        of = f" of category {harmless(category)!r}" if category else ""
        return Answer(text=f"There are no facts{of}. Categories: {counted}.", data=data)
    lines = [page.text()]
    if omitted:
        narrower = "use search_memory" if category else "name a category or use search_memory"
        lines.append(f"{omitted} more; to see them {narrower}.")
    if not category:
        lines.append(f"Categories: {counted}.")
    return Answer(text="\n".join(lines), data=data)


def fact_data(fact: Fact, tokens: int = FACTS_BUDGET) -> dict[str, Any]:
    """A fact as data: id, category, content, and the times that are known."""
    valid = validity(fact)
    return _present(
        id=fact.id,
        category=fact.category,
        content=cut(harmless(fact.text), tokens),
        valid_from=format_time(valid.start),
        valid_to=format_time(valid.end),
        recorded=format_time(fact.recorded.start),
    )


def fenced(lines: Sequence[str]) -> str:
    """``lines`` of recalled text in the fence that says what they are."""
    return "\n".join([OPENING, INTRODUCTION, *lines, CLOSING])


def fact_line(fact: Fact, zone: tzinfo) -> str:
    """A fact in one line: id, category, since when, text."""
    return _line(fact, FACTS_BUDGET, zone)


class _Page:
    """A fenced block that takes lines as long as they fit into ``budget`` tokens."""

    def __init__(self, budget: int) -> None:
        self.share = max(budget // ITEM_SHARE, 1)
        self.left = budget - cost(fenced([]))
        self._lines: list[str] = []

    def add(self, line: str) -> bool:
        """Whether ``line`` still fits; then it is taken."""
        price = cost(line) + 1
        if price > self.left:
            return False
        self.left -= price
        self._lines.append(line)
        return True

    def text(self) -> str:
        return fenced(self._lines)


class _Writer:
    """Words hits and gives each the room that it deserves; ``replaced`` are the older facts that were named."""

    def __init__(self, found: Recall, zone: tzinfo, *, weak: bool) -> None:
        self.page = _Page(found.query.budget)
        self.replaced: list[dict[str, str]] = []
        self.repeated = 0
        self._seen: set[str] = set()
        self._words = query_lexemes(found.query.text)
        self._best = max((hit.score for hit in found.hits), default=0.0)
        self._old = {one.id: one for one in found.suppressed}
        self._zone = zone
        self._weak = weak

    def fact(self, hit: Hit) -> dict[str, Any] | None:
        """The fact as data when it fits, with the one that it replaced."""
        record = hit.record
        content = excerpt(harmless(record.text), self._words, self.page.share)
        line = _entry([f"id {record.id}", record.category, *_dates(record, self._zone), _score(hit), hit.note], content)
        old = self._old.get(record.supersedes or "")
        if old is not None:
            line += f"\n  Before that: {_mention(old.text)} ({old.reason}, id {old.id})"
        if not self.page.add(line):
            return None
        if old is not None:
            self.replaced.append({"id": old.id, "content": _mention(old.text), "reason": old.reason})
        valid = validity(record)
        return _present(
            id=record.id,
            category=record.category,
            content=content,
            score=round(hit.score, 4),
            valid_from=format_time(valid.start),
            valid_to=format_time(valid.end),
            recorded=format_time(record.recorded.start),
            note=hit.note,
            source=hit.citation,
            message_ids=list(record.message_ids),
        )

    def result(self, hit: Hit) -> dict[str, Any] | None:
        """The piece as data when it fits and says something that was not shown already."""
        record = hit.record
        whole = harmless(readable(record.text)).strip()
        text = excerpt(whole, self._words, self._room(hit))
        if text in self._seen:
            self.repeated += 1
            return None
        self._seen.add(text)
        about = "" if record.layer == "chunks" else " › ".join(dict.fromkeys((record.title, *record.headings)))
        about = one_line(about, SHORT // 2)
        lead = [hit.citation, *_said(record, self._zone), about, _score(hit), hit.note]
        if not self.page.add(_entry(lead, text)):
            text = excerpt(whole, self._words, max(self.page.left // 2, LEAST))
            if not self.page.add(_entry(lead, text)):
                return None
        return _present(
            id=record.id,
            layer=record.layer,
            text=text,
            score=round(hit.score, 4),
            at=format_time(record.at),
            note=hit.note,
            citation=hit.citation,
            message_ids=list(record.message_ids),
        )

    def _room(self, hit: Hit) -> int:
        behind = hit.score < self._best / 2 or (hit.score < min(LOW, self._best))
        aside = self._weak or behind or hit.record.trust == "low"
        return self.page.share // SIDE_SHARE if aside else self.page.share


def _line(fact: Fact, tokens: int, zone: tzinfo) -> str:
    return _entry([f"id {fact.id}", fact.category, *_dates(fact, zone)], cut(harmless(fact.text), tokens))


def _entry(about: Sequence[str], text: str) -> str:
    lead = ", ".join(one_line(part) for part in about if part)
    lines = [line.rstrip() for line in text.strip().split("\n")]
    return f"- [{lead}] " + "\n  ".join(line for line in lines if line)


def one_line(text: str, most: int | None = None) -> str:
    """``text`` in one line, harmless, cut to ``most`` characters."""
    line = " ".join(harmless(text).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def _mention(text: str) -> str:
    return one_line(text, SHORT)


def _dates(thing: Fact | Record, zone: tzinfo) -> Iterator[str]:
    """Since when it holds and until when; where nobody said, when it was recorded."""
    valid = validity(thing)
    if valid.start:
        yield f"since {_day(valid.start, zone)}"
    elif thing.recorded.start:
        yield f"recorded {_day(thing.recorded.start, zone)}"
    if valid.end:
        yield f"until {_day(valid.end, zone)}"


def _said(record: Record, zone: tzinfo) -> Iterator[str]:
    """The time of day of a message; its day is in the citation."""
    if record.at and record.layer == "chunks":
        yield f"{record.at.astimezone(zone):%H:%M}"


def _day(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d}"


def _score(hit: Hit) -> str:
    return f"{hit.score:.2f}"


def _present(**values: Any) -> dict[str, Any]:
    """Those of ``values`` that say something."""
    return {name: value for name, value in values.items() if value not in ("", None, [])}
