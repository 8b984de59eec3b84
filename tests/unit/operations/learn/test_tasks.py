"""Finished tasks and their artifacts (SM-14, SM-15)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay.errors import NotFound
from scrubjay.operations.learn import request, tasks
from scrubjay.operations.learn.mapping import content_map

ORDER = ("specs/007_new", "specs/7_old", "specs/OC_7_other", "specs/archive/007_kept", "specs/archive/7_kept")


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def test_sm_14_where_a_task_is_looked_for(tmp_path: Path) -> None:
    for folder in ORDER:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "specs/0070_no").mkdir()
    for folder in ORDER:
        assert tasks.find(tmp_path, 7) == tmp_path / folder
        (tmp_path / folder).rmdir()
    with pytest.raises(NotFound) as caught:
        tasks.find(tmp_path, 7)
    assert caught.value.message == "Task directory not found: specs/007_*"


def test_sm_14_the_first_of_several_and_from_below(tmp_path: Path) -> None:
    for name in ("specs/012_b", "specs/012_a", ".git", "src/deep"):
        (tmp_path / name).mkdir(parents=True)
    assert tasks.find(tmp_path / "src/deep", 12).name == "012_a"
    (tmp_path / "specs/012_file").write_text("x", encoding="utf-8")
    (tmp_path / "specs/011_link").symlink_to(tmp_path / "src")
    with pytest.raises(NotFound):
        tasks.find(tmp_path, 11)


def test_sm_15_artifacts_are_all_markdown_sorted(tmp_path: Path) -> None:
    for path in ("summaries/01_s.md", "reports/02_r.md", "reports/research-001.md", "plans/01_p.md", "code/x.py"):
        write(tmp_path, f"specs/003_x/{path}", "# T\n\nwords\n")
    write(tmp_path, "specs/003_x/.return-meta.json", "{}")
    found = tasks.artifacts(tmp_path / "specs/003_x", 3)
    assert found == ["plans/01_p.md", "reports/02_r.md", "reports/research-001.md", "summaries/01_s.md"]


def test_sm_10_a_task_without_artifacts(tmp_path: Path) -> None:
    write(tmp_path, "specs/003_x/code/x.py", "pass")
    with pytest.raises(NotFound) as caught:
        content_map(request.parse("--task 3", cwd=tmp_path))
    assert caught.value.message == "No artifacts found for task 3"


def test_sm_15_few_words_are_one_segment(tmp_path: Path) -> None:
    write(tmp_path, "specs/003_retry/reports/01_a.md", "# Retry HTTP calls\n\nBackoff with jitter helps requests.\n")
    write(tmp_path, "specs/003_retry/plans/01_b.md", "# Plan\n\nUse the requests adapter.\n")
    found = content_map(request.parse("--task 3", cwd=tmp_path))
    assert (found.mode, found.path, found.artifacts_reviewed) == ("task", "specs/003_retry", 2)
    (segment,) = found.segments
    assert segment.source_file == "plans/01_b.md, reports/01_a.md"
    assert "Use the requests adapter.\n\n# Retry HTTP calls" in segment.text


def test_sm_15_a_small_artifact_is_one_segment_a_large_one_is_cut(tmp_path: Path) -> None:
    section = "Words about pools and connections. " * 40
    write(tmp_path, "specs/003_x/reports/01_a.md", "# A\n\n" + "".join(f"## {name}\n\n{section}\n\n" for name in "BCD"))
    write(tmp_path, "specs/003_x/summaries/01_b.md", f"# B\n\n## Little\n\nwords here\n\n## More\n\n{section}")
    found = content_map(request.parse(None, cwd=tmp_path, task=3))
    assert [segment.source_file for segment in found.segments] == ["reports/01_a.md"] * 3 + ["summaries/01_b.md"]
    assert [segment.id for segment in found.segments] == ["seg-001", "seg-002", "seg-003", "seg-004"]


def test_f112_linked_artifacts_are_named(tmp_path: Path) -> None:
    write(tmp_path, "outside.md", "secret")
    write(tmp_path, "specs/003_x/a.md", "words here")
    (tmp_path / "specs/003_x/b.md").symlink_to(tmp_path / "outside.md")
    found = content_map(request.parse("--task 3", cwd=tmp_path))
    assert [one.path for one in found.skipped] == ["b.md"]
    assert "secret" not in found.segments[0].text
