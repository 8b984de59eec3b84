"""Export and import: lossless, never overwriting, hostile archives refused (SEC-8, F108, TR-80…85)."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory, Message, Session
from scrubjay.errors import BadInput, Conflict, Refused
from scrubjay.operations.facts import content_hash


@pytest.fixture
def full(memory: Memory) -> Memory:
    old = memory.remember("The port is 8080.", category="Infrastructure", tags=["net work"])
    memory.supersede(old.id, "The port is 9090.")
    memory.note("Deploying", "Run it twice.", topic="ops", tags=["PATTERN"])
    memory.ingest(Session(id="s", messages=[Message(id="m", role="user", text="hello 太郎 😀")]))
    return memory


def test_a_bundle_brings_everything_back(full: Memory, open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    report = full.export(tmp_path / "out.zip")
    assert report.written == full.status()[0].coverage.documents == 4
    other = open_memory(tmp_path / "other")
    imported = other.import_(tmp_path / "out.zip")
    assert (imported.written, imported.known, imported.conflicts, imported.refused) == (4, 0, [], [])
    for path in (tmp_path / "vault").rglob("*.md"):
        if "90-Trash" not in path.parts:
            assert (tmp_path / "other" / path.relative_to(tmp_path / "vault")).read_bytes() == path.read_bytes()
    assert [fact.text for fact in other.facts()] == ["The port is 9090."]
    assert other.search("hello", abstain=False).hits[0].text == "hello 太郎 😀"
    again = other.import_(tmp_path / "out.zip")
    assert (again.written, again.known) == (0, 4)


def test_an_import_can_be_undone(full: Memory, open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    full.export(tmp_path / "out.zip")
    other = open_memory(tmp_path / "other")
    other.import_(tmp_path / "out.zip")
    other.undo()
    assert other.facts(include_superseded=True) == []


def test_what_changed_here_is_not_overwritten(full: Memory, tmp_path: Path) -> None:
    """F108: a stale export never replaces what is newer."""
    full.export(tmp_path / "out.zip")
    fact = full.facts()[0]
    path = tmp_path / "vault" / fact.path
    path.write_text(path.read_text("utf-8").replace("9090", "9999"), "utf-8")
    full.sync()
    report = full.import_(tmp_path / "out.zip")
    assert report.conflicts == [fact.path]
    assert "9999" in path.read_text("utf-8")


def test_an_export_never_replaces_a_file(full: Memory, tmp_path: Path) -> None:
    (tmp_path / "out.zip").write_text("mine", "utf-8")
    with pytest.raises(Conflict, match="exists already"):
        full.export(tmp_path / "out.zip")
    assert (tmp_path / "out.zip").read_text("utf-8") == "mine"


def test_the_neutral_file_follows_its_specification(full: Memory, tmp_path: Path) -> None:
    full.export(tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        pam = json.loads(archive.read("memory.pam.json"))
    assert (pam["schema"], pam["schema_version"], pam["integrity"]["total_memories"]) == (
        "portable-ai-memory",
        "1.0",
        3,
    )
    by_content = {memory["content"]: memory for memory in pam["memories"]}
    old, new = by_content["The port is 8080."], by_content["The port is 9090."]
    assert (old["status"], new["status"], old["type"]) == ("superseded", "active", "environment")
    assert old["temporal"]["superseded_by"] == new["id"]
    assert old["content_hash"] == content_hash(old["content"])
    assert old["tags"] == ["net-work"]
    assert pam["relations"] == [{"from": new["id"], "to": old["id"], "type": "supersedes"}]


def test_a_neutral_file_is_taken_in(full: Memory, open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    full.export(tmp_path / "out.zip")
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        (tmp_path / "memory.json").write_bytes(archive.read("memory.pam.json"))
    other = open_memory(tmp_path / "other")
    report = other.import_(tmp_path / "memory.json")
    assert (report.written, report.refused) == (3, [])
    assert "The port is 9090." in [fact.text for fact in other.facts()]
    assert "The port is 8080." not in [fact.text for fact in other.facts()]
    damaged = (tmp_path / "memory.json").read_text("utf-8").replace("9090", "9091")
    (tmp_path / "damaged.json").write_text(damaged, "utf-8")
    with pytest.raises(BadInput, match="checksum"):
        other.import_(tmp_path / "damaged.json")


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "documents/user/../../evil.md"])
def test_paths_out_of_the_vault_are_refused(memory: Memory, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(name, "evil")
        archive.writestr("manifest.json", "{}")
    with pytest.raises(Refused, match="unsafe path"):
        memory.import_(tmp_path / "evil.zip")
    assert not list(tmp_path.rglob("evil.md"))


def test_a_path_in_the_manifest_cannot_escape_either(memory: Memory, tmp_path: Path) -> None:
    import hashlib

    digest = hashlib.sha256(b"evil").hexdigest()
    manifest = {
        "format": "scrubjay-bundle",
        "version": 1,
        "documents": [{"scope": "..", "path": "../evil.md", "sha256": digest}],
    }
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    report = memory.import_(tmp_path / "evil.zip")
    assert (report.written, len(report.refused)) == (0, 1)


def test_a_bomb_is_refused(memory: Memory, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("documents/user/bomb.md", b"0" * 50_000_000)
        archive.writestr("manifest.json", "{}")
    with pytest.raises(Refused, match="100 times"):
        memory.import_(tmp_path / "bomb.zip")


@pytest.mark.parametrize("content", ["", "not json", "{}", '{"schema": "portable-ai-memory"}', "[" * 100_000])
def test_what_is_no_bundle_is_named(memory: Memory, tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content, "utf-8")
    with pytest.raises(BadInput, match=r"x\.json"):
        memory.import_(tmp_path / "x.json")


def test_documents_go_back_to_their_own_scope(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes from a scope that is open goes there; a fact that any scope holds gets no second home."""
    (tmp_path / "project" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    settings = {"models.embedder": "none", "models.reranker": "none"}
    with Memory.open(settings=settings, background=False, home=tmp_path / "one") as one:
        one.remember("Max drinks tea.", scope="user")
        local = one.remember("The port is 1.", scope="local")
        one.export(tmp_path / "out.zip")
    with Memory.open(settings=settings, background=False, home=tmp_path / "two") as two:
        report = two.import_(tmp_path / "out.zip")
        assert (report.written, report.scopes) == (2, {"user": 1, "local": 1})
        assert [(fact.text, fact.scope) for fact in two.facts()] == [
            ("Max drinks tea.", "user"),
            ("The port is 1.", "local"),
        ]
        again = two.import_(tmp_path / "out.zip", scope="user")
        assert (again.written, again.known) == (0, 2)
        assert two.history(local.id)[0].scope == "local"


def test_conversations_of_a_bundle_never_reach_the_shared_vault(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project's scope takes in facts and notes; what somebody said stays out, as it does with ``ingest``."""
    project = tmp_path / "code"
    (project / ".git").mkdir(parents=True)
    (project / ".memory" / "10-Memories").mkdir(parents=True)
    monkeypatch.chdir(project)
    with Memory.open(home=own_home, background=False) as memory:
        memory.remember("The port is 8080.", scope="local")
        memory.ingest(Session(id="s", messages=[Message(id="m", role="user", text="hello 太郎")]))
        memory.export(tmp_path / "out.zip")
        report = memory.import_(tmp_path / "out.zip", scope="project")
        assert len(report.refused) == 1 and "private" in report.refused[0]
        assert not list((project / ".memory").rglob("*.transcript.md"))


def test_damage_is_counted_and_named(full: Memory, open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    full.export(tmp_path / "out.zip")
    data = bytearray((tmp_path / "out.zip").read_bytes())
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        member = archive.infolist()[0]
    start = member.header_offset + 30 + len(member.filename.encode()) + 20
    data[start : start + 20] = bytes(20)
    (tmp_path / "out.zip").write_bytes(data)
    report = open_memory(tmp_path / "other").import_(tmp_path / "out.zip")
    assert (report.written, report.damaged, len(report.refused)) == (3, 1, 1)
