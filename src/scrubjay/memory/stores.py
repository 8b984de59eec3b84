"""Which of a memory's stores is meant: by scope, by id, by name, by operation. What is not here is an error (F99)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from scrubjay.errors import BadInput, NotFound, Refused, ScrubjayError
from scrubjay.operations import notes
from scrubjay.operations.store import Store
from scrubjay.types import Operation

# Categories about the person rather than the project.
PERSONAL = frozenset({"preference", "identity"})
# Operations that "undo" without an id does not mean: nobody asked for their changes.
_UNASKED = frozenset({"undo", "count"})


class Stores:
    """The stores of one memory, in the order user, local, project."""

    def __init__(self, stores: Iterable[Store], default_scope: str) -> None:
        self._all = tuple(stores)
        self._default_scope = default_scope

    def add(self, store: Store) -> None:
        """Takes in a store that was opened later than the others."""
        self._all = (*self._all, store)

    def __iter__(self) -> Iterator[Store]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, place: int) -> Store:
        return self._all[place]

    def for_writing(self, scope: str | None, category: str) -> Store:
        """Where something new of ``category`` goes. Raises ``BadInput`` for a scope that is not here, ``Refused`` for
        what everybody would read although nobody said so."""
        own = [store for store in self._all if not store.dialect]
        if len(own) == 1 and scope is None:
            if own[0].scope == "project":
                raise Refused(
                    "This vault is shared by everybody who has the project.", hint="Add --scope project to share it."
                )
            return own[0]
        if scope is not None and any(store.scope == scope for store in self._all if store.dialect):
            raise BadInput(
                f"The scope {scope!r} is the memory of another program, with files of its own kind.",
                hint="Use `scrubjay notebook save`, or another scope.",
            )
        by_scope = {store.scope: store for store in own}
        wanted = scope or usual_scope(category, by_scope, self._default_scope)
        if wanted not in by_scope:
            known = f"Known: {', '.join(by_scope)}."
            hint = "Run `scrubjay init` in the project first." if wanted == "project" else known
            raise BadInput(f"There is no scope {wanted!r} here.", hint=hint)
        return by_scope[wanted]

    def for_facts(self, store: Store, category: str) -> Store:
        """Where a fact of ``category`` goes that was said in a conversation of ``store``: what is about the person to
        the user's own vault, all else stays where it was said. Nothing goes where others read."""
        if store.scope != "local" or category.casefold() not in PERSONAL:
            return store
        return next((other for other in self._all if other.scope == "user"), store)

    def of_fact(self, id: str) -> Store:
        """The store that holds the fact ``id``. Raises ``NotFound``, or ``BadInput`` when several hold it."""
        records = ((store, store.index.record(id)) for store in self._all)
        found = [store for store, record in records if record is not None and record.layer == "facts"]
        if not found:
            raise NotFound(f"No fact has the id {id!r}.", hint="List the facts with `scrubjay facts`.")
        return _only(found, id)

    def with_name(self, name: str) -> Store:
        """The store that holds what ``name`` means: an id, a file name, a path. Raises ``NotFound``, or ``BadInput``
        for a name that several documents have."""
        found: list[Store] = []
        ambiguous: ScrubjayError | None = None
        for store in self._all:
            try:
                if store.index.record(name) is None:
                    notes.find(store, name)
                found.append(store)
            except NotFound:
                continue
            except BadInput as error:
                ambiguous = error
        if ambiguous is not None:
            raise ambiguous
        if not found:
            raise NotFound(f"Nothing in the memory is called {name!r}.", hint="Look for it with `scrubjay search`.")
        return _only(found, name)

    def chosen(self, scopes: Iterable[str] | None) -> list[Store]:
        """The stores of ``scopes``, all of them for ``None``. An unknown or empty choice never widens to all (F99)."""
        if scopes is None:
            return list(self._all)
        wanted = {scopes} if isinstance(scopes, str) else set(scopes)
        known = {store.scope for store in self._all}
        unknown = sorted(map(str, wanted - known))
        if unknown or not wanted:
            asked = ", ".join(unknown) or "(none)"
            raise BadInput(f"There is no scope {asked} here.", hint=f"Known: {', '.join(sorted(known))}.")
        return [store for store in self._all if store.scope in wanted]

    def undoable(self, id: str | None) -> tuple[Store, Operation]:
        """The operation ``id``, or the newest that can be undone, with its store. Raises ``NotFound``, ``BadInput``."""
        journal = [(store, operation) for store in self._all for operation in store.index.operations(1000)]
        journal.sort(key=lambda entry: entry[1].id, reverse=True)
        for store, operation in journal:
            if id is None and not operation.undone and operation.verb not in _UNASKED and operation.changes:
                return store, operation
            if id == operation.id:
                if operation.undone:
                    raise BadInput(f"Operation {id} was undone already.")
                return store, operation
        raise NotFound("There is nothing to undo." if id is None else f"No operation has the id {id!r}.")


def usual_scope(category: str, available: Collection[str], default: str) -> str:
    """Where something of ``category`` goes when nobody says so; ``default`` is the setting for it."""
    if default != "auto":
        return default
    return "local" if "local" in available and category.casefold() not in PERSONAL else "user"


def _only(found: Sequence[Store], name: str) -> Store:
    """The one store meant. The same note or conversation may lie in two vaults: no guess decides which (F25)."""
    if len(found) > 1:
        scopes = " and ".join(store.scope for store in found)
        raise BadInput(
            f"{name!r} is in the scopes {scopes}.",
            hint=f"Open one of the vaults alone, with `--vault {found[-1].vault.name}`.",
        )
    return found[0]
