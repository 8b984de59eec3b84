"""Whether one statement gives another value for what another said: "the port is 8080", "the port is 9090".

Two such statements share their words but for one run of them. Nothing tells whether both hold ("speaks French",
"speaks German"), so that this may order and point out, and never close a fact by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TOKEN = re.compile(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W_]+(?:[-'’.][^\W_]+)*")
# Words that say that it changed, and not to what.
_NOW = re.compile(r"\b(?:now|currently|теперь|сейчас)\b|现在|現在|目前")
_LEAST_TOKENS = 2
_LEAST_SHARED = 0.5
# From this share on two values may have words in common, such as "Catholic Church" and "Church of Scotland"; below, a
# word in common is more likely the verb between a subject and an object that both differ.
_MOSTLY_SHARED = 0.6


@dataclass(frozen=True, slots=True)
class Difference:
    """The words of the value that each of two statements gives, without those of what they share; whether the value
    stands at their end."""

    mine: frozenset[str]
    theirs: frozenset[str]
    last: bool


def tokens(statement: str) -> tuple[str, ...]:
    """The words of ``statement``, case folded, without "now"; Chinese and Japanese character by character."""
    return tuple(word for word in _TOKEN.findall(_NOW.sub(" ", statement.casefold())) if word)


def difference(mine: Sequence[str], theirs: Sequence[str]) -> Difference | None:
    """Where two statements (as ``tokens``) differ, or ``None`` when they are the same or about different things."""
    shorter = min(len(mine), len(theirs))
    start = _common(mine, theirs, shorter)
    end = _common(mine[::-1], theirs[::-1], shorter - start)
    shared = start + end
    if shared < max(_LEAST_TOKENS, _LEAST_SHARED * shorter):
        return None
    one, other = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
    if not one or not other or (shared < _MOSTLY_SHARED * shorter and set(one) & set(other)):
        return None
    frame = frozenset((*mine[:start], *mine[len(mine) - end :]))
    return Difference(mine=frozenset(one) - frame, theirs=frozenset(other) - frame, last=not end)


def _common(one: Sequence[str], other: Sequence[str], most: int) -> int:
    for place in range(most):
        if one[place] != other[place]:
            return place
    return most
