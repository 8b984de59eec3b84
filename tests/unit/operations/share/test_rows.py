"""The overview of a notebook is made from its files after a merge (F106, CC-L1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.share.rows import Versions, overview
from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.dialects.claude_memory.index import HIDDEN

A, B, C = "- [A](a.md) — about a", "- [B](b.md) — about b", "- [C](c.md) — about c"


def topic(name: str, about: str = "") -> str:
    return f"---\nname: {name}\ndescription: {about or f'about {name}'}\ntype: project\n---\n\nText.\n"


FILES = {"a.md": topic("a"), "b.md": topic("b"), "c.md": topic("c")}


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_f106_two_branches_that_add_a_file_each_have_both_rows_once() -> None:
    versions = Versions(base=text(A), ours=text(A, B), theirs=text(A, C))
    assert overview(versions, FILES) == text(A, C, B)


def test_f106_rows_that_somebody_lost_or_tripled_are_made_whole() -> None:
    versions = Versions(base=text(A), ours=text(A), theirs=text(B, B, B))
    assert overview(versions, FILES) == text(B, A)
    assert overview(versions, FILES, fresh={"c.md"}) == text(B, A, "- [c](c.md) — about c")


def test_f37_a_row_of_a_file_that_is_gone_is_gone() -> None:
    versions = Versions(base=text(A, B), ours=text(A, B), theirs=text(A, B))
    assert overview(versions, {"a.md": FILES["a.md"]}, gone={"a.md", "b.md"}) == text(A)


def test_a_row_of_what_was_never_here_stays() -> None:
    row = "- [Elsewhere](../CLAUDE.md) — not ours"
    versions = Versions(base=text(A), ours=text(A, row, row), theirs=text(A, "Words."))
    assert overview(versions, {"a.md": FILES["a.md"]}, gone={"a.md"}) == text(A, "Words.", row, row)


def test_a_file_that_somebody_left_without_a_row_stays_without_one() -> None:
    versions = Versions(ours=text(A), theirs=text(A))
    assert overview(versions, FILES) == text(A)
    assert overview(versions, FILES, fresh={"b.md"}) == text(A, "- [b](b.md) — about b")


def test_an_overview_that_is_right_keeps_every_byte() -> None:
    right = text("# Team", "", "Words of ours.", "", "* [A](./a.md)", B, "", "## More", C, "The end.")
    assert overview(Versions(base=right, ours=right, theirs=right), FILES) == right


@pytest.mark.parametrize(
    "right",
    [
        "- [A](a.md)\r\n- [B](b.md)\r\n",
        "\n\n- [A](a.md)\n\n\n",
        "# T\n- [A](a.md) — no newline at the end",
        "- [A](a.md) — a hook\n  that goes on\n- [[b]] — in the manner of wikis\n",
        "---\nname: x\n---\n```\n- [A](a.md)\n```\n- [A](a.md)\n",
    ],
)
def test_an_overview_in_any_manner_keeps_every_byte(right: str) -> None:
    assert overview(Versions(base=right, ours=right, theirs=right), FILES, gone=FILES) == right


def test_rows_that_were_left_out_for_their_number_stay_out() -> None:
    """F104: an overview over its limits says how many rows it hides."""
    short = text(A, HIDDEN.format(number=2))
    for versions in (
        Versions(base=text(A, B, C), ours=short, theirs=text(A, B, C)),
        Versions(base=text(A, B, C), ours=text(A, B, C), theirs=short),
    ):
        assert overview(versions, FILES, gone=FILES) == short


def test_a_new_wording_of_a_row_is_kept_whoever_wrote_it() -> None:
    new = "- [A](a.md) — another hook"
    files = {"a.md": FILES["a.md"]}
    for versions in (Versions(base=text(A), ours=text(new), theirs=text(A)), Versions(base=text(A), theirs=text(new))):
        assert overview(versions, files) == text(new)


def test_what_both_wrote_around_the_rows_is_kept() -> None:
    found = overview(Versions(base=text(A), ours=text("Mine.", A), theirs=text("Yours.", A)), {"a.md": FILES["a.md"]})
    assert found == text("Yours.", A, "Mine.")


def test_a_notebook_without_an_overview_gets_one() -> None:
    assert overview(Versions(), FILES) == text(
        "- [a](a.md) — about a", "- [b](b.md) — about b", "- [c](c.md) — about c"
    )
    assert overview(Versions(), {}) == ""
    assert overview(Versions(), {"x y.md": topic("x [y", "é" * 400)}).startswith(r"- [x \[y](<x y.md>) — éé")


def test_no_row_is_added_beyond_what_hosts_read() -> None:
    files = {f"n{number}.md": topic(f"n{number}") for number in range(host.INDEX_LINES + 50)}
    assert overview(Versions(), files).count("\n") == host.INDEX_LINES


@pytest.mark.parametrize(
    "name", ["x y.md", "a(1).md", "100% sure.md", "a<b>.md", "J\u0101nis.md", "deep/er (2)/[x].md", "a%20b.md", "#1.md"]
)
def test_a_file_with_any_name_has_one_row_for_ever(name: str) -> None:
    files = {name: topic("n")}
    found = overview(Versions(), files)
    for _ in range(3):
        again = overview(Versions(base=found, ours=found, theirs=found), files)
        assert again == found
    assert found.count("](") == 1


def test_rows_in_other_letters_of_the_same_name_are_its_own() -> None:
    row = "- [J](Ja\u0304nis.md)"
    assert overview(Versions(ours=text(row)), {"J\u0101nis.md": topic("j")}) == text(row)
    assert overview(Versions(ours=text("- [x](a%20b.md)")), {"a b.md": topic("x")}) == text("- [x](a%20b.md)")
    assert overview(Versions(ours=text("- [x](a b.md)")), {"a b.md": topic("x")}) == text("- [x](a b.md)")


def test_f106_marks_of_a_merge_are_taken_out_and_both_sides_rows_stay() -> None:
    torn = text("# T", "<<<<<<< HEAD", A, "=======", B, ">>>>>>> branch", C)
    for versions in (Versions(theirs=torn), Versions(ours=torn), Versions(base=text(A), ours=torn, theirs=torn)):
        assert overview(versions, FILES) == text("# T", A, B, C)


ROWS = st.lists(st.sampled_from([A, B, C, "Words.", "", "- a plain item"]), max_size=8).map(lambda rows: text(*rows))


@given(ROWS, ROWS, ROWS, st.sets(st.sampled_from(sorted(FILES))))
def test_every_file_has_one_row_and_nothing_that_is_gone_does(
    base: str, ours: str, theirs: str, names: set[str]
) -> None:
    files = {name: FILES[name] for name in names}
    found = overview(Versions(base=base, ours=ours, theirs=theirs), files, gone=FILES, fresh=files)
    for name in FILES:
        assert found.count(f"({name})") == (name in files)
    again = Versions(base=found, ours=found, theirs=found)
    assert overview(again, files, gone=FILES) == found
    if "Words." in ours and "Words." in theirs:
        assert "Words." in found
