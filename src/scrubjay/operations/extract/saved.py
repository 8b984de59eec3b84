"""Memories that a service kept, and instructions that somebody wrote for every conversation (TR-62, TR-71).

They are remembered on purpose and stand in the third person, so each piece counts as it stands; where it is one of the
known forms, it is read as that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import tzinfo

from scrubjay.text.statements import statements
from scrubjay.text.statements.sentences import sentences
from scrubjay.types import Candidate, Interval, Message

CONFIDENCE = 0.9
LONGEST = 1_000
"""Characters of a piece; a longer one is cut into its sentences."""

_LONGEST_TEXT = 50_000  # characters of a message that are read
_MOST = 200  # pieces of one message
_SHORTEST = 8
_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_PREAMBLE = re.compile(
    r"(?:the user provided|user profile:|user's instructions:|before answering|this user profile)", re.I
)
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s+|\s*\[\d{4}-\d\d-\d\d\][.:]?\s*")
_NAMED = re.compile(r"(?:the )?user(?:'s)?\b|пользовател\w*|用户|用戶", re.IGNORECASE)
_CATEGORIES = (
    ("TODO", r"\b(?:needs? to|has to|plans? to remind|deadline)\b"),
    ("Preference", r"\b(?:prefers?|likes?|loves?|enjoys?|dislikes?|hates?|favou?rite|wants? (?:answers|responses|replies|me|you|chatgpt))\b"
     r"|предпочита\w+|любит|не любит|偏好|喜欢|喜歡|讨厌|討厭"),
    ("Decision", r"\b(?:decided|chose|has chosen|agreed)\b|решил\w*|决定|決定"),
    ("Identity", r"\b(?:name is|is named|is an?|is (?:allergic|vegetarian|vegan|diabetic|married|retired)|works? (?:at|as|for|in)|lives? in|is from|is based|born|married|years old|speaks)\b"
     r"|зовут|живёт|живет|работает|住在|工作|名字"),
    ("Process", r"\b(?:always|never|should be|must|do not|don't|use|avoid|be (?:concise|brief|direct|honest)|respond|answer|reply)\b"
     r"|всегда|никогда|отвеча\w+|总是|請|请"),
)  # fmt: skip
_KINDS = tuple((category, re.compile(pattern, re.IGNORECASE)) for category, pattern in _CATEGORIES)


def candidates(message: Message, *, zone: tzinfo) -> Iterator[Candidate]:
    """A candidate for each piece of what was saved."""
    for piece in list(_pieces(message))[:_MOST]:
        yield _candidate(piece, message, zone)


def _candidate(piece: str, message: Message, zone: tzinfo) -> Candidate:
    known = statements(piece, at=message.at, zone=zone)
    if len(known) == 1 and known[0].quote.strip(". ") == piece.strip(". "):
        one = known[0]
        return Candidate(
            text=one.text,
            category=one.category,
            quote=piece,
            message_id=message.id,
            confidence=max(CONFIDENCE, one.confidence),
            rule=f"{_rule(message)}: {one.rule}",
            subject=one.subject,
            predicate=one.predicate,
            object=one.object,
            valid=replace(one.valid, end=one.valid.end),
        )
    return Candidate(
        text=piece,
        category=_category(piece, message),
        quote=piece,
        message_id=message.id,
        confidence=CONFIDENCE,
        rule=_rule(message),
        valid=Interval(start=message.at),
    )


def _rule(message: Message) -> str:
    return "custom instructions" if message.meta["candidate"] == "instructions" else "saved memory"


def _pieces(message: Message) -> Iterator[str]:
    """Lines and paragraphs, without what a service writes around them."""
    text = message.text[:_LONGEST_TEXT]
    if message.meta["candidate"] == "instructions" and (inner := _FENCED.findall(text)):
        text = "\n\n".join(inner)
    for line in text.splitlines():
        piece = _BULLET.sub("", line, count=1).strip()
        if len(piece) < _SHORTEST and not re.search(r"[\u3400-\u9fff]{4}", piece):
            continue
        if piece.startswith("#") or _PREAMBLE.match(piece) or (piece.endswith(":") and len(piece) < 80):
            continue
        if len(piece) <= LONGEST:
            yield piece
        else:
            yield from (one.text for one in sentences(piece) if len(one.text) >= _SHORTEST)


def _category(piece: str, message: Message) -> str:
    if message.meta["candidate"] == "instructions" and not _NAMED.match(piece):
        order = ("Process", "Preference", "Identity")
        found = {category for category, pattern in _KINDS if pattern.search(piece)}
        return next((category for category in order if category in found), "Preference")
    return next((category for category, pattern in _KINDS if category != "TODO" and pattern.search(piece)), "Fact")
