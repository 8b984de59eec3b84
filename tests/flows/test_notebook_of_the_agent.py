"""The memory that a coding agent keeps itself, opened beside our own vaults (XC-3, CC-P1, CC-P6)."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput
from scrubjay.vaults.identity import claude_key

INDEX = "# Memory\n\n- [Kettle](kettle.md) — descaled with vinegar every March\n\nThe kitchen closes at nine.\n"
TOPIC = (
    "---\nname: kettle\ndescription: Descaling\nmetadata:\n  type: reference\n---\nThe kettle wants vinegar in March.\n"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def notebook(project: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "claude" / "projects" / claude_key(str(project.resolve())) / "memory"
    (folder / "team").mkdir(parents=True)
    (folder / "MEMORY.md").write_text(INDEX, encoding="utf-8")
    (folder / "kettle.md").write_text(TOPIC, encoding="utf-8")
    (folder / "team" / "oven.md").write_text("The oven preheats for twenty minutes.\n", encoding="utf-8")
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_xc3_the_agents_own_memory_and_its_teams_are_searched(notebook: Path, tmp_path: Path) -> None:
    before = everything(notebook)
    with Memory.open(home=tmp_path / "home", embedder=None) as memory:
        assert list(memory.scopes) == ["user", "local", "notebook", "team"]
        hits = memory.search("when is the kettle descaled", abstain=False).hits
        best = hits[0]
        assert (best.path, best.record.scope, best.record.native_type) == ("kettle.md", "notebook", "reference")
        assert {hit.path for hit in hits} <= {"kettle.md", "MEMORY.md", "oven.md"}
        assert not any("descaled with vinegar" in hit.text for hit in hits)  # an index line says it twice
        assert memory.search("when does the kitchen close", abstain=False).hits[0].path == "MEMORY.md"
        oven = memory.search("preheat the oven", abstain=False).hits[0]
        assert (oven.path, oven.record.scope) == ("oven.md", "team")
    assert everything(notebook) == before


def test_nothing_of_ours_goes_into_the_agents_folder(notebook: Path, tmp_path: Path) -> None:
    before = everything(notebook)
    with Memory.open(home=tmp_path / "home") as memory:
        memory.remember("The fridge hums at night.")
        with pytest.raises(BadInput, match="memory of another program"):
            memory.remember("The fridge hums.", scope="notebook")
        with pytest.raises(BadInput, match="memory of another program"):
            memory.note("Fridge", "The fridge hums.", scope="team")
        memory.forget("kettle")
        assert not (notebook / "kettle.md").exists()
        memory.undo()
    assert everything(notebook) == before


def test_f101_a_worktree_and_a_folder_below_share_the_memory_of_the_repository(
    notebook: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src").mkdir()
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    for place in (project / "src", tmp_path / "tree"):
        monkeypatch.chdir(place)
        with Memory.open(home=tmp_path / "home") as memory:
            assert memory.scopes["notebook"] == str(notebook)


def test_it_is_left_alone_when_it_is_switched_off(
    notebook: Path, tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    with Memory.open(home=tmp_path / "home", settings={"notebook.enabled": False}) as memory:
        assert list(memory.scopes) == ["user", "local"]
    assert open_memory is not None and notebook.is_dir()


def test_a_memory_that_is_not_there_yet_is_made_by_its_first_write(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "claude" / "projects" / claude_key(str(project.resolve())) / "memory"
    with Memory.open(home=tmp_path / "home", background=False) as memory:
        assert list(memory.scopes) == ["user", "local"]
        store = memory._made("team")
        assert not folder.exists()
        assert list(memory.scopes) == ["user", "local", "team"]
        assert memory._made("team") is store
        assert store.vault.name == str(folder / "team")


def test_cc_p1_outside_a_repository_the_folder_itself_is_the_project(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    for place in (folder, own_home):
        key = claude_key(str(place.resolve()))
        memory_folder = tmp_path / "claude" / "projects" / key / "memory"
        memory_folder.mkdir(parents=True)
        monkeypatch.chdir(place)
        with Memory.open(home=tmp_path / "home", background=False) as memory:
            assert ("notebook" in memory.scopes) == (place == folder)
