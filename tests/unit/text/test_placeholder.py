"""Stand-ins for text that is not there (F5)."""

from __future__ import annotations

import pytest

from scrubjay.text.placeholder import placeholder


@pytest.mark.parametrize(
    "line",
    [
        "[rest unchanged…]",
        "[... rest of the file ...]",
        "# ... existing code ...",
        "// ... existing code ...",
        "... (remaining items unchanged)",
        "(same as above)",
        "<!-- rest of the document omitted -->",
        "existing rules…",
        "... остальное без изменений",
        "[далее без изменений]",
        "（其余不变）",
        "……省略……",
        "/* ... unchanged ... */",
    ],
)
def test_stand_ins_are_seen(line: str) -> None:
    assert placeholder(f"first\n  {line}\nlast") == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "...",
        "Wait...",
        "- [existing users](users.md) log in again",
        "The rest of the team is unchanged.",
        "We waited for the rest of the team... and then began with the existing plan.",
        "Remaining work: two tasks",
        "[link]",
        "(omit this)",
        "他的其余工作没有改变。",
        "x" * 500 + " rest …",
    ],
)
def test_sentences_are_not_stand_ins(line: str) -> None:
    assert placeholder(f"first\n{line}\nlast") is None
