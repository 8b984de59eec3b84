"""Vaults of the family as fixtures: each read, searched, listed, changed; nothing else touched (SM-1 … SM-5, R-COM-3).

The fixtures hold the bytes that other programs leave; what Scrubjay writes is read back by a reader of this module that
knows YAML and the order of SM-4 and nothing of Scrubjay.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scrubjay import Decision, Memory
from scrubjay.operations import indices
from scrubjay.types import Note
from scrubjay.vaults.documents import note as notes

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "vaults"
VAULTS = ("first", "current", "sister", "obsidian")
OURS = {"20-Indices/index.md", "10-Memories/README.md", "memory-index.json", "distill-log.json"}

# What each file says, in the words of Note.
EXPECTED: dict[str, dict[str, dict[str, object]]] = {
    "first": {
        "MEM-2026-02-11-001": {
            "title": "Picker for sessions", "created": "2026-02-11", "modified": "2026-02-13", "source": "user input",
            "tags": ("neovim", "telescope", "lua"), "topic": "neovim/plugins/telescope", "status": "active",
        },
        "MEM-2026-02-11-002": {
            "title": "Guarded calls: pcall(), not error()", "created": "2026-02-11", "tags": (), "topic": "neovim/lua",
            "modified": "", "source": "task 14", "native_type": "note",
        },
        "MEM-2026-03-01-001": {"title": "Shell aliases # not only for git", "tags": ("shell",), "topic": ""},
    },
    "current": {
        "MEM-requests-http-request-retry": {
            "title": "HTTP request retry patterns", "tags": ("PATTERN", "python", "http"), "native_type": "PATTERN",
            "source": "file: /srv/notes/http.md", "summary": "Retry with jittered backoff",
            "keywords": ("requests", "retry", "backoff", "jitter", "session"), "modified": "2026-04-20",
        },
        "MEM-config-timeouts": {
            "title": "Timeouts of the client", "tags": ("CONFIG", "http"), "topic": "python/libs/requests",
            "keywords": ("timeout", "connect", "read"), "summary": "Connect 3 s, read 30 s",
        },
        "MEM-pools": {"title": "Connection pools", "keywords": ("cap", "pool", "recycle"), "status": "active"},
        "MEM-pool-recycling": {"title": "Recycling", "status": "tombstoned"},
        "MEM-release-steps": {"tags": ("WORKFLOW", "enforcement"), "source": "Task 40: summaries/01_release.md"},
    },
    "sister": {
        "MEM-standard-error-names": {
            "title": 'Error names: it\'s "what failed", not "who"', "created": "2026-06-01T09:30:00Z",
            "tags": ("STANDARD", "errors"), "keywords": ("errors", "names", "conventions"),
        },
        "MEM-nested-databases": {
            "title": "nested-databases", "summary": "Prefer real databases in tests", "native_type": "feedback",
            "tags": ("TECHNIQUE", "tests"), "topic": "testing", "keywords": ("database", "tests"),
            "created": "2026-06-02T10:00:00.000Z", "modified": "2026-06-04T07:26:16.880Z",
        },
        "MEM-empty-values": {
            "title": "Empty values", "topic": "", "source": "", "modified": "", "keywords": (), "summary": "",
            "status": "active",
        },
    },
    "obsidian": {
        "MEM-properties": {
            "title": "Ownership of caches", "tags": ("CONFIG", "cache/redis"), "created": "2026-07-01T12:00",
            "native_type": "CONFIG",
        },
        "MEM-windows": {"title": "Windows paths", "tags": ("TECHNIQUE", "windows"), "topic": "os/windows"},
        "MEM-marked": {"title": "Marked", "tags": ("INSIGHT",), "topic": "text/encoding"},
        "MEM-кеш-версия": {
            "title": "Ключ кеша содержит версию", "tags": ("PATTERN", "кеш"), "topic": "данные/кеш",
            "keywords": ("кеш", "ключ", "версия"),
        },
        "MEM-数据库-迁移": {"title": "数据库迁移", "tags": ("WORKFLOW",), "keywords": ("迁移", "备份")},
        "MEM-hashtags": {"title": "MEM-hashtags", "tags": ("idea", "queue")},
        "Untitled 3": {"title": "Untitled 3", "tags": (), "created": ""},
    },
}  # fmt: skip

# A question for each, in other words than its title where that makes sense.
QUESTIONS = {
    "MEM-2026-02-11-001": "which picker lists stored sessions",
    "MEM-2026-02-11-002": "wrap a call into a plugin",
    "MEM-2026-03-01-001": "one file for aliases of every shell",
    "MEM-requests-http-request-retry": "jitter in the backoff of the adapter",
    "MEM-config-timeouts": "seconds for connecting and reading",
    "MEM-pools": "pool without a cap",
    "MEM-release-steps": "steps of a release: tag, build, publish",
    "MEM-standard-error-names": "what is an error named after",
    "MEM-nested-databases": "real database instead of mocks",
    "MEM-empty-values": "turnstile at night",
    "MEM-properties": "the cache belongs to which service",
    "MEM-windows": "path below 260 characters",
    "MEM-marked": "byte order mark",
    "MEM-кеш-версия": "версия схемы в ключах кеша",
    "MEM-数据库-迁移": "迁移之前备份",
    "MEM-hashtags": "queues are bounded",
    "Untitled 3": "gyroscope",
}
ALL = [(vault, id) for vault, found in EXPECTED.items() for id in found]
ACTIVE = [(vault, id) for vault, id in ALL if id in QUESTIONS]


@pytest.fixture
def wild(tmp_path: Path, open_memory: Callable[..., Memory]) -> Callable[[str], tuple[Memory, Path]]:
    """Opens a copy of a fixture."""

    def open_(name: str) -> tuple[Memory, Path]:
        root = tmp_path / "vault"
        shutil.copytree(FIXTURES / name, root)
        # As their own `init` leaves it. In the repository it would keep the editor's folder out of the fixture.
        (root / ".gitignore").write_text(".obsidian/\n", "utf-8")
        memory = open_memory(root)
        memory.sync()
        return memory, root

    return open_


def hashes(root: Path, *, ours: bool = False) -> dict[str, str]:
    """Every file by its hash; what is generated, and the trash, only with ``ours``."""
    found = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file())
    return {
        name: hashlib.sha256((root / name).read_bytes()).hexdigest()
        for name in found
        if ours or not (name in OURS or name.startswith("90-Trash/"))
    }


def foreign(root: Path) -> dict[str, str]:
    """What belongs to the editor and to people: hidden folders and what is no Markdown."""
    return {name: hash for name, hash in hashes(root).items() if name.startswith(".") or not name.endswith(".md")}


# --- reading ----------------------------------------------------------------------------------------------------


def test_the_fixtures_are_complete() -> None:
    for vault in VAULTS:
        ids = {path.stem for path in (FIXTURES / vault / "10-Memories").glob("*.md")} - {"README"}
        assert ids == set(EXPECTED[vault])
        assert (FIXTURES / vault / ".obsidian/Not a memory.md").is_file()
    windows = (FIXTURES / "obsidian/10-Memories/MEM-windows.md").read_bytes()
    assert windows.count(b"\r\n") == windows.count(b"\n") > 10
    assert (FIXTURES / "obsidian/10-Memories/MEM-marked.md").read_bytes().startswith(b"\xef\xbb\xbf---\n")


@pytest.mark.parametrize("vault", VAULTS)
def test_sm3_every_field_of_every_dialect_is_read(vault: str, wild: Callable[[str], tuple[Memory, Path]]) -> None:
    memory, _ = wild(vault)
    for id, fields in EXPECTED[vault].items():
        note = notes.read(memory.show(f"10-Memories/{id}.md")[0])
        assert note.id == id
        assert {name: getattr(note, name) for name in fields} == fields, id


@pytest.mark.parametrize("vault", VAULTS)
def test_every_memory_answers_its_question_and_nothing_hidden_does(
    vault: str, wild: Callable[[str], tuple[Memory, Path]]
) -> None:
    memory, root = wild(vault)
    for id in EXPECTED[vault]:
        if id in QUESTIONS:
            assert memory.search(QUESTIONS[id], abstain=False).hits[0].path == f"10-Memories/{id}.md", id
    for word in ("zeppelins", "marmalade", "xylophone"):
        assert all(word not in hit.text.casefold() for hit in memory.search(word, abstain=False).hits)
    assert (root / ".obsidian/Not a memory.md").is_file()


@pytest.mark.parametrize("vault", VAULTS)
def test_sm31_every_memory_is_listed(vault: str, wild: Callable[[str], tuple[Memory, Path]]) -> None:
    _, root = wild(vault)
    rows = {row["id"]: row for row in json.loads((root / "memory-index.json").read_text("utf-8"))["entries"]}
    assert set(rows) == set(EXPECTED[vault])
    for name in ("20-Indices/index.md", "10-Memories/README.md"):
        if (FIXTURES / vault / name).exists():
            listed = (root / name).read_text("utf-8")
            for id in EXPECTED[vault]:
                assert (f"[{id}]" in listed.replace("\\", "")) == (id in QUESTIONS), (name, id)
    for id, fields in EXPECTED[vault].items():
        assert rows[id]["path"].endswith(f"10-Memories/{id}.md")
        assert rows[id]["title"] == fields.get("title", rows[id]["title"])
        assert rows[id]["created"] == str(fields.get("created", rows[id]["created"]))[:10]
        assert rows[id]["keywords"] == list(fields.get("keywords", rows[id]["keywords"]))  # type: ignore[call-overload]


def test_sm31_counters_of_file_and_index_are_the_higher_ones(wild: Callable[[str], tuple[Memory, Path]]) -> None:
    memory, _ = wild("current")
    counted = {
        entry.id: (entry.retrieval_count, entry.last_retrieved) for entry in indices.entries(next(iter(memory._stores)))
    }
    assert counted == {
        "MEM-config-timeouts": (39, "2026-05-06"),
        "MEM-pool-recycling": (1, "2026-04-20"),
        "MEM-pools": (3, None),
        "MEM-release-steps": (0, None),
        "MEM-requests-http-request-retry": (7, "2026-05-05"),
    }


def test_sm34_an_index_with_numbers_and_times_keeps_its_counters(wild: Callable[[str], tuple[Memory, Path]]) -> None:
    memory, root = wild("sister")
    entries = {entry.id: entry for entry in indices.entries(next(iter(memory._stores)))}
    assert entries["MEM-standard-error-names"].retrieval_count == 6
    assert entries["MEM-standard-error-names"].last_retrieved == "2026-06-21"
    assert entries["MEM-nested-databases"].summary == "Prefer real databases in tests"
    assert json.loads((root / "memory-index.json").read_text("utf-8"))["version"] == "1.0.0"


def test_sm32_sm33_what_people_wrote_into_the_overviews_stays(wild: Callable[[str], tuple[Memory, Path]]) -> None:
    _, root = wild("first")
    assert "## Reading order\n\nStart with the picker.\n" in (root / "20-Indices/index.md").read_text("utf-8")
    assert "- [Wiki](https://wiki.example.org/memory)" in (root / "10-Memories/README.md").read_text("utf-8")


# --- changing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vault", VAULTS)
def test_sm1_no_operation_touches_what_is_not_ours(vault: str, wild: Callable[[str], tuple[Memory, Path]]) -> None:
    """The editor's folder, templates, attachments, other trash: hashed before and after each operation."""
    memory, root = wild(vault)
    before = foreign(root)
    templates = hashes(root / "30-Templates") if (root / "30-Templates").exists() else {}
    for name, operation in _operations(memory):
        operation()
        after = foreign(root)
        assert {each: after.get(each) for each in before} == before, name
        assert not {each for each in after if each.startswith(".obsidian/")} - set(before), name
        assert (hashes(root / "30-Templates") if templates else {}) == templates, name


def _operations(memory: Memory) -> Iterator[tuple[str, Callable[[], object]]]:
    id = next(entry.id for entry in indices.entries(next(iter(memory._stores))) if entry.active)
    text = "Walruses swim in cold water near the pool cap."

    def learn(action: str, target: str | None = None) -> object:
        plan = memory.learn(text)
        return memory.apply(plan.decide({plan.proposals[0].key: Decision(action=action, target=target)}))  # type: ignore[arg-type]

    yield "sync", memory.sync
    yield "reindex", memory.reindex
    yield "search", lambda: memory.search("pool", abstain=False)
    yield "retrieve", lambda: memory.retrieve("pools and caches of the client", mode="recall")
    yield "learn", lambda: memory.learn(text)
    yield "keep", lambda: memory.keep(memory.learn(text))
    yield "create", lambda: learn("CREATE")
    yield "extend", lambda: learn("EXTEND", id)
    yield "undo", memory.undo
    yield "update", lambda: learn("UPDATE", id)
    for kind in ("report", "merge", "purge", "compress", "refine", "gc", "auto"):
        yield kind, lambda kind=kind: _distilled(memory, kind)  # type: ignore[misc]
    yield "indices", memory.indices
    yield "forget", lambda: memory.forget(id)
    yield "undo forgetting", memory.undo


def _distilled(memory: Memory, kind: str) -> object:
    plan: Any = memory.distill(kind)
    return memory.apply(plan.decide("recommended")) if kind != "report" else plan


@pytest.mark.parametrize("vault", VAULTS)
def test_reading_changes_no_memory(vault: str, wild: Callable[[str], tuple[Memory, Path]]) -> None:
    memory, root = wild(vault)
    before = hashes(root)
    assert {name: before[name] for name in hashes(FIXTURES / vault)} == hashes(FIXTURES / vault)
    memory.search("pool", abstain=False)
    memory.learn("Something about pools.")
    memory.distill()
    memory.retrieve("pools and caches of the client")
    assert hashes(root) == before


@pytest.mark.parametrize(("vault", "id"), ACTIVE)
@pytest.mark.parametrize("action", ["UPDATE", "EXTEND"])
def test_sm27_sm28_a_change_keeps_every_byte_that_it_does_not_mean(
    vault: str, id: str, action: str, wild: Callable[[str], tuple[Memory, Path]]
) -> None:
    memory, root = wild(vault)
    path = root / "10-Memories" / f"{id}.md"
    before, others = path.read_bytes(), hashes(root)
    plan = memory.learn("Fresh words about walruses.")
    decision = Decision(action=action, target=f"10-Memories/{id}.md")  # type: ignore[arg-type]
    done = memory.apply(plan.decide({plan.proposals[0].key: decision}))
    assert [one.path for one in done.done] == [f"10-Memories/{id}.md"], done.refused
    after = path.read_bytes()
    _assert_only_meant(before, after)
    changed = {name for name, hash in hashes(root).items() if others.get(name) != hash}
    assert changed == {f"10-Memories/{id}.md"}
    memory.undo()
    assert path.read_bytes() == before


def _assert_only_meant(before: bytes, after: bytes) -> None:
    assert b"walruses" in after
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    assert after.count(b"\r\n") == (after.count(b"\n") if newline == b"\r\n" else 0)
    old_front, old_body = _parts(before.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf"))
    new_front, new_body = _parts(after.replace(b"\r\n", b"\n").removeprefix(b"\xef\xbb\xbf"))
    assert bool(old_front) == bool(new_front), "frontmatter is neither added nor taken away (R-COM-3)"
    place = iter(new_front)
    kept = all(any(line == other for other in place) for line in _fixed(old_front))
    assert kept, "other fields keep their bytes and order"
    words = [line.lstrip(b"#").strip() for line in old_body if line.strip()]
    there = [line.lstrip(b"#").strip() for line in new_body]
    assert all(line in there for line in words), "no line of the body is lost"


def _fixed(front: list[bytes]) -> list[bytes]:
    """The lines that no change means: all but the fields that follow from it, and the items below those."""
    kept, free = [], False
    for line in front:
        if not re.match(rb"\s*- ", line):
            free = bool(re.match(rb"\s*(modified|last_updated|keywords|summary|token_count)\s*:", line))
        if not free:
            kept.append(line)
    return kept


def _parts(text: bytes) -> tuple[list[bytes], list[bytes]]:
    if not text.startswith(b"---\n"):
        return [], text.split(b"\n")
    front, _, body = text[4:].partition(b"\n---\n")
    return front.split(b"\n"), body.split(b"\n")


def test_sm46_memories_of_other_dialects_are_merged(wild: Callable[[str], tuple[Memory, Path]]) -> None:
    memory, root = wild("current")
    twin = root / "10-Memories/MEM-pools-again.md"
    twin.write_text(
        "---\ntitle: Pools again\ncreated: 2026-03-30\ntags:\n- INSIGHT\n- db\ntopic: db/pools\n"
        "keywords: cap, pool, recycle\nretrieval_count: 1\nlast_retrieved: 2026-05-20\nmood: calm\n---\n\n"
        "# Pools again\n\nA cap of twenty is enough.\n",
        "utf-8",
    )
    memory.sync()
    plan: Any = memory.distill("merge")
    [proposal] = plan.proposals
    assert [target.id for target in proposal.targets] == ["MEM-pools", "MEM-pools-again"]
    done = memory.apply(plan.decide("recommended"))
    assert not done.refused
    values, body = strict(root / "10-Memories/MEM-pools.md", ordered=False)
    assert (str(values["created"]), values["retrieval_count"], str(values["last_retrieved"])) == (
        "2026-03-30", 4, "2026-05-20",
    )  # fmt: skip
    assert set(values["keywords"]) >= {"cap", "pool", "recycle"} and values["owner"] == "team-db"
    assert "## Merged From MEM-pool-recycling" in body and "## Merged From MEM-pools-again" in body
    assert "A cap of twenty is enough." in body
    retired = notes.read(memory.show("10-Memories/MEM-pools-again.md")[0])
    assert retired.status == "tombstoned" and "mood: calm" in twin.read_text("utf-8")


# --- writing ----------------------------------------------------------------------------------------------------

SEED = ["title", "created", "tags", "topic", "source", "modified"]
ADDED = ["keywords", "summary", "retrieval_count", "last_retrieved", "token_count"]


def strict(path: Path, *, ordered: bool = True) -> tuple[dict[str, Any], str]:
    """A reader of the format as other programs are: YAML, the order of SM-4, quotes that a shell can cut at."""
    data = path.read_bytes()
    assert b"\r" not in data and not data.startswith(b"\xef\xbb\xbf") and data.endswith(b"\n")
    text = data.decode("utf-8")
    found = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert found, "frontmatter from the first line on"
    values: dict[str, Any] = yaml.safe_load(found.group(1))
    if ordered:
        assert list(values) == [*SEED, *ADDED]
        titles = [line.split('"')[1] for line in found.group(1).splitlines() if line.startswith("title:")]
        if not {'"', "\\"} & set(values["title"]):
            assert titles == [values["title"]]
        assert isinstance(values["tags"], list) and values["tags"][0].isupper()
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", str(values["created"])) and values["last_retrieved"] is None
        assert values["token_count"] == len(text.split()) * 13 // 10
        assert isinstance(values["retrieval_count"], int) and 0 <= len(values["keywords"]) <= 8
    return values, text[found.end() :]


@pytest.mark.parametrize("vault", VAULTS)
@pytest.mark.parametrize(
    "text",
    [
        '# Walrus: a #hash, [brackets] & "quotes"\n\nWalruses swim in cold water.',
        "# Ключи кеша\n\nКлюч содержит номер версии, «всегда»: иначе читаются старые записи.",
        "# 迁移方案\n\n先备份，再迁移；失败时回滚。",
        "# yes\n\nA title that YAML would take for true, with `---` in it:\n\n```yaml\n---\ntitle: x\n---\n```",
    ],
)
def test_sm4_what_is_created_is_read_by_a_strict_reader(
    vault: str, text: str, wild: Callable[[str], tuple[Memory, Path]]
) -> None:
    memory, root = wild(vault)
    done = memory.apply(memory.learn(text).decide("CREATE"))
    values, body = strict(root / done.done[0].path)
    title = text.splitlines()[0].removeprefix("# ")
    assert values["title"] == title and body.startswith(f"\n# {title}\n\n")
    assert body.endswith("\n\n## Connections\n<!-- [[MEM-other]] links go here -->\n")
    assert text.partition("\n\n")[2] in body
    assert re.fullmatch(r"MEM-[a-z0-9-]{1,53}", Path(done.done[0].path).stem)
    again = notes.read(memory.show(done.done[0].path)[0])
    assert (again.title, list(again.keywords), again.summary) == (title, values["keywords"], values["summary"])


def test_sm4_a_note_of_ones_own_has_every_field(memory: Memory, tmp_path: Path) -> None:
    first = memory.note("Retry HTTP", "Retry with backoff and jitter.", topic="python/http", tags=["PATTERN"])
    values, body = strict(tmp_path / "vault" / first.path)
    assert values["summary"] == "Retry HTTP" and "backoff" in values["keywords"]
    assert "Retry with backoff and jitter." in body
    assert memory.note("Retry HTTP", "Retry with backoff and jitter.", topic="python/http", tags=["PATTERN"]) == first


def test_sm5_sections_stand_in_their_order_after_every_kind_of_change(
    wild: Callable[[str], tuple[Memory, Path]],
) -> None:
    memory, root = wild("current")
    path = root / "10-Memories/MEM-requests-http-request-retry.md"
    for action in ("EXTEND", "UPDATE", "EXTEND"):
        plan = memory.learn(f"{action.title()} walruses on {path.stat().st_size} rocks.")
        decision = Decision(action=action, target=path.stem)  # type: ignore[arg-type]
        memory.apply(plan.decide({plan.proposals[0].key: decision}))
    _, body = strict(path, ordered=False)
    sections = re.findall(r"^##? .*$", body, re.MULTILINE)
    assert [re.sub(r" \(.*|(?<=Merged From).*", "", section) for section in sections] == [
        "# HTTP request retry patterns",
        "## Extension",
        "## History",
        "## Connections",
    ]
    assert body.rstrip().endswith("- [[MEM-config-timeouts]]")


# --- vaults that nobody here wrote --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["XAIHT+Tlamatini", "1pitaph+ai_job", "ActorForth+ActorForth", "ru_react"])
def test_real_folders_are_read_to_the_last_file(
    name: str, shared_data: Path, tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    source = shared_data / "vaults" / name
    inner = source / ".claude" / "memory"
    root = tmp_path / "vault"
    shutil.copytree(inner if inner.is_dir() else source, root, copy_function=shutil.copyfile)
    _writable(root)
    before = hashes(root, ours=True)
    memory = open_memory(root)
    memory.sync()
    files = [path for path in root.rglob("*.md") if not any(part.startswith(".") for part in path.parts[-2:])]
    for path in files:
        note: Note = notes.read(memory.show(path.relative_to(root).as_posix())[0])
        assert note.title and note.body is not None
    assert hashes(root, ours=True) == before


def _writable(root: Path) -> None:
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
