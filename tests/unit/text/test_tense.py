"""What a question asks about time, in English, Russian and Chinese."""

from __future__ import annotations

import pytest

from scrubjay.text.tense import tense


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which package manager did I use before?", "before"),
        ("What did we use before we moved to pixi?", "before"),
        ("What was the port previously?", "before"),
        ("Where did Alice use to work, what used to be her job?", "before"),
        ("What do we no longer use?", "before"),
        ("Где Алиса работала раньше?", "before"),
        ("Какая база была до этого?", "before"),
        ("Кто был прежним владельцем?", "before"),
        ("我以前用什么包管理器？", "before"),
        ("原来的端口是多少？", "before"),
        ("When did we switch to pixi?", "change"),
        ("What did we decide about the database, and when did that change?", "change"),
        ("How long has Alice worked at Globex?", "change"),
        ("Since when is the port 9090?", "change"),
        ("Когда мы перешли на pixi?", "change"),
        ("С каких пор порт 9090?", "change"),
        ("Когда сменился порт?", "change"),
        ("什么时候改成 pixi 的？", "change"),
        ("数据库是什么时候换了？", "change"),
        ("Do we still use pip?", "still"),
        ("Мы всё ещё используем pip?", "still"),
        ("Алиса по-прежнему в Acme?", "still"),
        ("我们还在用 pip 吗？", "still"),
        ("Which package manager do I use?", "present"),
        ("What should run before a release?", "present"),
        ("What do we currently use?", "present"),
        ("Какой порт у сервера?", "present"),
        ("服务器的端口是多少？", "present"),
        ("", "present"),
    ],
)
def test_what_a_question_asks_about_time(question: str, wanted: str) -> None:
    assert tense(question) == wanted
