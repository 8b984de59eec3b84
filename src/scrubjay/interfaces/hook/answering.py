"""What a hook prints: one JSON object that the host understands, never too long for it (HK-5, HK-6, F63)."""

from __future__ import annotations

import json

from scrubjay.text.fence import CLOSING, OPENING, harmless

MOST = 9_000
"""Characters of all that is printed; beyond 10,000 a host puts a text aside into a file (HK-6)."""
CUT = "(More is known than fits here.)"
_ROUND = 10  # characters that the last line may be off, after escaping


def line(name: str, text: str) -> bytes:
    """The answer that gives ``text`` to the agent, as UTF-8. ``text`` must be shorter than ``MOST`` once escaped."""
    answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    return json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")


def block(introduction: str, sections: list[tuple[str, list[str]]], most: int = MOST) -> str:
    """``sections`` (a heading and its lines) inside the fence of SM-37, as many lines as fit into ``most`` characters
    of an answer; nothing where there are no lines. Headings and introduction are ours; lines are made harmless here.
    """
    room = most - len(line("UserPromptSubmit", "\n".join([OPENING, introduction, CUT, CLOSING])).decode()) - _ROUND
    kept: list[str] = []
    complete = True
    for heading, lines in sections:
        told: list[str] = []
        lead = _cost(heading)
        for each in lines:
            safe = harmless(each)
            if room - lead - _cost(safe) < 0:
                complete = False
                break
            room -= lead + _cost(safe)
            lead = 0
            told.append(safe)
        kept += [heading] * bool(told and heading) + told
    if not kept:
        return ""
    return "\n".join([OPENING, introduction, *kept, *([] if complete else [CUT]), CLOSING])


def _cost(text: str) -> int:
    """Characters that ``text`` and its line end take in the answer."""
    return len(json.dumps(text, ensure_ascii=False))
