"""Where the host keeps its memories, and what may say so (CC-P1 … CC-P6, §12.2, F101, F112)."""

from __future__ import annotations

import json
import os
import subprocess
import unicodedata
from pathlib import Path

import pytest

from scrubjay.vaults.dialects.claude_memory import host, paths
from scrubjay.vaults.dialects.claude_memory.paths import HostSettings
from scrubjay.vaults.identity import claude_key

Environ = dict[str, str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder.resolve()


@pytest.fixture
def environ(home: Path) -> Environ:
    return {"HOME": str(home)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "proj"
    (folder / "src" / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder.resolve()


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


# --- CC-P1, CC-P2


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/home/user/my_proj.v2", "-home-user-my-proj-v2"),
        ("/home/макс/proj", "-home------proj"),
        ("/home/u/😀x", "-home-u---x"),
        (r"C:\Users\alice\project", "C--Users-alice-project"),
    ],
)
def test_12_2_keys(path: str, key: str) -> None:
    assert claude_key(path) == key


def test_cc_p1_the_folder_of_a_project(project: Path, home: Path, environ: Environ) -> None:
    found = paths.auto_memory(project, environ)
    assert found.path == home / ".claude" / "projects" / claude_key(str(project)) / "memory"
    assert (found.enabled, found.why, found.problems) == (True, "the project's key", ())
    assert not (home / ".claude").exists()
    other = paths.auto_memory(project, environ | {"CLAUDE_CONFIG_DIR": str(home / "c")})
    assert other.path == home / "c" / "projects" / claude_key(str(project)) / "memory"


def test_f101_folders_below_and_worktrees_share_it_and_links_are_resolved(
    project: Path, environ: Environ, tmp_path: Path
) -> None:
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    (tmp_path / "link").symlink_to(project)
    expected = paths.auto_memory(project, environ).path
    for place in (project / "src" / "deep", tmp_path / "tree", tmp_path / "link", tmp_path / "link" / "src"):
        assert paths.auto_memory(place, environ).path == expected


def test_cc_p1_outside_git_it_is_the_folder_itself(tmp_path: Path, environ: Environ) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    assert paths.auto_memory(place, environ).path.parent.name == claude_key(str(place.resolve()))


def test_cc_p1_transcripts_are_keyed_by_the_folder_of_the_session(project: Path, environ: Environ) -> None:
    assert paths.transcripts_of(project / "src", environ).name == claude_key(str(project / "src"))


def test_cc_p2_keys_are_made_of_nfc(tmp_path: Path, environ: Environ) -> None:
    place = tmp_path / unicodedata.normalize("NFD", "Jānis")
    place.mkdir()
    assert paths.auto_memory(place, environ).path.parent.name == claude_key(
        unicodedata.normalize("NFC", str(place.resolve()))
    )


def long_place(tmp_path: Path, *names: str) -> Path:
    place = tmp_path.joinpath(*["d" * 60] * 4, *names)
    place.mkdir(parents=True)
    return place.resolve()


def test_cc_p2_a_long_key_is_found_by_its_beginning(tmp_path: Path, home: Path, environ: Environ) -> None:
    place = long_place(tmp_path, "one")
    key = claude_key(str(place))
    projects = home / ".claude" / "projects"
    assert paths.auto_memory(place, environ).path.parent.name == key
    other = projects / f"{key[:200]}-otherhash"
    other.mkdir(parents=True)
    assert paths.auto_memory(place, environ).path.parent == other
    (projects / f"{key[:200]}-third").mkdir()
    assert paths.auto_memory(place, environ).path.parent.name == key
    (projects / key).mkdir()
    assert paths.auto_memory(place, environ).path.parent == projects / key


def test_cc_p2_a_folder_of_another_project_with_the_same_beginning_is_not_taken(
    tmp_path: Path, home: Path, environ: Environ
) -> None:
    one, two = long_place(tmp_path, "one"), long_place(tmp_path, "two")
    key = claude_key(str(one))
    assert key[:200] == claude_key(str(two))[:200]
    folder = home / ".claude" / "projects" / f"{key[:200]}-otherhash"
    write(folder / "session.jsonl", {"type": "user", "cwd": str(two / "src")})
    assert paths.auto_memory(one, environ).path.parent.name == key
    assert paths.auto_memory(two, environ).path.parent == folder
    (folder / "session.jsonl").write_text("damaged", encoding="utf-8")
    assert paths.auto_memory(one, environ).path.parent == folder


# --- CC-P3


def test_cc_p3_overrides_in_their_order(project: Path, home: Path, environ: Environ, tmp_path: Path) -> None:
    settings = HostSettings(directory="~/notes")
    named = environ | {"CLAUDE_CONFIG_DIR": str(home / "c"), "CLAUDE_CODE_PROJECT_DIR_NAME": "mine"}
    every = named | {"CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": str(tmp_path / "first")}
    first = paths.auto_memory(project, every, settings)
    assert (first.path, first.why) == (tmp_path / "first", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE")
    second = paths.auto_memory(project, named, settings)
    assert (second.path, second.why) == (home / "notes", "autoMemoryDirectory")
    third = paths.auto_memory(project, named)
    assert (third.path, third.why) == (home / "c/projects/mine/memory", "CLAUDE_CODE_PROJECT_DIR_NAME")
    alone = paths.auto_memory(project, environ | {"CLAUDE_CODE_PROJECT_DIR_NAME": "mine"})
    assert alone.path.parent.name == claude_key(str(project))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("relative/place", "not an absolute path"),
        ("./x/y", "not an absolute path"),
        ("/a", "too short"),
        ("/", "too short"),
        ("///", "a network path"),
        ("/..", "the root of a disk"),
        ("/./../", "the root of a disk"),
        ("C:\\", "the root of a disk"),
        ("c:/", "the root of a disk"),
        ("\\\\server\\share", "a network path"),
        ("//server/share", "a network path"),
        ("/tmp/a\x00b", "a NUL character"),
    ],
)
def test_cc_p3_places_that_are_passed_over(project: Path, environ: Environ, value: str, why: str) -> None:
    for found in (
        paths.auto_memory(project, environ, HostSettings(directory=value)),
        paths.auto_memory(project, environ | {host.PATH_OVERRIDE: value}),
    ):
        assert found.path.parent.name == claude_key(str(project))
        (problem,) = found.problems
        assert why in problem and "is not obeyed" in problem


@pytest.mark.parametrize("value", ["~/.", "~/..", "~/x/..", "~/../..", "~/link"])
def test_cc_p3_the_home_folder_and_what_is_above_it_are_passed_over(
    project: Path, home: Path, environ: Environ, value: str
) -> None:
    (home / "link").symlink_to(home.parent)
    found = paths.auto_memory(project, environ, HostSettings(directory=value))
    assert found.path.parent.name == claude_key(str(project))
    assert found.problems
    written_out = str(home / value[2:])
    assert paths.auto_memory(project, environ | {host.PATH_OVERRIDE: written_out}).problems


@pytest.mark.parametrize("value", ["~", "~root/x", "~\\x"])
def test_cc_p3_other_tildes_mean_nothing(project: Path, environ: Environ, value: str) -> None:
    assert paths.auto_memory(project, environ, HostSettings(directory=value)).problems


def test_cc_p3_the_environment_expands_no_tilde(project: Path, environ: Environ) -> None:
    assert paths.auto_memory(project, environ | {host.PATH_OVERRIDE: "~/notes"}).problems


@pytest.mark.parametrize("value", ["..", ".", "a/b", "a\\b", "x\x00", "n" * 300])
def test_cc_p3_a_name_that_is_no_folder_of_its_own_is_passed_over(
    project: Path, home: Path, environ: Environ, value: str
) -> None:
    found = paths.auto_memory(project, environ | {host.CONFIG_DIR: str(home), host.PROJECT_DIR_NAME: value})
    assert found.path.parent.name == claude_key(str(project))
    assert found.problems


# --- CC-P4


@pytest.mark.parametrize(
    ("variables", "setting", "enabled"),
    [
        ({}, None, True),
        ({}, False, False),
        ({}, True, True),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, True, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "true"}, None, False),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, False, True),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0", "CLAUDE_CODE_SIMPLE": "1"}, False, True),
        ({"CLAUDE_CODE_SIMPLE": "1"}, True, False),
        ({"CLAUDE_CODE_SIMPLE": "0"}, None, True),
        ({"CLAUDE_CODE_DISABLE_AUTO_MEMORY": ""}, None, True),
    ],
)
def test_cc_p4_what_switches_it_off(
    project: Path, environ: Environ, variables: Environ, setting: bool | None, enabled: bool
) -> None:
    assert paths.auto_memory(project, environ | variables, HostSettings(enabled=setting)).enabled is enabled


# --- settings


def test_settings_of_the_user_the_project_and_this_person(project: Path, home: Path, environ: Environ) -> None:
    write(home / ".claude/settings.json", {"autoMemoryDirectory": "~/a", "autoDreamEnabled": True, "other": [1]})
    write(project / ".claude/settings.json", {"autoMemoryEnabled": False, "autoMemoryDirectory": "/b/c"})
    write(project / ".claude/settings.local.json", {"autoMemoryDirectory": "/d/e"})
    found = paths.host_settings(project, environ, trusted=True)
    assert found == HostSettings(directory="/d/e", enabled=False, dream=True)
    assert paths.host_settings(None, environ) == HostSettings(directory="~/a", dream=True)


def test_f112_settings_of_a_clone_choose_no_folder(project: Path, home: Path, environ: Environ) -> None:
    write(home / ".claude/settings.json", {"autoMemoryDirectory": "~/a"})
    write(project / ".claude/settings.json", {"autoMemoryDirectory": "/etc/x", "autoMemoryEnabled": False})
    found = paths.host_settings(project, environ)
    assert (found.directory, found.enabled) == ("~/a", None)
    (problem,) = found.problems
    assert "autoMemoryDirectory is not obeyed, because the project is not trusted" in problem


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", "null", "[" * 100_000, '{"autoMemoryDirectory": 7}', "\ufeff{}", "\x00"]
)
def test_settings_that_cannot_be_read_are_named_and_harmless(home: Path, environ: Environ, text: str) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(text, encoding="utf-8")
    found = paths.host_settings(None, environ)
    assert (found.directory, found.enabled, found.dream) == (None, None, None)
    assert bool(found.problems) == (text not in ("\ufeff{}", '{"autoMemoryDirectory": 7}'))


def test_settings_that_are_no_file_are_named(home: Path, environ: Environ) -> None:
    (home / ".claude/settings.json").mkdir(parents=True)
    assert paths.host_settings(None, environ).problems
    (home / ".claude/settings.json").rmdir()
    (home / ".claude/settings.json").write_bytes(b" " * (2 << 20))
    assert "too big" in paths.host_settings(None, environ).problems[0]


# --- CC-P5, CC-P6


def test_cc_p5_the_memories_of_an_agent(project: Path, home: Path, environ: Environ) -> None:
    assert paths.agent_memory("shop:critic", project, environ) == {
        "user": home / ".claude/agent-memory/shop-critic",
        "project": project / ".claude/agent-memory/shop-critic",
        "local": project / ".claude/agent-memory-local/shop-critic",
    }


@pytest.mark.parametrize("name", ["../../x", "/etc", "..", ".", "", "a\x00b", "a/b", "~", "a\\b", ".hidden", "x" * 500])
def test_cc_p5_names_of_agents_never_lead_out(project: Path, environ: Environ, name: str) -> None:
    for scope, folder in paths.agent_memory(name, project, environ).items():
        assert folder.parent == paths.agent_memory("x", project, environ)[scope].parent
        assert folder.name not in ("", ".", "..") and not folder.name.startswith(".") and len(folder.name) <= 100


def test_cc_p5_names_in_other_scripts_stay_apart() -> None:
    assert paths.agent_folder("критик") == "критик"
    assert paths.agent_folder("太郎") != paths.agent_folder("花子")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_f112_agent_memories_that_a_clone_leads_elsewhere_are_left_out(
    project: Path, home: Path, environ: Environ, tmp_path: Path
) -> None:
    for folder in (home / ".claude/agent-memory/critic", project / ".claude/agent-memory/tester", tmp_path / "out/spy"):
        folder.mkdir(parents=True)
    (project / ".claude/agent-memory/link").symlink_to(tmp_path / "out/spy")
    (project / ".claude/agent-memory-local").symlink_to(tmp_path / "out")
    assert [(name, scope) for name, scope, _ in paths.agents(project, environ)] == [
        ("critic", "user"),
        ("tester", "project"),
    ]


def test_cc_p6_the_memory_of_the_team(project: Path, environ: Environ) -> None:
    auto = paths.auto_memory(project, environ)
    assert paths.team(auto.path) == auto.path / "team"
