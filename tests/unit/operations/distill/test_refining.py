"""Repairs of frontmatter (SM-48): what is set, what is never touched (F4)."""

from __future__ import annotations

import pytest

from scrubjay.errors import Refused
from scrubjay.operations.distill import refining

BODY = "Use `asyncio.to_thread` for blocking calls in a coroutine."


def text(front: str, body: str = BODY) -> str:
    return f"---\ntitle: T\n{front}---\n\n# T\n\n{body}\n"


FULL = "tags: [PATTERN]\ntopic: web\nkeywords: [alpha, beta, gamma, delta]\nsummary: s\n"


@pytest.mark.parametrize(
    ("front", "values"),
    [
        (FULL, {}),
        (FULL.replace("beta", "Alpha"), {"keywords": ["alpha", "gamma", "delta"]}),
        (FULL.replace("topic: web", "topic: /Web/API/"), {"topic": "web/api"}),
        (FULL.replace("summary: s", "summary:"), {"summary": BODY}),
    ],
)  # fmt: skip
def test_sm48_tier_one_needs_no_judgement(front: str, values: dict[str, object]) -> None:
    assert refining.changes(text(front), asked=False)[0] == values


def test_sm48_tier_two_is_asked_only() -> None:
    bare = text("summary: s\nkeywords: [asyncio]\n")
    assert refining.changes(bare, asked=False)[0] == {}
    values, why = refining.changes(bare, asked=True)
    assert values["keywords"][0] == "asyncio" and len(values["keywords"]) >= 4
    assert (values["tags"], values["topic"]) == (["INSIGHT"], "python") and len(why) == 3


def test_sm48_a_category_goes_first_and_no_tag_is_lost() -> None:
    values, _ = refining.changes(text(FULL.replace("[PATTERN]", "[http, PATTERN, x]")), asked=True)
    assert values == {"tags": ["PATTERN", "http", "x"]}
    assert refining.changes(text(FULL.replace("[PATTERN]", "[STANDARD]")), asked=True)[0] == {}


def test_sm48_a_summary_has_at_most_100_characters_and_ends_with_a_word() -> None:
    body = "```\ncode\n```\n\n## Heading\n\n- " + "word " * 60
    values, _ = refining.changes(text(FULL.replace("summary: s\n", ""), body), asked=False)
    assert len(values["summary"]) <= 100 and values["summary"].endswith("word")


@pytest.mark.parametrize("broken", ["no frontmatter\n", "---\ntitle: [unclosed\nkeywords: [a, A]\n---\n\nText.\n"])
def test_a_file_without_sound_frontmatter_is_left_alone(broken: str) -> None:
    assert refining.changes(broken, asked=True) == ({}, [])


@pytest.mark.parametrize(
    "values",
    [
        {"status": "tombstoned"}, {"kind": "fact"}, {"title": "x"}, {"keywords": "alpha"}, {"topic": ["a"]},
        {"keywords": ["alpha", "beta", "gamma"]}, {"tags": []}, {"keywords": [1, 2]}, {"summary": None},
    ],
)  # fmt: skip
def test_f4_refining_only_adds_and_mends(values: dict[str, object]) -> None:
    with pytest.raises(Refused):
        refining.require_sound(values, text(FULL))


def test_double_words_may_go() -> None:
    refining.require_sound({"keywords": ["alpha", "beta"]}, text("keywords: [Alpha, alpha, beta]\n"))
