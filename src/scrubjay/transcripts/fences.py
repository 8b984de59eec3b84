"""Blocks that a host or a memory put into somebody's message, taken out again (TR-7).

What was recalled must not be remembered as if it had been said (design §2.8): ``<memory-context>`` is ours,
``<system-reminder>``, ``<ide_…>`` and hook blocks come from the host.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_TAG = re.compile(
    r"<\s*+(/?)\s*+(memory-context|system-reminder|ide_[a-z0-9_-]{1,40}|(?:session-start|user-prompt-submit)-hook)"
    r"(?=[\s/>])([^<>]*+)>",
    re.IGNORECASE,
)
_OF_HOST = re.compile(
    r"\s*(?:<local-command-stdout>|<local-command-stderr>|<local-command-caveat>|<command-name>|<command-message>"
    r"|<session-start-hook>|<bash-(?:input|stdout|stderr)>|Caveat:|\[Request interrupted)"
)
_BLANK_LINES = re.compile(r"\n\s*\n\s*\n")


@dataclass(frozen=True, slots=True)
class Stripped:
    """What a person is left with: ``text`` without the blocks, the names of those ``removed``, and of tags that were
    opened and never closed. What follows such a tag is kept: it may be all that was said."""

    text: str
    removed: tuple[str, ...] = ()
    unclosed: tuple[str, ...] = ()


def is_of_host(text: str) -> bool:
    """Whether the host wrote ``text``, in the name of the person who uses it (TR-7)."""
    return _OF_HOST.match(text) is not None


def strip_blocks(text: str) -> Stripped:
    """``text`` without injected blocks.

    A closing tag closes the nearest opening of its name, with everything that was left open inside. Without an
    opening it stays, as does a tag between backticks, which somebody talks about.
    """
    if "<" not in text:
        return Stripped(text)
    opened: list[tuple[str, int]] = []
    waiting: Counter[str] = Counter()
    blocks: list[tuple[int, int, str]] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`":
            continue
        if not tag[1]:
            if tag[3].rstrip().endswith("/"):
                blocks.append((tag.start(), tag.end(), name))
            else:
                opened.append((name, tag.start()))
                waiting[name] += 1
        elif waiting[name]:
            last = ""
            while last != name:
                last, start = opened.pop()
                waiting[last] -= 1
            blocks.append((start, tag.end(), name))
    kept, removed = _outside(text, blocks)
    return Stripped(kept, tuple(removed), tuple(name for name, _ in opened))


def _outside(text: str, blocks: Sequence[tuple[int, int, str]]) -> tuple[str, list[str]]:
    """What stands outside of ``blocks``, and the names of the outermost ones."""
    if not blocks:
        return text, []
    kept, removed, after = [], [], 0
    for start, end, name in sorted(blocks):
        if start >= after:
            kept.append(text[after:start])
            removed.append(name)
        after = max(after, end)
    kept.append(text[after:])
    joined = kept[0]
    for part in kept[1:]:
        near = joined[-1:] + part[:1]
        joined = joined + part if "\n" in near else joined.rstrip(" \t") + " " + part.lstrip(" \t")
    return _BLANK_LINES.sub("\n\n", joined).strip(), removed
