"""``specs/state.json`` of another program: only ``memory_health`` is written, if the file is there (SM-44, SM-50)."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from scrubjay.operations.distill import state

METRICS = {"total_memories": 3, "health_score": 90}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".memory").mkdir()
    (tmp_path / "specs").mkdir()
    return tmp_path


def mirror(project: Path, *, counted: bool = False, vault: str = ".memory") -> bool:
    store = SimpleNamespace(vault=SimpleNamespace(name=str(project / vault)))
    return state.mirror(store, METRICS, counted=counted)  # type: ignore[arg-type]


def put(project: Path, text: str) -> Path:
    path = project / "specs" / "state.json"
    path.write_text(text, "utf-8")
    return path


def test_without_the_file_nothing_is_made(project: Path) -> None:
    assert not mirror(project)
    assert list((project / "specs").iterdir()) == []


def test_only_the_health_changes(project: Path) -> None:
    """Numbers, escapes, order and layout of everything else keep their bytes."""
    before = '{\n\t"next": 1.0,\n\t"name": "\\u00e9 é",\n\t"memory_health": {"own": 1, "distill_count": 4},\n"z": [1]}'
    path = put(project, before)
    path.chmod(0o640)
    assert mirror(project, counted=True)
    after = path.read_text("utf-8")
    health = json.loads(after)["memory_health"]
    assert (health["own"], health["distill_count"], health["health_score"]) == (1, 5, 90) and health["last_distilled"]
    head, tail = before.split('{"own"')[0], before.split("4}")[1]
    assert after.startswith(head) and after.endswith(tail)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [one.name for one in path.parent.iterdir()] == ["state.json"]


def test_sm44_a_report_is_no_run(project: Path) -> None:
    path = put(project, '{"memory_health": {"distill_count": 4, "last_distilled": "x"}}')
    assert mirror(project)
    health = json.loads(path.read_text("utf-8"))["memory_health"]
    assert health["distill_count"] == 4 and health["last_distilled"] != "x"


@pytest.mark.parametrize("text", ["{}", '{\n  "a": 1\n}\n', '{"memory_health": null}', '{ "a": {"memory_health": 1} }'])
def test_a_missing_health_is_added(project: Path, text: str) -> None:
    path = put(project, text)
    assert mirror(project, counted=True)
    value = json.loads(path.read_text("utf-8"))
    assert value["memory_health"]["distill_count"] == 1
    assert {key: one for key, one in value.items() if key != "memory_health"} == {
        key: one for key, one in json.loads(text).items() if key != "memory_health"
    }


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"memory_health": 5}', "\x00", "{" * 9_000])
def test_a_strange_file_is_left_alone(project: Path, text: str) -> None:
    path = put(project, text)
    assert not mirror(project)
    assert path.read_text("utf-8") == text


def test_only_the_project_that_holds_the_vault(project: Path) -> None:
    path = put(project, "{}")
    assert not mirror(project, vault="elsewhere/vault")
    assert path.read_text("utf-8") == "{}"


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_links_are_not_followed_out(project: Path, tmp_path_factory: pytest.TempPathFactory, linked: str) -> None:
    outside = tmp_path_factory.mktemp("outside") / "state.json"
    outside.write_text("{}", "utf-8")
    if linked == "file":
        (project / "specs" / "state.json").symlink_to(outside)
    else:
        (project / "specs").rmdir()
        (project / "specs").symlink_to(outside.parent)
    assert not mirror(project)
    assert outside.read_text("utf-8") == "{}"
