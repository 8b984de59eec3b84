"""A corpus in a vault of its own, taken in through the public door, and how its hits name its pieces."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import Literal, get_args

from benchmarks.command import progress, say
from benchmarks.sets import Corpus, Piece
from scrubjay import Memory, Message, Session
from scrubjay.config import ModelSettings
from scrubjay.models import registry
from scrubjay.ports import Embedder, Encoded, EncodedQuery
from scrubjay.types import Hit, Recall, Role

Form = Literal["chunks", "facts", "notes"]
Mode = Literal["default", "dense", "lexical"]
FORMS: tuple[Form, ...] = get_args(Form)
MODES: tuple[Mode, ...] = get_args(Mode)

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant"}
_TITLE_WORDS = 8
_SENTENCES = "/sentences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """An open memory that holds one corpus. ``names`` leads from a fact's id or a note's path to its pieces."""

    memory: Memory
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def pieces(self, hit: Hit) -> Sequence[str]:
        """The ids of the pieces that ``hit`` is."""
        return self.names.get(hit.id) or self.names.get(hit.path) or hit.message_ids

    def ranked(self, recall: Recall) -> list[str]:
        """The ids of the pieces in the order of the hits, each once."""
        return list(dict.fromkeys(piece for hit in recall.hits for piece in self.pieces(hit)))


class SentenceVectors:
    """An embedder without its token vectors: what an endpoint that gives one vector a text can do."""

    def __init__(self, whole: Embedder) -> None:
        self._whole = whole

    @property
    def name(self) -> str:
        return f"{self._whole.name}{_SENTENCES}"

    @property
    def dimensions(self) -> int:
        return self._whole.dimensions

    def passages(self, texts: Sequence[str]) -> Encoded:
        return Encoded(self._whole.passages(texts).vectors)

    def query(self, text: str) -> EncodedQuery:
        return EncodedQuery(self._whole.query(text).vector)


def embedder(mode: Mode, name: str = "packaged") -> Embedder | None:
    """The embedder of a mode, shared by all memories of a run; ``name`` as the setting ``models.embedder``."""
    whole = None if mode == "lexical" else registry.embedder(ModelSettings(embedder=name), os.environ)
    return SentenceVectors(whole) if mode == "dense" and whole is not None else whole


@contextmanager
def filled(corpus: Corpus, form: Form, model: Embedder | None, folder: Path) -> Iterator[Filled]:
    """``corpus`` in a vault below ``folder``, every vector computed. What is there from an earlier run is used."""
    place = folder / _key(corpus, form, model)
    names_file = place / "names.json"
    if place.exists() and not names_file.exists():
        shutil.rmtree(place)  # An earlier run was interrupted.
    place.mkdir(parents=True, exist_ok=True)
    with _open(place, model) as memory:
        if not names_file.exists():
            say(f"{corpus.id}: taking in {len(corpus.pieces)} memories as {form}")
            names_file.write_text(json.dumps(fill(memory, corpus, form), ensure_ascii=False), encoding="utf-8")
        report = memory.drain(progress=progress(f"{corpus.id} vectors"))
        if report.error:
            say(f"{corpus.id}: {report.waiting} vectors are missing: {report.error}")
        yield Filled(memory=memory, names=json.loads(names_file.read_text(encoding="utf-8")))


@contextmanager
def by_words(corpus: Corpus, form: Form, model: Embedder | None, folder: Path) -> Iterator[Filled]:
    """The vault that ``filled`` made with ``model``, opened without a model: the lexical floor of the same index."""
    place = folder / _key(corpus, form, model)
    names = json.loads((place / "names.json").read_text(encoding="utf-8"))
    with _open(place, None) as memory:
        yield Filled(memory=memory, names=names)


def fill(memory: Memory, corpus: Corpus, form: Form) -> dict[str, list[str]]:
    """Takes ``corpus`` in; returns which facts or notes its pieces became (messages keep the ids of their pieces)."""
    if form == "chunks":
        memory.ingest(sessions(corpus), progress=progress(f"{corpus.id} sessions"))
        return {}
    names: dict[str, list[str]] = {}
    tell = progress(f"{corpus.id} {form}")
    for done, piece in enumerate(corpus.pieces, 1):
        names.setdefault(_write(memory, piece, form), []).append(piece.id)
        tell(done, len(corpus.pieces))
    return names


def sessions(corpus: Corpus) -> list[Session]:
    """The conversations of ``corpus``: consecutive pieces of the same session, one message a piece.

    A piece without a session is a conversation by itself.
    """
    grouped: dict[str, list[Piece]] = {}
    for piece in corpus.pieces:
        grouped.setdefault(piece.session or f"alone {piece.id}", []).append(piece)
    return [
        Session(id=name, started=pieces[0].at, source="benchmark", messages=[_message(piece) for piece in pieces])
        for name, pieces in grouped.items()
    ]


def _message(piece: Piece) -> Message:
    role = _ROLES.get(piece.speaker.casefold())
    speaker = piece.speaker if role is None and piece.speaker else None
    return Message(id=piece.id, role=role or "user", speaker=speaker, text=piece.text, at=piece.at)


def _write(memory: Memory, piece: Piece, form: Form) -> str:
    if form == "facts":
        return memory.remember(piece.text, valid_from=piece.at).id
    title = f"{' '.join(piece.text.split()[:_TITLE_WORDS])[:80]} ({piece.id})"
    return memory.note(title, piece.text).path


def _open(place: Path, model: Embedder | None) -> Memory:
    without = {"models.embedder": "none"} if model is None else {}
    return Memory.open(
        place / "vault",
        home=place / "home",
        # What is measured are the memories of the set, and nothing that was learned from them.
        settings={"models.reranker": "late", "write.durability": "normal", "extract.enabled": False, **without},
        embedder=model,
        background=False,
        zone=UTC,
    )


def _key(corpus: Corpus, form: Form, model: Embedder | None) -> str:
    """A folder name that changes whenever what would be in the folder does."""
    kind = "sentences" if model is not None and model.name.endswith(_SENTENCES) else "tokens"
    digest = hashlib.sha256(f"{form} {kind}".encode())
    for piece in corpus.pieces:
        for part in (piece.id, piece.text, piece.speaker, str(piece.at), piece.session):
            digest.update(part.encode("utf-8", "replace") + b"\0")
    safe = "".join(char if char.isalnum() else "-" for char in corpus.id)[:40]
    return f"{safe}-{form}-{digest.hexdigest()[:12]}"
