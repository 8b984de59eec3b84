"""The vault is true: whatever an editor, git or a file manager does to it is found."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations.sync import SyncReport
from scrubjay.testing import HashEmbedder


def found(memory: Memory, question: str) -> list[str]:
    return [hit.path for hit in memory.search(question, abstain=False).hits]


def synced(memory: Memory) -> SyncReport:
    return next(iter(memory.sync().values()))


def age(path: Path) -> None:
    """Makes a file old enough that its time alone tells whether it changed."""
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nOolong steeps for four minutes.\n", "utf-8")
    (folder / "bread.md").write_text("# Bread\n\nSourdough rests overnight in the fridge.\n", "utf-8")
    for path in folder.iterdir():
        age(path)
    return folder


def test_a_folder_of_markdown_is_a_memory(memory: Memory, vault: Path) -> None:
    assert found(memory, "how long does oolong steep") == []
    memory.sync()
    assert found(memory, "how long does oolong steep") == ["tea.md"]


def test_the_second_sync_reads_metadata_only(open_memory: Callable[..., Memory], vault: Path) -> None:
    """F46: nothing is read, nothing is embedded when nothing changed."""
    embedder = HashEmbedder()
    memory = open_memory(embedder=embedder)
    memory.drain()
    report = synced(memory)
    assert (report.looked_at, report.read, report.anything) == (2, 0, False)
    assert memory.drain().stored == 0


def test_an_edit_is_found_and_the_old_words_are_gone(memory: Memory, vault: Path) -> None:
    memory.sync()
    (vault / "tea.md").write_text("# Tea\n\nSencha steeps for one minute.\n", "utf-8")
    assert synced(memory).changed == ["tea.md"]
    assert found(memory, "sencha") == ["tea.md"]
    assert found(memory, "oolong") == []


def test_an_edit_of_the_same_size_in_the_same_instant_is_found(memory: Memory, vault: Path) -> None:
    (vault / "now.md").write_text("alpha", "utf-8")
    memory.sync()
    stamp = (vault / "now.md").stat()
    (vault / "now.md").write_text("omega", "utf-8")
    os.utime(vault / "now.md", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert synced(memory).changed == ["now.md"]


def test_an_atomic_save_is_one_change(memory: Memory, vault: Path) -> None:
    """F32: editors write a temporary file and rename it over the old one."""
    memory.sync()
    (vault / "tea.md~").write_text("backup", "utf-8")
    (vault / ".tea.md.swp").write_text("swap", "utf-8")
    (vault / "new.tmp").write_text("# Tea\n\nMatcha is whisked.\n", "utf-8")
    os.replace(vault / "new.tmp", vault / "tea.md")
    report = synced(memory)
    assert (report.changed, report.added, report.removed) == (["tea.md"], [], [])


def test_a_moved_folder_keeps_its_records(open_memory: Callable[..., Memory], vault: Path) -> None:
    """F33: a move while nobody looked is a move: no dead rows, no new vectors."""
    memory = open_memory(embedder=HashEmbedder())
    memory.drain()
    before = memory.search("sourdough", abstain=False).hits[0].id
    (vault / "kitchen").mkdir()
    os.rename(vault / "bread.md", vault / "kitchen" / "bread.md")
    report = synced(memory)
    assert report.moved == [("bread.md", "kitchen/bread.md")]
    hit = memory.search("sourdough", abstain=False).hits[0]
    assert (hit.id, hit.path) == (before, "kitchen/bread.md")
    assert memory.drain().stored == 0


def test_a_deleted_file_is_gone_from_everything(memory: Memory, vault: Path) -> None:
    """F37."""
    memory.sync()
    (vault / "tea.md").unlink()
    assert synced(memory).removed == ["tea.md"]
    assert found(memory, "oolong") == []
    assert memory.status()[0].coverage.documents == 1


BAD_FILES = {
    "latin.md": "# Überschrift\n\nGrüße aus Köln\n".encode("latin-1"),
    "yaml.md": b"---\ntitle: [unclosed\ntags: a: b\n---\n\nThe walrus sleeps.\n",
    "zero.md": b"# Nul\n\nbefore\x00after walrus\n",
    "merge.md": b"# M\n\n<<<<<<< HEAD\nwalrus one\n=======\nwalrus two\n>>>>>>> branch\n",
    "bom.md": b"\xef\xbb\xbf# Bom\r\n\r\nwalrus with windows lines\r\n",
    "utf16.md": "# Sechzehn\n\nwalrus\n".encode("utf-16"),
    "empty.md": b"",
    "surrogate.md": b"# S\n\nwalrus \xed\xa0\x80\n",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_indexed_reported_and_never_touched(memory: Memory, tmp_path: Path, name: str) -> None:
    """F30, F108, F109: as well as can be, by name and line, never fatal, never modified."""
    path = tmp_path / "vault" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(BAD_FILES[name])
    memory.sync()
    assert path.read_bytes() == BAD_FILES[name]
    problems = {problem.path for problem in memory.status()[0].problems}
    assert (name in problems) == (name not in ("bom.md", "empty.md"))
    if name not in ("latin.md", "empty.md"):
        assert found(memory, "walrus") == [name]


def test_huge_shapes_are_linear_and_findable(memory: Memory, tmp_path: Path) -> None:
    """A 5 MB line and 20,000 headings."""
    folder = tmp_path / "vault"
    folder.mkdir(exist_ok=True)
    (folder / "line.md").write_text("word " * 500_000 + " needle1", "utf-8")
    (folder / "headings.md").write_text("".join(f"# H{n}\n\ntext {n}\n\n" for n in range(20_000)) + "needle2", "utf-8")
    memory.sync()
    assert found(memory, "needle1")[0] == "line.md"
    assert found(memory, "needle2")[0] == "headings.md"


def test_links_out_of_the_vault_are_not_followed(memory: Memory, vault: Path, tmp_path: Path) -> None:
    """F112: a symlinked note must not read what lies outside."""
    (tmp_path / "secret.md").write_text("the secret walrus", "utf-8")
    os.symlink(tmp_path / "secret.md", vault / "linked.md")
    os.symlink(tmp_path, vault / "folder")
    memory.sync()
    assert found(memory, "secret walrus") == []


def test_the_trash_and_generated_files_are_not_memories(memory: Memory, vault: Path) -> None:
    (vault / "90-Trash").mkdir()
    (vault / "90-Trash" / "old.md").write_text("trash walrus", "utf-8")
    (vault / "20-Indices").mkdir()
    (vault / "20-Indices" / "index.md").write_text("index walrus", "utf-8")
    memory.sync()
    assert found(memory, "walrus") == []


def test_real_notes_are_found_in_three_languages(memory: Memory, shared_data: Path, tmp_path: Path) -> None:
    """Real Russian and Chinese documentation: every file is indexed and found by its own title."""
    import shutil

    for name in ("ru_react", "zh_javaguide"):
        source = shared_data / "vaults" / name
        files = sorted(source.rglob("*.md"))[:15]
        for file in files:
            target = tmp_path / "vault" / name / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    report = synced(memory)
    assert len(report.added) == report.looked_at > 20
    assert memory.status()[0].coverage.lexical == memory.status()[0].coverage.records


def test_what_cannot_be_read_is_reported_everywhere(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may not be read and a name that cannot be a path are told, are not behind, and lose nothing."""
    memory.sync()
    (vault / "a\nb.md").write_text("odd", "utf-8")
    real_access = os.access
    monkeypatch.setattr(
        os, "access", lambda place, mode: not str(place).endswith("tea.md") and real_access(place, mode)
    )
    told = ["a\\nb.md", "tea.md"]
    report = synced(memory)
    assert ([problem.path for problem in report.problems], report.removed) == (told, [])
    status = memory.status()[0]
    assert ([problem.path for problem in status.problems], status.behind) == (told, 0)
    warnings = [finding.message for finding in memory.doctor() if finding.severity == "warning"]
    assert [message.partition(":")[0] for message in warnings] == told
    monkeypatch.undo()
    assert found(memory, "how long does oolong steep") == ["tea.md"]
