"""Bringing a team's memory here and one's own changes there, through a git remote (CC-P6; F6, F29, F37, F106 … F110).

Documents are merged, not lines of a tree: what both sides changed is merged by meaning, what they worded differently is
kept in both versions. First everything of the team's is brought here, as one operation that ``undo`` takes back; then
what is left to say goes there, as one commit on top of what is there. Whoever is killed in between has whole documents,
and the next sync goes on: what both sides agree on is noted only after it is so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrubjay.errors import Conflict, Refused, ScrubjayError, Unavailable
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.share import conflicts
from scrubjay.operations.share.planning import Plan, plan
from scrubjay.operations.share.reports import SyncReport
from scrubjay.operations.share.rows import Versions, overview
from scrubjay.operations.share.screening import INDEX, MOST_BYTES, TEAM, collisions, flaw, leak, secrets_of
from scrubjay.operations.share.sides import Ours, Theirs, as_items, is_there, read_commit, read_vault
from scrubjay.operations.store import Store
from scrubjay.text.merge import merged
from scrubjay.types import Change, Document, Problem
from scrubjay.vaults.documents import receipt
from scrubjay.vaults.encoding import digest, to_document
from scrubjay.vaults.remote_address import shown
from scrubjay.vaults.shared_repository import BASE, FILE, REMOTE, Item, SharedRepository, blob_id

TRIES = 8
"""How often others may be faster before somebody has to try again."""

MANY = 10
"""From this many deletions on, those of more than half of a memory have to be meant."""

MESSAGE = "Share memories"
VERB = "share"
_JOURNAL = 1_000
_DECLINED = "you took back the team's change of it; it is left as it is, here and there, until one of you changes it"
_ENCODINGS = frozenset({"utf-8", "utf-8-sig", "ascii"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How to sync. ``anew`` forgets what both sides agreed on: nothing counts as deleted then. ``deletions`` sends
    that most documents were deleted here. ``most_bytes`` is the size of the largest document that is shared."""

    anew: bool = False
    deletions: bool = False
    most_bytes: int = MOST_BYTES


@dataclass(slots=True, kw_only=True)
class _Round:
    """One attempt: what both sides hold, and what comes of it.

    ``writes`` are the bytes to be written here, ``agreed`` the documents as they shall be on both sides, by id.
    """

    store: Store
    repository: SharedRepository
    report: SyncReport
    wishes: Wishes
    head: str
    base: dict[str, str]
    base_index: str
    ours: Ours
    theirs: Theirs
    held: set[str] = field(default_factory=set)
    contents: dict[str, bytes] = field(default_factory=dict)
    writes: dict[str, bytes] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    rivals: list[tuple[str, bytes]] = field(default_factory=list)
    agreed: dict[str, str] = field(default_factory=dict)


def sync(store: Store, repository: SharedRepository, address: str, wishes: Wishes = Wishes()) -> SyncReport:
    """Brings both sides together and says what was done, as read back. Only one process at a time may do that with one
    ``repository``: what both sides agree on is read at the beginning and noted at the end.

    Raises ``Refused`` for a remote whose history was rewritten or would not be safe to read, and when most documents
    were deleted here; ``Unavailable`` when the remote cannot be reached or others are faster every time.
    """
    repository.prepare()
    done: list[SyncReport] = []
    for _ in range(TRIES):
        try:
            this = _round(store, repository, address, wishes)
            _decide(this)
            _take_in(this)
        except Conflict:  # somebody changed a document here meanwhile
            continue
        done.append(this.report)
        _settle(this, remote=this.head, documents=this.theirs.ids, index=this.theirs.index and this.theirs.index.id)
        if _send(this, address):
            repository.tidy()
            return _whole(done)
    raise Unavailable("Others changed the same memory all the time.", hint="Run `scrubjay share sync` again.")


def _round(store: Store, repository: SharedRepository, address: str, wishes: Wishes) -> _Round:
    head = repository.fetch(address)
    if not wishes.anew:
        _require_continued(repository, head)
    before = read_commit(repository, "" if wishes.anew else repository.commit_of(BASE), dialect=store.dialect)
    base = before.ids
    ours = read_vault(store, base)
    if base and not ours.files and not ours.held and ours.index is None:
        base = {}  # the folder is gone or was never there: nobody deleted a memory one by one
    theirs = read_commit(repository, head, dialect=store.dialect, taken=ours.files, most_bytes=wishes.most_bytes)
    this = _Round(
        store=store,
        repository=repository,
        report=SyncReport(remote=shown(address), commit=head, refused=[*ours.problems, *theirs.refused]),
        wishes=wishes,
        head=head,
        base=base,
        base_index=_index_text(repository, before),
        ours=ours,
        theirs=theirs,
        held=ours.held | theirs.held,
    )
    if not base:
        _recognise(this)
    if not wishes.deletions:
        _leave_declined(this)
    return this


def _require_continued(repository: SharedRepository, head: str) -> None:
    """Raises ``Refused`` when the remote lost something of what it had (F29)."""
    known = repository.commit_of(REMOTE)
    if not known or (head and repository.follows(head, known)):
        return
    name = repository.rescue(known)
    raise Refused(
        f"The history of the remote was rewritten: {known[:12]}, which was there, is no part of it any more. Nothing "
        f"was changed, here or there; the old history is kept as {name} in {repository.folder}.",
        hint="Ask who rewrote it. If it was meant, `scrubjay share sync --anew` begins anew and deletes nothing here.",
    )


def _recognise(this: _Round) -> None:
    """Without an agreed state: a document that the remote had once, just as it is here, is an old copy of it and not
    a change (F37, F108)."""
    ours, theirs = this.ours.ids, this.theirs.ids
    if not ours or all(theirs.get(path) == id for path, id in ours.items()):
        return
    ever = this.repository.ever(this.head)
    names = {path: item.path for path, item in this.theirs.files.items()}
    this.base = {path: id for path, id in ours.items() if (names.get(path, path.encode("utf-8")), id) in ever}


def _leave_declined(this: _Round) -> None:
    """Holds what was taken in and taken back with ``undo``: that is no wish to change or delete it for everybody."""
    ours, theirs = this.ours.files, this.theirs.ids
    for operation in this.store.index.operations(_JOURNAL):
        if operation.verb != VERB or not operation.undone:
            continue
        for change in operation.changes:
            here = digest(ours[change.path]) if change.path in ours else None
            known = this.base.get(change.path)
            if known is None or change.path in this.held or here != change.before or theirs.get(change.path) != known:
                continue
            agreed = this.repository.contents([known]).get(known)
            if agreed is not None and digest(agreed) == change.after:
                this.held.add(change.path)
                this.report.refused.append(Problem(path=change.path, message=_DECLINED))


def _decide(this: _Round) -> None:
    """Fills in what is to be written here, and what both sides shall agree on."""
    ours, theirs = _without(this.ours.ids, this.held), _without(this.theirs.ids, this.held)
    base = _without(this.base, this.held)
    planned = plan(base, ours, theirs)
    this.contents = this.repository.contents([theirs[path] for path in (*planned.take, *planned.merge)])
    _require_meant(planned, base, this.wishes)
    this.agreed = dict(theirs)
    for path in planned.take:
        if path not in ours and is_there(this.store, path):
            this.held.add(path)
            reason = "something lies in the way here that is no document of this memory, such as a link"
            this.report.refused.append(Problem(path=path, message=reason))
            continue
        data = _screened(this, path, _content(this, path), "theirs")
        if data is not None:
            this.writes[path] = data
            this.report.taken.append(path)
    for path in planned.merge:
        _merge(this, path)
    for path in planned.drop:
        this.gone.append(path)
        this.report.removed.append(path)
    for path in planned.withdraw:
        del this.agreed[path]
        this.report.withdrawn.append(path)
    everywhere = [*theirs, *(item.path.decode("utf-8", "replace") for item in this.theirs.others)]
    clashes = collisions((path for path in planned.give if path not in theirs), everywhere)
    for path in planned.give:
        if path in clashes:
            this.held.add(path)
            reason = f"differs from {clashes[path]} by the case of letters only; rename it"
            this.report.refused.append(Problem(path=path, message=reason))
        elif _screened(this, path, this.ours.files[path], "ours") is not None:
            this.agreed[path] = ours[path]
            this.report.sent.append(path)
    this.report.kept += [path for path in planned.keep if path not in this.held]


def _require_meant(planned: Plan, base: Mapping[str, str], wishes: Wishes) -> None:
    count = len(planned.withdraw)
    if count >= MANY and count * 2 > len(base) and not wishes.deletions:
        raise Refused(
            f"{count} of {len(base)} shared documents are not here any more; nothing was changed, here or there.",
            hint="If they are to go for everybody, run `scrubjay share sync --deletions`; else bring them back first.",
        )


def _merge(this: _Round, path: str) -> None:
    """One document that both sides changed: merged, or the team's here and the own one in the inbox."""
    mine, yours = this.ours.files[path], _content(this, path)
    if _screened(this, path, yours, "theirs") is None or _screened(this, path, mine, "ours") is None:
        return
    base = this.repository.contents([this.base[path]]).get(this.base[path]) if path in this.base else None
    both = None if base is None else _merged(path, base, mine, yours)
    if both is not None and (flaw(path, both, this.wishes.most_bytes)[1] or secrets_of(path, both)[0]):
        both = None
    if both is None:
        this.rivals.append((path, mine))
        this.writes[path] = yours
        this.report.conflicts.append(path)
        return
    this.report.merged.append(path)
    if both != mine:
        this.writes[path] = both
    if both != yours:
        this.agreed[path] = blob_id(both)
        this.report.sent.append(path)


def _merged(path: str, *versions: bytes) -> bytes | None:
    documents = [to_document(path, data, mtime_ns=0) for data in versions]
    if any(not one.exact or one.encoding not in _ENCODINGS for one in documents):
        return None
    text = merged(*(one.text for one in documents))
    marked = all(one.encoding == "utf-8-sig" for one in documents[1:])
    return None if text is None else text.encode("utf-8-sig" if marked else "utf-8")


def _screened(this: _Round, path: str, data: bytes, whose: str) -> bytes | None:
    """``data``, unless it must not travel: then the path is held on both sides, and the report says why."""
    line, reason = flaw(path, data, this.wishes.most_bytes)
    sure, doubtful = secrets_of(path, data)
    if whose == "ours":
        this.report.doubtful += doubtful
    if not sure and not reason:
        return data
    this.held.add(path)
    if sure:
        this.report.skipped += [one for one in sure if one not in this.report.skipped]
    else:
        side = "" if whose == "ours" else " (as the team has it)"
        this.report.refused.append(Problem(path=path, line=max(line, 1), message=f"{reason}{side}"))
    return None


def _take_in(this: _Round) -> None:
    """Writes what the team changed, as one operation. Raises ``Conflict`` when something changed here meanwhile."""
    this.agreed = _without(this.agreed, this.held) | {
        path: id for path, id in this.theirs.ids.items() if path in this.held
    }
    _lay_out(this)
    if not this.writes and not this.gone:
        return
    count = len(this.writes) + len(this.gone)
    with editing(this.store, VERB, f"Took in {count} change{'s' * (count != 1)} of the team", batch=True) as edits:
        edits.announce(_changes(this, edits.id))  # once, not with every document
        here: dict[str, Document] = {}
        for path in [*this.writes, *this.gone]:
            try:
                with edits.attempt():
                    _write(this, edits, path, here)
            except Conflict:
                raise
            except ScrubjayError as error:  # one that is read-only keeps no other away
                _hold(this, path, error.message)
        if versions := [(here[path], data) for path, data in this.rivals if path in here]:
            source = f"team memory {this.report.remote}"
            kept = conflicts.keep(this.store, edits, versions, rule=conflicts.OURS, source=source)
            this.report.proposals += [one.path for one in kept]
    if edits.changed:
        this.report.operations.append(edits.id)


def _changes(this: _Round, id: str) -> list[Change]:
    """What operation ``id`` is about to change here."""
    changes = []
    for path in [*this.writes, *this.gone]:
        before = this.ours.index if path == INDEX else this.ours.files.get(path)
        after = digest(this.writes[path]) if path in this.writes else None
        kept = receipt.kept_path(id, path) if before is not None else ""
        changes.append(Change(path=path, before=None if before is None else digest(before), after=after, kept=kept))
    return changes


def _write(this: _Round, edits: Edits, path: str, here: dict[str, Document]) -> None:
    """Changes one document here. Raises ``Conflict`` when it is not as it was read."""
    if path in this.writes:
        before = this.ours.index if path == INDEX else this.ours.files.get(path)
        expected = None if before is None else digest(before)
        here[path] = edits.replace_bytes(path, this.writes[path], expected=expected)
        return
    document = this.store.vault.read(path)
    if document.hash != digest(this.ours.files[path]):
        raise Conflict(f"{path} changed while the team's changes were taken in.")
    edits.retire(document)


def _hold(this: _Round, path: str, reason: str) -> None:
    """Leaves one document as it is, here and there, although it was planned otherwise."""
    this.report.refused.append(Problem(path=path, message=reason))
    if path == INDEX:
        return
    this.held.add(path)
    for listed in (this.report.taken, this.report.removed, this.report.merged, this.report.sent, this.report.conflicts):
        if path in listed:
            listed.remove(path)
    this.agreed.pop(path, None)
    if path in this.theirs.files:
        this.agreed[path] = this.theirs.files[path].id


def _lay_out(this: _Round) -> None:
    """Makes the overview anew from the documents: one of what is here, one of what both sides share (F106)."""
    if this.store.scope != TEAM and this.ours.index is None and this.theirs.index is None:
        return  # no notebook: nobody reads one
    own = {**this.ours.files, **this.writes}
    here = {path: _text(path, data) for path, data in own.items() if path not in this.gone}
    versions = Versions(
        base=this.base_index,
        ours=_text(INDEX, this.ours.index or b""),
        theirs=_without_secrets(this, _index_text(this.repository, this.theirs)),
    )
    texts = {path: here.get(path, "") for path in this.agreed}
    missing = {path: id for path, id in this.agreed.items() if path not in here}
    contents = this.repository.contents(list(missing.values()))
    texts |= {path: _text(path, contents.get(id, b"")) for path, id in missing.items()}
    known = {*this.base, *this.ours.files, *this.theirs.files}
    fresh = known - set(this.base) if this.base else ()
    local = overview(versions, here, gone=known, fresh=fresh)
    shared = overview(versions, texts, gone=known, fresh=fresh)
    if local != versions.ours and (local or this.ours.index is not None):
        this.writes[INDEX] = local.encode("utf-8")
    if not shared or this.theirs.blocked:
        return
    data = shared.encode("utf-8")
    sure, _ = secrets_of(INDEX, data)
    if sure:
        this.report.skipped += sure
        if this.theirs.index is not None:
            this.agreed[INDEX] = this.theirs.index.id
    else:
        this.repository.store([data])
        this.agreed[INDEX] = blob_id(data)


def _without_secrets(this: _Round, text: str) -> str:
    """The team's overview without lines that hold a secret: agents read it when they begin."""
    found, _ = secrets_of(INDEX, text.encode("utf-8"))
    if not found:
        return text
    this.report.skipped += found
    clean = "".join(line for line in text.splitlines(keepends=True) if not secrets_of(INDEX, line.encode("utf-8"))[0])
    return "" if secrets_of(INDEX, clean.encode("utf-8"))[0] else clean


def _send(this: _Round, address: str) -> bool:
    """Gives the remote what it lacks. Whether that is done; if not, somebody else was faster."""
    present = this.theirs.ids | ({INDEX: this.theirs.index.id} if this.theirs.index is not None else {})
    if this.agreed == present:
        return True
    repository = this.repository
    repository.store({**this.ours.files, **this.writes}[path] for path in this.report.sent)
    names = this.theirs.files | ({INDEX: this.theirs.index} if this.theirs.index is not None else {})
    commit = repository.commit([*this.theirs.others, *as_items(this.agreed, names)], MESSAGE, parent=this.head)
    _require_clean(repository, commit, this.head)
    if not repository.push(address, commit, parent=this.head).done:
        return False
    this.report.commit = commit
    documents = _without(this.agreed, {INDEX})
    _settle(this, remote=commit, documents=documents, index=this.agreed.get(INDEX))
    return True


def _require_clean(repository: SharedRepository, commit: str, parent: str) -> None:
    """Looks once more at all that would leave, whatever made it (CC-T2)."""
    leaving = repository.contents(repository.outgoing(commit, parent))
    names = {item.path.decode("utf-8", "replace"): b"" for item in repository.files(commit) if item.id in leaving}
    found = leak({**leaving, **names})
    if found is not None:
        raise Refused(f"What would be sent holds a secret ({found.label}).", hint="Look for it with `scrubjay scan`.")


def _settle(this: _Round, *, remote: str, documents: Mapping[str, str], index: str | None) -> None:
    """Notes what both sides agree on now; about what is held, what they agreed on before."""
    agreed = _without(documents, this.held) | {path: this.base[path] for path in this.held if path in this.base}
    items = [Item(FILE, id, path.encode("utf-8")) for path, id in agreed.items()]
    items += [Item(FILE, index, INDEX.encode())] if index else []
    this.repository.settle(remote=remote, base=this.repository.commit(items, "Agreed"))


def _whole(done: Sequence[SyncReport]) -> SyncReport:
    """The report of all attempts: what the earlier ones brought here is here."""
    last = done[-1]
    for name in ("taken", "removed", "merged", "conflicts", "proposals", "operations"):
        setattr(last, name, list(dict.fromkeys(path for report in done for path in getattr(report, name))))
    return last


def _content(this: _Round, path: str) -> bytes:
    id = this.theirs.files[path].id
    if id not in this.contents:
        raise Unavailable(f"The remote does not give the bytes of {path}.", hint="Run it again.")
    return this.contents[id]


def _index_text(repository: SharedRepository, side: Theirs) -> str:
    if side.index is None:
        return ""
    return _text(INDEX, repository.contents([side.index.id]).get(side.index.id, b""))


def _text(path: str, data: bytes) -> str:
    return to_document(path, data, mtime_ns=0).text


def _without(ids: Mapping[str, str], held: set[str]) -> dict[str, str]:
    return {path: id for path, id in ids.items() if path not in held}
