"""Vaults of the same family by other programs: every dialect read, one written, nothing else touched (SM-1 … SM-5)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from scrubjay import Memory
from scrubjay.operations import indices
from scrubjay.vaults.documents import note as notes

DIALECTS = {
    "MEM-old": (
        "---\nid: MEM-2026-02-01-001\ntitle: Old dialect\ndate: 2026-02-01\nlast_updated: 2026-02-03\n"
        "tags: neovim, lsp\ntopic: neovim/lsp\n---\n\n# Old dialect\n\nServers attach on open.\n"
    ),
    "MEM-unquoted": (
        "---\ntitle: Unquoted: with a colon\ncreated: 2026-03-01\ntags: [PATTERN, lua]\ntopic: neovim/plugins\n"
        "source: user input\nmodified: 2026-03-02\nlast_retrieved:\n---\n\n# Unquoted\n\nLazy loading of plugins.\n\n"
        "## Connections\n- [[MEM-old]]\n"
    ),
    "MEM-block": (
        "---\ntitle: 'Block list'\ncreated: 2026-03-05\ntags:\n- CONFIG\n- shell\ntopic: \"shell\"\n"
        "retrieval_count: 39\nlast_retrieved: 2026-05-01\nkeywords: [alias, prompt]\n"
        'summary: "Aliases"\ntoken_count: 40\n'
        "custom: kept\n---\n\n# Block list\n\nAliases belong into one file.\n"
    ),
    "MEM-nested": (
        '---\nname: nested\ndescription: "One line"\nmetadata: \n  node_type: memory\n  type: feedback\n'
        "  modified: 2026-09-03T07:26:16.880Z\n---\n\nPrefer real databases in tests.\n"
    ),
    "MEM-crlf": (
        '---\r\ntitle: "Windows"\r\ncreated: 2026-04-01\r\ntags: [INSIGHT]\r\n---\r\n\r\n# Windows\r\n\r\n'
        "Line ends stay.\r\n"
    ),
    "MEM-bom": (
        '\ufeff---\ntitle: "Marked"\ncreated: 2026-04-02\ntags: [STANDARD]\n---\n\n# Marked\n\n'
        "A byte order mark stays.\n"
    ),
    "MEM-plain": "# No frontmatter\n\nWritten by hand about squirrels.\n",
    "MEM-gone": (
        '---\ntitle: "Gone"\ncreated: 2026-01-01\ntags: [PATTERN]\nsummary: "s"\nstatus: tombstoned\n'
        "tombstoned_at: 2026-02-01\ntombstone_reason: purge\n---\n\n# Gone\n\nPurple elephants.\n"
    ),
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "10-Memories").mkdir(parents=True)
    for id, text in DIALECTS.items():
        (root / "10-Memories" / f"{id}.md").write_bytes(text.encode("utf-8"))
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "workspace.json").write_text('{"main": {}}', "utf-8")
    (root / ".obsidian" / "app.md").write_text("# Not a memory\n", "utf-8")
    entries = [
        {
            "id": "MEM-block",
            "path": ".memory/10-Memories/MEM-block.md",
            "retrieval_count": 41,
            "created": "2026-03-05T10:00:00Z",
        }
    ]
    (root / "memory-index.json").write_text(json.dumps({"version": 1, "entries": entries}), "utf-8")
    return root


@pytest.fixture
def wild(vault: Path, open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory(vault)
    memory.sync()
    return memory


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def read(memory: Memory, id: str):
    return notes.read(memory.show(id)[0])


def test_sm3_every_dialect_is_read(wild: Memory) -> None:
    old = read(wild, "MEM-old")
    assert (old.id, old.title, old.created, old.modified, old.tags) == (
        "MEM-old",
        "Old dialect",
        "2026-02-01",
        "2026-02-03",
        ("neovim", "lsp"),
    )
    assert read(wild, "MEM-unquoted").title == "Unquoted: with a colon"
    assert read(wild, "MEM-block").tags == ("CONFIG", "shell")
    assert read(wild, "MEM-nested").native_type == "feedback"
    assert read(wild, "MEM-crlf").title == "Windows" and read(wild, "MEM-bom").title == "Marked"
    assert read(wild, "MEM-plain").title == "No frontmatter"


def test_every_dialect_is_found_and_a_tombstone_is_not(wild: Memory) -> None:
    for question, id in (("servers attach", "MEM-old"), ("squirrels", "MEM-plain"), ("byte order mark", "MEM-bom")):
        assert wild.search(question, abstain=False).hits[0].path == f"10-Memories/{id}.md"
    assert wild.search("purple elephants", abstain=False).hits == ()


def test_sm34_the_index_of_the_other_generation_keeps_its_counters(wild: Memory, vault: Path) -> None:
    """SM-31: 41 in the index, 39 in the file: the higher one counts."""
    [entry] = [one for one in indices.entries(next(iter(wild._stores))) if one.id == "MEM-block"]
    assert (entry.retrieval_count, entry.last_retrieved) == (41, "2026-05-01")
    found = json.loads((vault / "memory-index.json").read_text("utf-8"))
    assert found["version"] == "1.0.0" and found["entry_count"] == len(DIALECTS)


def test_sm1_nothing_of_obsidian_and_no_memory_is_touched_by_reading(
    vault: Path, open_memory: Callable[..., Memory]
) -> None:
    before = hashes(vault / ".obsidian") | hashes(vault / "10-Memories")
    memory = open_memory(vault)
    memory.sync()
    memory.search("anything", abstain=False)
    memory.distill()
    memory.learn("Something about lazy loading of plugins.")
    after = hashes(vault / ".obsidian") | hashes(vault / "10-Memories")
    assert {name: after[name] for name in before} == before
    assert {Path(name).name for name in set(after) - set(before)} <= {"README.md"}


@pytest.mark.parametrize("id", [id for id in DIALECTS if id != "MEM-gone"])
@pytest.mark.parametrize("action", ["UPDATE", "EXTEND"])
def test_a_change_keeps_every_byte_that_it_does_not_mean(wild: Memory, vault: Path, id: str, action: str) -> None:
    from scrubjay import Decision

    path = vault / "10-Memories" / f"{id}.md"
    before = path.read_bytes()
    others = {
        name: hash for name, hash in hashes(vault / "10-Memories").items() if id not in name and "README" not in name
    }
    plan = wild.learn("Fresh words about walruses.")
    done = wild.apply(plan.decide({plan.proposals[0].key: Decision(action=action, target=id)}))
    assert [one.memory_id for one in done.done] == [id], done.refused
    after = path.read_bytes()
    assert b"walruses" in after and after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in before:
        assert b"\n" not in after.replace(b"\r\n", b"")
    front = before.split(b"---")[1].replace(b"\r\n", b"\n").splitlines() if b"---" in before else []
    kept = [
        line
        for line in front
        if line
        and not re.match(rb"\s*(modified|last_updated|tags|summary|token_count|keywords|topic|title)|\s*-", line)
    ]
    assert all(line in after.replace(b"\r\n", b"\n").splitlines() for line in kept)
    old_words = [
        line
        for line in before.replace(b"\r\n", b"\n").split(b"---")[-1].splitlines()
        if line and not line.startswith(b"#")
    ]
    assert all(line in after for line in old_words)
    if not front:
        assert not after.startswith(b"---")
    assert {name: hash for name, hash in hashes(vault / "10-Memories").items() if name in others} == others
    wild.undo()
    assert path.read_bytes() == before


def test_sm4_what_is_written_can_be_read_by_a_strict_reader(wild: Memory, vault: Path) -> None:
    """A reader that knows only YAML and the order of the fields."""
    done = wild.apply(
        wild.learn('# Walrus: a #hash, [brackets] & "quotes"\n\nWalruses swim in cold water.').decide("CREATE")
    )
    text = (vault / done.done[0].path).read_text("utf-8")
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert match is not None
    values = yaml.safe_load(match.group(1))
    assert list(values) == (
        "title created tags topic source modified keywords summary retrieval_count last_retrieved token_count".split()
    )
    assert values["title"] == 'Walrus: a #hash, [brackets] & "quotes"' and isinstance(values["tags"], list)
    assert values["token_count"] == int(1.3 * len(text.split())) and values["last_retrieved"] is None
    assert re.search(
        r"^# Walrus.*\n\nWalruses swim in cold water\.\n\n## Connections\n<!-- \[\[MEM-other\]\]", text, re.MULTILINE
    )
