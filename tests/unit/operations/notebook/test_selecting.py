"""Which memories bear on a question: the contract of CC-S3, whoever chooses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from scrubjay.errors import Unavailable
from scrubjay.operations.notebook.selecting import WordSelector, explains, select
from scrubjay.ports import Listed
from scrubjay.vaults.dialects.claude_memory.scan import Header, scan


class Names:
    """Chooses what it was told to, and remembers what it was asked."""

    def __init__(self, *names: str, fails: bool = False) -> None:
        self.names = names
        self.fails = fails
        self.asked: list[list[str]] = []

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> Sequence[str]:  # noqa: ARG002
        self.asked.append([each.filename for each in candidates])
        if self.fails:
            raise Unavailable("The model is away.")
        return self.names


def header(name: str, description: str | None = None, type: str | None = None, mtime: int = 0) -> Header:
    return Header(filename=name, path=Path("/m", name), mtime_ms=mtime, description=description, type=type)


ALL = [header(f"{letter}.md", mtime=number) for number, letter in enumerate("abcdefg")]


def test_cc_s3_what_was_surfaced_is_no_candidate_and_nothing_left_asks_nobody() -> None:
    names = Names("a.md", "b.md")
    chosen = select("q", ALL, names, surfaced=["a.md"])
    assert [each.filename for each in chosen] == ["b.md"]
    assert "a.md" not in names.asked[0]
    assert select("q", ALL, names, surfaced=[each.filename for each in ALL]) == []
    assert select("q", [], names) == []
    assert select("  ", ALL, names) == []
    assert len(names.asked) == 1


def test_cc_s3_unknown_names_and_repetitions_are_passed_over_and_five_are_the_most() -> None:
    chosen = select("q", ALL, Names("x.md", "../a.md", "g.md", "g.md", *(each.filename for each in ALL)))
    assert [each.filename for each in chosen] == ["g.md", "a.md", "b.md", "c.md", "d.md"]
    assert chosen[0].path == Path("/m/g.md") and chosen[0].mtime_ms == 6
    assert len(select("q", ALL, Names("a.md", "b.md"), limit=1)) == 1


def test_cc_s3_a_failure_selects_nothing() -> None:
    assert select("q", ALL, Names("a.md", fails=True)) == []


@pytest.mark.parametrize(
    ("description", "type", "tools", "left_out"),
    [
        ("How to call the deploy tool", "reference", ["mcp__infra__deploy"], True),
        ("Deploy gotcha: it fails on Fridays", "reference", ["deploy"], False),
        ("How to call the deploy tool", "feedback", ["deploy"], False),
        ("How to call the deploy tool", "reference", [], False),
        ("How to call the deploy tool", "reference", ["Read"], False),
        ("注意：deploy 有坑", "reference", ["deploy"], False),
    ],
)
def test_cc_s3_what_only_explains_a_tool_in_use_is_left_out(
    description: str, type: str, tools: list[str], left_out: bool
) -> None:
    about = header("tool.md", description, type)
    assert explains(about, tools) is left_out
    assert [each.filename for each in select("q", [about], Names("tool.md"), tools=tools)] == (
        [] if left_out else ["tool.md"]
    )


def test_words_choose_by_description_and_body_without_an_index(tmp_path: Path) -> None:
    for name, description, body in (
        ("tests", "Prefer real databases in tests", "No mocks."),
        ("kettle", "Descaling", "Чайник чистим уксусом в марте. 水壶每年三月除垢。"),
        ("deploy", "Fridays", "Never deploy on a Friday."),
    ):
        text = f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: feedback\n---\n{body}\n"
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    listed = scan(tmp_path)
    for query, wanted in (
        ("should a test use a real database", "tests.md"),
        ("чем чистить чайник", "kettle.md"),
        ("水壶怎么除垢", "kettle.md"),
        ("may I deploy on friday", "deploy.md"),
    ):
        assert next(iter(select(query, listed, WordSelector()))).filename == wanted
    assert select("penguins on mars", listed, WordSelector()) == []
    (tmp_path / "tests.md").unlink()
    assert select("should a test use a real database", listed, WordSelector()) is not None
