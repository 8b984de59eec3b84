"""Opposites: the same words with another sign, and nothing else (F15, F16, F20, F88)."""

from __future__ import annotations

import pytest

from scrubjay.text.polarity import stance

OPPOSITES = [
    ("Deployment is allowed.", "Deployment is not allowed."),
    ("I love Chinese food", "I hate Chinese food"),
    ("Max likes tabs", "Max doesn't like tabs"),
    ("Always rebase before merging", "Never rebase before merging"),
    ("Tests can run in parallel", "Tests can't run in parallel"),
    ("Сервис включён", "Сервис выключен"),
    ("Мы используем Docker", "Мы не используем Docker"),
    ("我喜欢咖啡", "我不喜欢咖啡"),
    ("允许部署", "禁止部署"),
]
DIFFERENT = [
    ("Port 8080 is open", "Port 8081 is not open"),
    ("Alice likes tea", "Bob hates tea"),
    ("Alice likes tea", "Alice hates coffee"),
    ("The release is on May 1", "The release is not on May 2"),
    ("I love Chinese food", "I love Italian food"),
    ("我喜欢咖啡", "我不喜欢茶"),
    ("It is not a bug", "It is not a bug"),
    ("He never says never", "He says"),
    ("", "not"),
]


@pytest.mark.parametrize(("one", "other"), OPPOSITES)
def test_opposites_are_recognised_both_ways(one: str, other: str) -> None:
    assert stance(one).opposes(stance(other))
    assert stance(other).opposes(stance(one))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_statements_are_not_opposites(one: str, other: str) -> None:
    assert not stance(one).opposes(stance(other))


def test_a_double_negation_is_none() -> None:
    assert stance("It is not not allowed").sign == stance("It is allowed").sign


def test_an_address_is_part_of_what_is_said() -> None:
    """F15: another address makes another statement, not the opposite one."""
    assert not stance("The server is at 10.0.0.5").opposes(stance("The server is not at 10.0.0.6"))
    assert stance("The server is at 10.0.0.5").opposes(stance("The server is not at 10.0.0.5"))
