"""Sets as they are read and taken in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import corpus, sets
from benchmarks.filled import Form, by_words, filled, sessions


def test_a_set_is_read_corpus_by_corpus(data: Path) -> None:
    north, south = sets.read(data, "tiny")
    assert (north.id, len(north.pieces), len(north.questions)) == ("north", 5, 5)
    assert (south.id, len(south.pieces), len(south.questions)) == ("south", 4, 2)
    first = north.pieces[0]
    assert first.text.endswith(" [shares a photo: a grey cat on a sofa]")
    assert (first.speaker, first.session, first.at) == ("Ann", "s1", datetime(2024, 5, 1, 10, tzinfo=UTC))
    assert north.questions[1].gold == {"3"}, "evidence that is not in the corpus is dropped"
    assert north.questions[2].excluded == {"1"}
    assert [question.unanswerable for question in north.questions] == [False, False, False, False, True]


def test_only_the_first_corpora(data: Path) -> None:
    assert [corpus.id for corpus in sets.read(data, "tiny", corpora=1)] == ["north"]


def test_sessions_are_the_unit_where_no_memory_is_named(data: Path) -> None:
    corpora = sets.read(data, "tiny")
    assert sets.unit_of(corpora) == "memory"
    unnamed = [
        replace(one, questions=tuple(replace(question, gold=frozenset()) for question in one.questions))
        for one in corpora
    ]
    assert sets.unit_of(unnamed) == "session"


def test_statements_are_facts_by_default() -> None:
    assert sets.default_form("precisionmem") == "facts"
    assert sets.default_form("xquad_ru") == "chunks"


def test_pieces_become_messages_of_their_sessions(data: Path) -> None:
    first, second = sessions(sets.read(data, "tiny")[0])
    assert [message.id for message in first.messages] == ["0", "1", "2"]
    assert (second.messages[0].role, second.messages[0].speaker) == ("user", "Bob")
    alone = sets.Corpus(id="x", pieces=(sets.Piece(id="1", text="a", speaker="Assistant"),), questions=())
    message = sessions(alone)[0].messages[0]
    assert (message.role, message.speaker) == ("assistant", None)


@pytest.mark.parametrize("form", ["chunks", "facts", "notes"])
def test_hits_lead_back_to_pieces(data: Path, tmp_path: Path, form: Form) -> None:
    one = sets.read(data, "tiny")[0]
    for _ in range(2):  # the second time the vault is there already
        with filled(one, form, None, tmp_path) as store:
            ranked = store.ranked(store.memory.search("marathon training", abstain=False))
            assert ranked[0] == "3"
            assert len(ranked) == len(set(ranked)) <= 5
    with by_words(one, form, None, tmp_path) as store:
        assert store.ranked(store.memory.search("yellow kitchen", abstain=False))[0] == "2"


def test_an_interrupted_filling_begins_anew(data: Path, tmp_path: Path) -> None:
    one = sets.read(data, "tiny")[0]
    with filled(one, "notes", None, tmp_path):
        pass
    (place,) = tmp_path.glob("north-notes-*")
    (place / "names.json").unlink()
    with filled(one, "notes", None, tmp_path) as store:
        assert len(store.names) == len(one.pieces)


def test_messages_for_speed_are_all_different(data: Path) -> None:
    taken = list(corpus.conversations(corpus.sources(data), 500))
    said = [(message.speaker, message.text) for session in taken for message in session.messages]
    assert len(said) == len(set(said)) == 500
    assert len({session.id for session in taken}) == len(taken)
    assert len(corpus.questions(corpus.sources(data), 3)) == 3
