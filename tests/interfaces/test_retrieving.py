"""``retrieve`` and ``harvest`` from a command line (SM-36 … SM-40, XC-20)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def project(tmp_path: Path, jay) -> Path:
    (tmp_path / ".git").mkdir()
    assert jay("init").code == 0
    (tmp_path / ".memory/10-Memories/MEM-retry.md").write_text(
        '---\ntitle: "Retries"\ncreated: 2026-11-01\ntags: [PATTERN]\ntopic: "http"\nkeywords: [retry, client]\n---\n\n'
        "# Retries\n\nПовтор запроса: retry with C:\\new jitter.\n",
        "utf-8",
    )
    return tmp_path


@pytest.fixture
def harvesting(project: Path, jay, own_home: Path) -> Path:
    (own_home / ".scrubjay").mkdir(exist_ok=True)
    (own_home / ".scrubjay/config.toml").write_text("[harvest]\nenabled = true\n", "utf-8")
    task = project / "specs/012_pools"
    task.mkdir(parents=True)
    candidates = [
        {
            "content": "Pools need a cap.",
            "category": "PATTERN",
            "confidence": 0.9,
            "suggested_keywords": ["pool", "cap"],
        },
        {"content": "Unsure about it.", "category": "INSIGHT", "confidence": 0.4, "suggested_keywords": ["x"]},
    ]
    (task / ".return-meta.json").write_text(json.dumps({"memory_candidates": candidates}), "utf-8")
    return project


def memories(project: Path) -> list[str]:
    return sorted(path.name for path in (project / ".memory/10-Memories").glob("MEM-*.md"))


def test_sm37_the_block_is_all_that_is_printed(jay, project: Path) -> None:
    done = jay("retrieve", "retry the client", "--type", "http")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("<memory-context>\n") and done.out.endswith("\n\n</memory-context>\n")
    assert "### Retries (relevance: 4)\n---\ntitle:" in done.out and "C:\\new jitter" in done.out


def test_sm36_nothing_is_exit_code_1_and_no_output(jay, project: Path) -> None:
    done = jay("retrieve", "zebra")
    assert (done.code, done.out, done.err) == (1, "", "")
    done = jay("--json", "retrieve", "zebra")
    assert done.code == 1 and (done.json["text"], done.json["memories"]) == ("", [])


def test_sm37_clean_prints_nothing_and_is_no_failure(jay, project: Path) -> None:
    done = jay("retrieve", "retry the client", "--clean")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert jay("--json", "retrieve", "retry", "--clean").json["memories"] == []


def test_sm36_a_retrieval_is_counted_and_json_says_what_was_found(jay, project: Path) -> None:
    for _ in range(2):
        done = jay("--json", "retrieve", "retry the client")
    assert done.json["memories"] == [{"id": "MEM-retry", "relevance": 2.0}]
    assert (done.json["mode"], done.json["keywords"]) == ("compat", ["client", "retry"])
    [row] = json.loads((project / ".memory/memory-index.json").read_text("utf-8"))["entries"]
    assert row["retrieval_count"] == 2


def test_another_script_is_answered_and_the_reader_is_told(jay, project: Path) -> None:
    done = jay("retrieve", "повтор запроса")
    assert done.code == 0 and "Повтор запроса" in done.out
    assert "Note: The keyword rule reads Latin letters only" in done.err
    assert jay("retrieve", "повтор запроса", "--mode", "recall").err == ""


def test_xc20_harvesting_is_refused_until_it_is_switched_on(jay, project: Path) -> None:
    done = jay("harvest")
    assert done.code == 5 and "switched off" in done.err and "[harvest]" in done.err


def test_sm39_without_an_answer_nothing_is_written(jay, harvesting: Path) -> None:
    done = jay("harvest", "--task", "12")
    assert done.code == 0 and "Pools need a cap." in done.out and "confidence 0.40 is below 0.7" in done.out
    assert "Nothing was written" in done.out
    assert memories(harvesting) == ["MEM-retry.md"]


def test_sm39_yes_takes_what_is_recommended_and_undo_takes_it_back(jay, harvesting: Path) -> None:
    done = jay("--json", "harvest", "--task", "12", "--yes")
    assert done.code == 0 and done.json["by"] == "--yes"
    assert memories(harvesting) == ["MEM-pattern-pool-cap.md", "MEM-retry.md"]
    assert jay("harvest", "--task", "12", "--yes").code == 0
    assert memories(harvesting) == ["MEM-pattern-pool-cap.md", "MEM-retry.md"]
    assert jay("undo").code == 0
    assert memories(harvesting) == ["MEM-retry.md"]


def test_sm40_what_is_less_certain_is_shown_when_asked_for(jay, harvesting: Path) -> None:
    done = jay("harvest", "--archive")
    assert "Unsure" not in done.out and "1 less certain candidate is not shown" in done.out
    assert "Unsure" in jay("harvest", "--archive", "--all").out


def test_kept_candidates_wait_in_the_inbox(jay, harvesting: Path) -> None:
    assert jay("harvest", "--keep").code == 0
    assert "Pools need a cap." in jay("inbox").out
    assert jay("harvest", "--keep", "--yes").code == 2


def test_a_harvest_has_the_shape_of_every_plan(jay, harvesting: Path) -> None:
    done = jay("--json", "harvest")
    assert done.json["mode"] == "harvest" and len(done.json["questions"]) == 1
