"""JSON Lines: encodings, bad lines, times, and ids that depend on what is said and not on where it stands."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from scrubjay.errors import BadInput
from scrubjay.temporal import LAST, parse_interval, parse_time
from scrubjay.transcripts import jsonl

HELLO = {"role": "user", "text": "Grüße, 太郎 🦊\u2028done"}


def read(*messages: object, name: str = "chat.jsonl", encoding: str = "utf-8", **options: object) -> jsonl.Read:
    text = "\n".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in messages)
    return jsonl.read(io.BytesIO(text.encode(encoding)), name, **options)  # type: ignore[arg-type]


def ids(found: jsonl.Read) -> list[str]:
    return [message.id for session in found.sessions for message in session.messages]


def texts(found: jsonl.Read) -> list[str]:
    return [message.text for session in found.sessions for message in session.messages]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    """C8, F109: with a mark or, where it can be told, without; U+2028 ends no line."""
    found = read(*[{"text": "plain words"}] * 3, HELLO, encoding=encoding)
    assert (texts(found)[3], found.problems) == (HELLO["text"], ())


def test_a_file_longer_than_the_head_is_read_whole() -> None:
    """The first bytes, which tell the encoding, may end inside a character."""
    for encoding in ("utf-8", "utf-16"):
        for shift in range(3):
            found = read({"text": "x" * shift + "太" * 40_000}, HELLO, encoding=encoding)
            assert (len(texts(found)[0]), texts(found)[1]) == (40_000 + shift, HELLO["text"])


def test_one_line_with_foreign_bytes_leaves_the_others_alone() -> None:
    data = b'{"text": "caf\xe9"}\n' + '{"text": "naïve 太郎"}\n'.encode()
    found = jsonl.read(io.BytesIO(data), "chat.jsonl")
    assert len(texts(found)) == 2
    assert texts(found)[1] == "naïve 太郎"


def test_garbage_before_the_first_message_is_skipped() -> None:
    """C8: a header is no reason to refuse a conversation, but a file without one must not be read to its end."""
    found = read(*["# exported"] * 19, HELLO)
    assert len(found.problems) == 19
    with pytest.raises(BadInput, match=r"line 1: not a message"):
        read(*["# exported"] * 20, HELLO)


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_called_empty(content: str) -> None:
    with pytest.raises(BadInput, match=r"chat\.jsonl is empty"):
        read(content)


@pytest.mark.parametrize(
    "line", ["[]", "1", "null", '"text"', "{}", '{"text": 1}', "[" * 100_000, '{"text":"a","at":[1]}']
)
def test_a_line_that_is_no_message_is_named(line: str) -> None:
    """F49."""
    found = read(HELLO, line, HELLO)
    assert len(texts(found)) == 2
    assert [(problem.path, problem.line) for problem in found.problems] == [("chat.jsonl", 2)]


def test_a_line_beyond_the_limit_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 100)
    for encoding in ("utf-8", "utf-16"):
        found = read({"text": "a"}, {"text": "x" * 350}, {"text": "b"}, encoding=encoding)
        assert texts(found) == ["a", "b"]
        assert [problem.line for problem in found.problems] == [2]


def test_ids_do_not_depend_on_the_line() -> None:
    """A4: what stands above changes no id; identical messages are told apart by their order."""
    same = [{"session": "s", "text": "ok"}, {"session": "s", "text": "ok"}, {"session": "s", "text": "no"}]
    before, after = ids(read(*same)), ids(read({"session": "s", "text": "top"}, *same))
    assert len(set(before)) == 3
    assert after[1:] == before


def test_ids_differ_where_anything_said_differs() -> None:
    base = {"session": "s", "text": "ok", "role": "user", "speaker": "Max", "at": "2026-01-01"}
    variants = [base] + [{**base, key: "tool" if key == "role" else "2027" if key == "at" else "x"} for key in base]
    assert len(set(ids(read(*variants)))) == len(variants)


def test_the_session_comes_from_the_name_and_the_first_message() -> None:
    """A3: a name alone names no conversation."""

    def session(*said: object, name: str = "chat.jsonl") -> str:
        return read(*said, name=name).sessions[0].id

    assert session(HELLO).startswith("chat-")
    assert session(HELLO) == session(HELLO, {"text": "more"}) == session({"text": " "}, HELLO)
    others = [session(HELLO, name="b.jsonl"), session({"text": "x"}), session({**HELLO, "at": "2026"})]
    assert len({session(HELLO), *others}) == 4


def test_the_session_that_the_file_continues_is_found() -> None:
    """A4: a line put above the first one makes no new conversation."""
    old = read(HELLO).sessions[0].id

    def continues(id: str, said: Sequence[str]) -> bool:
        return id == old and HELLO["text"] in said

    assert read({"text": "top"}, HELLO, continues=continues).sessions[0].id == old


@pytest.mark.parametrize("at", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "0000-01-01", "10000", 1e300])
def test_a_time_beyond_the_calendar_is_a_problem_of_its_line(at: object) -> None:
    """B1."""
    found = read(HELLO, {"text": "x", "at": at})
    assert len(texts(found)) == 1
    assert [problem.line for problem in found.problems] == [2]


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_the_end_of_the_calendar_is_the_end_of_an_interval(zone: str) -> None:
    """B1: the last year, month, day and moment are intervals like others."""
    for text in ("9999", "9999-12", "9999-12-31", "9999-12-31T12:00:00.5"):
        start, end = parse_interval(text, zone=ZoneInfo(zone))
        assert start < end <= LAST
    assert parse_interval("9999-12-31T23:59:59.999999Z") == (LAST, LAST)


def test_times_outside_the_calendar_are_refused() -> None:
    for text in ("9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "0000", "0000-01-01", "10000-01-01"):
        with pytest.raises(BadInput, match="is not"):
            parse_time(text)
    with pytest.raises(BadInput, match="years 1 to 9999"):
        parse_time("0001", zone=ZoneInfo("Pacific/Auckland"))
    assert parse_time("0001") == datetime(1, 1, 1, tzinfo=UTC)
