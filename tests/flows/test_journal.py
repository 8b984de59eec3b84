"""The log of a day (CC-P7, XC-13, F55, F110)."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scrubjay import Memory
from scrubjay.temporal import now
from scrubjay.vaults.dialects.claude_memory import logs
from scrubjay.vaults.dialects.claude_memory.logs import Happened
from tests.flows.secret_keys import github_pat

DAY = date(2026, 5, 8)


@given(st.lists(st.tuples(st.text(min_size=1), st.times()), max_size=5))
def test_cc_p7_what_was_added_is_read_again(lines: list[tuple[str, time]]) -> None:
    log = ""
    for text, at in lines:
        if text.strip():
            log = logs.added(log, logs.bullet(text, at), DAY)
    said = [" ".join(text.split())[: logs.MOST_CHARACTERS].strip() for text, _ in lines if text.strip()]
    assert [one.text for one in logs.read(log)] == [one for one in said if one]


def test_xc13_both_forms_are_read() -> None:
    assert logs.path_of(DAY) == "logs/2026/05/2026-05-08.md"
    newer = "> Where is it?\n< In the cellar.\n. ls\nnothing\n"
    assert [(one.speaker, one.text) for one in logs.read(newer)] == [
        ("user", "Where is it?"),
        ("assistant", "In the cellar."),
        ("tool", "ls"),
    ]
    assert logs.read("# 2026-05-08\n\n- 10:15 Moved it.\n- no time\n- 99:99 odd\n") == [
        Happened(text="Moved it.", at=time(10, 15)),
        Happened(text="no time"),
        Happened(text="odd"),
    ]


def test_cc_p7_a_line_is_found_and_taken_back(memory: Memory, tmp_path: Path) -> None:
    document = memory.journal_add("The staging server was moved to Frankfurt.")
    today = now().astimezone(memory.zone).date()
    assert document.path == f"60-Logs/{today:%Y/%m/%Y-%m-%d}.md"
    memory.journal_add(f"Its token is {github_pat()}\nand a second line.")
    found = memory.journal()
    assert found[0].text == "The staging server was moved to Frankfurt."
    assert "ghp_" not in found[1].text and "second line" in found[1].text
    assert memory.journal(datetime(2020, 1, 1, tzinfo=UTC)) == [] and memory.journal("2020-01-01") == []
    assert any("Frankfurt" in hit.text for hit in memory.search("staging server", abstain=False).hits)
    assert not list((tmp_path / "vault" / "90-Trash").rglob(f"{today}.md")), "a log that grows is kept no second time"
    memory.undo()
    assert len(memory.journal()) == 1


def test_f55_two_writers_lose_nothing(memory: Memory, tmp_path: Path) -> None:
    script = (
        "import sys\nfrom scrubjay import Memory\n"
        "off = {'models.embedder': 'none', 'models.reranker': 'none'}\n"
        "with Memory.open(sys.argv[1], settings=off, background=False) as memory:\n"
        "    for number in range(20):\n        memory.journal_add(f'{sys.argv[2]} {number}')\n"
    )
    source = str(Path(__file__).resolve().parents[2] / "src")
    code = f"import sys; sys.path.insert(0, {source!r})\n{script}"
    command = [sys.executable, "-c", code, str(tmp_path / "vault")]
    running = [subprocess.Popen([*command, name]) for name in ("one", "other")]
    assert [each.wait() for each in running] == [0, 0]
    memory.sync()
    assert len({one.text for one in memory.journal()}) == 40
