"""Saving, changing and removing memories of an agent's notebook, with the line of each in MEMORY.md (CC-F1 … CC-F4)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrubjay.errors import BadInput, Conflict, NotFound, Refused, Unavailable
from scrubjay.index.sqlite import SqliteIndex
from scrubjay.operations import editing
from scrubjay.operations.notebook import listing, worth, writing
from scrubjay.operations.store import Store
from scrubjay.types import Document
from scrubjay.vaults.dialects.claude_memory import host, index, topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.folder import FolderVault

UV = Topic(name="prefer-uv", description="Max prefers uv over pip", type="feedback", body="Use uv.\n\n**Why:** speed.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> Iterator[Store]:
    vault = FolderVault(folder, beside=tmp_path / "beside", without=("team",))
    opened = SqliteIndex(tmp_path / "index", fingerprint="test", durability="normal")
    yield Store(vault=vault, index=opened, scope="notebook", key="n", dialect="claude_memory")
    opened.close()


def index_text(folder: Path) -> str:
    return (folder / "MEMORY.md").read_text(encoding="utf-8")


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def undo(store: Store, operation: str) -> None:
    found = next(each for each in store.index.operations() if each.id == operation)
    editing.undo(store, found)


def test_cc_f1_f3_a_memory_is_a_file_named_after_it_and_a_line(store: Store, folder: Path) -> None:
    saved = writing.save(store, UV)
    assert (saved.action, saved.path, saved.message, saved.hidden) == ("created", "prefer-uv.md", None, ())
    assert index_text(folder) == "- [Prefer uv](prefer-uv.md) — Max prefers uv over pip\n"
    text = (folder / "prefer-uv.md").read_text(encoding="utf-8")
    assert text.startswith('---\nname: prefer-uv\ndescription: "Max prefers uv over pip"\nmetadata:\n')
    assert "  node_type: memory\n  type: feedback\n  modified: " in text
    assert text.endswith("---\n\nUse uv.\n\n**Why:** speed.\n")
    assert saved.topic.modified is not None
    assert sorted(everything(folder)) == ["MEMORY.md", "prefer-uv.md"]


def test_one_operation_that_undo_takes_back_whole(store: Store, folder: Path) -> None:
    first = writing.save(store, UV)
    before = everything(folder)
    second = writing.save(store, replace(UV, name="tabs", description="Tabs, not spaces"))
    assert len(store.index.operations()) == 2
    undo(store, second.operation)
    assert everything(folder) == before
    undo(store, first.operation)
    assert everything(folder) == {}


def test_cc_e4_the_same_name_updates_and_keeps_the_shape(store: Store, folder: Path) -> None:
    folder.mkdir()
    old = "---\nname: prefer_uv\ndescription: old\ntype: feedback\ncolour: 'green' # mine\n---\nOld.\n"
    (folder / "prefer_uv.md").write_text(old, encoding="utf-8")
    (folder / "MEMORY.md").write_text("# Mine\n\n* [UV!](prefer_uv.md): by hand\n", encoding="utf-8")
    store_sync(store)
    saved = writing.save(store, UV)
    assert (saved.action, saved.path) == ("updated", "prefer_uv.md")
    text = (folder / "prefer_uv.md").read_text(encoding="utf-8")
    assert "type: feedback\ncolour: 'green' # mine\n" in text
    assert "metadata" not in text
    assert "\nmodified: 2" in text
    assert index_text(folder) == "# Mine\n\n* [UV!](prefer_uv.md): Max prefers uv over pip\n"
    assert writing.save(store, UV).action == "known"
    assert len(store.index.operations()) == 1


def store_sync(store: Store) -> None:
    from scrubjay.operations.sync import sync

    sync(store)


def test_a_hook_made_by_hand_stays_while_the_description_does(store: Store, folder: Path) -> None:
    writing.save(store, UV, title="UV", hook="never pip")
    writing.save(store, replace(UV, body="Use uv everywhere."))
    assert index_text(folder) == "- [UV](prefer-uv.md) — never pip\n"
    writing.update(store, "prefer-uv", title="uv only")
    assert index_text(folder) == "- [uv only](prefer-uv.md) — never pip\n"
    writing.update(store, "prefer-uv", description="Max wants uv")
    assert index_text(folder) == "- [uv only](prefer-uv.md) — Max wants uv\n"


def test_update_changes_what_is_given_and_no_other_byte(store: Store, folder: Path) -> None:
    folder.mkdir()
    old = b"---\r\nname: x\r\nmetadata: \r\n  node_type: memory\r\n  type: project\r\n---\r\nOne.\r\nTwo.\r\n"
    (folder / "x.md").write_bytes(old)
    writing.update(store, "x", description="Deploys: a # sign")
    data = (folder / "x.md").read_bytes()
    assert b'description: "Deploys: a # sign"\r\n' in data
    assert data.count(b"\n") == data.count(b"\r\n")
    assert data.endswith(b"---\r\nOne.\r\nTwo.\r\n")
    assert b"metadata: \r\n  node_type: memory\r\n  type: project\r\n  modified: " in data


def test_remove_takes_file_and_line(store: Store, folder: Path, tmp_path: Path) -> None:
    writing.save(store, UV)
    kept = writing.save(store, replace(UV, name="tabs", description="Tabs"))
    removed = writing.remove(store, "prefer-uv")
    assert removed.action == "removed"
    assert sorted(everything(folder)) == ["MEMORY.md", "tabs.md"]
    assert index_text(folder) == "- [Tabs](tabs.md) — Tabs\n"
    assert kept.path == "tabs.md"
    undo(store, removed.operation)
    assert index_text(folder).count("\n") == 2
    with pytest.raises(NotFound, match="no memory 'nothing'"):
        writing.remove(store, "nothing")


def test_remove_takes_a_dead_line(store: Store, folder: Path) -> None:
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- [Gone](gone.md) — nobody\n- [Here](here.md)\n", encoding="utf-8")
    assert writing.remove(store, "gone").path == "gone.md"
    assert index_text(folder) == "- [Here](here.md)\n"


def test_a_new_line_goes_where_its_kind_stands(store: Store, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.md").write_text("---\nname: a\ntype: feedback\n---\nA\n", encoding="utf-8")
    (folder / "b.md").write_text("---\nname: b\nmetadata:\n  type: project\n---\nB\n", encoding="utf-8")
    text = "# Index\n\n## How to work\n\n- [A](a.md) – a\n\n## Things\n\n- [B](b.md) – b\n"
    (folder / "MEMORY.md").write_text(text, encoding="utf-8")
    store_sync(store)
    writing.save(store, UV)
    assert "- [A](a.md) – a\n- [Prefer uv](prefer-uv.md) – Max prefers uv over pip\n\n## Things" in index_text(folder)


@pytest.mark.parametrize("name", ["MEMORY", "memory", "...", "Память", "../../etc/passwd", "con", "a/b\\c"])
def test_names_never_lead_out_nor_to_the_index(store: Store, folder: Path, name: str) -> None:
    saved = writing.save(store, replace(UV, name=name))
    assert "/" not in saved.path
    assert (folder / saved.path).is_file()
    assert saved.path.casefold() != "memory.md"
    assert index.parse(index_text(folder)).find(saved.path) is not None


@pytest.mark.parametrize("name", ["../outside.md", "/etc/passwd.md", "a/../../x.md", "%2e%2e/x.md", "MEMORY.md"])
def test_sec1_update_and_remove_find_nothing_outside(store: Store, name: str) -> None:
    for call in (writing.remove, lambda s, n: writing.update(s, n, body="x")):
        with pytest.raises((NotFound, Refused)):
            call(store, name)


def test_f30_unreadable_frontmatter_is_left_alone_and_reported(store: Store, folder: Path) -> None:
    folder.mkdir()
    broken = "---\nname: x\nname: y\n---\nBody\n"
    (folder / "x.md").write_text(broken, encoding="utf-8")
    for change in ({"body": "new"}, {"description": "new"}):
        with pytest.raises(BadInput, match=r"x\.md is left as it is: line 3"):
            writing.update(store, "x", **change)
    assert (folder / "x.md").read_text(encoding="utf-8") == broken
    assert not (folder / "MEMORY.md").exists()


def test_f108_merge_markers_are_refused(store: Store, folder: Path) -> None:
    folder.mkdir()
    merged = "<<<<<<< ours\n- [A](a.md)\n=======\n- [B](b.md)\n>>>>>>> theirs\n"
    (folder / "MEMORY.md").write_text(merged, encoding="utf-8")
    with pytest.raises(Refused, match=r"MEMORY\.md, line 1, is a merge conflict marker"):
        writing.save(store, UV)
    assert everything(folder) == {"MEMORY.md": merged.encode()}
    (folder / "MEMORY.md").write_text("", encoding="utf-8")
    (folder / "x.md").write_text("Body\n<<<<<<< ours\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"x\.md, line 2"):
        writing.update(store, "x", body="new")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_f112_links_are_not_followed(store: Store, folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    secret = tmp_path / "secret.md"
    secret.write_text("mine\n", encoding="utf-8")
    (folder / "x.md").symlink_to(secret)
    with pytest.raises(Refused):
        writing.update(store, "x", body="new")
    with pytest.raises(Refused):
        writing.save(store, replace(UV, name="x"))
    (folder / "MEMORY.md").symlink_to(secret)
    with pytest.raises(Refused):
        writing.save(store, UV)
    assert secret.read_text(encoding="utf-8") == "mine\n"
    assert not (folder / "prefer-uv.md").exists()


def test_sec2_secrets_are_taken_out_before_anything_is_written(store: Store, folder: Path, tmp_path: Path) -> None:
    key = "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA3"
    topic = replace(UV, description=f"token {key}", body=f"The token is {key}.")
    saved = writing.save(store, topic, hook=f"use {key}")
    assert {each.rule for each in saved.redacted} == {"github-pat"}
    assert "‹redacted:github-pat›" in index_text(folder)
    writing.update(store, saved.path, body=f"Now {key}")
    for path in (*folder.rglob("*"), *(tmp_path / "beside").rglob("*")):
        assert not path.is_file() or key.encode() not in path.read_bytes()
    with pytest.raises(BadInput, match="needs a text"):
        writing.save(store, replace(UV, body=key))


@pytest.mark.parametrize(
    "topic", [replace(UV, name=" "), replace(UV, description=None), replace(UV, body="\n"), replace(UV, type="skill")]
)
def test_what_is_no_memory_is_refused(store: Store, folder: Path, topic: Topic) -> None:
    with pytest.raises(BadInput):
        writing.save(store, topic)
    assert not folder.exists()


class Meddling(FolderVault):
    """A vault whose index another program writes just before we do, ``times`` times."""

    times = 1

    def write_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        if path == host.INDEX_NAME and self.times:
            self.times -= 1
            place = self.root / path
            before = place.read_text(encoding="utf-8") if place.exists() else ""
            place.parent.mkdir(exist_ok=True)
            place.write_text(before + f"- [Theirs](theirs-{self.times}.md) — other\n", encoding="utf-8")
        return super().write_bytes(path, data, expected=expected)

    write = FolderVault.write


@pytest.mark.parametrize("there", [True, False])
def test_f55_what_another_program_wrote_meanwhile_is_merged(
    store: Store, folder: Path, tmp_path: Path, there: bool
) -> None:
    vault = Meddling(folder, beside=tmp_path / "beside")
    vault.times = 3
    store = replace(store, vault=vault)
    if there:
        folder.mkdir()
        (folder / "MEMORY.md").write_text("- [First](first.md) — 1\n", encoding="utf-8")
    saved = writing.save(store, UV)
    paths = {entry.path for entry in index.parse(index_text(folder)).entries}
    assert paths == {"prefer-uv.md", "theirs-0.md", "theirs-1.md", "theirs-2.md"} | ({"first.md"} if there else set())
    (folder / "MEMORY.md").write_text("else\n", encoding="utf-8")
    with pytest.raises(Conflict):
        undo(store, saved.operation)


def test_f55_an_index_that_never_holds_still_leaves_nothing_half_done(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    vault = Meddling(folder, beside=tmp_path / "beside")
    vault.times = 1000
    with pytest.raises(Conflict, match="written all the time"):
        writing.save(replace(store, vault=vault), UV)
    assert not (folder / "prefer-uv.md").exists()


class Overwriting(FolderVault):
    """A vault over whose index another program writes its own right after we did, once."""

    done = False

    def write_bytes(self, path: str, data: bytes, *, expected: str | None) -> Document:
        document = super().write_bytes(path, data, expected=expected)
        if path == host.INDEX_NAME and not self.done:
            self.done = True
            (self.root / path).write_text("- [Theirs](theirs.md) — other\n", encoding="utf-8")
        return document


def test_f55_a_line_that_another_program_wrote_over_is_written_again(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    saved = writing.save(replace(store, vault=Overwriting(folder, beside=tmp_path / "beside")), UV)
    assert {entry.path for entry in index.parse(index_text(folder)).entries} == {"prefer-uv.md", "theirs.md"}
    undo(store, saved.operation)
    assert index_text(folder) == "- [Theirs](theirs.md) — other\n"
    assert sorted(everything(folder)) == ["MEMORY.md"]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_an_index_that_may_not_be_written_leaves_nothing_half_done(store: Store, folder: Path) -> None:
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- [A](a.md)\n", encoding="utf-8")
    (folder / "MEMORY.md").chmod(0o444)
    with pytest.raises(Unavailable, match=r"MEMORY\.md is read-only"):
        writing.save(store, UV)
    assert sorted(everything(folder)) == ["MEMORY.md"]
    assert store.index.records_at("prefer-uv.md") == []


def test_what_is_not_utf_8_is_left_alone(store: Store, folder: Path) -> None:
    folder.mkdir()
    (folder / "MEMORY.md").write_bytes("- [Ä](a.md): grün\n".encode("latin-1"))
    with pytest.raises(Refused, match="not UTF-8"):
        writing.save(store, UV)
    assert sorted(everything(folder)) == ["MEMORY.md"]
    marked = b"\xef\xbb\xbf- [A](a.md)\r\n"
    (folder / "MEMORY.md").write_bytes(marked)
    writing.save(store, UV)
    assert (
        everything(folder)["MEMORY.md"] == marked + "- [Prefer uv](prefer-uv.md) — Max prefers uv over pip\r\n".encode()
    )


WRITER = """
import sys
from scrubjay.index.sqlite import SqliteIndex
from scrubjay.operations.notebook import writing
from scrubjay.operations.store import Store
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.folder import FolderVault
from pathlib import Path
base, who = Path(sys.argv[1]), sys.argv[2]
vault = FolderVault(base / "memory", beside=base / "beside")
index = SqliteIndex(base / "index", fingerprint="test", durability="normal")
store = Store(vault=vault, index=index, scope="notebook", dialect="claude_memory")
for number in range(50):
    writing.save(store, Topic(name=f"{who}-{number}", description="d", type="project", body="b"))
index.close()
"""


def test_f55_two_agents_that_save_fifty_each_give_a_hundred_lines(store: Store, folder: Path, tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), who]) for who in ("one", "two")]
    assert [writer.wait() for writer in writers] == [0, 0]
    lines = index_text(folder).splitlines()
    assert len(lines) == len(set(lines)) == 100
    assert len(list(folder.glob("*.md"))) == 101


def filled(store: Store, folder: Path, number: int) -> None:
    """A notebook of ``number`` memories, the oldest first; every third is a correction."""
    folder.mkdir()
    lines = []
    for place in range(number):
        kind = "feedback" if place % 3 == 0 else "reference"
        modified = datetime(2026, 1 + place // 28, 1 + place % 28, tzinfo=UTC)
        topic = Topic(name=f"m{place}", description=f"about {place}", type=kind, body="b", modified=modified)
        (folder / f"m{place}.md").write_text(topics.written(topic), encoding="utf-8")
        lines.append(f"- [M{place}](m{place}.md) — about {place}\n")
    (folder / "MEMORY.md").write_text("".join(lines), encoding="utf-8")
    store_sync(store)


def test_f104_a_full_index_hides_what_is_worth_least_and_never_the_newest_corrections(
    store: Store, folder: Path
) -> None:
    filled(store, folder, 205)
    text = index_text(folder)
    (folder / "MEMORY.md").write_text(text.replace("— about 1\n", f"— about 1 {index.PIN}\n"), encoding="utf-8")
    saved = writing.save(store, UV)
    assert len(saved.hidden) == 7
    assert all(topics.parsed((folder / path).read_text(encoding="utf-8")).type == "reference" for path in saved.hidden)
    text = index_text(folder)
    assert not index.loaded(text).over
    assert index.HIDDEN.format(number=7) in text
    listed = {entry.path for entry in index.parse(text).entries}
    assert {"m1.md", "prefer-uv.md"} <= listed
    assert set(worth.newest_corrections(worth.known(store, listing.memories(store)))) <= listed
    assert all((folder / path).is_file() and store.index.records_at(path) for path in saved.hidden)
    assert saved.message is not None and "close to its limit" in saved.message
    back = writing.update(store, saved.hidden[0], hook="back")
    assert (len(back.hidden), back.hidden[0] != saved.hidden[0]) == (1, True)
    assert index.HIDDEN.format(number=7) in index_text(folder)


def test_f104_what_is_used_stays_longer(store: Store, folder: Path) -> None:
    filled(store, folder, 200)
    (first,) = writing.save(store, UV).hidden[:1]
    writing.update(store, first, hook="again")
    worth.used(store, [first] * 30)
    hidden = [path for number in range(20) for path in writing.save(store, replace(UV, name=f"n{number}")).hidden]
    assert first not in hidden


def test_the_name_of_a_memory_is_found_however_it_is_written(store: Store) -> None:
    writing.save(store, UV)
    for name in ("prefer-uv", "prefer_uv", "prefer-uv.md", "Prefer uv", "PREFER-UV"):
        assert writing.find(store, name).path == "prefer-uv.md"


@pytest.mark.parametrize(
    ("setting", "host_writes", "allowed"),
    [("when-off", True, False), ("when-off", False, True), ("always", True, True), ("never", False, False)],
)
def test_when_nobody_asked_the_setting_and_the_host_decide(setting: str, host_writes: bool, allowed: bool) -> None:
    assert writing.may_write_unasked(setting, host_writes=host_writes) is allowed


def test_only_notebooks_are_written(store: Store) -> None:
    calls: list[Callable[[Store], object]] = [
        lambda other: writing.save(other, UV),
        lambda other: writing.update(other, "x", body="y"),
        lambda other: writing.remove(other, "x"),
    ]
    for call in calls:
        with pytest.raises(BadInput, match="no agent's notebook"):
            call(replace(store, dialect=""))
