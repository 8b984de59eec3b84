"""``scrubjay extract`` on the command line, and what ``show``, ``history`` and ``status`` say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def chat(folder: Path, name: str, *said: tuple[str, str]) -> None:
    lines = [
        json.dumps({"session": name, "id": f"{name}{n}", "role": "user", "text": text, "at": at})
        for n, (at, text) in enumerate(said)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_each_statement_is_shown_with_its_quote_and_place(jay: Any, tmp_path: Path) -> None:
    chat(tmp_path, "monday", ("2026-03-02T09:00:00Z", "I live in Oslo. Why?"))
    jay("ingest", "monday.jsonl", "--no-embed")
    dry = jay("extract", "--dry-run")
    assert "Would learn 1 fact from 1 conversation" in dry.out and jay("facts").out == "No facts.\n"
    out = jay("extract").out
    assert "- User lives in Oslo." in out and "“I live in Oslo.”" in out and "2026-03-02" in out
    assert jay("extract").out == "Nothing new was said outright.\n"
    assert "known" in jay("extract", "--again", "--all").out


def test_json_has_everything_about_a_statement(jay: Any, tmp_path: Path) -> None:
    chat(tmp_path, "monday", ("2026-03-02T09:00:00Z", "I live in Oslo."))
    jay("ingest", "monday.jsonl", "--no-embed")
    answer = jay("extract", "monday", "--json").json
    [found] = answer["found"]
    assert (found["outcome"], found["quote"], found["message_id"]) == ("new", "I live in Oslo.", "monday0")
    assert (found["subject"], found["predicate"], found["object"]) == ("User", "lives in", "Oslo")
    assert found["path"].endswith(".transcript.md") and found["line"] > 1
    assert (answer["facts"], answer["proposals"], answer["failures"]) == (1, 0, [])


def test_a_fact_leads_to_its_message(jay: Any, tmp_path: Path) -> None:
    chat(tmp_path, "a", ("2026-03-02T09:00:00Z", "I live in Oslo."))
    chat(tmp_path, "b", ("2026-04-02T09:00:00Z", "I live in Bergen now."))
    jay("ingest", "a.jsonl", "b.jsonl", "--no-embed")
    jay("extract")
    [fact] = jay("facts", "--json").json["facts"]
    assert fact["text"] == "User lives in Bergen."
    versions = jay("history", fact["id"], "--json").json["versions"]
    assert [version["evidence"][0]["text"] for version in versions] == ["I live in Oslo.", "I live in Bergen now."]
    assert jay("history", fact["id"]).out.count("said in 50-Episodes/2026/") == 2
    assert "said in 50-Episodes/2026/04/" in jay("show", fact["id"]).out
    assert jay("show", fact["id"], "--json").json["evidence"][0]["text"] == "I live in Bergen now."


def test_ingest_and_sync_learn_by_themselves(jay: Any, tmp_path: Path) -> None:
    chat(tmp_path, "monday", ("2026-03-02T09:00:00Z", "I live in Oslo."))
    jay("ingest", "monday.jsonl", "--no-embed")
    assert "job extract 1 waiting" in jay("status").out
    assert "Learned 1 fact from 1 conversation" in jay("sync").out
    assert "job" not in jay("status").out


def test_an_unknown_conversation_is_an_error(jay: Any) -> None:
    done = jay("extract", "nothing")
    assert done.code != 0 and "No conversation is called 'nothing'." in done.err
