"""What somebody says outright and a memory should keep, found without a model: "I prefer uv", "мы решили", "我喜欢".

Precision before recall: a sentence counts when it is a plain assertion of a known form, in English, Russian or Chinese
(MX-12). Questions, conditions, hearsay, jokes about maybe, code, logs and quotations are passed over (F105). The fact's
text names the person instead of "I", so that it can stand alone; the quote is what was said, to the character.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo

from scrubjay.types import ALWAYS, Interval

__all__ = ["TODO_DAYS", "Statement", "statements"]

TODO_DAYS = 30
"""Days after which a task without a date has expired (MX-12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something worth keeping: ``text`` stands alone, ``quote`` is ``source[start:end]`` as it was said.

    ``rule`` names the form that was recognised. ``replaces`` is what the speaker says no longer holds ("switched from
    pip to uv": ``pip``). ``valid`` has the times that the sentence itself names.
    """

    text: str
    category: str
    quote: str
    start: int
    end: int
    rule: str
    confidence: float
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    replaces: str | None = None
    valid: Interval = ALWAYS


def statements(
    text: str, *, at: datetime | None, speaker: str = "", zone: tzinfo = UTC, todo_days: int = TODO_DAYS
) -> list[Statement]:
    """What ``speaker`` asserts in ``text``, said ``at``; relative days are resolved against that moment (F85).

    ``speaker`` stands for "I"; without a name it is ``User``. A task that names no day expires after ``todo_days``.
    """
    from scrubjay.text.statements.doubt import begins_fiction, is_asserted, is_taken_back
    from scrubjay.text.statements.forms import recognise
    from scrubjay.text.statements.sentences import sentences

    found: dict[str, Statement] = {}
    said = list(sentences(text))
    for sentence, following in zip(said, [*said[1:], None], strict=False):
        if begins_fiction(sentence.text):
            break
        if not is_asserted(sentence.text) or (following is not None and is_taken_back(following.text)):
            continue
        statement = recognise(sentence, at=at, speaker=speaker.strip() or "User", zone=zone)
        if statement is not None:
            found.setdefault(statement.text.casefold(), _expiring(statement, todo_days))
    return list(found.values())


def _expiring(statement: Statement, days: int) -> Statement:
    start = statement.valid.start
    if statement.category != "TODO" or statement.valid.end is not None or start is None:
        return statement
    return replace(statement, valid=Interval(start=start, end=start + timedelta(days=days)))
