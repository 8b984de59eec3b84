"""What a host says on stdin, whatever it is (HK-4, F109)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.interfaces.hook import events

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
)
KEYS = ["session_id", "transcript_path", "cwd", "prompt", "source", "trigger", "reason", "compact_summary", "agent_id"]


@given(st.binary(max_size=200), st.sampled_from(["", "Stop", "Nothing"]))
def test_hk4_no_bytes_break_it(data: bytes, named: str) -> None:
    found = events.parse(data, named)
    assert found is None or found.name in events.EVENTS


@given(st.dictionaries(st.sampled_from(KEYS), VALUES), st.sampled_from(events.EVENTS))
def test_hk4_every_key_may_be_missing_or_wrong(given_keys: dict[str, object], name: str) -> None:
    found = events.parse(json.dumps({"hook_event_name": name, **given_keys}).encode(), "")
    assert found is not None and found.name == name
    for path in (found.transcript, found.cwd):
        assert path == "" or (path.startswith("/") and "\x00" not in path and "\n" not in path)
    for text in (found.session, found.prompt, found.summary):
        text.encode("utf-8")


@pytest.mark.parametrize(
    ("data", "named", "name"),
    [
        (b"", "Stop", "Stop"),
        (b"not json", "SessionEnd", "SessionEnd"),
        (b"[1]", "SessionEnd", "SessionEnd"),
        (b'{"hook_event_name": "PreToolUse"}', "", None),
        (b'{"hook_event_name": 3}', "Stop", "Stop"),
        (b'\xef\xbb\xbf{"hook_event_name": "Stop"}', "", "Stop"),
        (b"[" * 100_000, "Stop", "Stop"),
    ],
)
def test_hk4_only_the_name_of_the_event_matters(data: bytes, named: str, name: str | None) -> None:
    found = events.parse(data, named)
    assert (found.name if found else None) == name


def test_f109_half_a_character_and_a_relative_path_are_nothing() -> None:
    raw = b'{"hook_event_name": "UserPromptSubmit", "prompt": "a\\ud83d", "cwd": "../x", "transcript_path": "x.jsonl"}'
    found = events.parse(raw, "")
    assert found is not None and found.prompt == "a?" and found.transcript == "" and found.cwd != "../x"
