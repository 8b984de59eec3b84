"""Carrying out one decision: which function does it, and those of learning: CREATE, UPDATE, EXTEND (SM-27 … SM-29).

A step writes through ``Edits`` and says what it did; what it raises takes back its own changes and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.operations.editing import Edits
from scrubjay.operations.gate import guards
from scrubjay.operations.store import Store
from scrubjay.proposals import CATEGORIES, LEARNING, Action, Decision, Done, Proposal
from scrubjay.temporal import now
from scrubjay.text import frontmatter
from scrubjay.text.slug import memory_slug
from scrubjay.types import Document, Note
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.revision import Revision
from scrubjay.vaults.layout import MEMORIES

Step = Callable[[Store, Edits, Proposal, Decision], Done]
"""Carries out ``decision`` about ``proposal`` in the open operation. Raises ``ScrubjayError`` to refuse.

The targets were found unchanged just before. ``Done.path`` is the memory that was written; it is read back later.
"""

_ID = re.compile(r"MEM-[\w.-]{1,120}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
DEFAULT_CATEGORY = "INSIGHT"
_STRUCTURAL = ("kind", "id")

UNREVIEWED = ("--yes", "--all")
"""Who decided when nobody looked (``Plan.by``, SM-11)."""


def step_for(action: Action, origin: str = "") -> Step:
    """The function that carries out ``action`` of a proposal of ``origin``."""
    if origin == "dream" and action != "SKIP":
        from scrubjay.operations.dream import steps as dreaming

        return dreaming.STEPS[action]
    if action in LEARNING:
        learning: Mapping[Action, Step] = {"CREATE": create, "UPDATE": update, "EXTEND": extend}
        return learning[action]
    if action == "REPLACE":
        from scrubjay.operations.share import conflicts

        return conflicts.replace
    from scrubjay.operations.distill import steps

    return steps.STEPS[action]


def create(
    store: Store,  # noqa: ARG001 - every step has it
    edits: Edits,
    proposal: Proposal,
    decision: Decision,
) -> Done:
    """A new memory ``10-Memories/MEM-<slug>.md``, numbered where the name is taken (SM-29, SM-30)."""
    text = new_memory(proposal, decision)
    id = proposal.memory_id or f"MEM-{memory_slug(topic_of(proposal, decision), title_of(proposal, decision))}"
    if not _ID.fullmatch(id):
        raise Refused(f"{proposal.key} would be called {id!r}, which is no id of a memory.", hint="Take the id out.")
    return _done(proposal, "CREATE", edits.create(f"{MEMORIES}/{id}.md", text))


def update(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The text in place of the memory's, whose own goes into its history (SM-27)."""
    document = target_of(store, proposal, decision)
    body = body_of(proposal, decision)
    guards.require_whole(body, revision.body_of(document.text))
    tags = proposal.tags if decision.tags is None else decision.tags
    change = replace(
        _revision(proposal, decision),
        tags=tags,
        keywords=proposal.key_terms,
        summary=_line(proposal.summary) or "",
    )
    return _done(proposal, "UPDATE", edits.replace(document, revision.update(document.text, body, change)))


def extend(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The text as a dated section of the memory (SM-28)."""
    document = target_of(store, proposal, decision)
    body = body_of(proposal, decision)
    guards.require_whole(body, proposal.body, document.text)
    change = replace(_revision(proposal, decision), tags=decision.tags or ())
    text = revision.extend(document.text, body, change, source=proposal.source)
    return _done(proposal, "EXTEND", edits.replace(document, text))


def target_of(store: Store, proposal: Proposal, decision: Decision) -> Document:
    """The memory that the decision is about: the one it names, else the proposal's, else the most related.

    Raises ``NotFound`` for what is no memory here, ``Refused`` for one that is retired or damaged (F30, F108).
    """
    own = [target.path for target in proposal.targets] + [related.path for related in proposal.related]
    name = decision.target or next(iter(own), "")
    if not name:
        raise BadInput(f"{proposal.key} names no memory to change.", hint="Answer with CREATE, or name a target.")
    document = memory_called(store, name)
    guards.require_sound(document)
    if frontmatter.parse(document.text).string("status") == "tombstoned":
        raise Refused(f"{document.path} is retired.", hint="Answer with CREATE, or name another memory.")
    return document


def new_memory(proposal: Proposal, decision: Decision) -> str:
    """The document that CREATE writes."""
    body = body_of(proposal, decision)
    guards.require_whole(body, proposal.body)
    category = category_of(proposal, decision) or DEFAULT_CATEGORY
    tags = proposal.tags if decision.tags is None else decision.tags
    date = today()
    title = title_of(proposal, decision)
    note = Note(
        id="",
        title=title,
        body=body,
        topic=topic_of(proposal, decision),
        tags=tuple(revision.merged_tags([category], tags)),
        created=date,
        modified=date,
        source=proposal.source,
        extra={
            "keywords": list(proposal.key_terms),
            "summary": _line(proposal.summary) or title,
            "retrieval_count": 0,
            "last_retrieved": None,
            **_values(proposal),
        },
    )
    return revision.create(note)


def body_of(proposal: Proposal, decision: Decision) -> str:
    """The text that would be written. Raises ``BadInput`` when there is none."""
    body = proposal.body if decision.body is None else decision.body
    if not body.strip():
        raise BadInput(f"{proposal.key} has no text.", hint="Write one, or answer with SKIP.")
    return revision.closed(body.replace("\x00", "\ufffd"))


def title_of(proposal: Proposal, decision: Decision) -> str:
    """The title of a new memory, in one line."""
    title = _line(decision.title) or _line(proposal.title) or _line(proposal.summary)
    if not title:
        raise BadInput(f"{proposal.key} has no title.", hint="Give it one.")
    return title


def topic_of(proposal: Proposal, decision: Decision) -> str:
    """The topic of a new memory: a path in lower case without outer slashes."""
    return _path(proposal.topic if decision.topic is None else decision.topic)


def category_of(proposal: Proposal, decision: Decision) -> str:
    """The category as it is written (SM-6); empty where nobody says one."""
    return _category(decision.category) or _category(proposal.category)


def today() -> str:
    """The date that is written into memories (R-COM-6: UTC)."""
    return f"{now():%Y-%m-%d}"


def _revision(proposal: Proposal, decision: Decision) -> Revision:
    """What the decision, or an earlier change of the proposal, sets besides the text."""
    values = _values(proposal)
    title = decision.title if decision.title is not None else values.pop("title", None)
    return Revision(
        today=today(),
        title=_line(title) if isinstance(title, str) else None,
        topic=None if decision.topic is None else _path(decision.topic),
        category=_category(decision.category) or None,
        values=values,
    )


def _values(proposal: Proposal) -> dict[str, object]:
    """The fields that the proposal sets. Raises ``Refused`` for those that say what kind of document it is."""
    wrong = next((name for name in _STRUCTURAL if name in proposal.values), None)
    if wrong is not None:
        raise Refused(f"{proposal.key} would set `{wrong}`, which only Scrubjay sets.", hint="Take that field out.")
    return dict(proposal.values)


def memory_called(store: Store, name: str) -> Document:
    """The memory of that id, file name or path. Raises ``NotFound``, or ``BadInput`` for a name that several have."""
    from scrubjay.operations import notes

    document = notes.find(store, name)
    indexed = store.index.document(document.path)
    if not document.path.startswith(f"{MEMORIES}/") or indexed is None or indexed.kind != "note":
        raise NotFound(f"{name!r} is no memory of this vault.", hint=f"Name one of {MEMORIES}, or answer with CREATE.")
    return document


def _line(text: str | None) -> str | None:
    """``text`` in one line without control characters."""
    return None if text is None else " ".join(_CONTROL.sub(" ", text).split())


def _path(topic: str) -> str:
    return "/".join(part.strip() for part in (_line(topic) or "").lower().split("/") if part.strip())


def _category(name: str | None) -> str:
    """One of SM-6 in any letter case, or somebody's own as it is written."""
    word = (_line(name) or "").strip("[]")
    return word.upper() if word.upper() in CATEGORIES else word


def _done(proposal: Proposal, action: Action, document: Document) -> Done:
    id = PurePosixPath(document.path).name.removesuffix(".md")
    return Done(action=action, key=proposal.key, memory_id=id, path=document.path)
