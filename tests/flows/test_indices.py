"""The overviews of a vault: made from the files, written when something changed, merged without work (SM-31 … 35)."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.operations import indices
from scrubjay.operations.indices.entries import dump, load
from scrubjay.vaults.layout import init

OURS = ("20-Indices/index.md", "10-Memories/README.md", "memory-index.json")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "vault"


@pytest.fixture
def full(memory: Memory) -> Memory:
    memory.note("Retry HTTP", "Retry with backoff.", topic="python/http", tags=["PATTERN", "http"])
    memory.note("Cache keys", "Keys hold the version.", topic="ops/cache", tags=["CONFIG"])
    memory.sync()
    return memory


def _state(vault: Path) -> dict[str, tuple[bytes, int]]:
    return {name: ((vault / name).read_bytes(), (vault / name).stat().st_mtime_ns) for name in OURS}


def _json(vault: Path) -> dict:
    return json.loads((vault / "memory-index.json").read_text("utf-8"))


def test_sm31_overviews_are_made_from_the_files_and_not_written_again(full: Memory, vault: Path) -> None:
    before = _state(vault)
    full.sync()
    assert full.indices() == {next(iter(full.scopes)): []}
    assert _state(vault) == before


def test_sm32_the_index_has_every_part(full: Memory, vault: Path) -> None:
    text = (vault / "20-Indices/index.md").read_text("utf-8")
    headings = re.findall(r"^#+ .*$", text, re.MULTILINE)
    assert headings == [
        "# Memory Vault Index",
        "## Quick Navigation",
        "## Recent Memories",
        "## By Category",
        "### [TECHNIQUE]",
        "### [PATTERN]",
        "### [CONFIG]",
        "### [WORKFLOW]",
        "### [INSIGHT]",
        "## By Topic",
        "### ops/",
        "### python/",
        "## JSON Index",
        "## Statistics",
    ]
    assert "- Total memories: 2" in text and "- Topics: 2" in text
    for link in re.findall(r"\]\((\.\./[^)]+)\)", text):
        if not link.endswith("README.md"):
            assert (vault / "20-Indices" / link).is_file(), link


def test_sm32_recent_memories_are_the_ten_newest(memory: Memory, vault: Path) -> None:
    for number in range(12):
        memory.note(f"Note {number:02}", f"Text {number}.", topic="a")
    memory.sync()
    section = (vault / "20-Indices/index.md").read_text("utf-8").split("## Recent Memories")[1].split("## By")[0]
    assert section.count("\n- [MEM-") == 10


def test_sm33_the_list_names_each_memory_and_keeps_what_is_below_navigation(full: Memory, vault: Path) -> None:
    path = vault / "10-Memories/README.md"
    text = path.read_text("utf-8")
    assert text.startswith("# Memories\n") and "2 memories" in text and "**Topic**: python/http" in text
    path.write_text(text + "- [Our wiki](https://example.org)\n", "utf-8")
    full.note("Third", "Text.")
    full.sync()
    assert "- [Our wiki](https://example.org)" in path.read_text("utf-8")
    assert "3 memories" in path.read_text("utf-8")


def test_own_sections_of_the_index_are_kept_at_its_end(full: Memory, vault: Path) -> None:
    path = vault / "20-Indices/index.md"
    path.write_text(path.read_text("utf-8") + "\n## Reading order\n\nStart with [[MEM-http-retry-http]].\n", "utf-8")
    full.note("Third", "Text.")
    full.sync()
    assert path.read_text("utf-8").endswith("## Reading order\n\nStart with [[MEM-http-retry-http]].\n")


def test_a_file_of_somebody_elses_under_that_name_is_left_alone(memory: Memory, vault: Path) -> None:
    (vault / "10-Memories").mkdir(parents=True)
    mine = vault / "10-Memories/README.md"
    mine.write_text("# How we write memories\n\nShort.\n", "utf-8")
    memory.note("One", "Text.")
    memory.sync()
    assert mine.read_text("utf-8") == "# How we write memories\n\nShort.\n"
    assert (vault / "memory-index.json").is_file()


def test_sm34_the_json_has_the_keys_of_the_format(full: Memory, vault: Path) -> None:
    found = _json(vault)
    assert {"version", "generated_at", "entry_count", "total_tokens", "entries"} == set(found)
    assert (found["version"], found["entry_count"]) == ("1.0.0", 2)
    wanted = (
        "id path title summary topic category keywords token_count created modified last_retrieved retrieval_count"
        " status"
    )
    assert all(set(wanted.split()) <= set(entry) for entry in found["entries"])


def test_sm34_the_other_generation_is_read() -> None:
    text = json.dumps(
        {
            "version": 1,
            "generated_at": "2026-05-01T10:00:00Z",
            "entries": {
                "MEM-a": {"id": "MEM-a", "path": ".memory/10-Memories/MEM-a.md", "created": "2026-05-01T10:00:00Z"}
            },
        }
    )
    assert load(text)["MEM-a"].created == "2026-05-01"


def test_sm35_a_change_by_an_editor_is_found(full: Memory, vault: Path) -> None:
    path = vault / "10-Memories/MEM-http-retry-http.md"
    path.write_text(
        path.read_text("utf-8")
        .replace('title: "Retry HTTP"', "title: Retries")
        .replace("title: Retry HTTP", "title: Retries"),
        "utf-8",
    )
    full.sync()
    assert "Retries" in (vault / "20-Indices/index.md").read_text("utf-8")
    path.unlink()
    full.sync()
    assert "Retries" not in (vault / "20-Indices/index.md").read_text("utf-8")


@pytest.mark.parametrize("name", OURS)
def test_sm35_a_lost_or_changed_overview_is_made_again(full: Memory, vault: Path, name: str) -> None:
    before = (vault / name).read_bytes()
    (vault / name).unlink()
    full.sync()
    assert (vault / name).read_bytes() == before


@pytest.mark.parametrize(
    "torn", ['{"version": "1.0.0", "entries": [', "<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n", "[]", "null"]
)
def test_f49_a_damaged_json_is_set_aside_and_made_anew(full: Memory, vault: Path, torn: str) -> None:
    (vault / "memory-index.json").write_text(torn, "utf-8")
    full.sync()
    assert _json(vault)["entry_count"] == 2
    kept = list((vault / "90-Trash").rglob("memory-index.json"))
    assert [path.read_text("utf-8") for path in kept] == [torn]


def test_sm31_counters_are_the_higher_of_file_and_json(full: Memory, vault: Path) -> None:
    """XC-14: neither side resets the other; the counters reach the file later, and ``modified`` stays."""
    store = next(iter(full._stores))
    path = vault / "10-Memories/MEM-http-retry-http.md"
    text = path.read_text("utf-8")
    path.write_text(text.replace("token_count", "retrieval_count: 0\nlast_retrieved: null\ntoken_count"), "utf-8")
    full.sync()
    indices.bump(store, {"MEM-http-retry-http"}, date(2026, 11, 30))
    indices.bump(store, {"MEM-http-retry-http"}, date(2026, 12, 1))
    full.note("Third", "Text.")
    full.sync()
    [entry] = [entry for entry in indices.entries(store) if entry.id == "MEM-http-retry-http"]
    assert (entry.retrieval_count, entry.last_retrieved) == (2, "2026-12-01")
    modified = re.search(r"^modified: .*$", path.read_text("utf-8"), re.MULTILINE)
    assert indices.flush(store) == 1 and indices.flush(store) == 0
    after = path.read_text("utf-8")
    assert "retrieval_count: 2" in after
    assert modified is not None and modified.group() in after


def test_titles_cannot_break_the_lists(memory: Memory, vault: Path) -> None:
    memory.note("a](http://evil) # <b> `x` | y", "Text.", tags=["PATTERN"])
    memory.sync()
    text = (vault / "20-Indices/index.md").read_text("utf-8")
    assert "](http://evil)" not in text.replace("\\]", "") and "<b>" not in text.replace("\\<", "")
    assert text.count("\n## ") == 6


def test_a_plain_folder_gets_no_overview(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\nText.\n", "utf-8")
    memory = open_memory(tmp_path / "notes")
    memory.sync()
    assert sorted(path.name for path in (tmp_path / "notes").iterdir()) == ["a.md"]


def test_a_read_only_vault_is_still_read(full: Memory, vault: Path, open_memory: Callable[..., Memory]) -> None:
    """A vault that cannot be written is searched; that its overviews are old is a problem, not an error."""
    (vault / "10-Memories/MEM-new.md").write_text("# New\n\nFresh words.\n", "utf-8")
    (vault / "memory-index.json").unlink()
    (vault / "memory-index.json").mkdir()
    report = full.sync()
    assert any("overviews" in problem.message for one in report.values() for problem in one.problems)
    assert full.search("fresh words", abstain=False).hits


def _git(root: Path, *arguments: str) -> str:
    answer = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(root), *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert answer.returncode == 0, answer.stderr + answer.stdout
    return answer.stdout


@pytest.mark.parametrize("way", ["merge", "rebase", "cherry-pick"])
def test_f106_two_branches_that_add_a_memory_merge_without_work(
    tmp_path: Path, open_memory: Callable[..., Memory], way: str
) -> None:
    """F106: no conflict, and after the next command every row stands once."""
    root = tmp_path / "project"
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    vault = root / ".memory"
    memory = open_memory(vault)
    init(next(iter(memory._stores)).vault)
    memory.note("First", "Text of the first.", scope="project")
    memory.sync()
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    for branch, title in (("left", "Left memory"), ("right", "Right memory")):
        _git(root, "checkout", "-q", "-b", branch, "main")
        memory.sync()
        memory.note(title, f"Text of {title}.", scope="project")
        memory.sync()
        _git(root, "add", ".")
        _git(root, "commit", "-q", "-m", title)
    _git(root, way, "left", *(("-q", "-m", "both") if way == "merge" else ()))
    memory.sync()
    found = [entry["id"] for entry in _json(vault)["entries"]]
    assert found == ["MEM-first", "MEM-left-memory", "MEM-right-memory"]
    index = (vault / "20-Indices/index.md").read_text("utf-8")
    recent = index.split("## Recent Memories")[1].split("## By Category")[0]
    assert sorted(re.findall(r"\[(MEM-[\w-]+)\]", recent)) == found
    assert "<<<<<<<" not in index


def test_an_entry_is_read_back_as_it_was_written(full: Memory) -> None:
    found = indices.entries(next(iter(full._stores)))
    assert list(load(dump(found)).values()) == found
