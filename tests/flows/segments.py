"""Segments and plans written by hand, for tests that need no source to cut."""

from __future__ import annotations

from pathlib import Path

from scrubjay import Memory
from scrubjay.operations.gate import applying
from scrubjay.operations.learn import planning
from scrubjay.operations.store import Store
from scrubjay.proposals import Applied, ContentMap, Decision, Plan, Segment
from scrubjay.text.terms import key_terms
from scrubjay.text.tokens import token_count
from scrubjay.types import Document
from scrubjay.vaults.documents import revision


def store_of(memory: Memory) -> Store:
    return next(iter(memory._stores))


def segment(
    text: str, number: int = 1, *, title: str = "", terms: tuple[str, ...] | None = None, **more: str
) -> Segment:
    found = tuple(key_terms(text)) if terms is None else terms
    summary = text.strip().splitlines()[0][:60]
    tokens = token_count(text)
    return Segment(
        id=f"seg-{number:03d}", text=text, title=title, summary=summary, key_terms=found, tokens=tokens, **more
    )


def plan_of(store: Store, *texts: str | Segment, **more: object) -> Plan:
    """A plan for ``texts``, in order."""
    parts = [text if isinstance(text, Segment) else segment(text, place) for place, text in enumerate(texts, start=1)]
    return planning.plan(store, ContentMap(mode="text", segments=tuple(parts)), **more)  # type: ignore[arg-type]


def apply(store: Store, plan: Plan) -> Applied:
    return applying.apply(store, plan, rematch=lambda proposal: planning.rematch(store, proposal))


def learned(store: Store, text: str | Segment, answer: Decision | str = "CREATE") -> Document:
    """The memory that learning ``text`` gives."""
    plan = plan_of(store, text)
    applied = apply(store, plan.decide({plan.proposals[0].key: answer}))
    assert not applied.refused, applied.refused
    return store.vault.read(applied.done[0].path)


def text_at(store: Store, path: str) -> str:
    return store.vault.read(path).text


def body_at(store: Store, path: str) -> str:
    return revision.body_of(text_at(store, path))


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file of a vault outside the trash."""
    found = (path for path in root.rglob("*") if path.is_file() and "90-Trash" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
