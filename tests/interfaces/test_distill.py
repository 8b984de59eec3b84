"""``distill`` from a command line and on a terminal (SM-42, SM-44): nothing without a decision, and all of it shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.flows.grown import grow


@pytest.fixture
def project(tmp_path: Path, jay) -> Path:
    (tmp_path / ".git").mkdir()
    assert jay("init").code == 0
    grow(tmp_path / ".memory")
    assert jay("sync").code == 0
    return tmp_path


def memories(project: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in (project / ".memory" / "10-Memories").glob("MEM-*.md")}


def everything(project: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}


def test_sm44_the_report(jay, project: Path) -> None:
    before = everything(project)
    done = jay("distill")
    assert done.code == 0 and everything(project) == before
    for words in (
        "Health 69 of 100: manageable",
        "44 memories in use, 5,", "3 retired",
        "category   memories  tokens  never used  mean score",
        "topics     team 10, infra 5",
        "retrieved  never 21, 1-3 13, 4+ 10; most Retry HTTP calls with",
        "score      purge 0, merge/compress 12",
        "12 candidates to purge: nobody uses them",
        "MEM-svn-import                      never used in 700 days (WORKFLOW: 365)",
        "… and 2 more; --verbose shows them",
        "5 candidates to merge", "3 candidates to compress",
        "MEM-gone-2                          5 days until it may go (purge)",
        "scrubjay distill --purge    12 memories that nobody uses",
        "scrubjay distill --refine   3 memories with untidy",
        "scrubjay distill --gc       2 memories retired",
    ):  # fmt: skip
        assert words in done.out, words
    assert max(map(len, done.out.splitlines())) <= 80


def test_sm44_the_report_as_json(jay, project: Path) -> None:
    value = jay("distill", "--json").json
    assert (value["health"], value["health_name"], value["metrics"]["total_memories"]) == (69, "manageable", 44)
    assert [one["days_left"] for one in value["retired"]] == [0, 0, 5]
    assert len(value["candidates"]["purge"]) == 12 and "memories" not in value
    assert len(jay("distill", "--verbose", "--json").json["memories"]) == 44


def test_an_empty_vault_needs_nothing(jay, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    jay("init")
    done = jay("distill")
    assert "Health 100 of 100: healthy" in done.out and "Nothing needs to be done." in done.out
    assert "Nothing to do: no memory is a candidate." in jay("distill", "--purge").out


def test_sm42_an_unknown_flag_names_all(jay, project: Path) -> None:
    done = jay("distill", "--shrink")
    assert done.code == 2
    for flag in ("purge", "merge", "compress", "refine", "gc", "auto", "dry-run", "verbose", "yes", "keep", "cap"):
        assert f"--{flag}" in done.err


def test_sm42_the_first_flag_wins(jay, project: Path) -> None:
    assert jay("distill", "--gc", "--purge", "--dry-run", "--json").json["content_map"]["source"]["path"] == "gc"
    assert jay("distill", "--purge", "--gc", "--dry-run", "--json").json["content_map"]["source"]["path"] == "purge"


@pytest.mark.parametrize("kind", ["purge", "merge", "compress", "refine", "gc", "auto"])
def test_sm42_a_dry_run_writes_nothing_at_all(jay, project: Path, kind: str) -> None:
    (project / "specs").mkdir()
    (project / "specs" / "state.json").write_text("{}", "utf-8")
    before = everything(project)
    done = jay("distill", f"--{kind}", "--dry-run")
    jay("distill", "--dry-run")
    assert done.code == 0 and "proposal" in done.out and everything(project) == before


def test_sm44_the_report_is_mirrored_where_the_project_keeps_its_state(jay, project: Path) -> None:
    path = project / "specs" / "state.json"
    path.parent.mkdir()
    path.write_text('{"next_project_number": 3}', "utf-8")
    jay("distill")
    value = json.loads(path.read_text("utf-8"))
    assert value["memory_health"]["health_score"] == 69 and "distill_count" not in value["memory_health"]
    jay("distill", "--gc", "--yes")
    health = json.loads(path.read_text("utf-8"))["memory_health"]
    assert health["distill_count"] == 1 and health["last_distilled"] > value["memory_health"]["last_distilled"]


def test_f1_without_a_terminal_nothing_happens_by_itself(jay, project: Path) -> None:
    """F1: the proposals are shown, as many as the cap allows, and the file system stays as it is."""
    before = memories(project)
    done = jay("distill", "--purge")
    assert "10 proposals to purge" in done.out and "Nothing was changed." in done.out
    assert "! MEM-webpack-alias links to it." in done.out and "2 more candidates are left" in done.out
    assert len(jay("distill", "--purge", "--json").json["proposals"]) == 10
    assert memories(project) == before


def test_f1_yes_is_explicit_recorded_and_undone_at_once(jay, project: Path) -> None:
    before = memories(project)
    done = jay("distill", "--purge", "--yes", "--cap", "3", "--json").json
    assert done["by"] == "--yes" and done["memories_affected"] == 3 and len(done["undo"]) == 1
    log = json.loads((project / ".memory" / "distill-log.json").read_text("utf-8"))
    assert "--yes" in log["operations"][0]["notes"] and log["summary"]["total_purged"] == 3
    assert sum("status: tombstoned" in text for text in memories(project).values()) == 6
    assert jay("undo").code == 0
    assert {name: text for name, text in memories(project).items() if "retry" not in name} == {
        name: text for name, text in before.items() if "retry" not in name
    }


def test_sm48_auto_does_tier_one_only(jay, project: Path) -> None:
    done = jay("distill", "--auto", "--json").json
    assert done["by"] == "auto mode" and {one["type"] for one in done["operations"]} == {"REFINE"}
    files = memories(project)
    assert "keywords: [Gateway, timeout, nginx]" in files["MEM-double-words.md"]
    assert 'topic: ""' in files["MEM-no-topic.md"]
    [entry] = json.loads((project / ".memory" / "distill-log.json").read_text("utf-8"))["operations"]
    assert entry["type"] == "refine" and "auto mode" in entry["notes"]


def test_kept_proposals_wait_for_somebody_else(jay, project: Path) -> None:
    before = memories(project)
    assert "2 proposals kept in the inbox" in jay("distill", "--merge", "--keep").out
    assert memories(project) == before
    listed = jay("inbox", "list").out
    assert "1. MERGE" in listed
    shown = jay("inbox", "show", "2").out
    for words in ("MERGE MEM-docker-layer-cache and MEM-docker-cache-order", "overlap by 80%", "+ Do not copy `.git`"):
        assert words in shown
    assert "1 merged" in jay("inbox", "accept", "2").out
    assert "## Merged From MEM-docker-cache-order" in memories(project)["MEM-docker-layer-cache.md"]


def test_yes_and_keep_exclude_each_other(jay, project: Path) -> None:
    assert jay("distill", "--purge", "--yes", "--keep").code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals here")
def test_on_a_terminal_each_proposal_is_shown_with_what_it_would_do(jay, project: Path) -> None:
    """What, why, what it is about, and the choices; nothing else is answered for anybody (SM-11)."""
    from tests.interfaces.terminal import Terminal

    terminal = Terminal(("distill", "--refine"), project)
    first = terminal.answer("")
    for words in ("3 proposals to refine", "1/3", "REFINE MEM-double-words", "stood there twice", "Gateway", "s SKIP"):
        assert words in first, words
    assert "python/asyncio" in terminal.answer("?")
    assert "SKIP: leave it as it is" in terminal.answer("s")
    assert "MEM-no-topic" in terminal.answer("q")
    assert "2 answers given" in terminal.answer("")
    code, rest = terminal.end()
    assert code == 0 and "kept in the inbox" in rest
    assert "keywords: [Gateway, gateway" in memories(project)["MEM-double-words.md"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals here")
def test_on_a_terminal_what_was_accepted_is_done_and_the_rest_stays(jay, project: Path) -> None:
    from tests.interfaces.terminal import Terminal

    terminal = Terminal(("distill", "--gc"), project)
    assert "Nobody needs this." in terminal.answer("")
    terminal.answer("s")
    code, rest = terminal.end()
    assert code == 0 and "1 skipped, 1 moved to the trash" in rest and "scrubjay undo" in rest
    assert "MEM-gone-0.md" not in memories(project) and "MEM-gone-1.md" in memories(project)
