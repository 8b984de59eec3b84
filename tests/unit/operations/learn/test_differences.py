"""What says exactly the same, and what looks the same and does not (F15, F16, F20 … F23)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.operations.learn.differences import (
    Statements,
    below_heading,
    differences,
    in_one_line,
    plain_differences,
    wording,
)


def said(new: str, known: str) -> str:
    return " ".join(differences(Statements(new), Statements(known), "T"))


@pytest.mark.parametrize(
    ("new", "known", "here", "there"),
    [
        ("The service listens on port 8081.", "The service listens on port 8080.", "8081", "8080"),
        ("Use Postgres v16.2 in staging.", "Use Postgres v15.1 in staging.", "v16.2", "v15.1"),
        ("The contract ends on 2027-01-31.", "The contract ends on 2026-01-31.", "2027-01-31", "2026-01-31"),
        ("Call get_user before deploying.", "Call load_user before deploying.", "get_user", "load_user"),
        ("The owner of deploys is Bob.", "The owner of deploys is Alice.", "Bob", "Alice"),
        ("Сервис слушает порт 8081.", "Сервис слушает порт 8080.", "8081", "8080"),
        ("Релиз назначен на 12.05.2027.", "Релиз назначен на 11.05.2027.", "12.05.2027", "11.05.2027"),
        ("服务监听端口 8081。", "服务监听端口 8080。", "8081", "8080"),
        ("It was minus -5 degrees.", "It was minus 5 degrees.", "-5", "5"),
    ],
)
def test_f15_other_digits_dates_and_names_are_named(new: str, known: str, here: str, there: str) -> None:
    assert f"“T” says {there} where this says {here}" in said(new, known)


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("Production deployment is not allowed.", "Production deployment is allowed."),
        ("Production deployment is allowed.", "Production deployment isn't allowed."),
        ("I hate Chinese food.", "I love Chinese food."),
        ("Telemetry is disabled by default.", "Telemetry is enabled by default."),
        ("Развёртывание в продакшен не разрешено.", "Развёртывание в продакшен разрешено."),
        ("生产环境部署不允许。", "生产环境部署允许。"),
    ],
)
def test_f16_f20_the_opposite_is_named(new: str, known: str) -> None:
    assert f"“T” says the opposite: “{known}”" in said(new, known)


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("The service listens on port 8081.", "Bananas ripen in 8080 days."),
        ("The service listens on port 8081.", "The service listens on port 8081."),
        ("Retry with jitter.", "Retry with backoff."),
    ],
)
def test_what_has_little_in_common_or_is_the_same_gives_no_caution(new: str, known: str) -> None:
    assert said(new, known) == ""


def test_many_differences_are_counted() -> None:
    new = "\n".join(f"The port of service number {place} is 80{place}1." for place in range(10, 22))
    old = "\n".join(f"The port of service number {place} is 80{place}0." for place in range(10, 22))
    found = differences(Statements(new), Statements(old), "T")
    assert len(found) == 6
    assert found[-1] == "7 more differences from “T”."


@pytest.mark.parametrize(
    ("new", "known", "expected"),
    [
        ("Port 8081 is open here.", "Port 8080 is open here.", "says 8080 where this says 8081"),
        ("Deploying is not allowed.", "Deploying is allowed.", "says the opposite"),
        ("部署在生产环境不允许。", "部署在生产环境允许。", "says the opposite"),
        ("Развёртывание не разрешено.", "Развёртывание разрешено.", "says the opposite"),
        ("Port 8081 is open here.", "Port 8081 is open here.", ""),
    ],
)
def test_large_plans_still_see_numbers_and_negations(new: str, known: str, expected: str) -> None:
    found = " ".join(plain_differences(Statements(new), Statements(known), "T"))
    assert expected in found if expected else not found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use backoff.\nAnd jitter.", "Use  backoff. And\njitter."),
        ("## Retry\n\nUse backoff.", "Use backoff."),
        ("Retry\n=====\n\nUse backoff.", "Use backoff.\n\n"),
        ("# Caf\u00e9\n\nUse backoff.", "# Cafe\u0301\n\nUse backoff."),
        ("## Retry {/*retry*/}\n\nUse backoff.", "Use backoff."),
        ("caf\u00e9 au lait", "cafe\u0301 au lait"),
    ],
)
def test_f21_f22_layout_makes_no_other_text(one: str, other: str) -> None:
    assert wording("", one).same(wording("Retry", other))
    assert in_one_line(other) in (in_one_line(one), in_one_line(below_heading(one)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 5", "x < 5"),
        ("Set it to -1.", "Set it to 1."),
        ("`PORT`", "`port`"),
        ("is allowed", "is not allowed"),
        ("```py\nif a:\n    b()\nc()\n```", "```py\nif a:\n    b()\n    c()\n```"),
        ("## get\n\nReturns a value.", "## set\n\nReturns a value."),
        ("## is_set\n\nReturns a value.", "## isset\n\nReturns a value."),
        ("## [get](v1.md)\n\nReturns a value.", "## [get](v2.md)\n\nReturns a value."),
        ("", ""),
    ],
)
def test_f15_f16_a_sign_makes_another_text(one: str, other: str) -> None:
    assert not wording("", one).same(wording("", other))


def test_f23_a_sentence_inside_another_is_not_known() -> None:
    whole = wording("", "Deploys are allowed only on Monday.\n\nAlways in pairs.")
    assert not whole.holds(wording("", "Deploys are allowed"))
    assert whole.holds(wording("", "Always in pairs."))
    assert not whole.holds(wording("", "Always"))


TEXT = st.lists(st.sampled_from(["port 80", "not ", "a.", "# T", "```", "- x", "\n", "\n\n", "8081 ", "же"])).map(
    "".join
)


@given(TEXT, TEXT)
def test_equal_texts_are_the_same_and_hold_each_other(one: str, other: str) -> None:
    mine, theirs = wording("", one), wording("", other)
    if one == other and mine.blocks:
        assert mine.same(theirs) and mine.holds(theirs)
    if mine.same(theirs):
        assert theirs.same(mine)
    assert differences(Statements(one), Statements(one), "T") == ()
