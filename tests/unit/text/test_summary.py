"""Extractive summaries: short, in the conversation's own words, the same every time, without code and politeness."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from scrubjay.text.summary import MOST, Turn, size, summarise

ENGLISH = [
    Turn("Ada", "Thanks! The import of the catalogue fails every night since we moved to the new storage."),
    Turn("assistant", "Let me check. The root cause is a time zone: the job compares local times with UTC.", False),
    Turn("Ada", "```\nfatal: something broken\n```\nWe decided to store UTC everywhere and to convert in the page."),
    Turn("assistant", "| a | b |\n|---|---|\n| 1 | 2 |\nFixed and deployed, the nightly import passes again.", False),
    Turn("Ada", "Great. Which other jobs compare local times, and how many of them run in the night?"),
]


def test_what_was_asked_decided_and_reached_is_told() -> None:
    told = summarise(ENGLISH)
    assert "import of the catalogue fails" in told
    assert "decided to store UTC everywhere" in told
    assert "root cause is a time zone" in told
    assert "nightly import passes again" in told
    assert "fatal" not in told and "|" not in told and "Let me check" not in told


def test_each_line_has_its_speaker_and_lines_stand_in_order() -> None:
    lines = summarise(ENGLISH).splitlines()
    assert [line.split(":")[0] for line in lines][:2] == ["Ada", "assistant"]
    assert lines == sorted(
        lines, key=lambda line: next(place for place, turn in enumerate(ENGLISH) if line[-20:] in turn.text)
    )


def test_long_conversations_give_one_or_two_hundred_words() -> None:
    turns = [
        Turn("Ada", f"Topic {number}: we decided that module {number} of the {word} team gets {number + 3} reviewers.")
        for number, word in enumerate("storage billing search mail export audit login cache proxy queue".split() * 12)
    ]
    assert 100 <= size(summarise(turns)) <= MOST


def test_chinese_is_counted_in_characters() -> None:
    turns = [
        Turn("user", f"{name}模块的{thing}太慢，我们决定把{name}的{thing}移到第{number}号服务器。")
        for number, (name, thing) in enumerate(
            itertools.product("订单 支付 搜索 邮件 登录".split(), "导入 索引 缓存 报表".split())
        )
    ]
    told = summarise(turns)
    assert 100 <= size(told) <= MOST and "我们决定" in told


def test_russian_stays_russian() -> None:
    turns = [
        Turn("user", "Импорт каталога падает каждую ночь после переезда на новое хранилище."),
        Turn("assistant", "Причина в часовом поясе: задача сравнивает местное время с UTC.", False),
        Turn("user", "Мы решили хранить UTC везде и переводить время на странице."),
    ]
    told = summarise(turns)
    assert "Мы решили хранить UTC" in told and "Причина в часовом поясе" in told


def test_nothing_comes_of_nothing() -> None:
    assert summarise([]) == ""
    assert summarise([Turn("user", "ok"), Turn("user", "thanks!")]) == ""
    assert summarise([Turn("assistant", "The build passes on all platforms again.", False)]) == ""
    assert summarise([Turn("user", "My password is ‹redacted:generic-api-key› and it does not work.")]) == ""


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.text(max_size=200), st.booleans()), max_size=12))
def test_any_conversation_is_told_the_same_way_twice(said: list[tuple[str, str, bool]]) -> None:
    turns = [Turn(*one) for one in said]
    told = summarise(turns)
    assert told == summarise(turns) and size(told) <= MOST


def test_a_long_paste_is_told_in_time() -> None:
    turns = [Turn("user", f"We decided to use table {n} for orders. " * 40_000) for n in range(40)]
    turns += [
        Turn("user", "x" * 1_000_000),
        Turn("assistant", " ".join(f"Step {n} is done." for n in range(9_000)), False),
    ]
    assert size(summarise(turns)) <= MOST
