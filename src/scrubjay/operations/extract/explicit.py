"""The extractor without a model: what people state outright, what services saved for them, what they agreed to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from scrubjay.operations.extract import saved
from scrubjay.operations.hearing import confirmed, is_human
from scrubjay.text.agreement import proposal
from scrubjay.text.statements import TODO_DAYS, statements
from scrubjay.types import Candidate, Interval, Message


class StatementExtractor:
    """Reads by rules in English, Russian and Chinese. ``todo_days`` is how long a task without a day stands."""

    name = "statements/1"

    def __init__(self, *, todo_days: int = TODO_DAYS) -> None:
        self._todo_days = todo_days

    def candidates(self, messages: Sequence[Message], *, zone: tzinfo) -> list[Candidate]:
        """The statements in ``messages``, in order."""
        found: list[Candidate] = []
        for message in messages:
            if message.meta.get("candidate"):
                found += saved.candidates(message, zone=zone)
            elif is_human(message):
                found += self._stated(message, zone)
            elif confirmed(message, messages):
                found += _agreed(message)
        return found

    def _stated(self, message: Message, zone: tzinfo) -> Iterator[Candidate]:
        stated = statements(
            message.text, at=message.at, speaker=message.speaker or "", zone=zone, todo_days=self._todo_days
        )
        for one in stated:
            yield Candidate(
                text=one.text,
                category=one.category,
                quote=one.quote,
                message_id=message.id,
                confidence=one.confidence,
                rule=one.rule,
                subject=one.subject,
                predicate=one.predicate,
                object=one.object,
                replaces=one.replaces,
                valid=one.valid,
            )


def _agreed(message: Message) -> Iterator[Candidate]:
    """The one proposal that a model made at the end of a message, which the next one answered with yes."""
    from scrubjay.text.statements.sentences import sentences

    said = list(sentences(message.text))
    proposed = [(one, what) for one in said if (what := proposal(one.text))]
    if len(proposed) == 1 and proposed[0][0] is said[-1]:
        sentence, what = proposed[0]
        yield Candidate(
            text=f"Agreed: {what}.",
            category="Decision",
            quote=sentence.text,
            message_id=message.id,
            confidence=0.8,
            rule="agreed",
            valid=Interval(start=message.at),
        )
