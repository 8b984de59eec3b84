"""What a text names that a working tree should have: files, symbols, flags, settings (CC-F5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.claims import MOST_CHARACTERS, named


def names(text: str) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in named(text)]


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("The rules are in `src/app/rules.py`.", "file", "src/app/rules.py"),
        ("The rules are in `./src/app/rules.py:42`.", "file", "src/app/rules.py"),
        ("See `src/app/rules.py#L10-L20`.", "file", "src/app/rules.py"),
        ("See `src\\app\\rules.py`.", "file", "src/app/rules.py"),
        ("Запускай `build.py` из корня.", "file", "build.py"),
        ("Правила лежат в src/app/rules.py, а не в базе.", "file", "src/app/rules.py"),
        ("配置在src/app/settings.toml里。", "file", "src/app/settings.toml"),
        ("入口是 `src/app/main.py`。", "file", "src/app/main.py"),
        ("Everything in `src/legacy_api/` is ours.", "file", "src/legacy_api/"),
        ("The `Dockerfile` copies it.", "file", "Dockerfile"),
        ("Keep `.dockerignore` short.", "file", ".dockerignore"),
        ("Run `python tools/check.py --strict-mode`.", "flag", "--strict-mode"),
        ("Run `python tools/check.py --strict-mode`.", "file", "tools/check.py"),
        ("Pass `--strict-mode=on`.", "flag", "--strict-mode"),
        ("Call `load_rules()` first.", "symbol", "load_rules"),
        ("Call `Rules.load_rules(path, strict=True)` first.", "symbol", "load_rules"),
        ("Вызывай `app::load_rules()`.", "symbol", "load_rules"),
        ("The class `RuleLoader` does it.", "symbol", "RuleLoader"),
        ("`_purge_environment` wipes it.", "symbol", "_purge_environment"),
        ("Set `APP_RULES_DIR` first.", "setting", "APP_RULES_DIR"),
        ("Set `APP_RULES_DIR=/srv/rules`.", "setting", "APP_RULES_DIR"),
        ("Set `rules.strict = true` there.", "setting", "rules.strict"),
    ],
)
def test_cc_f5_a_name_in_code_marks_or_a_path_is_a_claim(text: str, kind: str, name: str) -> None:
    assert (kind, name) in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.com/src/app.py and `https://host/a/b.py`.",
        "Mail `max@host.org`, see www.host.org/a/b.html.",
        "```\nsrc/app/rules.py\nload_rules()\n```",
        "<!-- src/app/rules.py `load_rules()` -->",
        "Any of `src/**/*.py`, `src/<name>.py`, `logs/YYYY/MM.md`, `${HOME}/a.py`, `path/to/file.py`.",
        "In `~/.config/app.toml`, `/etc/app/app.conf`, `C:\\Users\\x\\a.py`, `\\\\host\\a.py`, `%APPDATA%/a.py`.",
        "In `../other/app.py`, `a/../../b.py`.",
        "Version `1.2.3`, `v2.0`, either/or, and/or, client/server, text `yes`.",
        "Use `git rebase --onto-nothing` and `pip install --no-build-isolation x`.",
        "[[other_memory]] and [the other](other_memory.md).",
        "Nothing at all.",
        "",
    ],
)  # fmt: skip
def test_cc_f5_addresses_patterns_examples_and_places_elsewhere_are_no_claims(text: str) -> None:
    assert names(text) == []


def test_a_symbol_in_a_file_is_two_claims() -> None:
    found = list(named("Look at `src/build.py::_purge_environment()` before."))
    assert [(one.kind, one.name, one.inside) for one in found] == [
        ("file", "src/build.py", ""),
        ("symbol", "_purge_environment", "src/build.py"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We removed `src/old_rules.py` in May.",
        "`src/old_rules.py` no longer exists.",
        "Will be added: we plan to add `src/old_rules.py`.",
        "Файл `src/old_rules.py` удалён.",
        "Раньше правила были в src/old_rules.py.",
        "`src/old_rules.py` 已经删除了。",
        "以前在 `src/old_rules.py` 里。",
        "For example `src/old_rules.py`.",
    ],
)
def test_f93_what_the_text_says_is_gone_or_an_example_does_not_tell(text: str) -> None:
    assert [one.telling for one in named(text)] == [False]


def test_only_the_sentence_itself_says_that_something_is_gone() -> None:
    first, second = named("We removed `src/old_rules.py`. The rules are in `src/new_rules.py` now.")
    assert (first.telling, second.telling) == (False, True)


@pytest.mark.parametrize("text", ["Call `open()`.", "Use `json.dumps()`.", "Use `get_name()`.", "Pass `--all`."])
def test_a_name_that_any_program_may_use_does_not_tell(text: str) -> None:
    assert [one.telling for one in named(text)] == [False]


def test_each_is_named_once_and_a_long_text_is_cut() -> None:
    assert names("`a_long_name()` " * 500) == [("symbol", "a_long_name")]
    assert names(" " * MOST_CHARACTERS + "`a_long_name()`") == []


@given(st.text(alphabet=st.sampled_from("`ab/._-:(){}[]\\ \n#~=-é中й"), max_size=400))
def test_no_text_breaks_it_and_no_path_leads_out(text: str) -> None:
    for one in named(text):
        assert one.name
        if one.kind == "file":
            assert not one.name.startswith(("/", "~"))
            assert ".." not in one.name.split("/")


@pytest.mark.parametrize("piece", ["`", "a/", "../", "`a(", "--a-", "a.b.", "](", "a_"])
def test_hostile_repetition_takes_no_longer_than_its_length(piece: str) -> None:
    assert isinstance(list(named(piece * 30_000)), list)
