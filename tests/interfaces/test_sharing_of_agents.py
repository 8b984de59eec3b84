"""The team's memory in the folder of the host: found, made, shared, and nothing of ours in it (CC-P6, XC-3)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flows.team import KEY, committed, remote_files, topic


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "memory.git")], check=True)
    return tmp_path / "memory.git"


@pytest.fixture
def at(jay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Sits down at somebody's machine: a clone of the project, a home, the host's folder. Returns the team's folder."""

    def at_(name: str) -> Path:
        place = tmp_path / name
        if not place.exists():
            (place / "project").mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(place / "project")], check=True)
        monkeypatch.chdir(place / "project")
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place / "claude"))
        monkeypatch.setenv("CLAUDE_CODE_PROJECT_DIR_NAME", "shop")
        monkeypatch.setenv("SCRUBJAY_HOME", str(place / "scrubjay"))
        return place / "claude" / "projects" / "shop" / "memory" / "team"

    return at_


def everything(folder: Path) -> list[str]:
    return sorted(str(place.relative_to(folder)) for place in folder.rglob("*") if place.is_file())


def test_a_team_is_joined_where_the_host_has_no_folder_yet(jay, at, remote: Path) -> None:
    team = at("ada")
    team.mkdir(parents=True)
    (team.parent / "MEMORY.md").write_text("- [Mine](mine.md) — personal\n", encoding="utf-8")
    (team.parent / "mine.md").write_text(topic("mine", "Private words."), encoding="utf-8")
    (team / "build.md").write_text(topic("build"), encoding="utf-8")
    done = jay("share", "sync", "--remote", str(remote), "--json")
    assert (done.code, done.json["sent"]) == (0, ["build.md"])
    assert sorted(remote_files(remote)) == ["MEMORY.md", "build.md"]
    team = at("bob")
    assert not team.exists()
    assert jay("share", "status").code == 0
    done = jay("share", "sync", "--remote", str(remote), "--json")
    assert (done.code, done.json["taken"]) == (0, ["build.md"])
    assert everything(team.parent) == ["team/MEMORY.md", "team/build.md"]
    assert jay("share", "sync").out.startswith("Nothing new")
    assert jay("search", "how we build text", "--scope", "team", "--json").json["hits"] != []


def test_nothing_of_ours_lies_in_the_hosts_folder_whatever_happens(jay, at, remote: Path, tmp_path: Path) -> None:
    team = at("ada")
    team.mkdir(parents=True)
    for name in ("a", "b", "c"):
        (team / f"{name}.md").write_text(topic(name, "npm"), encoding="utf-8")
    jay("share", "sync", "--remote", str(remote))
    there = at("bob")
    jay("share", "sync", "--remote", str(remote))
    (there / "a.md").write_text(topic("a", "yarn"), encoding="utf-8")
    (there / "b.md").unlink()
    jay("share", "sync")
    at("ada")
    (team / "a.md").write_text(topic("a", "pnpm"), encoding="utf-8")
    done = jay("share", "sync", "--json")
    assert (done.code, done.json["conflicts"], done.json["removed"]) == (4, ["a.md"], ["b.md"])
    allowed = ["MEMORY.md", "a.md", "c.md"]
    assert everything(team) == allowed
    listed = jay("inbox", "list", "--json").json["proposals"]
    assert [(one["action"], one["scope"]) for one in listed] == [("REPLACE", "team")]
    shown = jay("inbox", "show", "1")
    assert "pnpm" in shown.out and "yarn" in shown.out
    done = jay("inbox", "accept", "1")
    assert done.code == 0, done.err + done.out
    assert "pnpm" in (team / "a.md").read_text(encoding="utf-8")
    assert everything(team) == allowed
    assert jay("undo").code == 0
    assert "yarn" in (team / "a.md").read_text(encoding="utf-8")
    assert everything(team) == allowed
    assert not [name for name in os.listdir(team) if name.startswith(".")]


def test_f110_a_document_of_the_team_with_a_secret_is_warned_of_and_not_found(jay, at) -> None:
    team = at("ada")
    team.mkdir(parents=True)
    (team / "bad.md").write_text(topic("bad", f"The deployment key is {KEY}."), encoding="utf-8")
    (team / "good.md").write_text(topic("good", "The deployment runs on Mondays."), encoding="utf-8")
    done = jay("sync", "--json")
    assert KEY not in done.out
    assert "so it was not loaded" in done.out
    found = jay("search", "deployment key", "--scope", "team", "--json").json["hits"]
    assert {hit["path"] for hit in found} == {"good.md"}
    (team / "good.md").write_text(topic("good", f"Now with {KEY}."), encoding="utf-8")
    jay("sync")
    assert jay("search", "deployment", "--scope", "team", "--json").json["hits"] == []
    assert {one["path"] for one in jay("share", "status", "--json").json["skipped"]} == {"bad.md", "good.md"}
    jay("reindex")
    assert jay("search", "deployment", "--scope", "team", "--json").json["hits"] == []


def test_what_means_something_in_a_vault_of_ours_means_nothing_in_the_hosts_folder(jay, at, remote: Path) -> None:
    team = at("ada")
    committed(
        remote, {"40-Facts/fact/x.md": "---\nkind: fact\n---\n\nx\n", "10-Memories/MEM-x.md": "x", "a.md": topic("a")}
    )
    assert jay("share", "sync", "--remote", str(remote), "--json").json["taken"] == ["a.md"]
    assert everything(team) == ["MEMORY.md", "a.md"]


def test_scan_looks_beside_the_hosts_folder_too(jay, at) -> None:
    team = at("ada")
    team.mkdir(parents=True)
    (team / "a.md").write_text(topic("a"), encoding="utf-8")
    jay("sync")
    done = jay("forget", "a.md", "--yes")
    assert done.code == 0, done.err
    kept = list((team.parents[3].parent / "scrubjay" / "beside").rglob("a.md"))
    assert kept
    kept[0].write_text(KEY, encoding="utf-8")
    found = jay("scan", "--json").json["found"]
    assert [(one["rule"], one["where"]) for one in found] == [("github-pat", "trash")]


def test_an_export_of_the_team_and_an_import_into_it(jay, at, tmp_path: Path) -> None:
    team = at("ada")
    team.mkdir(parents=True)
    (team / "build.md").write_text(topic("build"), encoding="utf-8")
    target = str(tmp_path / "out.zip")
    assert jay("share", "export", target, "--json").json["written"] == ["build.md"]
    other = at("bob")
    done = jay("share", "import", target, "--json")
    assert (done.code, done.json["scope"], done.json["written"]) == (0, "team", ["build.md"])
    assert everything(other) == ["MEMORY.md", "build.md"]
    assert (other / "build.md").read_text(encoding="utf-8") == topic("build")
