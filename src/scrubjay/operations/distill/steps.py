"""Carrying out decided proposals of distilling, inside the gate's operation (SM-45 … SM-49; F1, F2).

What a proposal says came with the vault, perhaps with a clone: targets and values are looked at again before anything
is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from scrubjay.errors import BadInput, Conflict, Refused
from scrubjay.operations import indices
from scrubjay.operations.distill import links, merging, refining, rematching
from scrubjay.operations.editing import Edits
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.indices.entries import read_entry
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Decision, Done, Proposal
from scrubjay.temporal import now
from scrubjay.text import frontmatter
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.note import tags_of
from scrubjay.vaults.documents.revision import Revision
from scrubjay.vaults.layout import MEMORIES

TOMBSTONED = "tombstoned"


def retire(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """Marks the memory as a tombstone; it leaves every answer and stays on disk (SM-45)."""
    document = _target(store, proposal)
    entry = _entry(store, document)
    _require_unused(entry, proposal)
    return _done("RETIRE", proposal, _tombstoned(edits, document, entry, "purge"))


def merge(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """The second memory's text and keywords into the first, links to it turned, and it becomes a tombstone (SM-46).

    The merged memory is written and read back first; when it lacks a keyword or a line of either, nothing of this is
    done (F2). A memory that was merged earlier in the batch stands for the one that it went into.
    """
    entries = {entry.path: entry for entry in indices.entries(store)}
    primary, secondary = _pair(store, proposal, entries)
    text = _merged(primary, secondary, entries)
    _require_both(primary, secondary, text)
    stored = edits.replace(primary, text)
    _require_both(primary, secondary, stored.text)
    links.turn(store, edits, links.stem(secondary.path), links.stem(primary.path))
    # Last, because a run that is killed before goes on from here; a tombstone is never looked at again.
    _tombstoned(edits, secondary, entries[secondary.path], f"merged_into:{links.stem(primary.path)}")
    return _done("MERGE", proposal, stored)


def compress(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The short form in place of the text, which goes into the history (SM-47)."""
    document = _target(store, proposal)
    stored = edits.replace(document, _compressed(store, document, proposal, decision))
    if missing := merging.lost(document, revision.history_of(stored.text)):
        raise Conflict(f"{document.path} would lose {missing[:60]!r}, so it was not shortened.")
    return _done("COMPRESS", proposal, stored)


def refine(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """Sets the mended fields and nothing else (SM-48)."""
    document = _target(store, proposal)
    text = _refined(document, proposal, decision)
    if text == document.text:
        return _done("SKIP", proposal, document)
    return _done("REFINE", proposal, edits.replace(document, text))


def delete(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """Moves a tombstone to the trash and out of the overviews; ``undo`` brings it back (SM-49)."""
    document = _target(store, proposal, retired=True)
    edits.retire(document)
    return _done("DELETE", proposal, document)


STEPS: Mapping[Action, Callable[[Store, Edits, Proposal, Decision], Done]] = MappingProxyType(
    {"RETIRE": retire, "MERGE": merge, "COMPRESS": compress, "REFINE": refine, "DELETE": delete}
)


def outcome(store: Store, proposal: Proposal, decision: Decision) -> tuple[Document, str | None]:
    """The memory that ``decision`` is about and its text afterwards, ``None`` for one that leaves; nothing is written.

    Raises ``ScrubjayError`` where the decision could not be carried out.
    """
    if decision.action == "MERGE":
        entries = {entry.path: entry for entry in indices.entries(store)}
        primary, secondary = _pair(store, proposal, entries)
        return primary, _merged(primary, secondary, entries)
    document = _target(store, proposal, retired=decision.action == "DELETE")
    if decision.action == "COMPRESS":
        return document, _compressed(store, document, proposal, decision)
    return document, _refined(document, proposal, decision) if decision.action == "REFINE" else None


# --- the text of a memory afterwards ---------------------------------------------------------------------------


def _merged(primary: Document, secondary: Document, entries: Mapping[str, IndexEntry]) -> str:
    return merging.merged(primary, secondary, today=_today(), retrieved=_retrieved(entries, primary, secondary))


def _compressed(store: Store, document: Document, proposal: Proposal, decision: Decision) -> str:
    from scrubjay.operations.gate import guards, steps

    body = steps.body_of(proposal, decision)
    guards.require_whole(body, revision.body_of(document.text))
    counters = _counters(document, _entry(store, document))
    change = Revision(today=_today(), older=f"Pre-Compression ({_today()})", values=counters)
    return revision.update(document.text, body, change)


def _refined(document: Document, proposal: Proposal, decision: Decision) -> str:
    """The memory with the fields of the proposal, and the topic and category that somebody gave instead."""
    from scrubjay.operations.gate import steps

    here, values = read_entry(document), dict(proposal.values)
    topic = proposal.topic if decision.topic is None else decision.topic
    if topic not in (here.topic, values.get("topic")):
        values["topic"] = steps.topic_of(proposal, decision)
    tags = values.get("tags", tags_of(frontmatter.parse(document.text).values))
    category = proposal.category if decision.category is None else decision.category
    if isinstance(tags, list | tuple) and category not in (here.category, *tags[:1]):
        first = steps.category_of(proposal, decision)
        values["tags"] = [first, *(tag for tag in tags if tag != first)]
    refining.require_sound(values, document.text)
    return frontmatter.set_values(document.text, values, after="keywords")


# --- which memories --------------------------------------------------------------------------------------------


def _target(store: Store, proposal: Proposal, *, retired: bool = False) -> Document:
    """The memory that the proposal is about: sound, and a tombstone if and only if ``retired``."""
    _require_count(proposal, 1)
    return _memory(store, proposal.targets[0].path, retired=retired)


def _memory(store: Store, path: str, *, retired: bool = False) -> Document:
    from scrubjay.operations.gate import guards

    document = store.vault.read(path)
    indexed = store.index.document(document.path)
    if not document.path.startswith(f"{MEMORIES}/") or indexed is None or indexed.kind not in ("note", "tombstone"):
        raise Refused(f"{document.path} is no memory.", hint=f"Only what lies in {MEMORIES} is distilled.")
    guards.require_sound(document)
    if (frontmatter.parse(document.text).string("status") == TOMBSTONED) != retired:
        state, hint = ("in use", "Retire it first.") if retired else ("retired already", "There is nothing to do.")
        raise Refused(f"{document.path} is {state}.", hint=hint)
    return document


def _pair(store: Store, proposal: Proposal, entries: Mapping[str, IndexEntry]) -> tuple[Document, Document]:
    """The memory that stays and the one that goes, each as what it was merged into by now."""
    _require_count(proposal, 2)
    known = {name: entry for entry in entries.values() for name in (entry.id, entry.path)}
    found = []
    for target in proposal.targets[:2]:
        here = rematching.home(known, target.path)
        found.append(_memory(store, here.path if here else target.path))
    if found[0].path == found[1].path:
        raise Refused(f"{found[0].path} cannot be merged with itself.", hint="They are one memory already; skip it.")
    return found[0], found[1]


def _entry(store: Store, document: Document) -> IndexEntry:
    """What file and overview know of the memory together. Reads the whole overview: once a step."""
    return next(entry for entry in indices.entries(store) if entry.path == document.path)


# --- what must hold --------------------------------------------------------------------------------------------


def _require_count(proposal: Proposal, count: int) -> None:
    if len(proposal.targets) != count:
        what = "one memory" if count == 1 else f"{count} memories"
        raise BadInput(f"{proposal.key} must name {what}.", hint="Reject it, and distill anew.")


def _require_unused(entry: IndexEntry, proposal: Proposal) -> None:
    """Raises ``Refused`` for a memory that was retrieved since somebody proposed to retire it: whoever decides has read
    that nobody uses it, and counting a retrieval does not change the file."""
    last = entry.last_retrieved
    if last and proposal.created and last >= f"{proposal.created:%Y-%m-%d}":
        raise Refused(f"{entry.path} was retrieved on {last}, after this was proposed.", hint="Keep it: skip this.")


def _require_both(primary: Document, secondary: Document, text: str) -> None:
    """Raises ``Conflict`` when the merged ``text`` lacks a keyword or a line of either memory (SM-46, F2)."""
    there = {word.casefold() for word in frontmatter.parse(text).strings("keywords")}
    for document in (primary, secondary):
        missing = next((word for word in merging.keywords(document) if word.casefold() not in there), "")
        missing = missing or merging.lost(document, text)
        if missing:
            raise Conflict(f"The merged memory would lose {missing[:60]!r} of {document.path}, so nothing was merged.")


# --- counters and marks ----------------------------------------------------------------------------------------


def _retrieved(entries: Mapping[str, IndexEntry], primary: Document, secondary: Document) -> tuple[int, str | None]:
    """The retrievals of both together, as counted in file or overview, and the date of the last one."""
    both = [entries[document.path] for document in (primary, secondary)]
    if merging.holds(primary, secondary):
        both = both[:1]  # the other ones are counted in it
    last = max(filter(None, (entry.last_retrieved for entry in both)), default=None)
    return sum(entry.retrieval_count for entry in both), last


def _counters(document: Document, entry: IndexEntry) -> dict[str, object]:
    """The retrievals that only the overview knows, as fields of the memory: distilling takes them into the file
    (SM-31), so that nothing forgets them when the file comes back from the trash."""
    if "retrieval_count" not in frontmatter.parse(document.text).values:
        return {}
    return {"retrieval_count": entry.retrieval_count, "last_retrieved": entry.last_retrieved}


def _tombstoned(edits: Edits, document: Document, entry: IndexEntry, reason: str) -> Document:
    if not frontmatter.parse(document.text).present:
        raise Refused(f"{document.path} has no frontmatter, so it cannot be marked.", hint="Use `scrubjay forget`.")
    text = frontmatter.set_values(document.text, _counters(document, entry))
    marks = {"status": TOMBSTONED, "tombstoned_at": _today(), "tombstone_reason": reason}
    return edits.replace(document, frontmatter.set_values(text, marks, after="summary"))


def _today() -> str:
    return f"{now():%Y-%m-%d}"


def _done(action: Action, proposal: Proposal, document: Document) -> Done:
    return Done(action=action, key=proposal.key, memory_id=links.stem(document.path), path=document.path)
