"""Real sessions and fixtures of many programs, compared with counts that know nothing of the readers.

Each count is a few lines over the bare JSON: how many texts, calls and results a file holds. A reader may give fewer
where it says why (repeated, recalled, from the host), and must never give more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from scrubjay.errors import ScrubjayError
from scrubjay.transcripts import recognise
from scrubjay.types import Message

PROJECTS = (
    "spotter claude-code-viewer claude-code-log simonw ccrider agentsview ccusage agent-sessions polylogue".split()
)


@pytest.fixture
def transcripts(shared_data: Path) -> Path:
    folder = shared_data / "transcripts"
    if not folder.is_dir():
        pytest.skip("the shared transcripts are not here")
    return folder


def told(path: Path) -> tuple[list[Message], recognise.Reading]:
    reading = recognise.read(path, zone=UTC)
    return [message for session in reading for message in session.messages], reading


def objects(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def in_claude_code(path: Path) -> Counter[str]:
    """Texts, calls and results of records that have not stood before; texts of one response once."""
    counts: Counter[str] = Counter()
    uuids: set[str] = set()
    calls: set[str] = set()
    responses: set[str] = set()
    for record in objects(path):
        if record.get("type") not in ("user", "assistant", "summary") or record.get("uuid") in uuids:
            continue
        uuids.add(record.get("uuid") or str(len(uuids)))
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else message
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        if any(block["type"] == "text" and block["text"].strip() for block in blocks):
            response = message.get("id") if isinstance(message, dict) and record["type"] == "assistant" else None
            counts["texts"] += not (response and response in responses)
            responses.add(response)
        for block in blocks:
            if block["type"] == "tool_use" and block.get("id") not in calls:
                calls.add(block.get("id") or str(len(calls)))
                counts["calls"] += 1
            counts["results"] += block["type"] == "tool_result" and bool(block.get("content"))
    return counts


def of_reader(messages: list[Message]) -> Counter[str]:
    parts = {"call": "calls", "result": "results"}
    return Counter(parts.get(message.meta.get("part", ""), "texts") for message in messages)


CLAUDE = [
    "spotter/**/*.jsonl",
    "claude-code-viewer/**/*.jsonl",
    "claude-code-log/**/*.jsonl",
    "simonw/**/*.jsonl",
    "ccrider/**/*.jsonl",
    "agentsview/**/claude/*.jsonl",
    "polylogue/**/claude-code*/*.jsonl",
]


@pytest.mark.parametrize("pattern", CLAUDE)
def test_every_turn_of_claude_code_is_told_and_no_more(transcripts: Path, pattern: str) -> None:
    found = sorted(transcripts.glob(pattern))
    assert found
    for path in found:
        messages, reading = told(path)
        counted, given = in_claude_code(path), of_reader(messages)
        assert reading.report.format == "claude-code", path
        assert (given["calls"], given["results"]) == (counted["calls"], counted["results"]), path
        # What the host wrote into a text may have been all of it.
        assert counted["texts"] - reading.report.dropped["system-reminder"] <= given["texts"] <= counted["texts"], path


def test_the_long_session_has_no_abandoned_turn_and_its_humans_are_four(transcripts: Path) -> None:
    """Compacted once, with calls side by side; counted by hand."""
    messages, reading = told(transcripts / "spotter/258c7280-ae70-4798-800f-63464d01a85d.jsonl")
    assert [message.id for message in messages if message.meta.get("branch")] == []
    assert sum(message.meta.get("is_human", False) for message in messages) == 4
    assert sum(message.meta.get("derived") == "compaction" for message in messages) == 1
    assert (reading.report.problems, dict(reading.report.unknown)) == ([], {})


def test_copies_of_agents_are_told_once(transcripts: Path) -> None:
    """``spotter`` holds two agents twice, once below their session and once beside it (TR-9)."""
    messages, reading = told(transcripts / "spotter")
    ids = [message.id for message in messages]
    alone = {path: told(path)[0] for path in sorted((transcripts / "spotter").glob("**/*.jsonl"))}
    assert set(ids) == {message.id for found in alone.values() for message in found}
    assert len(ids) < sum(map(len, alone.values()))
    assert reading.report.dropped["repeated"] > 0


def test_codex_messages_match_their_items(transcripts: Path) -> None:
    for path in sorted(transcripts.glob("agentsview/**/codex/*.jsonl")):
        payloads = [record["payload"] for record in objects(path) if record.get("type") == "response_item"]
        messages, reading = told(path)
        assert (reading.report.format, len(messages)) == ("codex", len(payloads)), path


def test_gemini_messages_match_their_records(transcripts: Path) -> None:
    found = sorted(transcripts.glob("**/gemini/*.json")) + sorted(transcripts.glob("**/gemini-cli-session.json"))
    assert len(found) >= 6
    for path in found:
        document = json.loads(path.read_bytes())
        if "messages" not in document:
            continue
        messages, _ = told(path)
        spoken = [one for one in document["messages"] if one.get("content")]
        assert sum("part" not in message.meta for message in messages) == len(spoken), path
        calls = sum(len(one.get("toolCalls", [])) for one in document["messages"])
        assert of_reader(messages)["calls"] == calls, path


def test_opencode_messages_match_their_parts(transcripts: Path) -> None:
    root = transcripts / "agent-sessions/Resources/Fixtures/stage0/agents/opencode/storage_v2"
    messages, reading = told(root)
    parts = [json.loads(path.read_bytes()) for path in root.glob("part/**/*.json")]
    kinds = Counter(part["type"] for part in parts if not part.get("synthetic"))
    assert of_reader(messages) == {"texts": kinds["text"], "calls": kinds["tool"], "results": kinds["tool"]}
    assert (reading.report.format, reading.report.sessions) == ("opencode", 2)


@pytest.mark.parametrize("project", PROJECTS)
def test_every_real_file_is_read_or_said_to_be_unknown(transcripts: Path, project: str) -> None:
    """Nothing but our own errors comes out, and reading again from the cursor gives nothing new."""
    paths = [path for path in sorted((transcripts / project).rglob("*")) if path.is_file()]
    assert paths
    for path in paths:
        try:
            known = recognise.recognise(path)
            if known is None:
                continue
            messages, reading = told(path)
        except ScrubjayError:
            continue
        for message in messages:
            (message.id + message.text).encode("utf-8")
        if path.suffix == ".jsonl":
            assert list(recognise.read(path, zone=UTC, since=reading.report.cursor)) == [], path
