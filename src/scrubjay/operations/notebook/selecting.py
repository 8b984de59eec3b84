"""The few memories of a notebook that bear on a question (CC-S3).

Candidates are what a scan finds, without what the reader has already seen. A ``ports.Selector`` names some of them;
names that are no candidates are passed over, and whatever fails selects nothing.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from scrubjay.ports import Listed, Selector
from scrubjay.text.analyze import lexemes
from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.dialects.claude_memory.scan import Header

_REFERENCE = "reference"
_WARNS = re.compile(
    r"\b(?:warning|gotcha|pitfall|caveat|bug|broken|fails?|crash|careful|never|known issue|осторожно|ошибк\w*|нельзя)\b"
    r"|注意|警告|陷阱|坑|错误",
    re.IGNORECASE,
)
_BODY_BYTES = 16_384
_DESCRIPTION, _BODY = 3.0, 1.0
_ENOUGH = 0.25
"""Share of the question's weight that a memory must have in words, without a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A memory that was chosen: its name in the notebook, its path on the disk, and when it was written."""

    filename: str
    path: Path
    mtime_ms: int

    @property
    def written(self) -> datetime:
        return datetime.fromtimestamp(self.mtime_ms / 1000, UTC)


def select(
    query: str,
    headers: Sequence[Header],
    selector: Selector,
    *,
    surfaced: Collection[str] = (),
    tools: Sequence[str] = (),
    limit: int = host.SELECTED,
) -> list[Selected]:
    """At most ``limit`` of ``headers`` that bear on ``query``, the best first.

    ``surfaced`` are filenames that the reader has seen, ``tools`` what it used just now: what only explains one of
    those is left out, unless it warns. With no candidates the selector is not asked. Never fails.
    """
    seen = frozenset(surfaced)
    candidates = [header for header in headers if header.filename not in seen and not explains(header, tools)]
    if not candidates or not query.strip() or limit < 1:
        return []
    try:
        names = selector.select(query, candidates, tools, limit)
    except Exception:  # noqa: BLE001 - whoever chooses, and however that fails, the question is not held up
        return []
    known = {header.filename: header for header in candidates}
    chosen = [known[name] for name in dict.fromkeys(names) if name in known][: min(limit, host.SELECTED)]
    return [Selected(filename=each.filename, path=each.path, mtime_ms=each.mtime_ms) for each in chosen]


def explains(header: Listed, tools: Sequence[str]) -> bool:
    """Whether a memory only says how to use one of ``tools``, which the reader is using already; a warning about it is
    worth more while it is in use."""
    if header.type != _REFERENCE or not tools:
        return False
    about = f"{header.filename} {header.description or ''}"
    if _WARNS.search(about):
        return False
    words = set(lexemes(about))
    return any((named := set(lexemes(tool.rpartition("__")[2] or tool))) and named <= words for tool in tools)


class WordSelector:
    """Chooses by the words of name, description and body alone: no index, no model, for where neither may be loaded."""

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> list[str]:  # noqa: ARG002
        asked = set(lexemes(query))
        weighed = [_weighed(header) for header in candidates]
        seen = Counter(word for weights in weighed for word in weights)
        rarity = {word: math.log(1 + len(candidates) / (1 + seen[word])) for word in asked}
        whole = sum(rarity.values())
        if not whole:
            return []
        scored = []
        for header, weights in zip(candidates, weighed, strict=True):
            score = sum(rarity[word] * weights[word] / (weights[word] + 1.0) for word in asked if word in weights)
            if score / whole >= _ENOUGH / 2:
                scored.append((score, header.mtime_ms, header.filename))
        return [name for _, _, name in sorted(scored, key=lambda row: (-row[0], -row[1], row[2]))[:limit]]


def _weighed(header: Listed) -> dict[str, float]:
    weights: dict[str, float] = {}
    stem = os.path.splitext(header.filename)[0].replace("_", " ").replace("-", " ").replace("/", " ")
    for word in lexemes(f"{stem} {header.description or ''}"):
        weights[word] = weights.get(word, 0.0) + _DESCRIPTION
    for word in set(lexemes(_body(header.path))):
        weights[word] = weights.get(word, 0.0) + _BODY
    return weights


def _body(path: Path) -> str:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as stream:
            return stream.read(_BODY_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
