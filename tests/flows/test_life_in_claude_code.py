"""The life of a memory in Claude Code: installed, three sessions, a dream, undone, taken out again (HK-1 … HK-8)."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.flows.host import Host, files

SRC = str(Path(__file__).resolve().parents[2] / "src")
SETTINGS = '{\n    "model": "opus",\n    "hooks": {}\n}\n'
STATE = '{"numStartups":7,"projects":{"/elsewhere":{"allowedTools":[]}}}'


@pytest.fixture
def environ(own_home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCRUBJAY_", "CLAUDE"))}
    off = {"SCRUBJAY_MODELS_EMBEDDER": "none", "SCRUBJAY_MODELS_RERANKER": "none", "PYTHONPATH": SRC, "TZ": "UTC"}
    return {**kept, "HOME": str(own_home), **off}


@pytest.fixture
def host(own_home: Path, tmp_path: Path, environ: dict[str, str]) -> Host:
    project = tmp_path / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / "cart.py").write_text("def total(): ...\n", encoding="utf-8")
    (own_home / ".claude").mkdir()
    (own_home / ".claude" / "settings.json").write_text(SETTINGS, encoding="utf-8")
    (own_home / ".claude.json").write_text(STATE, encoding="utf-8")
    return Host(home=own_home, project=project, environ=environ)


def test_install_three_sessions_dream_undo_uninstall(host: Host, own_home: Path) -> None:
    def jay(*words: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "scrubjay", *words, "--json"],
            capture_output=True,
            env=host.environ,
            cwd=host.project,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    # What was there before anything of ours.
    host.memory.mkdir(parents=True)
    for name, body in (
        ("tests", "Prefer real databases in tests."),
        ("tests_again", "Prefer real databases in tests."),
    ):
        text = f"---\nname: {name}\ndescription: Databases\nmetadata:\n  type: feedback\n---\n{body}\n"
        (host.memory / f"{name}.md").write_text(text, encoding="utf-8")
    (host.memory / "MEMORY.md").write_text(
        "- [Tests](tests.md) — real databases\n- [Again](tests_again.md) — the same\n", encoding="utf-8"
    )
    before = files(own_home, ".scrubjay", ".cache")

    answer = jay("install", "claude-code", "--yes")
    assert answer["installed"] and host.handlers("SessionStart")
    assert {one["state"] for one in jay("doctor")["hosts"]} == {"delivered"}

    # Three sessions.
    host.fire("SessionStart", "s1", source="startup")
    assert host.heard == []
    host.say("s1", ("user", "We decided to use PostgreSQL for the orders."), ("assistant", "Understood."))
    host.fire("Stop", "s1", stop_hook_active=False)
    host.fire("SessionEnd", "s1", reason="other")
    _settled(own_home)

    host.fire("SessionStart", "s2", source="startup")
    assert "PostgreSQL" in host.heard[-1] and host.heard[-1].startswith("<memory-context>")
    host.say("s2", ("user", "I prefer short answers."), ("assistant", "Yes."))
    host.fire("PreCompact", "s2", trigger="auto", custom_instructions="")
    host.fire("PostCompact", "s2", trigger="auto", compact_summary="The person prefers short answers.")
    host.fire("SessionStart", "s2", source="compact")
    assert host.heard[-1].count("<memory-context>") == 1
    host.say("s2", ("user", "We moved from PostgreSQL to CockroachDB for the orders."), ("assistant", "Noted."))
    host.fire("SubagentStop", "s2", agent_id="a", agent_transcript_path=str(host.folder / "none.jsonl"))
    host.fire("SessionEnd", "s2", reason="clear")
    _settled(own_home)

    host.fire("SessionStart", "s3", source="resume")
    assert "short answers" in host.heard[-1]
    host.say("s3", ("user", "What do we use for the orders?"), ("assistant", "CockroachDB."))
    host.fire("SessionEnd", "s3", reason="other")
    _settled(own_home)
    assert host.trouble == []

    # The memory is useful, and what was recalled was not learned again (F105).
    found = jay("search", "What database is used for orders?")
    assert any("CockroachDB" in hit["text"] for hit in found["hits"])
    assert all("memory-context" not in fact["text"] for fact in jay("facts")["facts"])

    # A dream, and back.
    dreamt = jay("dream", "--force")
    assert dreamt["operations"] and len(list(host.memory.glob("tests*.md"))) == 1
    jay("undo", dreamt["operations"][0])

    # Out again: every byte of the person's is as it was.
    jay("uninstall", "claude-code", "--yes")
    after = files(own_home, ".scrubjay", ".cache")
    own = {name for name in after if name.endswith((".jsonl", ".consolidate-lock"))}
    assert {name: data for name, data in after.items() if name not in own} == before
    assert not (own_home / ".claude" / "skills").exists()


def _settled(own_home: Path) -> None:
    """Waits until no worker runs and nothing waits."""
    state = own_home / ".scrubjay" / "state"
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        # A summary that the host may still write into its transcript is tried again later.
        waiting = [*(state / "spool").glob("*.json"), *filter(_untried, (state / "spool" / "taken").glob("*.json"))]
        lock = state / "hooks" / "worker.lock"
        if waiting or not lock.exists():
            continue
        with lock.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            return
    raise AssertionError(f"the worker did not finish: {waiting}")


def _untried(file: Path) -> bool:
    try:
        return not json.loads(file.read_text(encoding="utf-8"))["tries"]
    except FileNotFoundError:  # taken in meanwhile
        return False
