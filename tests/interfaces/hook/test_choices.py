"""The settings and places of a hook are those of the whole memory (HK-16, F101, F112)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.config import Settings
from scrubjay.errors import BadSetting
from scrubjay.interfaces.hook import choices, places

OFF = {"models.embedder": "none", "models.reranker": "none"}


def both(home: Path, project: Path | None, environ: dict[str, str]) -> tuple[choices.Choices, choices.Choices]:
    settings = Settings.load(home, project, environ)
    whole = choices.Choices(
        inject=settings.hooks.inject,
        capture=settings.hooks.capture,
        heads=settings.hooks.heads,
        recall=settings.hooks.recall,
        every=settings.hooks.every,
        index_path=settings.index.path,
        notebook=settings.notebook.enabled,
    )
    return choices.load(str(home), project, environ), whole


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    ("own", "shared", "environ"),
    [
        ("", "", {}),
        ('[hooks]\ninject = "off"\nheads = 10\n', "", {}),
        ('[hooks]\ninject = "off"\n', '[hooks]\ninject = "heads+recall"\nevery = 3\n', {}),
        ("[hooks]\ncapture = false\n", "[hooks]\ncapture = true\n", {"SCRUBJAY_HOOKS_CAPTURE": "no"}),
        ('[index]\npath = "~/elsewhere"\n', "[notebook]\nenabled = false\n", {"SCRUBJAY_HOOKS_RECALL": "0"}),
        ("", '[hooks]\ninject = "nonsense"\nheads = "many"\n', {"SCRUBJAY_HOOKS_EVERY": "7"}),
    ],
)
def test_f112_a_hook_obeys_the_same_settings(
    tmp_path: Path, own: str, shared: str, environ: dict[str, str], trusted: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "work"
    (project / ".memory").mkdir(parents=True)
    home.mkdir()
    trust = f'[trust]\nprojects = ["{project}"]\n' if trusted else ""
    (home / "config.toml").write_text(own + trust, encoding="utf-8")
    (project / ".memory" / "config.toml").write_text(shared, encoding="utf-8")
    found, whole = both(home, project, environ)
    assert found == whole


@pytest.mark.parametrize(
    "text", ["[hooks", '[hooks]\ninject = "x"\n', "[hooks]\nheads = -1\n", "hooks = 3\n", "[hooks]\nheads = true\n"]
)
def test_hk7_a_wrong_value_leaves_the_default(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadSetting):
        Settings.load(tmp_path, None, {})
    assert choices.load(str(tmp_path), None, {}) == choices.Choices()


def test_f101_a_hook_finds_the_stores_of_the_memory(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "work"
    (project / ".memory").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    found = places.stores(str(home), places.project(str(project)), "")
    assert [one.scope for one in found] == ["project", "user"], "nothing is known of the project yet"
    with Memory.open(home=home, cwd=project, settings=OFF, background=False) as memory:
        memory.remember("We decided to use uv.", category="Decision")
        own = {scope: vault for scope, vault in memory.scopes.items() if scope in ("user", "local", "project")}
    found = places.stores(str(home), places.project(str(project)), "")
    assert {one.scope: os.path.realpath(one.vault) for one in found} == {
        scope: os.path.realpath(vault) for scope, vault in own.items()
    }
    assert all(Path(one.index_folder, "current").is_file() for one in found)


def test_f101_another_repository_at_the_same_path_is_not_told(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    with Memory.open(home=home, cwd=project, settings=OFF, background=False):
        pass
    project.rename(tmp_path / "old")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert [one.scope for one in places.stores(str(home), places.project(str(project)), "")] == ["user"]


def test_f112_a_shared_vault_that_is_a_link_is_left_out(tmp_path: Path) -> None:
    project = tmp_path / "work"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (tmp_path / "else").mkdir()
    (project / ".memory").symlink_to(tmp_path / "else")
    found = places.stores(str(tmp_path / "home"), places.project(str(project)), "")
    assert [one.scope for one in found] == ["user"]
