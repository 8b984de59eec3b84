"""Commands that ask: search, facts, show, for people and as JSON."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from scrubjay import Memory
from scrubjay.types import Hit, Query, Recall, Record, Suppressed

HIT_KEYS = {
    "id", "layer", "score", "text", "at", "message_ids", "path", "citation", "title", "speaker", "scope", "category",
    "line", "note",
}  # fmt: skip
KEYS = {"query", "hits", "abstained", "reason", "tokens", "took", "signals", "warnings", "suppressed"}

AT = datetime(2026, 5, 31, 14, tzinfo=UTC)
FACT = Record(
    id="01KB9Y0Q3V7ZJ8S4T2M6N5P1RX",
    layer="facts",
    path="40-Facts/preference/uv.md",
    line=9,
    text="Max prefers uv over pip.",
    category="Preference",
    at=AT,
)
SAID = Record(
    id="01KB9Y0Q3V7ZJ8S4T2M6N5P1RY",
    layer="chunks",
    path="50-Episodes/2026/05/s1.transcript.md",
    line=12,
    text="I moved everything to uv last week, because pip took minutes. " * 9,
    speaker="Max",
    title="Tooling",
    at=AT,
    message_ids=("m1",),
)
ANSWER = Recall(
    query=Query(text="which package manager?"),
    hits=(
        Hit(
            record=FACT, score=0.913, citation="40-Facts/preference/uv.md:9, 2026-05-31", ranks={"words": 1, "dense": 2}
        ),
        Hit(record=SAID, score=0.42, citation="50-Episodes/2026/05/s1.transcript.md:12, Max, 2026-05-31", note="old"),
    ),
    text="<memory-context>\n- Max prefers uv over pip.\n</memory-context>",
    tokens=14,
    took={"words": 1.25, "rank": 3.0},
    signals=("words", "dense"),
    warnings=("3 records wait for a vector.",),
    suppressed=(Suppressed(id="01KB9Y0Q3V7ZJ8S4T2M6N5P1RZ", text="Max prefers pip.", reason="superseded"),),
)
NOTHING = Recall(query=Query(text="which?"), abstained=True, reason="no hit is likely to bear on the question")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Makes every search answer the same; holds what was asked last."""
    asked: dict[str, object] = {"answer": ANSWER}

    def search(self: Memory, query: str, **options: object) -> Recall:
        answer = asked["answer"]
        asked.clear()
        asked.update({"query": query, "answer": answer, **options})
        assert isinstance(answer, Recall)
        return answer

    monkeypatch.setattr(Memory, "search", search)
    return asked


def test_search_shows_hits_to_people(jay, answer) -> None:
    done = jay("search", "which", "package manager?")
    assert answer["query"] == "which package manager?"
    assert done.out == snapshot("""\
 1.  91%  fact · 2026-05-31 · Preference
    Max prefers uv over pip.
    40-Facts/preference/uv.md:9  01KB9Y0Q3V7ZJ8S4T2M6N5P1RX

 2.  42%  message · 2026-05-31 · Max · Tooling · old
    I moved everything to uv last week, because pip took minutes. I moved
    everything to uv last week, because pip took minutes. I moved everything to
    uv last week, because pip took minutes. I moved everything to uv last week,
    because pip took minutes. I moved everything to uv last week, because pip …
    50-Episodes/2026/05/s1.transcript.md:12  01KB9Y0Q3V7ZJ8S4T2M6N5P1RY
""")
    assert done.err == "Note: 3 records wait for a vector.\n"


def test_search_counts_what_hardly_bears_on_the_question(jay, answer) -> None:
    """What the block for an agent leaves out is not listed for people either; JSON and ``--all`` have everything."""
    dim = Hit(record=SAID, score=0.05, citation="there")
    answer["answer"] = replace(ANSWER, hits=(ANSWER.hits[0], dim, dim), warnings=())
    shown = jay("search", "which?").out
    assert "Max prefers uv over pip." in shown
    assert "I moved everything" not in shown
    assert shown.endswith("\n\nNot shown: 2 faint hits; --all shows everything.\n")
    assert [hit["score"] for hit in jay("search", "which?", "--json").json["hits"]] == [0.913, 0.05, 0.05]
    whole = jay("search", "which?", "--all").out
    assert whole.count("I moved everything to uv last week, because pip took minutes. I moved\n") == 2
    assert "Not shown" not in whole


def test_search_explains(jay, answer) -> None:
    out = jay("search", "which?", "--explain").out
    assert answer["explain"] is True
    assert "ranks: words 1, dense 2" in out
    assert out[out.index("Signals") :] == snapshot("""\
Signals: words, dense
Milliseconds: words 1.2, rank 3.0
Left out: 1
  01KB9Y0Q3V7ZJ8S4T2M6N5P1RZ  superseded: Max prefers pip.
""")


def test_search_prints_the_block_for_an_agent(jay, answer) -> None:
    assert jay("search", "which?", "--text").out == ANSWER.text + "\n"
    assert jay("search", "which?", "--text", "--json").json["text"] == ANSWER.text


def test_search_says_that_nothing_was_found(jay, answer) -> None:
    answer["answer"] = NOTHING
    done = jay("search", "which?")
    assert (done.code, done.out) == (0, snapshot("Nothing found: no hit is likely to bear on the question\n"))
    assert jay("search", "which?", "--json").json["abstained"] is True


def test_search_as_json_is_one_object(jay, answer) -> None:
    done = jay("search", "which?", "--json")
    assert done.err == ""
    assert set(done.json) == KEYS
    assert [set(hit) for hit in done.json["hits"]] == [HIT_KEYS, HIT_KEYS]
    first = done.json["hits"][0]
    assert (first["at"], first["score"], first["line"]) == ("2026-05-31T14:00:00Z", 0.913, 9)
    assert done.json["hits"][1]["text"] == SAID.text
    assert jay("search", "which?", "--json", "--explain").json["hits"][0]["ranks"] == {"words": 1, "dense": 2}


def test_search_hands_every_option_on(jay, answer) -> None:
    jay(
        *("search", "q", "--limit", "3", "--layer", "facts", "--layer", "notes", "--scope", "user", "--tag", "a"),
        *("--category", "Fact", "--since", "2025", "--until", "2026", "--as-of", "2024", "--known-at", "2023"),
        *("--all", "--superseded", "--budget", "99"),
    )
    assert {key: value for key, value in answer.items() if key != "answer"} == {
        "query": "q",
        "limit": 3,
        "layers": ("facts", "notes"),
        "scopes": ("user",),
        "tags": ("a",),
        "category": "Fact",
        "since": "2025",
        "until": "2026",
        "as_of": "2024",
        "known_at": "2023",
        "include_superseded": True,
        "abstain": False,
        "budget": 99,
        "explain": False,
    }


def test_search_end_to_end(jay) -> None:
    jay("remember", "Max prefers uv over pip.", "--category", "Preference")
    jay("note", "Retry policy", "Retries back off from 1 s to 60 s.", "--topic", "http")
    done = jay("search", "which package manager does Max prefer?", "--all", "--json")
    assert done.code == 0
    assert set(done.json) == KEYS
    assert done.json["hits"][0]["text"] == "Max prefers uv over pip."
    assert jay("search", "retry policy", "--layer", "notes", "--all", "--json").json["hits"][0]["layer"] == "notes"
    assert "40-Facts/preference/max-prefers-uv-over-pip.md" in jay("search", "uv", "--all").out


def test_facts_for_people_and_as_json(jay) -> None:
    jay("remember", "Alice works at Acme.", "--valid-from", "2024-03", "--tag", "work")
    jay("remember", "Max prefers uv over pip.", "--category", "Preference")
    assert jay("facts").shown == snapshot("""\
- Alice works at Acme.
  ID · user · Fact · work · from DATE
- Max prefers uv over pip.
  ID · user · Preference
""")
    assert jay("facts", "--category", "preference").code == 0
    assert [fact["text"] for fact in jay("facts", "--tag", "work", "--json").json["facts"]] == ["Alice works at Acme."]
    assert jay("facts", "--as-of", "2020", "--tag", "work").out == "No facts.\n"


def test_show_a_piece_and_a_document(jay) -> None:
    id = jay("remember", "Max prefers uv over pip.", "--json").json["id"]
    assert jay("show", id).shown == snapshot("""\
40-Facts/fact/max-prefers-uv-over-pip.md:10
fact  DATE  Fact  user

Max prefers uv over pip.
""")
    assert jay("show", id, "--whole").out.startswith("40-Facts/fact/max-prefers-uv-over-pip.md\n---\n")
    shown = jay("show", "max-prefers-uv-over-pip", "--json").json
    assert shown["document"]["path"] == "40-Facts/fact/max-prefers-uv-over-pip.md"
    assert jay("show", id, "--json").json["record"]["id"] == id


def test_global_options_stand_before_and_after(jay) -> None:
    jay("remember", "In the other home.", "--home", "other")
    for args in (
        ("--home", "other", "--json", "facts"),
        ("facts", "--json", "--home", "other"),
        ("--json", "facts", "--home", "other"),
    ):
        assert [fact["text"] for fact in jay(*args).json["facts"]] == ["In the other home."]
    assert jay("facts", "--json").json == {"facts": []}


def test_a_folder_of_markdown_is_a_vault(jay, tmp_path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/tea.md").write_text("# Tea\n\nOolong at 85 degrees.\n", encoding="utf-8")
    assert "Oolong" in jay("--vault", "notes", "show", "tea").out
    assert not (tmp_path / "notes/.memory").exists()
    assert jay("--vault", "notes/tea.md", "facts").code == 2
