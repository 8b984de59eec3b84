"""How much a language model was used today, what it may be used, and whether it can be: as data (design §8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Literal, Self

State = Literal["none", "off", "ready", "resting", "stopped", "capped", "unusable"]
"""``none`` is configured; it is switched ``off``; it rests after a failure; it was ``stopped`` until it is configured
anew; a cap is reached; it is ``unusable`` as configured (a key or a package is missing)."""

RAISE_CAP = "Raise the cap under [llm], or wait until tomorrow (UTC); until then rules do the work."


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The most a day may take: calls, tokens in and out together, dollars. 0 sets no cap."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What one day (UTC) took.

    ``calls`` counts every request, failed ones too. ``money`` is in dollars, for the calls whose price is known;
    ``unpriced`` counts the others. ``running`` calls are counted with the tokens they were expected to take.
    ``outcomes`` and ``purposes`` count calls by how they ended and what they were for. ``capped`` are calls that were
    not made because of a cap, ``unreadable`` lines of the ledger that mean nothing.
    """

    day: date
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    unpriced: int = 0
    running: int = 0
    outcomes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    purposes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    capped: int = 0
    unreadable: int = 0

    @classmethod
    def empty(cls) -> Self:
        """Today, without a call."""
        return cls(day=datetime.now(UTC).date())

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """A language model's state and its numbers for today. ``reason`` and ``hint`` say why it is not used, if it isn't;
    what it would do is then done by rules."""

    model: str
    state: State
    today: Day
    caps: Caps
    reason: str = ""
    hint: str = ""


def cap_reached(day: Day, caps: Caps, *, calls: int = 0, tokens: int = 0) -> str:
    """The cap that ``calls`` and ``tokens`` more would pass, as a sentence; empty when there is room."""
    if caps.calls and day.calls + calls > caps.calls:
        return f"The {caps.calls:,} calls of a language model that a day may take are used up."
    if caps.tokens and day.tokens + tokens > caps.tokens:
        return f"The {caps.tokens:,} tokens of a language model that a day may take are used up."
    if caps.money and day.money >= caps.money:
        return f"The {caps.money:,.2f} dollars that a language model may cost in a day are used up."
    return ""
