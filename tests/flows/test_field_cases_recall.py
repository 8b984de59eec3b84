"""Field cases 6: recall. What is there is found however the question is written; what is not there is not made up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from scrubjay import Memory, Message, Session

FIVE = (
    "Max prefers uv over pip for Python packages.",
    "The staging database runs PostgreSQL 16 on port 5433.",
    "Deployments to production happen on Tuesdays after the stand-up.",
    "Caroline plays the cello and practises in the evening.",
    "The invoice template is stored in the finance folder.",
)

UNRELATED = (
    "penguins on mars",
    "How high is the highest mountain of Norway?",
    "What did the dentist say about my tooth?",
    "сколько лет динозаврам",
    "恐龙吃什么",
)


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """Five memories, ranked as shipped: packaged model, late interaction, learned weights."""
    root = tmp_path_factory.mktemp("model")
    with Memory.open(root / "vault", home=root / "home", background=False) as memory:
        for text in FIVE:
            memory.remember(text)
        assert memory.drain().error == ""
        yield memory


@pytest.fixture
def by_words(memory: Memory) -> Memory:
    for text in FIVE:
        memory.remember(text)
    return memory


@pytest.mark.parametrize("question", UNRELATED)
def test_five_memories_do_not_answer_everything(with_model: Memory, by_words: Memory, question: str) -> None:
    """F73, F84: an unrelated question is answered with nothing and a reason, with a model and without."""
    for memory in (with_model, by_words):
        recall = memory.search(question)
        assert recall.hits == ()
        assert recall.abstained
        assert recall.reason
        assert recall.text == ""


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Which package manager does Max like?", 0),
        ("which port has the staging database", 1),
        ("When do we deploy to production?", 2),
        ("Who plays the cello?", 3),
        ("where is the invoice template", 4),
    ],
)
def test_five_memories_answer_what_they_know(with_model: Memory, by_words: Memory, question: str, place: int) -> None:
    """F73, F84: the gate lets through what bears on the question, and nothing else above it."""
    for memory in (with_model, by_words):
        recall = memory.search(question)
        assert recall.hits[0].text == FIVE[place]
        assert not recall.abstained
        assert 0 < recall.hits[0].score <= 1


def test_scores_are_not_relative_to_the_best(with_model: Memory) -> None:
    """F73: the best of bad hits is still bad: scores of different questions compare."""
    good = with_model.search("Who plays the cello?", abstain=False).hits[0].score
    bad = max((hit.score for hit in with_model.search("penguins on mars", abstain=False).hits), default=0.0)
    assert bad < good / 2


@pytest.mark.parametrize("category", ["Fact", "TODO", "Session", "Preference"])
def test_an_old_answer_is_still_the_answer(memory: Memory, category: str) -> None:
    """F75: age moves an answer behind a younger one that is as good; it never hides the only one."""
    memory.remember("The safe is opened with the brass key.", category=category, valid_from="2009-01-01")
    for number in range(30):
        memory.remember(f"Today the kitchen served dish number {number}.")
    recall = memory.search("how is the safe opened")
    assert [hit.text for hit in recall.hits][:1] == ["The safe is opened with the brass key."]


def test_an_old_message_is_still_the_answer(memory: Memory) -> None:
    """F75: 242 days and ten years of talk."""
    start = datetime(2014, 1, 1, tzinfo=UTC)
    messages = [
        Message(id=f"m{n}", role="user", text=f"Small talk about the weather {n}.", at=start + timedelta(days=n * 9))
        for n in range(400)
    ]
    messages[0] = Message(id="m0", role="user", text="My sister's cat is called Pixel.", at=start)
    memory.ingest(Session(id="s", messages=messages))
    assert memory.search("what is the cat of my sister called").hits[0].message_ids == ("m0",)


@pytest.mark.parametrize(
    "question",
    [
        "What did we decide about auth?",
        "what did we decide about auth?!",
        '"What did we decide, about auth?"',
        "auth??",
        "(auth)",
        "auth: decide?",
        "¿auth?",
        "auth*",
        "— auth …",
        "WHAT DID WE DECIDE ABOUT AUTH",
    ],
)
def test_punctuation_is_not_part_of_a_question(memory: Memory, question: str) -> None:
    """F76: a question is words, never a phrase to be found letter by letter."""
    memory.remember("Auth: we decided on OAuth with short tokens.")
    memory.remember("The cafeteria closes at three.")
    hits = memory.search(question, abstain=False).hits
    assert [hit.text for hit in hits][:1] == ["Auth: we decided on OAuth with short tokens."]


CJK = (
    "全文検索を改善する計画がある。",
    "中文分词需要词典。",
    "AI入門の本を読んだ。",
    "数据库的端口是5433。",
    "猫喜欢吃鱼。",
    "한국어 검색도 필요하다.",
    "Встреча с Анной в среду.",
)


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("検索", 0), ("全文検索", 0), ("中文", 1), ("词典", 1), ("AI入門", 2), ("入門", 2), ("端口", 3), ("库", 3),
        ("猫", 4), ("鱼", 4), ("검색", 5), ("с Анной", 6), ("数据库端口是多少？", 3),
    ],
)  # fmt: skip
def test_short_words_of_scripts_without_spaces_are_found(memory: Memory, question: str, place: int) -> None:
    """F77: one and two characters, mixed scripts, no spaces."""
    for text in CJK:
        memory.remember(text)
    assert memory.search(question, abstain=False).hits[0].text == CJK[place]
    assert memory.search(question).hits[0].text == CJK[place]


CODE = {
    "1.0.21": "Release 1.0.21 fixed the crash.",
    "1.0.22": "Release 1.0.22 brought it back.",
    "foo-bar": "The package foo-bar is deprecated.",
    "foo": "The function foo returns a number.",
    "snake_case": "Names are written in snake_case here.",
    "C++": "The engine is written in C++ mostly.",
    "C#": "The plug-in is written in C# though.",
    "AND": "The gate AND of the circuit is broken.",
    "NOT": "The gate NOT of the circuit works.",
    "NEAR": "The keyword NEAR is reserved in SQLite.",
    "col:value": "A filter is written as col:value in the box.",
    "--dry-run": "The flag --dry-run changes nothing.",
    "src/app.py": "The entry point is src/app.py now.",
    "user@example.com": "Write to user@example.com for access.",
    "E0425": "The compiler says E0425 when a name is missing.",
}


@pytest.mark.parametrize("question", CODE)
def test_what_programmers_type_is_found_literally(memory: Memory, question: str) -> None:
    """F78: nothing is an operator of a query language."""
    for text in CODE.values():
        memory.remember(text)
    assert memory.search(question, abstain=False).hits[0].text == CODE[question]


@pytest.mark.parametrize(
    "question", ['"', "'", "*", "(", ")", "^a", "a:", "{x}", "NEAR(a b)", "-", "a AND", "OR", "\x00", "%", "?", " ", ""]
)
def test_no_question_breaks_the_search(by_words: Memory, question: str) -> None:
    """F78: the worst that may happen is that nothing is found."""
    recall = by_words.search(question)
    assert recall.abstained or recall.hits


def test_a_correction_comes_before_what_it_corrected(open_memory: Callable[..., Memory]) -> None:
    """F82: even where the old words fit the question better, and with the history asked for."""
    from scrubjay.testing import HashEmbedder

    memory = open_memory(embedder=HashEmbedder())
    old = memory.remember("The port of the staging server is 8080, the port of the staging server.")
    new = memory.supersede(old.id, "It moved: staging listens on 9090.")
    memory.drain()
    recall = memory.search("what is the port of the staging server", explain=True, abstain=False)
    assert [hit.id for hit in recall.hits] == [new.id]
    assert [(item.id, item.reason) for item in recall.suppressed] == [(old.id, "superseded")]
    both = memory.search("staging server port", include_superseded=True, abstain=False).hits
    day = f"{new.recorded.start:%Y-%m-%d}"
    assert {hit.id: hit.note for hit in both} == {
        new.id: f"since {day}; before: {old.text}",
        old.id: f"superseded, held until {day}; then: {new.text}",
    }
    assert [hit.id for hit in both] == [new.id, old.id]
