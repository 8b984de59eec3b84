"""The short form of a memory (SM-47): what is kept is unchanged, and what turns it round stays with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.operations.distill.compressing import compressed
from scrubjay.text.tokens import token_count
from scrubjay.vaults.documents import revision

FILLER = "Some words that stand here say very little to anybody. " * 60


def short(body: str, *keywords: str) -> str:
    found = compressed(f"# T\n\n{body}\n", keywords)
    assert found is not None
    return found


def test_sm47_about_sixty_percent_go() -> None:
    body = " ".join(f"The client number {n} waits {n} seconds before its call {n}." for n in range(200))
    found = short(body)
    assert 0.3 <= token_count(found) / token_count(body) <= 0.5
    assert all(line.startswith("- The client number") for line in found.splitlines())


def test_sm47_every_point_is_a_part_of_the_text() -> None:
    body = " ".join(f"Setting {n} is not {n + 1}." for n in range(300))
    assert all(line.removeprefix("- ") in body for line in short(body).splitlines() if line)


def test_sm47_code_and_tables_stand_as_they_are() -> None:
    code = "```python\nif x:\n    y = 1  # never 2\n```"
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    found = short(f"{FILLER}\n\n{code}\n\n{FILLER}\n\n{table}")
    assert code in found and table in found


def test_sm47_code_in_a_list_stays_code() -> None:
    found = short(f"{FILLER}\n\n1. Do this:\n\n   ```sh\n   make\n   ```\n")
    assert "- Do this:" in found and "\n```sh\nmake\n```" in found


def test_sm47_lost_keywords_are_named() -> None:
    body = "Hm, marmalade. " + " ".join(f"Nearly {n} words stand in line {n}." for n in range(100))
    assert short(body, "marmalade", "words", "absent").endswith("\n\n**Keywords**: marmalade")


def test_sm47_a_sentence_is_not_cut_before_a_number() -> None:
    """``max. 5`` stays together, whatever stands for a word before it."""
    body = " ".join(f"Use max. {n} retries in zone {n}." for n in range(100))
    for line in short(f"{body} {FILLER}").splitlines():
        assert not line.endswith("max.")


@pytest.mark.parametrize("lead", ["Never do this:", "Это запрещено:", "禁止以下操作："])
def test_an_item_keeps_the_line_that_leads_in(lead: str) -> None:
    """Without it the list would say the opposite."""
    items = "\n".join(f"- write key {n} to queue {n}" for n in range(80))
    found = short(f"{FILLER}\n\n{lead}\n\n{items}")
    assert "write key" in found
    assert found.index(lead) < found.index("write key")


def test_an_item_keeps_the_item_above_it() -> None:
    items = "\n".join(f"- Forbidden in area {n}\n  - restart of server {n} at port {n}" for n in range(60))
    found = short(items)
    lines = found.splitlines()
    for place, line in enumerate(lines):
        if line.startswith("  - restart"):
            assert lines[place - 1].startswith("- Forbidden") or lines[place - 1].startswith("  - ")
    assert "  - restart of server" in found


@pytest.mark.parametrize(
    "pair",
    [
        "Retry call {n} at once. But never call {n} with POST.",
        "Повторяйте вызов {n} сразу. Но никогда не вызов {n} с POST.",
        "立即重试调用{n}。但是禁止用POST重试{n}。",
    ],
)
def test_a_sentence_keeps_what_turns_it_round(pair: str) -> None:
    body = " ".join(pair.format(n=n) for n in range(100))
    first, last = pair.split(".", 1)[0].split("。")[0], "POST"
    points = [line for line in short(body).splitlines() if line]
    assert points and all((first.split("{")[0] in point) == (last in point) for point in points)


def test_sentences_are_not_cut_in_code_and_abbreviations() -> None:
    body = " ".join(f"Use `a{n}. B{n}` for case {n}, e.g. Windows {n} and Dr. Who {n}." for n in range(100))
    for line in short(body).splitlines():
        assert line.startswith("- Use `a") and line.endswith(".") and "e.g. Windows" in line and "Dr. Who" in line


def test_headings_stay_where_something_below_them_does() -> None:
    parts = "\n\n".join(f"## Part {n}\n\nThe value of part {n} is not {n}. {FILLER[:400]}" for n in range(10))
    found = short(parts)
    for line in [line for line in found.splitlines() if line.startswith("## ")]:
        following = found.split(line, 1)[1].strip().splitlines()
        assert following and not following[0].startswith("#")


def test_what_is_short_is_left_alone() -> None:
    assert compressed("# T\n\nShort.\n", []) is None
    assert compressed("# T\n\n```\n" + "x = 1\n" * 900 + "```\n", []) is None


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([
    "# H", "## G", "- item one.", "  - deeper", "1. first:", "```", "code", "> quoted. Text", "| a | b |", "", "Never:",
    "A sentence. But not B. C!", "    indented", "Setext\n---", "<!-- c -->", "第一句。但是第二句。", "\t- tab", "***",
    "<div>", "</div>", "`un. Closed", "[[MEM-x]] and 5 more.",
]), max_size=60))  # fmt: skip
def test_any_memory_can_be_shortened_and_is_then_shorter(lines: list[str]) -> None:
    text = "---\ntitle: T\n---\n\n# T\n\n" + "\n".join(lines) + "\n"
    found = compressed(text, ["item"])
    if found is not None:
        assert token_count(found) < token_count(revision.body_of(text))
