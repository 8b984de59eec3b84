"""The memories selected from a notebook: as the block for an agent's context, and as values for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrubjay.interfaces.render.plain import one_line, packed

if TYPE_CHECKING:
    from scrubjay.operations.notebook.shown import Memo, Selection


def text(found: Selection) -> str:
    """The block, or why there is none."""
    return packed(found.text.rstrip("\n")) or found.reason


def left(found: Selection) -> list[str]:
    """A sentence for each memory that was selected and is not shown."""
    return [f"Not shown: {one_line(each)}." for each in found.left]


def values(query: str, found: Selection) -> dict[str, Any]:
    """The same with all that is known of each memory."""
    memories = [_memo(each) for each in found.memories]
    return {"query": query, "memories": memories, "text": found.text, "left": list(found.left), "reason": found.reason}


def _memo(memo: Memo) -> dict[str, Any]:
    return {
        "filename": memo.selected.filename,
        "path": str(memo.selected.path),
        "mtime_ms": memo.selected.mtime_ms,
        "title": memo.title,
        "age_days": memo.days,
        "note": memo.note,
        "standing": memo.standing,
        "claims": [asdict(claim) for claim in memo.claims],
        "text": memo.text,
    }
