"""Any number of real messages, all different, and questions to ask of them: the material of ``benchmarks.speed``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, cycle, islice
from pathlib import Path

from benchmarks import sets
from benchmarks.sets import Corpus, Piece
from scrubjay import Message, Session

SOURCES = ("locomo", "realmem", "vehiclemem")
_SESSION = 40  # messages, about as many as a real conversation has
_MARKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def sources(folder: Path) -> list[Corpus]:
    """The corpora that messages are taken from."""
    return [corpus for name in SOURCES if sets.exists(folder, name) for corpus in sets.read(folder, name)]


def conversations(corpora: Sequence[Corpus], messages: int) -> Iterator[Session]:
    """Conversations with so many messages in all, from each corpus in turn, nothing of it taken twice.

    When a source is used up it begins again with the words of each message turned around some word and a number
    added, so that words, lengths and frequencies stay those of real text.
    """
    streams = cycle([_distinct(corpus) for corpus in corpora])
    for number in count():
        batch = list(islice(next(streams), min(_SESSION, messages)))
        if not batch:
            return
        messages -= len(batch)
        yield Session(
            id=f"conversation-{number}",
            started=batch[0].at,
            source="benchmark",
            messages=[_message(f"{number}-{place}", piece) for place, piece in enumerate(batch)],
        )


def questions(corpora: Sequence[Corpus], wanted: int) -> list[str]:
    """So many different questions, spread over the sources."""
    texts = list(dict.fromkeys(question.text for corpus in corpora for question in corpus.questions))
    step = max(1, len(texts) // max(wanted, 1))
    return texts[::step][:wanted]


def _message(id: str, piece: Piece) -> Message:
    return Message(id=id, role="user", speaker=piece.speaker or None, text=piece.text, at=piece.at)


def _distinct(corpus: Corpus) -> Iterator[Piece]:
    seen: set[tuple[str, str]] = set()
    for turn in count():
        for place, piece in enumerate(corpus.pieces):
            changed = _turned(piece, turn, place) if turn else piece
            if (changed.speaker, changed.text) not in seen and changed.text.strip():
                seen.add((changed.speaker, changed.text))
                yield changed


def _turned(piece: Piece, turn: int, place: int) -> Piece:
    """Another message of the same words."""
    words = piece.text.split()
    around = (place * 7 + turn * 3) % max(len(words), 1)
    text = " ".join([*words[around:], *words[:around], f"({_MARKS[turn % len(_MARKS)]} time, {turn * 1000 + place})"])
    return Piece(id=piece.id, text=text, speaker=piece.speaker, at=piece.at, session=piece.session)
