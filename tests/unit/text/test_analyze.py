"""One analyser for index and query: what can be found by what."""

from __future__ import annotations

import json
import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.analyze import date_lexemes, is_stop_word, lexemes, query_lexemes, stem
from scrubjay.text.stopwords import CHINESE_PHRASES, CJK_LETTERS, NEGATIONS, STOP_WORDS
from scrubjay.text.words import LONGEST, fold

DATA = Path(__file__).parents[3] / "../shared/data/bench"


def found(query: str, text: str) -> bool:
    """Whether every lexeme of ``query`` is one of ``text``."""
    wanted = query_lexemes(query)
    return bool(wanted) and set(wanted) <= set(lexemes(text))


def touched(query: str, text: str) -> bool:
    """Whether ``query`` and ``text`` share a lexeme."""
    return bool(set(query_lexemes(query)) & set(lexemes(text)))


# --- words -----------------------------------------------------------------------------------------------------


def test_question_with_punctuation_is_a_query_of_its_content_words():
    """F76: a question is no phrase, and its question words are dropped."""
    assert query_lexemes("What did we decide about auth?") == ["decid", "auth"]
    assert found("What did we decide about auth?", "We decided: auth goes through OAuth.")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("meetings", "the meeting"),
        ("running tests", "they ran a test while it runs"),
        ("базы данных", "база данных"),
        ("миграции", "миграция"),
        ("CAFÉ", "cafe"),
        ("cafe", "the café"),
        ("Müller", "Muller"),
        ("Straße", "STRASSE"),
        ("ёлка", "Елка"),
        ("naïve", "nai\u0308ve"),
        ("ﬁle", "file"),
        ("ｆｕｌｌ", "full"),
        ("co\u00adoperate", "cooperate"),
        ("Caroline", "Caroline's dog"),
        ("Caroline’s", "Caroline"),
        ("obrien", "O'Brien"),
        ("O’Brien", "o'brien"),
        ("wifi", "Wi-Fi"),
        ("email", "e-mail"),
    ],
)
def test_spellings_of_a_word_meet(query: str, text: str):
    assert touched(query, text)


def test_short_i_is_no_accented_letter():
    assert fold("мой") != fold("мои")
    assert lexemes("йод") != lexemes("иод")


# --- negations and stop words ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "is not allowed",
        "isn't allowed",
        "isn’t allowed",
        "isnt allowed",
        "can't",
        "cannot",
        "won't",
        "DON'T",
        "didnt",
        "shouldn't've",
    ],
)
def test_negation_is_a_lexeme(text: str):
    """F16: a negation never gets lost, however it is written."""
    assert "not" in lexemes(text)
    assert "not" in query_lexemes(text + " deploy")


def test_negated_statement_differs():
    """F16: "allowed" and "not allowed" are different texts."""
    allowed = lexemes("Production deployment is allowed")
    forbidden = lexemes("Production deployment is not allowed")
    assert set(forbidden) - set(allowed) == {"not"}
    assert "не" in lexemes("Деплой не разрешён")
    assert "不" in lexemes("不允许部署")


@pytest.mark.parametrize(
    "query", ["to be or not to be", "The Who", "it", "AND", "OR", "NOT", "who are we?", "что это?", "什么", "的", "の"]
)
def test_query_of_stop_words_only_keeps_them(query: str):
    assert found(query, f"x {query} y")
    assert len(query_lexemes(query)) == len(set(lexemes(query)))


def test_quoted_stop_words_are_meant():
    assert query_lexemes('Did Max like "The Who"?') == ["max", "like", "the", "who"]
    assert query_lexemes('the "auth service"') == ["auth", "servic"]
    assert query_lexemes("кто пел «Кто ты» ночью") == [*(stem(word) for word in ("пел", "кто", "ты", "ночью"))]


def test_capitals_are_meant_unless_all_is_in_capitals():
    assert query_lexemes("the IT department") == ["it", "depart"]
    assert query_lexemes("THE IT DEPARTMENT") == ["depart"]
    assert query_lexemes("auth AND tokens OR keys") == ["auth", "token", "key"]


def test_query_keeps_order_and_drops_repetition():
    assert query_lexemes("zebra apple zebra mango apples") == ["zebra", "appl", "mango"]
    assert lexemes("zebra zebra") == ["zebra", "zebra"]


def test_russian_and_chinese_question_words_are_dropped():
    assert query_lexemes("Что мы решили про авторизацию?") == [stem("решили"), stem("авторизацию")]
    assert query_lexemes("我们什么时候决定了?") == ["决", "定", "决定", "定了"]


def test_function_character_inside_a_word_still_finds_the_word():
    assert "目的" in query_lexemes("目的是什么")


def test_stop_lists_are_in_the_form_of_the_analyser():
    for word in STOP_WORDS | NEGATIONS:
        assert fold(unicodedata.normalize("NFKC", word)) == word
    assert not STOP_WORDS & NEGATIONS
    assert all(len(letter) == 1 for letter in CJK_LETTERS)
    assert all(len(phrase) > 1 for phrase in CHINESE_PHRASES)
    assert is_stop_word("the")
    assert not is_stop_word("not")


# --- scripts without spaces ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("検索", "全文検索エンジン"),
        ("中文", "支持中文检索"),
        ("AI入門", "はじめてのAI入門書"),
        ("猫", "黒い猫がいる"),
        ("Python", "用Python写脚本"),
        ("手机", "iPhone手机"),
        ("iphone", "我的iPhone手机"),
        ("カタカナ", "ｶﾀｶﾅ"),
        ("검색", "한국어 검색 기능"),
        ("数据库", "我们的数据库连接池"),
        ("ภาษา", "ภาษาไทย"),
    ],
)
def test_cjk_terms_of_any_length_match(query: str, text: str):
    """F77: one or two characters are enough, beside other scripts too."""
    assert found(query, text)


def test_cjk_run_gives_characters_and_pairs():
    assert lexemes("数据库") == ["数", "据", "库", "数据", "据库"]
    assert lexemes("用Python写") == ["用", "python", "写"]


def test_emoji_are_lexemes():
    """F109: emoji survive, next to words and joined to one another."""
    assert lexemes("🎉done 👍🏽 ✓") == ["🎉", "done", "👍", "🏽", "✓"]
    assert lexemes("👨‍👩‍👧") == ["👨", "👩", "👧"]
    assert found("🎉", "shipped 🎉!")


# --- identifiers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "snake_case", "camelCase", "PascalCase", "kebab-case", "1.0.21", "v2.1.88", "src/app/main.py", "C++", "C#",
        ".NET", "node.js", "foo-bar", "@scope/pkg", "max@example.com", "https://example.com/a/b", "--dry-run", "E1234",
        "d41d8cd98f00b204e9800998ecf8427e", "127.0.0.1:8080", "#tag", "#123", "AND", "std::vector", "R&D", "utf-8",
        "GPT-4.5", "__init__.py", "~/.claude/projects", "C:\\Users\\alice", "foo.bar.baz", "2023-05-08T10:00:00Z",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "python3", "a_b", "rock'n'roll",
    ],
)  # fmt: skip
def test_identifier_finds_itself(name: str):
    """F78: each is found literally, in a sentence, in code marks and at a sentence's end."""
    assert found(name, f"we met {name} there")
    assert found(name, f"(`{name}`)")
    assert found(name, f'"{name}".')


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("snake", "snake_case"), ("camel", "camelCase"), ("server", "HTTPServer"), ("http", "HTTPServer"),
        ("user_name", "userName"), ("main.py", "src/app/main.py"), ("app", "src/app/main.py"),
        ("2.1.88", "v2.1.88"), ("1.0", "1.0.21"), ("net", ".NET"), ("node", "node.js"), ("scope", "@scope/pkg"),
        ("example.com", "max@example.com"), ("example.com", "https://example.com/a?b=c"), ("dry-run", "--dry-run"),
        ("1234", "E1234"), ("d41d8cd", "d41d8cd98f00b204e9800998ecf8427e"), ("8080", "127.0.0.1:8080"),
        ("127.0.0.1", "127.0.0.1:8080"), ("tag", "#tag"), ("alice", "C:\\Users\\alice"), ("python", "python3"),
        ("2023-05-08", "2023-05-08T10:00:00Z"), ("gpt", "GPT-4.5"), ("init", "__init__.py"), ("phone", "iPhone"),
    ],
)  # fmt: skip
def test_identifier_is_found_by_its_parts(part: str, name: str):
    assert touched(part, name)


def test_languages_with_signs_are_told_apart():
    assert not found("C++", "written in C")
    assert not found("C#", "written in C++")


def test_long_hash_is_found_by_any_longer_beginning():
    assert touched("d41d8cd98f", "commit d41d8cd98f00b204e9800998ecf8427e")


def test_encoded_blob_is_one_word():
    assert lexemes("aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ") == ["agvsbg8gd29ybgqgdghpcybpcybiyxnlnjq"]


# --- dates -----------------------------------------------------------------------------------------------------


def test_date_lexemes_are_canonical():
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert date_lexemes(at) == ["@2023", "@2023-05", "@2023-05-08", "@05", "@05-08"]
    assert date_lexemes(at.replace(year=33))[0] == "@0033"


@pytest.mark.parametrize("text", ["@2023", "@2023-05-08", "a @05 b", "x/@2023-05", "@05-08"])
def test_words_never_look_like_date_lexemes(text: str):
    assert not [lexeme for lexeme in lexemes(text) if lexeme.startswith("@")]


# --- hostile text ----------------------------------------------------------------------------------------------


MIXED = st.text(
    st.one_of(st.sampled_from("aBn1'’-_./\\:@#+&t\" 的中あ한🎉\u0301\u200dёй\0\ud800"), st.characters(codec=None))
)


@given(MIXED)
def test_lexemes_are_one_word_each(text: str):
    """F109: whatever comes, a lexeme is not empty, not long, and holds no space, NUL or surrogate."""
    for lexeme in (*lexemes(text), *query_lexemes(text)):
        assert lexeme
        assert len(lexeme) <= LONGEST
        assert lexeme.split() == [lexeme]
        assert "\0" not in lexeme
        assert not re.match(r"@\d", lexeme)
        lexeme.encode()


@given(MIXED)
def test_query_finds_its_own_text(text: str):
    """Index and query are one function: whatever is asked, a text of the same words holds it."""
    assert set(query_lexemes(text)) <= set(lexemes(text))
    assert bool(query_lexemes(text)) == bool(lexemes(text))


def test_nul_separator_and_surrogates_part_words():
    assert lexemes("foo\0bar\u2028baz\ud800qux\u00a0end") == ["foo", "bar", "baz", "qux", "end"]


@pytest.mark.parametrize(
    "piece",
    ["a", "a/b", "a'", "中", "0a", "A1b", "\u0300\u0323", "\uff9e\u0300", ".", '"the" ', "🎉", "Aa", "-a", "n't", "«"],
)
def test_a_long_line_without_spaces_takes_linear_work(piece: str):
    """No input of 100,000 characters makes the analyser quadratic (the suite would hang, not fail)."""
    text = piece * (100_000 // len(piece))
    assert len(lexemes(text)) <= 2 * len(text)
    query_lexemes(text)


def test_real_questions_keep_something_to_look_for():
    path = DATA / "locomo.queries.jsonl"
    if not path.is_file():
        pytest.skip(f"{path.name} is absent: shared benchmark data are not here")
    questions = [json.loads(line)["query"] for line in path.read_text(encoding="utf-8").splitlines()]
    lengths = [len(query_lexemes(question)) for question in questions]
    assert min(lengths) >= 1
    assert sum(lengths) / len(lengths) < 8
