"""Topics and titles (SM-24, SM-19)."""

from __future__ import annotations

import pytest

from scrubjay.operations.learn import naming, topics
from scrubjay.text.segment.aligned import passages


@pytest.mark.parametrize(
    ("path", "topic"),
    [
        ("nvim/lua/plugins/telescope.md", "nvim/lua/plugins"),
        ("src/scrubjay/operations/learn/deep/x.py", "scrubjay/operations/learn"),
        ("docs/01-Getting Started/2024/02_intro.md", "getting-started"),
        ("README.md", ""),
        (".github/ISSUE_TEMPLATE/a.md", "issue-template"),
        ("Базы данных/Миграции/a.md", "базы-данных/миграции"),
        ("数据库/mysql/a.md", "数据库/mysql"),
        ("c++/C#/a.md", "c++/c#"),
        ("a\x1b[31m/x.md", "a-31m"),
    ],
)
def test_sm_24_the_directory_comes_first(path: str, topic: str) -> None:
    assert topics.from_path(path) == topic


@pytest.mark.parametrize(
    ("words", "title", "topic"),
    [
        (("retry", "pytest", "python"), "", "python/testing"),
        (("Telescope",), "", "neovim/plugins"),
        (("nothing", "known"), "", ""),
        ((), "数据库迁移方案", "database/sql"),
        ((), "Words", ""),
    ],
)
def test_sm_24_then_the_domain_of_the_words(words: tuple[str, ...], title: str, topic: str) -> None:
    assert topics.from_words(words, title) == topic


@pytest.mark.parametrize(
    ("written", "topic"), [("Python/HTTP Client/", "python/http-client"), ("a//b/../c", "a/b/c"), (" ", "")]
)
def test_topics_that_somebody_wrote(written: str, topic: str) -> None:
    assert topics.normal(written) == topic


def title(text: str, document: str = "") -> str:
    (passage,) = passages(text, by_topic=False)
    return naming.title_of(passage, code=False, file="notes/a.md", document=document)


@pytest.mark.parametrize(
    ("text", "document", "expected"),
    [
        ("# How pools wait for queries\n\ntext", "", "How pools wait for queries"),
        ("## 3.2 How pools wait for queries\n", "", "How pools wait for queries"),
        ("## Usage\n\ntext", "Pools", "Usage (Pools)"),
        ("## 总结\n\n内容", "连接池", "总结 (连接池)"),
        ("## useEffect\n\ntext", "Hooks", "useEffect"),
        ("Just a sentence about pools. Another.", "", "Just a sentence about pools"),
        ("A sentence that is broken\nover two lines. Another.", "", "A sentence that is broken over two lines"),
        ("Note! Pools wait for queries. More.", "", "Note! Pools wait for queries"),
        ("- first item\n- second item", "", "first item"),
        ("```\nx = 1\n```", "", "notes/a.md, lines 1–3"),
        ("<div>\n</div>", "", "notes/a.md, lines 1–2"),
    ],
)
def test_sm_19_titles_are_what_a_person_would_say(text: str, document: str, expected: str) -> None:
    assert title(text, document) == expected


def titles(text: str) -> list[str]:
    found = passages(text, by_topic=False)
    return [naming.title_of(passage, code=False, file="notes/a.md", document="Manual") for passage in found]


def test_sm_22_a_part_of_a_long_section_is_told_by_what_it_says() -> None:
    red, blue = (f"{word} is explained here. {'It takes many words. ' * 100}\n\n" for word in ("Red", "Blue"))
    assert titles(f"# Manual\n\n## Colours\n\n{red}{blue}") == [
        "Colours (Manual)",
        "Colours (2): Blue is explained here",
    ]


def test_sm_22_a_part_that_says_nothing_is_told_by_its_number() -> None:
    code = f"```\n{'x = y + z, ' * 150}\n```\n\n"
    assert titles(f"# Manual\n\n## Colours\n\nRed.\n\n{code}{code}")[-1] == "Colours (3) (Manual)"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("## Ideas\n\n1. **Files are true.** The index\n   is derived.\n2. More.", "Files are true."),
        ("## Flags\n\n| flag | meaning |\n|---|---|\n| `-a` | all of it |", "-a | all of it"),
        ("## Places\n\n`projects/<id>/vault` holds it. More.", "projects/<id>/vault holds it."),
        (
            "## Clean up\n\nRemove it (and its children!) from the table. More.",
            "Remove it (and its children!) from the table.",
        ),
        ("## Ternary\n\nWrite `(cond ? a : b)` here. More.", "Write (cond ? a : b) here."),
        ("## Only a heading", "Only a heading"),
    ],
)
def test_sm_19_summaries_are_whole_sentences_of_the_text(text: str, summary: str) -> None:
    (passage,) = passages(text, by_topic=False)
    assert naming.summary_of(passage, code=False, title="Title") == summary


@pytest.mark.parametrize("part", ["-", "|-", "- ", "| ", "a! ", "(", "`a ", "*", "x ? "])
def test_hostile_lines_are_named_in_time(part: str) -> None:
    """Every pattern is linear: this would take minutes otherwise."""
    text = f"# Title\n\n- item\n{part * 10_000}\n"
    (passage,) = passages(text, by_topic=False)[:1]
    assert naming.title_of(passage, code=False, file="a.md")
    assert naming.title_of(passage, code=True, file="a.py")
    assert naming.summary_of(passage, code=False, title="Title")


def test_titles_are_short() -> None:
    assert len(title("# " + "word " * 100)) <= naming.TITLE
    assert len(title("## Usage\n\ntext", "word " * 100)) <= naming.TITLE
    assert title("## Usage\n\ntext", "word " * 100).startswith("Usage (word")


def test_sm_23_key_terms_are_three_to_five_and_no_forms_of_one_word() -> None:
    text = "A hook calls hooks. Components render a component. Effects and an effect use state."
    terms = naming.terms_of(text, "")
    assert 3 <= len(terms) <= 5
    assert len({"component", "components"} & set(terms)) == 1
    assert naming.terms_of("Max drinks tea.", "") == ("drinks", "max", "tea")


def test_sm_23_links_tags_and_code_give_no_terms() -> None:
    text = (
        "Pools wait. ![pools](images/diagram.png) See [pools](https://example.org/anchors/long) and "
        '<Callout className="warning" title="danger">pools</Callout>.\n\n```js\nconst banana = require("banana")\n```\n'
        "Connections of pools. Queries of pools. Timeout, backoff."
    )
    terms = set(naming.terms_of(text, ""))
    assert not terms & {"images", "diagram.png", "example.org", "anchors", "classname", "callout", "danger", "banana"}
    assert {"pools", "connections", "queries"} <= terms
