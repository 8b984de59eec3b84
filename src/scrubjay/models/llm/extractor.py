"""Statements worth keeping, found by a language model; each with a quote that stands in its message (MX-12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput, Unavailable
from scrubjay.models.llm.asking import LanguageModel
from scrubjay.models.llm.conversation import Window, line, windows
from scrubjay.models.llm.prompts import prompt
from scrubjay.models.llm.quotes import located
from scrubjay.ports import Extractor
from scrubjay.temporal import parse_interval
from scrubjay.text.dates import resolve
from scrubjay.types import Candidate, Interval, Message

if TYPE_CHECKING:
    from scrubjay.models.llm.answers import Statement

CATEGORIES = ("Preference", "Decision", "Identity", "Infrastructure", "Process", "FailureMode", "TODO", "Fact")
MOST_CONFIDENCE = 0.95
"""No model is surer than that: somebody may have said it in jest."""


class ModelExtractor:
    """Implements ``ports.Extractor`` with ``model``, ``window`` tokens a call.

    ``otherwise`` reads what a service has written down already, and does the work for a part of a conversation for
    which the model is ``Unavailable``.
    """

    def __init__(self, model: LanguageModel, otherwise: Extractor | None, *, window: int) -> None:
        self._model = model
        self._otherwise = otherwise
        self._window = window

    @property
    def name(self) -> str:
        """Model and version of the prompt."""
        return f"{self._model.name} {prompt('extract').id}"

    def candidates(self, messages: Sequence[Message], *, zone: tzinfo) -> list[Candidate]:
        """The statements in ``messages``. Raises ``Unavailable`` where nobody else can do it, or the memory closes."""
        written = [message for message in messages if message.meta.get("candidate")]
        found = list(self._otherwise.candidates(written, zone=zone)) if self._otherwise and written else []
        spoken = [message for message in messages if not message.meta.get("candidate")]
        for window in windows(spoken, zone=zone, size=self._window):
            if any(message.role == "user" for message in window.messages.values()):
                found += self._of(window, spoken, zone)
        return _in_order(found, messages)

    def _of(self, window: Window, messages: Sequence[Message], zone: tzinfo) -> list[Candidate]:
        from scrubjay.models.llm.answers import Statements

        try:
            answer = self._model.ask(prompt("extract"), window.text, Statements)
        except Unavailable:
            if self._otherwise is None or self._model.closed:
                raise
            within = set(window.messages)
            # All are given, since what one message says may hang on the next; what is not of this part is left out.
            ids = {message.id for number, message in enumerate(messages, 1) if number in within}
            return [one for one in self._otherwise.candidates(messages, zone=zone) if one.message_id in ids]
        return [one for statement in answer.statements for one in _candidates(statement, window, zone)]


def _candidates(statement: Statement, window: Window, zone: tzinfo) -> Iterator[Candidate]:
    """The candidate that ``statement`` is; none where its quote does not stand in its message."""
    message = window.messages.get(statement.n)
    quote = located(statement.quote, message.text) if message is not None else None
    if message is None or quote is None:
        return
    try:
        yield Candidate(
            text=line(statement.text),
            quote=quote,
            message_id=message.id,
            rule=f"llm {prompt('extract').id}",
            category=_category(statement),
            confidence=min(statement.confidence, MOST_CONFIDENCE),
            subject=_part(statement.subject),
            predicate=_part(statement.predicate),
            object=_part(statement.object),
            replaces=_part(statement.replaces),
            valid=_valid(statement, message.at, zone),
        )
    except BadInput:
        return


def _valid(statement: Statement, at: datetime | None, zone: tzinfo) -> Interval:
    """The days that are named, relative ones as seen from ``at``; an end that lies before the beginning is none."""
    since = _days(statement.since, at, zone)
    until = _days(statement.until, at, zone)
    start = since[0] if since else None
    end = until[1] if until else None
    if end is not None and at is not None and end <= at and _category(statement) == "TODO":
        end = None
    valid = Interval(start=start, end=end)
    return Interval(start=start) if valid.empty else valid


def _days(named: str | None, at: datetime | None, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """The stretch of time that ``named`` means, as a date, or in words as said at ``at``."""
    if not named or not named.strip():
        return None
    try:
        return parse_interval(named, zone=zone)
    except BadInput:
        expression = resolve(named, at, zone) if at is not None else None
        return (expression.start, expression.end) if expression else None


def _category(statement: Statement) -> str:
    """As the prompt spells it, or as the model does where it is another one."""
    given = line(statement.category) or "Fact"
    return next((one for one in CATEGORIES if one.casefold() == given.casefold()), given)


def _part(text: str | None) -> str | None:
    return line(text) or None if text else None


def _in_order(found: list[Candidate], messages: Sequence[Message]) -> list[Candidate]:
    """``found`` in the order of their messages, each statement once."""
    places = {message.id: place for place, message in enumerate(messages)}
    once: dict[tuple[str, str], Candidate] = {}
    for one in found:
        once.setdefault((one.message_id, one.text.casefold()), one)
    return sorted(once.values(), key=lambda one: places.get(one.message_id, 0))
