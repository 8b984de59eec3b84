"""The open stores of a memory with its models, and closing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from scrubjay.config import Settings
from scrubjay.errors import BadInput, ScrubjayError
from scrubjay.memory import arguments
from scrubjay.memory.arguments import Moment
from scrubjay.memory.stores import Stores

if TYPE_CHECKING:
    from scrubjay.models.llm.access import Access
    from scrubjay.operations.extract import Desk, Reader
    from scrubjay.operations.store import Store
    from scrubjay.ports import Embedder, Reranker, Selector

PRIVATE = frozenset({"user", "local"})

Result = TypeVar("Result")


class Opened:
    """Stores, settings and models of an open memory."""

    def __init__(
        self,
        stores: Sequence[Store],
        *,
        settings: Settings,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        reader: Callable[[], Reader] | None = None,
        access: Access | None = None,
        background: bool = True,
        zone: tzinfo = UTC,
        home: Path | None = None,
        project: Path | None = None,
        selector: Callable[[Selector], Selector] | None = None,
        absent: Mapping[str, Callable[[], Store]] | None = None,
    ) -> None:
        from scrubjay.operations.worker import Worker

        self.settings = settings
        self.zone = zone
        self._home = home
        self._project = project
        self._selector = selector if selector is not None else lambda own: own
        self._stores = Stores(stores, settings.write.default_scope)
        self._embedder = embedder
        self._reranker = reranker
        self._reader = reader
        desk = self._desk if reader is not None and settings.extract.enabled else None
        self._worker = Worker(self._stores, lambda: self._embedder, background=background, desk=desk)
        self._access = access
        self._absent = dict(absent or {})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops background work after the batch at hand, renews overviews that were left old, and closes the indexes.
        Closing twice is harmless."""
        self._worker.stop()
        if self._access is not None:
            self._access.close()  # nobody waits for a language model
        self._worker.close()
        for store in self._stores:
            _renew_overviews(store)
            store.index.close()

    @property
    def scopes(self) -> dict[str, str]:
        """Each scope of this memory and where its vault is."""
        return {store.scope: store.vault.name for store in self._stores}

    def _for_writing(self, scope: str | None, category: str = "") -> Store:
        return self._stores.for_writing(arguments.optional_string(scope, "scope"), category)

    def _to_be_read(self, store: Store, paths: Sequence[str]) -> None:
        """Asks for facts and summaries of the transcripts at ``paths``, unless that is switched off."""
        from scrubjay.operations import extract

        if self._reader is not None and self.settings.extract.enabled:
            extract.request(store, paths, summaries=self.settings.extract.summaries)

    def _desk(self) -> Desk:
        """What reads conversations, and where facts go."""
        from scrubjay.operations.extract import Desk

        if self._reader is None:
            raise BadInput("This memory was opened without anything that reads conversations.")
        return Desk(reader=self._reader(), route=self._stores.for_facts)

    def _made(self, scope: str) -> Store:
        """The store of ``scope``, also where nothing was written to it yet: its folder is made by the first write.

        Raises ``BadInput`` for a scope that cannot be here.
        """
        if scope in self._absent and all(store.scope != scope for store in self._stores):
            self._stores.add(self._absent.pop(scope)())
        return self._stores.chosen([scope])[0]

    def _reopen(self) -> None:
        """Opens what is opened on demand only and was written before, so that all of it can be taken back."""

    def _moment(self, value: Moment | None, name: str) -> datetime | None:
        return arguments.moment(value, name, zone=self.zone)

    def _woken(self, result: Result) -> Result:
        self._worker.wake()
        return result


def _renew_overviews(store: Store) -> None:
    """Makes the overviews anew if a memory was written since: once for all that was done, not once a note (SM-31)."""
    from scrubjay.operations import indices

    # What cannot be done here is done, or reported, by the next sync.
    with suppress(ScrubjayError):
        if indices.old(store):
            indices.regenerate(store)
