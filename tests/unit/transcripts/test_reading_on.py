"""Reading on where it stopped: only what is new, nothing twice, half-written lines left for next time (TR-0)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.transcripts import lines
from scrubjay.transcripts.drafts import unsaid
from scrubjay.transcripts.reading import MOST_PROBLEMS, Cursor, Position

FILE = "0f0c2a4e-0d5b-4a5c-9d1e-2f6a7b8c9d0e.jsonl"


def said(uuid: str, parent: str | None = None, text: str = "", kind: str = "user", **message: Any) -> dict[str, Any]:
    content = {"role": kind, "content": text or f"Text of {uuid}.", **message}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": content}


def append(path: Path, data: str | bytes) -> None:
    with path.open("ab") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def test_tr0_an_appended_file_gives_only_what_is_new(write: Any, take: Any) -> None:
    path = write(FILE, said("u1"), said("u2", "u1"))
    first = take(path)
    assert first.report.cursor.files[str(path)].line == 2
    append(path, json.dumps(said("u3", "u2")) + "\n{damaged\n")
    second = take(path, first.report.cursor)
    assert (second.ids, second.session.id, second.session.meta["resumed"]) == (["u3"], "s", True)
    assert [problem.line for problem in second.report.problems] == [4]
    third = take(path, second.report.cursor)
    assert (third.sessions, third.report.unchanged) == ([], 1)
    assert third.report.cursor == second.report.cursor


def test_tr0_the_cursor_survives_being_written_down(write: Any, take: Any) -> None:
    path = write(FILE, said("u1"))
    cursor = take(path).report.cursor
    assert Cursor.load(json.loads(json.dumps(cursor.dump()))) == cursor
    damaged: Any = {"a": {"offset": "5"}, "b": {}, "c": {**cursor.dump()[str(path)], "line": None}}
    assert Cursor.load(damaged) == Cursor()


def test_tr0_vector_c_a_half_written_line_is_told_once(write: Any, take: Any) -> None:
    """§12.7 c: cut at every byte, also inside a character, then completed."""
    whole = json.dumps(said("u2", "u1", "Grüße, 太郎 🦊"), ensure_ascii=False).encode()
    for cut in range(1, len(whole), 7):
        path = write(FILE, said("u1"))
        append(path, whole[:cut])
        first = take(path)
        assert (first.ids, first.report.problems, first.report.pending) == (["u1"], [], [str(path)])
        append(path, whole[cut:] + b"\n")
        second = take(path, first.report.cursor)
        assert (second.texts, second.report.problems, second.report.pending) == (["Grüße, 太郎 🦊"], [], [])
        assert take(path, second.report.cursor).ids == []


def test_tr0_a_whole_last_line_needs_no_newline(write: Any, take: Any) -> None:
    path = write(FILE, said("u1"), end="")
    first = take(path)
    assert (first.ids, first.report.pending) == (["u1"], [])
    append(path, "\n" + json.dumps(said("u2", "u1")) + "\n")
    assert take(path, first.report.cursor).ids == ["u2"]


@pytest.mark.parametrize("change", ["shorter", "other", "same size"])
def test_tr0_another_file_under_the_name_is_read_from_its_beginning(write: Any, take: Any, change: str) -> None:
    path = write(FILE, said("u1"), said("u2", "u1"))
    cursor = take(path).report.cursor
    new = {
        "shorter": [said("n1")],
        "other": [said(f"n{n}") for n in range(9)],
        "same size": [said("n1"), said("n2", "n1")],
    }
    os.utime(write(FILE, *new[change]), ns=(1, 1))
    assert take(path, cursor).ids == [one["uuid"] for one in new[change]]


def test_tr0_every_way_to_read_a_growing_reply_ends_in_the_same(write: Any, take: Any) -> None:
    """Read in between, a reply comes in parts; read whole, it tells where they begin, and ``unsaid`` cuts there."""
    parts = [said(f"a{n}", f"a{n - 1}" if n else "u1", f"Part {n}.", "assistant", id="m1") for n in range(3)]
    path = write(FILE, said("u1"), *parts[:1])
    first = take(path)
    append(path, "".join(json.dumps(one) + "\n" for one in parts[1:]))
    rest = take(path, first.report.cursor)
    assert rest.texts == ["Part 1.\n\nPart 2."]
    merged = take(path).messages[1]
    left = unsaid(merged, lambda text: text == "Part 0.")
    assert left is not None and (left.id, left.text, left.meta["pieces"]) == (
        "a1",
        rest.texts[0],
        [["a1", 7], ["a2", 7]],
    )
    last = unsaid(merged, lambda text: text == "Part 0.\n\nPart 1.")
    assert last is not None and (last.id, last.text, last.meta.get("pieces")) == ("a2", "Part 2.", None)
    assert unsaid(merged, lambda text: text == "Something else.") is None


def test_tr5_going_back_over_what_was_read_before_withdraws_it(write: Any, take: Any) -> None:
    """And the new part of a reply that was read in part is told by itself."""
    path = write(FILE, said("u1"), said("a1", "u1", "One.", "assistant", id="m"), said("u2", "a1"))
    first = take(path)
    append(path, json.dumps(said("a2", "a1", "Two.", "assistant", id="m")) + "\n")
    append(path, json.dumps(said("u3", "a2", "Another way.")) + "\n")
    second = take(path, first.report.cursor)
    assert (second.ids, second.report.withdrawn) == (["a2", "u3"], [("s", "u2")])
    assert [one.meta.get("branch") for one in second.messages] == [None, None]


def test_f109_lines_end_at_newlines_only_and_any_encoding_is_read(tmp_path: Path, take: Any) -> None:
    record = json.dumps(said("u1", text="a\u2028b 太郎"), ensure_ascii=False)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        path = tmp_path / f"{encoding}.jsonl"
        path.write_bytes((record + "\r\n").encode(encoding))
        first = take(path)
        assert first.texts == ["a\u2028b 太郎"], encoding
        assert take(path, first.report.cursor).sessions == []
        path.write_bytes((record + "\r\n" + json.dumps(said("u2")) + "\n").encode(encoding))
        assert "u2" in take(path, first.report.cursor).ids


def test_mixed_encodings_surrogates_and_nul_become_storable(tmp_path: Path, take: Any) -> None:
    path = tmp_path / FILE
    odd = rb'{"type":"user","uuid":"u1","sessionId":"s","message":{"content":"caf' + b"\xe9" + rb' \ud800 \u0000."}}'
    path.write_bytes(odd + b"\n\x00\x00\n" + json.dumps(said("u2")).encode() + b"\n")
    found = take(path)
    assert found.texts == ["caf\ufffd \ufffd \ufffd.", "Text of u2."]
    found.texts[0].encode("utf-8")


def test_sec6_lines_that_are_too_long_or_too_deep_are_skipped(write: Any, take: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 2_000_000)
    deep = '{"type": "user", "message": ' + "[" * 500_000 + "]" * 500_000 + "}"
    number = '{"type": "user", "n": ' + "9" * 10_000 + "}"
    path = write(FILE, said("u1"), said("u2", text="x" * 2_000_001), deep, number, said("u3", "u1"))
    found = take(path)
    assert found.ids == ["u1", "u3"]
    assert [problem.line for problem in found.report.problems] == [2, 3, 4]


def test_many_problems_are_counted_and_not_kept(write: Any, take: Any) -> None:
    report = take(write(FILE, said("u1"), *["{"] * (MOST_PROBLEMS + 50), "[]", said("u2"))).report
    assert (len(report.problems), report.more_problems) == (MOST_PROBLEMS, 51)
    kinds = [{"type": f"kind {n}", "sessionId": "s"} for n in range(500)]
    unknown = take(write(FILE, said("u1"), *kinds)).report.unknown
    assert (len(unknown) <= 201, sum(unknown.values())) == (True, 500)


def test_links_and_special_files_are_not_followed(write: Any, take: Any, tmp_path: Path) -> None:
    target = write("elsewhere/secret.jsonl", said("u1"))
    write("inside/own.jsonl", said("u2"))
    (tmp_path / "inside/link.jsonl").symlink_to(target)
    (tmp_path / "inside/folder").symlink_to(target.parent)
    os.mkfifo(tmp_path / "inside/pipe.jsonl")
    found = take(tmp_path / "inside")
    assert found.ids == ["u2"]
    assert [one.reason for one in found.report.skipped] == ["3 links and special files"]
    assert take(tmp_path / "inside/link.jsonl").ids == ["u1"]  # a person named it
    with pytest.raises(Refused):
        take(tmp_path / "inside/pipe.jsonl")


def test_a_folder_has_a_limit(write: Any, take: Any, tmp_path: Path, monkeypatch: Any) -> None:
    for number in range(5):
        write(f"many/{number}.jsonl", said(f"u{number}"))
    from scrubjay.transcripts import places

    walk = places.Walk
    monkeypatch.setattr(places, "Walk", lambda folder, suffixes: walk(folder, suffixes, most=3))
    found = take(tmp_path / "many")
    assert len(found.ids) == 3
    assert "more than 3 files" in found.report.skipped[-1].reason


def test_a_file_that_cannot_be_read_does_not_stop_the_others(write: Any, take: Any, tmp_path: Path) -> None:
    write("some/good.jsonl", said("u1"))
    (tmp_path / "some/bad.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "some/state.vscdb").write_bytes(b"SQLite format 3\x00 and no more")
    found = take(tmp_path / "some")
    assert found.ids == ["u1"]
    assert {Path(one.path).name for one in found.report.skipped} == {"bad.zip", "state.vscdb"}


def test_what_is_missing_or_unknown_is_said(tmp_path: Path, take: Any) -> None:
    with pytest.raises(NotFound):
        take(tmp_path / "nothing")
    (tmp_path / "x.bin").write_bytes(bytes(range(256)))
    with pytest.raises(BadInput, match="no format"):
        take(tmp_path / "x.bin")
    (tmp_path / "x.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(BadInput, match="zstd"):
        take(tmp_path / "x.zst")


def test_plain_lines_are_read_on_as_well(write: Any, take: Any) -> None:
    """The session keeps its id, although it is named after its first message."""
    path = write("chat.jsonl", {"role": "user", "text": "One."}, {"role": "assistant", "text": "Two."})
    first = take(path)
    append(path, '{"role": "user", "te')
    half = take(path, first.report.cursor)
    assert (half.sessions, half.report.problems, half.report.pending) == ([], [], [str(path)])
    append(path, 'xt": "Three."}\n# damaged\n')
    more = take(path, half.report.cursor)
    assert (more.texts, [one.id for one in more.sessions]) == (["Three."], [first.session.id])
    assert [problem.line for problem in more.report.problems] == [4]
    assert take(path, more.report.cursor).sessions == []


def test_positions_are_plain_data() -> None:
    position = Position(offset=1, size=2, mtime_ns=3, head="ab", line=4, mark="m")
    assert Cursor({"/x": position}).dump() == {
        "/x": {"offset": 1, "size": 2, "mtime_ns": 3, "head": "ab", "line": 4, "mark": "m"}
    }
