"""Sources that are broken, hostile or gone: a clear report, and nothing that was stored is lost."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scrubjay import Memory, Message, Session
from scrubjay.errors import ScrubjayError
from scrubjay.transcripts import recognise


def line(number: int, text: str, at: str = "") -> str:
    values = {"session": "s1", "id": f"m{number}", "role": "user", "text": text, **({"at": at} if at else {})}
    return json.dumps(values, ensure_ascii=False) + "\n"


def texts(memory: Memory, question: str) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False).hits]


def test_a_deleted_source_deletes_nothing(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "a.jsonl").write_text(line(1, "The walrus sleeps."), "utf-8")
    memory.ingest(folder)
    shutil.rmtree(folder)
    with pytest.raises(ScrubjayError):
        memory.ingest(folder)
    folder.mkdir()
    (folder / "b.jsonl").write_text(line(2, "The seal sleeps."), "utf-8")
    memory.ingest(folder)
    memory.reindex()
    assert set(texts(memory, "who sleeps")) == {"The walrus sleeps.", "The seal sleeps."}


def test_tr9_clocks_that_go_backwards_or_ahead_change_no_order(memory: Memory, tmp_path: Path) -> None:
    """F10: a message from the year 2199 and one from 1970 stand where they stood."""
    path = tmp_path / "a.jsonl"
    times = ["2026-05-31T14:00:00Z", "2199-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "2026-05-31T13:59:00Z"]
    path.write_text("".join(line(n, f"Walrus number {n}.", at) for n, at in enumerate(times)), "utf-8")
    report = memory.ingest(path)
    assert (report.added, report.unusable) == (4, 0)
    document, _ = memory.show(report.sessions[0].path)
    places = [document.text.index(f"Walrus number {n}.") for n in range(4)]
    assert places == sorted(places)
    assert memory.ingest(path).known == 4
    assert memory.search("walrus", since=datetime(2026, 1, 1, tzinfo=UTC), until=datetime(2027, 1, 1, tzinfo=UTC)).hits


def test_one_id_for_everything_loses_nothing(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(line(1, f"Walrus {n}.") for n in range(20)) + line(1, "Walrus 3."), "utf-8")
    report = memory.ingest(path)
    assert (report.added, report.renamed) == (20, 19)
    assert memory.ingest(path).added == 0


@pytest.mark.parametrize(
    "text", ["a | b", "nul \x00 here", "🦭" * 40, "x" * 50_000, "\ud83e alone", "| a |\n|---|\n| 🦭 |"]
)
def test_any_text_comes_back_as_it_was_said(memory: Memory, text: str) -> None:
    messages = [Message(id="m1", role="user", text=f"walrus {text}"), Message(id="m2", role="user", text="after")]
    report = memory.ingest(Session(id="s1", messages=messages))
    assert report.added == 2
    again = memory.ingest(Session(id="s1", messages=messages))
    assert (again.added, again.known) == (0, 2)


def test_broken_lines_are_named_and_the_rest_is_stored(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        line(1, "One.").encode()
        + b"{corrupt\n\xff\xfe\n[1]\nnull\n"
        + line(2, "Two.").encode()
        + b'{"session": "s1", "te'
    )
    report = memory.ingest(path)
    assert report.added == 2
    assert report.unusable >= 3


@pytest.mark.parametrize("kind", ["bomb", "outside", "absolute", "link"])
def test_sec8_hostile_archives_store_nothing(memory: Memory, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if kind == "bomb":
            archive.writestr("conversations.json", b"[" + b" " * 60_000_000 + b"]")
        elif kind == "link":
            info = zipfile.ZipInfo("conversations.json")
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
        else:
            archive.writestr("../conversations.json" if kind == "outside" else "/conversations.json", "[]")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ScrubjayError):
        memory.ingest(path)
    assert [one for one in sorted(tmp_path.rglob("*")) if one not in before] == []
    assert memory.operations() == []


def test_records_of_an_unknown_version_are_counted_and_never_fatal(memory: Memory, tmp_path: Path) -> None:
    id = "3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d"
    known = {
        "type": "user",
        "uuid": "u1",
        "sessionId": id,
        "message": {"role": "user", "content": "The walrus sleeps."},
    }
    odd = [{**known, "uuid": "u2", "type": "telepathy", "version": "99.0"}, {**known, "uuid": "u3", "message": [[]]}]
    path = tmp_path / f"{id}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (known, *odd)), "utf-8")
    report = memory.ingest(path)
    assert (report.added, report.unknown["telepathy"]) == (1, 1)


def test_every_real_transcript_is_stored_message_by_message(
    open_memory: Callable[..., Memory], shared_data: Path
) -> None:
    """What stands in the vault is counted from its own markers, and equals what the files give, each message once."""
    folder = shared_data / "transcripts"
    if not folder.is_dir():
        pytest.skip("the shared transcripts are not here")
    memory = open_memory()
    for project in sorted(path for path in folder.iterdir() if path.is_dir()):
        try:
            reading = recognise.read(project, zone=UTC)
            told = Counter(
                (session.source, session.id)
                for session in reading
                for message in session.messages
                if message.text.strip() and message.meta.get("visible", True) and not message.meta.get("derived")
            )
            report = memory.ingest(project)
        except ScrubjayError:
            continue
        stored = sum(session.added + session.known for session in report.sessions)
        assert stored == sum(told.values()), project.name
        assert memory.ingest(project).added == 0, project.name
