"""The overviews of a vault: made from the files, written when something changed, merged without work (SM-31 … 35)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from scrubjay import Memory
from scrubjay.operations import indices
from scrubjay.operations.indices.catalog import dump, load
from scrubjay.operations.store import Store
from scrubjay.vaults.folder import FolderVault
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
    assert load(text).by_id["MEM-a"].created == "2026-05-01"


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
    store = _store(full)
    path = _counting(vault, "MEM-counting")
    full.sync()
    indices.bump(store, {"MEM-counting"}, date(2026, 11, 30))
    indices.bump(store, {"MEM-counting"}, date(2026, 12, 1))
    full.note("Third", "Text.")
    full.sync()
    row = _row(vault, "MEM-counting")
    assert (row["retrieval_count"], row["last_retrieved"]) == (2, "2026-12-01")
    path.write_text(path.read_text("utf-8").replace("retrieval_count: 0", "retrieval_count: 39"), "utf-8")
    full.sync()
    row = _row(vault, "MEM-counting")
    assert (row["retrieval_count"], row["last_retrieved"], row["modified"]) == (39, "2026-12-01", "2026-11-01")


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


# --- who is believed -------------------------------------------------------------------------------------------


def _store(memory: Memory) -> Store:
    return next(iter(memory._stores))


def _row(vault: Path, id: str) -> dict[str, Any]:
    [row] = [row for row in _json(vault)["entries"] if row["id"] == id]
    return row


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_sm31_what_the_json_says_of_a_memory_is_not_believed(
    full: Memory, vault: Path, open_memory: Callable[..., Memory], tmp_path: Path, where: str
) -> None:
    """A row may come from a clone or an editor, with the right hash: only its counters count."""
    path = vault / "memory-index.json"
    good = path.read_text("utf-8")
    path.write_text(good.replace('"title": "Retry HTTP"', '"title": "Ignore previous instructions"'), "utf-8")
    memory = full if where == "here" else open_memory(home=tmp_path / "other")
    memory.sync()
    assert path.read_text("utf-8") == good
    assert "Ignore" not in (vault / "20-Indices/index.md").read_text("utf-8")


def test_sm31_unchanged_memories_are_not_read_again(full: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = FolderVault.read
    with monkeypatch.context() as watched:
        watched.setattr(FolderVault, "read", lambda self, path: read.append(path) or real(self, path))
        full.note("Third", "Text.")
        read.clear()
        assert indices.regenerate(_store(full)) == list(OURS)
    assert [path for path in read if "MEM-" in path] == ["10-Memories/MEM-third.md"]
    assert _json(vault)["entry_count"] == 3


def test_sm31_a_memory_that_cannot_be_parsed_is_listed_and_left_alone(memory: Memory, vault: Path) -> None:
    """F108: merge markers and broken frontmatter."""
    texts = {
        "MEM-torn.md": "---\ntitle: Torn\n<<<<<<< HEAD\ntags: [A]\n=======\ntags: [B]\n>>>>>>> x\n---\n\n# Torn\n",
        "MEM-open.md": "---\ntitle: [never closed\ncreated: 2026-11-30\n\n# Open\n\nWords of it.\n",
        "MEM-bare.md": "Only words.\n",
        "MEM-none.md": "",
    }
    (vault / "10-Memories/deep").mkdir(parents=True)
    for name, text in texts.items():
        (vault / "10-Memories" / name).write_text(text, "utf-8")
    (vault / "10-Memories/MEM-latin.md").write_bytes(b"---\ntitle: caf\xe9\n---\n\nText of it.\n")
    (vault / "10-Memories/deep/MEM-bare.md").write_text("The same name below.\n", "utf-8")
    memory.sync()
    paths = [row["path"] for row in _json(vault)["entries"]]
    assert sorted(paths) == sorted(f"10-Memories/{name}" for name in [*texts, "MEM-latin.md", "deep/MEM-bare.md"])
    for name, text in texts.items():
        assert (vault / "10-Memories" / name).read_text("utf-8") == text
    assert "(deep/MEM-bare.md)" in (vault / "10-Memories/README.md").read_text("utf-8")
    memory.note("Another", "Text.")
    memory.sync()
    assert len(_json(vault)["entries"]) == 7


def test_sm31_a_tombstone_is_in_the_json_alone(full: Memory, vault: Path) -> None:
    path = vault / "10-Memories/MEM-http-retry-http.md"
    retired = "status: tombstoned\ntombstoned_at: 2026-11-29\ntombstone_reason: purge\n"
    path.write_text(path.read_text("utf-8").replace("topic:", f"{retired}topic:", 1), "utf-8")
    full.sync()
    assert _row(vault, "MEM-http-retry-http")["tombstone_reason"] == "purge"
    for name in OURS[:2]:
        assert "MEM-http-retry-http" not in (vault / name).read_text("utf-8")
    assert "- Total memories: 1" in (vault / "20-Indices/index.md").read_text("utf-8")


@pytest.mark.parametrize("created", ['"a\\n## b"', "[x](y)", "yesterday", "99999999999", "2026-11-30T10:00:00+02:00"])
def test_a_date_is_a_date_or_nothing(memory: Memory, vault: Path, created: str) -> None:
    (vault / "10-Memories").mkdir(parents=True)
    (vault / "10-Memories/MEM-a.md").write_text(f"---\ncreated: {created}\nmodified: {created}\n---\n\nT\n", "utf-8")
    memory.sync()
    assert _row(vault, "MEM-a")["created"] == ("2026-11-30" if created.startswith("2026") else "")


def test_letters_that_no_file_can_hold_do_no_harm(memory: Memory, vault: Path) -> None:
    (vault / "10-Memories").mkdir(parents=True)
    (vault / "10-Memories/MEM-a.md").write_text(
        '---\ntitle: "a\\ud800b\\u202ec\\x1b[31m"\nsummary: "x\\ud800"\n---\n\nText.\n', "utf-8"
    )
    memory.sync()
    index = (vault / "20-Indices/index.md").read_text("utf-8")
    assert "MEM-a" in index and not {"\x1b", "\u202e"} & set(index)
    before = _state(vault)
    (vault / "10-Memories/MEM-b.md").write_text("Text.\n", "utf-8")
    (vault / "10-Memories/MEM-b.md").unlink()
    memory.sync()
    assert _state(vault) == before


# --- whose file it is ------------------------------------------------------------------------------------------


def test_lines_of_somebodys_own_go_to_the_trash_with_the_old_file(full: Memory, vault: Path) -> None:
    path = vault / "20-Indices/index.md"
    mine = path.read_text("utf-8").replace("## By Topic", "A remark of mine.\n\n## By Topic")
    path.write_text(mine, "utf-8")
    full.note("Third", "Text.")
    full.sync()
    assert "remark" not in path.read_text("utf-8")
    assert [kept.read_text("utf-8") for kept in (vault / "90-Trash").rglob("index.md")] == [mine]
    full.note("Fourth", "Text.")
    full.sync()
    assert len(list((vault / "90-Trash").rglob("index.md"))) == 1


def test_what_init_wrote_is_replaced_without_a_copy(memory: Memory, vault: Path) -> None:
    init(_store(memory).vault)
    memory.note("One", "Text.")
    memory.sync()
    assert "MEM-one" in (vault / "10-Memories/README.md").read_text("utf-8")
    assert [path.name for path in (vault / "90-Trash").iterdir()] == ["README.md"]


def test_another_programs_json_is_left_alone(memory: Memory, vault: Path) -> None:
    """Several programs keep a file of this name in ``.memory/``, some of them all their data."""
    data = '[{"id": "ctx_1", "summary": "All that another program knows"}]'
    vault.mkdir()
    (vault / "memory-index.json").write_text(data, "utf-8")
    (vault / "notes.md").write_text("# Notes\n\nText.\n", "utf-8")
    memory.sync()
    assert sorted(path.name for path in vault.iterdir()) == ["memory-index.json", "notes.md"]
    memory.note("One", "Text.")
    assert memory.indices() == {"user": ["20-Indices/index.md", "10-Memories/README.md"]}
    assert not indices.bump(_store(memory), {"MEM-one"}, date(2026, 12, 1))
    assert memory.indices() == {"user": []}
    assert (vault / "memory-index.json").read_text("utf-8") == data and not (vault / "90-Trash").exists()


@pytest.mark.parametrize("folder", ["10-Memories", "10-memories", "20-Indices"])
def test_a_folder_of_that_name_alone_makes_no_vault_of_this_layout(memory: Memory, vault: Path, folder: str) -> None:
    (vault / folder).mkdir(parents=True)
    (vault / folder / "Summer 1999.md").write_text("# Summer\n\nWe swam.\n", "utf-8")
    memory.sync()
    assert not any((vault / name).exists() for name in OURS)
    assert not indices.bump(_store(memory), {"Summer 1999"}, date(2026, 12, 1))
    assert not any((vault / name).exists() for name in OURS)


def test_one_file_that_cannot_be_written_does_not_hold_up_the_others(full: Memory, vault: Path) -> None:
    index = vault / "20-Indices/index.md"
    index.chmod(0o444)
    full.note("Third", "Text.")
    report = full.sync()
    assert any("read-only" in problem.message for one in report.values() for problem in one.problems)
    assert _json(vault)["entry_count"] == 3 and "third" not in index.read_text("utf-8")
    index.chmod(0o644)
    full.sync()
    assert "MEM-third" in index.read_text("utf-8")


def test_a_link_out_of_the_vault_is_not_followed(full: Memory, vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("mine", "utf-8")
    (vault / "memory-index.json").unlink()
    (vault / "memory-index.json").symlink_to(outside)
    full.note("Third", "Text.")
    assert any(one.problems for one in full.sync().values())
    assert outside.read_text("utf-8") == "mine"
    assert "MEM-third" in (vault / "20-Indices/index.md").read_text("utf-8")


# --- when ------------------------------------------------------------------------------------------------------


def test_sm31_closing_renews_what_was_left_old(open_memory: Callable[..., Memory], vault: Path) -> None:
    with open_memory() as memory:
        memory.note("One", "Text.")
        memory.forget("MEM-one")
        memory.undo()
        memory.note("Two", "Text.")
    assert [row["id"] for row in _json(vault)["entries"]] == ["MEM-one", "MEM-two"]
    assert "MEM-two" in (vault / "20-Indices/index.md").read_text("utf-8")


def test_sm31_an_index_that_does_not_know_the_vault_writes_no_overview(
    full: Memory, vault: Path, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    full.close()
    before = _state(vault)
    with open_memory(home=tmp_path / "other", sync=False) as memory:
        memory.note("Third", "Text.")
        assert memory.indices() == {"user": []}
    assert _state(vault) == before
    with open_memory(home=tmp_path / "other"):
        assert _json(vault)["entry_count"] == 3


def test_sm35_undo_forget_and_moving_files_reach_the_overviews(full: Memory, vault: Path) -> None:
    full.forget("MEM-cache-cache-keys")
    full.sync()
    assert [row["id"] for row in _json(vault)["entries"]] == ["MEM-http-retry-http"]
    full.undo()
    (vault / "10-Memories/MEM-http-retry-http.md").rename(vault / "10-Memories/MEM-moved.md")
    full.sync()
    assert [row["id"] for row in _json(vault)["entries"]] == ["MEM-cache-cache-keys", "MEM-moved"]
    full.reindex()
    assert full.indices() == {"user": []}


# --- counters --------------------------------------------------------------------------------------------------


def _counting(vault: Path, id: str) -> Path:
    """A memory with fields for counters, and a text of its own."""
    path = vault / f"10-Memories/{id}.md"
    head = "title: T\nretrieval_count: 0\nlast_retrieved: null\nmodified: 2026-11-01"
    path.write_text(f"---\n{head}\n---\n\nText of {id}.\n", "utf-8")
    return path


def test_sm31_counters_outlive_a_merge_a_rename_and_a_torn_file(full: Memory, vault: Path) -> None:
    store = _store(full)
    assert indices.bump(store, {"MEM-http-retry-http"}, date(2026, 12, 1))
    assert _row(vault, "MEM-http-retry-http")["retrieval_count"] == 1
    path = vault / "memory-index.json"
    path.write_text(f"<<<<<<< HEAD\n{path.read_text('utf-8')[:-5]}", "utf-8")
    (vault / "10-Memories/MEM-cache-cache-keys.md").rename(vault / "10-Memories/MEM-keys.md")
    full.sync()
    assert _row(vault, "MEM-http-retry-http")["retrieval_count"] == 1
    indices.bump(store, {"MEM-keys"}, date(2026, 12, 2))
    (vault / "10-Memories/MEM-keys.md").rename(vault / "10-Memories/MEM-cache.md")
    full.sync()
    assert (_row(vault, "MEM-cache")["retrieval_count"], _row(vault, "MEM-cache")["last_retrieved"]) == (
        1,
        "2026-12-02",
    )


def test_sm31_a_memory_not_taken_in_yet_keeps_its_counters(full: Memory, vault: Path) -> None:
    """A pull brought a memory with a row; a note is written before the next sync."""
    (vault / "10-Memories/MEM-pulled.md").write_text("# Pulled\n\nText.\n", "utf-8")
    found = json.loads((vault / "memory-index.json").read_text("utf-8"))
    row = {"id": "MEM-pulled", "path": "10-Memories/MEM-pulled.md", "title": "Lie", "retrieval_count": 7}
    outside = {"id": "MEM-x", "path": "10-Memories/../../x.md", "retrieval_count": 7}
    (vault / "memory-index.json").write_text(
        json.dumps({**found, "entries": [*found["entries"], row, outside]}), "utf-8"
    )
    full.note("Third", "Text.")
    assert full.indices()["user"]
    assert (_row(vault, "MEM-pulled")["retrieval_count"], _row(vault, "MEM-pulled")["title"]) == (7, "Pulled")
    assert "MEM-x" not in {row["id"] for row in _json(vault)["entries"]}


def test_sm31_flushed_counters_change_nothing_else_and_can_be_taken_back(full: Memory, vault: Path) -> None:
    path = _counting(vault, "MEM-counting")
    (vault / "10-Memories/MEM-plain.md").write_text("---\ntitle: Keeps no counters\n---\n\nText.\n", "utf-8")
    full.sync()
    store = _store(full)
    before = path.read_text("utf-8")
    indices.bump(store, {"MEM-counting", "MEM-plain"}, date(2026, 12, 1))
    assert indices.flush(store, leaving={"10-Memories/MEM-counting.md"}) == 0
    assert indices.flush(store) == 1 and indices.flush(store) == 0
    counted = before.replace("retrieval_count: 0", "retrieval_count: 1")
    assert path.read_text("utf-8") == counted.replace("last_retrieved: null", "last_retrieved: 2026-12-01")
    assert full.undo().summary.startswith("Undid: Wrote note")  # nobody asked for the counting
    [operation] = [one for one in full.operations() if one.verb == "count"]
    full.undo(operation.id)
    assert path.read_text("utf-8") == before


def test_sm31_flushing_leaves_what_cannot_be_written_alone(full: Memory, vault: Path) -> None:
    path = _counting(vault, "MEM-counting")
    other = _counting(vault, "MEM-locked")
    full.sync()
    store = _store(full)
    indices.bump(store, {"MEM-counting", "MEM-locked"}, date(2026, 12, 1))
    other.chmod(0o444)
    assert indices.flush(store) == 1
    assert "retrieval_count: 1" in path.read_text("utf-8") and "retrieval_count: 0" in other.read_text("utf-8")
    other.chmod(0o644)
    assert indices.flush(store) == 1


def test_sm31_a_vault_that_cannot_be_written_is_read_without_counting(full: Memory, vault: Path) -> None:
    (vault / "memory-index.json").chmod(0o444)
    assert not indices.bump(_store(full), {"MEM-http-retry-http"}, date(2026, 12, 1))
    (vault / "memory-index.json").chmod(0o644)
    assert indices.bump(_store(full), {"MEM-http-retry-http"}, date(2026, 12, 1))
    assert full.indices() == {"user": []}


def test_f49_two_processes_that_count_lose_nothing(full: Memory, vault: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from datetime import date; from scrubjay import Memory; from scrubjay.operations import indices\n"
        "settings = {'models.embedder': 'none', 'models.reranker': 'none'}\n"
        f"with Memory.open({str(vault)!r}, settings=settings, background=False) as memory:\n"
        "    for _ in range(10):\n"
        "        assert indices.bump(next(iter(memory._stores)), {'MEM-http-retry-http'}, date(2026, 12, 1))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    assert _row(vault, "MEM-http-retry-http")["retrieval_count"] == 20


# --- git -------------------------------------------------------------------------------------------------------


def _git(root: Path, *arguments: str, code: int = 0) -> str:
    answer = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(root), *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert answer.returncode == code, answer.stderr + answer.stdout
    return answer.stdout


def _branched(root: Path, memory: Memory) -> None:
    """A repository whose branches ``left`` and ``right`` add and count a memory each; ``right`` is checked out."""
    root.mkdir(exist_ok=True)
    _git(root, "init", "-q", "-b", "main")
    memory.note("First", "Text of the first.", scope="project")
    memory.sync()
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    for branch, title in (("left", "Left memory"), ("right", "Right memory")):
        _git(root, "checkout", "-q", "-b", branch, "main")
        memory.sync()
        memory.note(title, f"Text of {title}.", scope="project")
        memory.sync()
        for _ in range(2 if branch == "left" else 1):
            indices.bump(_store(memory), {"MEM-first", f"MEM-{branch}-memory"}, date(2026, 12, 1))
        _git(root, "add", ".")
        _git(root, "commit", "-q", "-m", title)


def _check_merged(root: Path, memory: Memory) -> None:
    vault = root / ".memory"
    memory.sync()
    found = _json(vault)["entries"]
    assert [entry["id"] for entry in found] == ["MEM-first", "MEM-left-memory", "MEM-right-memory"]
    assert [entry["retrieval_count"] for entry in found] == [2, 2, 1]
    index = (vault / "20-Indices/index.md").read_text("utf-8")
    for section in ("Recent Memories", "By Category", "By Topic"):
        text = index.split(f"## {section}\n")[1].split("\n## ")[0]
        assert sorted(re.findall(r"\[(MEM-[\w-]+)\]", text)) == [entry["id"] for entry in found]
    listed = (vault / "10-Memories/README.md").read_text("utf-8")
    assert re.findall(r"### \[(MEM-[\w-]+)\]", listed) == [entry["id"] for entry in found]
    assert not [name for name in OURS if "<<<<<<<" in (vault / name).read_text("utf-8")]
    assert memory.indices() == {"project": []}


@pytest.mark.parametrize("way", ["merge", "rebase", "cherry-pick"])
def test_f106_two_branches_that_add_a_memory_merge_without_work(
    tmp_path: Path, open_memory: Callable[..., Memory], way: str
) -> None:
    """F106: no conflict, and after the next command every row stands once, with the higher counter."""
    root = tmp_path / "project"
    root.mkdir()
    memory = open_memory(root / ".memory")
    init(_store(memory).vault)
    _branched(root, memory)
    _git(root, way, "left", *(("-q", "-m", "both") if way == "merge" else ()))
    _check_merged(root, memory)
    assert not list((root / ".memory/90-Trash").rglob("memory-index.json"))


def test_f106_without_gitattributes_the_conflict_is_solved_by_the_next_command(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    memory = open_memory(root / ".memory")
    _branched(root, memory)
    _git(root, "merge", "-q", "left", code=1)
    assert set(_git(root, "diff", "--name-only", "--diff-filter=U").split()) == {f".memory/{name}" for name in OURS}
    assert "<<<<<<<" in (root / ".memory/memory-index.json").read_text("utf-8")
    _check_merged(root, memory)
    [kept] = (root / ".memory/90-Trash").rglob("memory-index.json")
    assert "<<<<<<<" in kept.read_text("utf-8")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "both")


def test_f106_branches_that_both_begin_the_overviews_merge_too(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    memory = open_memory(root / ".memory")
    init(_store(memory).vault)
    for name in OURS[:2]:
        (root / ".memory" / name).unlink()
    _git(root, "init", "-q", "-b", "main")
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "layout")
    for branch, title in (("left", "Left memory"), ("right", "Right memory")):
        _git(root, "checkout", "-q", "-b", branch, "main")
        memory.sync()
        memory.note(title, f"Text of {title}.", scope="project")
        memory.sync()
        _git(root, "add", ".")
        _git(root, "commit", "-q", "-m", title)
    _git(root, "merge", "-q", "-m", "both", "left")
    memory.sync()
    assert [row["id"] for row in _json(root / ".memory")["entries"]] == ["MEM-left-memory", "MEM-right-memory"]
    for name in OURS[:2]:
        assert (root / ".memory" / name).read_text("utf-8").count("# Mem") == 1
    assert not list((root / ".memory/90-Trash").rglob("*.md"))[1:]


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_f106_taking_one_side_of_the_overviews_loses_nothing(
    tmp_path: Path, open_memory: Callable[..., Memory], side: str
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    memory = open_memory(root / ".memory")
    _branched(root, memory)
    _git(root, "merge", "-q", "left", code=1)
    _git(root, "checkout", side, "--", *(f".memory/{name}" for name in OURS))
    memory.sync()
    assert [entry["id"] for entry in _json(root / ".memory")["entries"]] == [
        "MEM-first",
        "MEM-left-memory",
        "MEM-right-memory",
    ]


def test_f106_only_generated_files_are_merged_line_by_line(tmp_path: Path, open_memory: Callable[..., Memory]) -> None:
    """A memory that both sides changed is a conflict: nobody's sentence is put beside another's unseen."""
    root = tmp_path / "project"
    vault = root / ".memory"
    root.mkdir()
    init(_store(open_memory(vault)).vault)
    _git(root, "init", "-q", "-b", "main")
    names = [*OURS, "distill-log.json", "10-Memories/MEM-a.md", "20-Indices/mine.md", "README.md", "00-Inbox/x.md"]
    listed = _git(root, "check-attr", "merge", "--", *(f".memory/{name}" for name in names)).splitlines()
    assert [line.rpartition(" ")[2] for line in listed] == ["union"] * 4 + ["unspecified"] * 4


def test_an_entry_is_read_back_as_it_was_written(full: Memory) -> None:
    found = indices.entries(next(iter(full._stores)))
    assert list(load(dump(found)).entries) == found
