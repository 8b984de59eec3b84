"""One question a proposal, on plans made by hand: nothing is read or written here (SM-11, SM-12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from scrubjay.errors import NotFound
from scrubjay.interfaces.cli.gate.walk import ALL, End, Walk
from scrubjay.interfaces.render.plain import width
from scrubjay.operations.gate.preview import Preview
from scrubjay.proposals import ContentMap, Decision, Plan, Proposal, Related, Target


def proposal(number: int, **more: Any) -> Proposal:
    values: dict[str, Any] = {
        "id": f"01KB9Y0Q3V7ZJ8S4T2M6N5P1R{number}",
        "key": f"seg-00{number}",
        "action": "CREATE",
        "title": f"Part {number}",
        "body": f"Text {number}.",
        "topic": "net/http",
    }
    return Proposal(**{**values, **more})


def known(number: int, action: str = "UPDATE", **more: Any) -> Proposal:
    path = f"10-Memories/MEM-{number}.md"
    related = Related(id=f"MEM-{number}", path=path, title=f"Memory {number}", overlap=0.8, score=0.7)
    target = Target(id=f"MEM-{number}", path=path, hash="0")
    return proposal(number, action=action, targets=(target,), related=(related,), **more)


def preview(plan: Plan, key: str, decision: Decision) -> Preview:
    if decision.target == "gone":
        raise NotFound("Nothing in the memory is called 'gone'.")
    before = "" if decision.action == "CREATE" else "Old words."
    path = decision.target or next((target.path for target in plan[key].targets), "10-Memories/MEM-9.md")
    return Preview(path=path, before=before, after=decision.body or plan[key].body)


class Asked:
    """Answers from a list; what was asked is noted. The end of the list is the end of the input."""

    def __init__(self, *answers: str) -> None:
        self.answers: Iterator[str] = iter(answers)
        self.questions: list[str] = []

    def __call__(self, question: str) -> str:
        self.questions.append(question)
        try:
            return next(self.answers)
        except StopIteration:
            raise EOFError from None


def walking(*answers: str, of: tuple[Proposal, ...], edited: str | None = None) -> Walk:
    plan = Plan(
        id="01KB9Y0Q3V7ZJ8S4T2M6N5P1RX",
        mode="file",
        created=datetime(2026, 1, 1, tzinfo=UTC),
        scope="user",
        content=ContentMap(mode="file"),
        proposals=of,
    )
    return Walk(plan, Asked(*answers), preview, lambda _: edited)


def walked(*answers: str, of: tuple[Proposal, ...], edited: str | None = None) -> tuple[Walk, End]:
    asking = walking(*answers, of=of, edited=edited)
    return asking, asking.run()


def answers(plan: Plan) -> Mapping[str, str]:
    return {key: decision.action for key, decision in plan.decisions.items()}


def test_enter_takes_what_is_recommended() -> None:
    asking, end = walked("", "y", of=(proposal(1), known(2, "EXTEND")))
    assert end is End.DECIDED and answers(asking.plan) == {"seg-001": "CREATE", "seg-002": "EXTEND"}
    assert asking.plan.by == "person"


def test_sm27_an_answer_changes_no_words_that_nobody_changed() -> None:
    """A memory that is updated keeps its title and topic unless somebody changes them."""
    asking, _ = walked("u", of=(known(1),))
    assert asking.plan.decisions["seg-001"] == Decision(action="UPDATE")
    asking, _ = walked("t", "/net/tls/", "g", "config", "l", "", "", of=(known(1),))
    assert asking.plan.decisions["seg-001"] == Decision(action="UPDATE", topic="net/tls", category="CONFIG")


@pytest.mark.parametrize(("answer", "action"), [("c", "CREATE"), ("s", "SKIP"), ("skip", "SKIP"), ("create", "CREATE")])
def test_sm12_another_action(answer: str, action: str) -> None:
    asking, _ = walked(answer, of=(known(1),))
    assert answers(asking.plan) == {"seg-001": action}


def test_sm12_replacing_a_memory_against_the_recommendation_is_shown_first(capsys) -> None:
    asking, _ = walked("u", "n", "u", "", of=(known(1, "EXTEND"),))
    assert answers(asking.plan) == {"seg-001": "UPDATE"}
    assert asking.ask.questions.count("UPDATE MEM-1 like this? Enter yes, n no") == 2
    assert "Old words." in capsys.readouterr().out


def test_without_a_memory_there_is_nothing_to_update(capsys) -> None:
    asking, _ = walked("u", "", of=(proposal(1),))
    assert "no answer here" in capsys.readouterr().err and answers(asking.plan) == {"seg-001": "CREATE"}


def test_back_shows_the_answer_and_goes_on_where_it_left() -> None:
    parts = tuple(proposal(number) for number in (1, 2, 3, 4))
    asking, _ = walked("", "", "b", "b", "s", "c", "s", of=parts)
    assert answers(asking.plan) == {"seg-001": "SKIP", "seg-002": "CREATE", "seg-003": "CREATE", "seg-004": "SKIP"}
    assert asking.ask.questions[4].startswith("Enter CREATE, s SKIP")


def test_a_change_after_going_back_is_part_of_the_answer() -> None:
    asking, _ = walked("s", "b", "l", "Better", "", "", of=(proposal(1), proposal(2)))
    assert asking.plan.decisions["seg-001"] == Decision(action="SKIP", title="Better")


def test_the_rest_is_accepted_and_says_who_did() -> None:
    asking, end = walked("s", "a", of=(proposal(1), proposal(2), known(3)))
    assert end is End.DECIDED and asking.plan.by == ALL
    assert answers(asking.plan) == {"seg-001": "SKIP", "seg-002": "CREATE", "seg-003": "UPDATE"}


def test_f16_what_carries_a_caution_is_asked_about_all_the_same() -> None:
    parts = (proposal(1), known(2, cautions=("5 there, 8 here.",)), proposal(3))
    asking, _ = walked("a", "", "s", of=parts)
    assert answers(asking.plan) == {"seg-001": "CREATE", "seg-003": "CREATE", "seg-002": "SKIP"}
    assert "1 of 3 proposals carry a caution." in asking.ask.questions[1]
    asking, _ = walked("a", "y", of=parts)
    assert answers(asking.plan)["seg-002"] == "UPDATE" and asking.plan.by == ALL


def test_sm12_another_memory() -> None:
    asking, _ = walked("o", "MEM-other", "x", "", of=(proposal(1),))
    assert asking.plan.decisions["seg-001"] == Decision(action="EXTEND", target="MEM-other")
    asking, _ = walked("o", "1", "u", "", of=(known(1),))
    assert asking.plan.decisions["seg-001"].target == "10-Memories/MEM-1.md"


def test_a_memory_that_is_not_there_is_said_at_once(capsys) -> None:
    asking, _ = walked("o", "gone", "u", "", of=(proposal(1),))
    assert "called 'gone'" in capsys.readouterr().err and answers(asking.plan) == {"seg-001": "CREATE"}


def test_sm12_several_parts_in_one_memory(capsys) -> None:
    asking, _ = walked("", "m", "1", of=(proposal(1), proposal(2)))
    assert asking.plan.decisions["seg-002"] == Decision(action="CREATE", into="seg-001")
    assert "1. Part 1" in capsys.readouterr().out


def test_parts_do_not_go_round_in_circles(capsys) -> None:
    asking, _ = walked("m", "2", "m", "1", "m", "seg-002", "", of=(proposal(1), proposal(2)))
    assert capsys.readouterr().err.count("goes into this one already") == 2
    assert asking.plan.decisions["seg-002"].into is None


def test_the_text_can_be_edited() -> None:
    asking, _ = walked("e", "", of=(proposal(1),), edited="Mine.\n")
    assert asking.plan.decisions["seg-001"] == Decision(action="CREATE", body="Mine.")
    asking, _ = walked("e", "", of=(proposal(1),), edited=None)
    assert asking.plan.decisions["seg-001"] == Decision(action="CREATE")


def test_whoever_quits_is_asked_about_the_answers_given() -> None:
    asking, end = walked("q", of=(proposal(1), proposal(2)))
    assert end is End.QUIT and asking.plan.decisions == {}
    asking, end = walked("s", "q", "", of=(proposal(1), proposal(2)))
    assert end is End.QUIT and answers(asking.plan) == {"seg-001": "SKIP"}
    asking, end = walked("", "q", "y", of=(proposal(1), proposal(2)))
    assert end is End.PART and answers(asking.plan) == {"seg-001": "CREATE"}


def test_words_of_undecided_proposals_are_kept() -> None:
    asking, _ = walked("l", "Better", "q", of=(proposal(1), proposal(2)))
    assert asking.plan.decisions == {}
    assert asking.kept().decisions == {"seg-001": Decision(action="CREATE", title="Better")}


def test_distilling_has_fewer_answers(capsys) -> None:
    parts = (known(1, "RETIRE"), known(2, "COMPRESS"))
    asking, _ = walked("t", "m", "c", "?", "", "s", of=parts)
    assert answers(asking.plan) == {"seg-001": "RETIRE", "seg-002": "SKIP"}
    out = capsys.readouterr()
    assert out.err.count("no answer here") == 3 and "EXTEND" not in out.out


def test_what_cannot_be_carried_out_is_shown_with_the_text(capsys) -> None:
    def gone(*_: object) -> Preview:
        raise NotFound("There is no MEM-1 any more.")

    asking = walking("s", of=(known(1),))
    asking.preview = gone
    assert asking.run() is End.DECIDED
    out = capsys.readouterr().out
    assert "! There is no MEM-1 any more." in out and "Text 1." in out


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_f109_everything_fits_and_hostile_words_give_no_orders(monkeypatch, capsys, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    evil = "Evil \x1b[2J\u202e太郎 " * 20
    part = known(
        1,
        title=evil,
        body=evil,
        topic=evil,
        category=evil,
        rule=evil,
        cautions=(evil,),
        key_terms=(evil,),
        source=evil,
        values={evil: evil},
    )
    walked("d", "", of=(part,))
    shown = capsys.readouterr()
    assert [line for line in shown.out.split("\n") if width(line) > columns] == []
    assert "\x1b" not in shown.out + shown.err and "\u202e" not in shown.out + shown.err
