"""The memory of an agent: one door to everything Scrubjay does. The command line and every server go through it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import TYPE_CHECKING, Self

from scrubjay.memory import arguments, opening
from scrubjay.memory.asking import Asking
from scrubjay.memory.capturing import Capturing
from scrubjay.memory.conversing import Conversing
from scrubjay.memory.dreaming import Dreaming
from scrubjay.memory.filing import Filing
from scrubjay.memory.journaling import Journaling
from scrubjay.memory.learning import Learning
from scrubjay.memory.noting import Noting
from scrubjay.memory.selecting import Selecting
from scrubjay.memory.sessions import Sessions
from scrubjay.memory.sharing import Sharing
from scrubjay.memory.upkeep import Upkeep
from scrubjay.memory.writing import Writing

if TYPE_CHECKING:
    from scrubjay.ports import Embedder, Reranker


class Memory(
    Sessions,
    Writing,
    Selecting,
    Asking,
    Learning,
    Capturing,
    Conversing,
    Dreaming,
    Filing,
    Journaling,
    Noting,
    Sharing,
    Upkeep,
):
    """What an agent remembers, in one or several vaults.

    Open it with ``Memory.open()`` and close it, best with ``with``. Every method raises a subclass of
    ``ScrubjayError`` for what cannot be done; what was not found, was known already or is not answered is a value.
    One instance may be used from several threads.
    """

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        settings: Mapping[str, object] | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        sync: bool = True,
        background: bool = True,
        zone: tzinfo | None = None,
    ) -> Self:
        """Opens a memory.

        Without arguments it is the one that the command line would find from the current folder: the user's vault,
        and inside a project that project's private and shared vaults. ``path`` names a single vault instead, any
        folder of Markdown. ``home`` replaces ``SCRUBJAY_HOME``, ``cwd`` the current folder. ``settings`` maps keys such
        as ``recall.limit`` to values. ``embedder`` and ``reranker`` replace the configured models. ``sync`` takes in
        what changed on disk since the last time. ``background`` lets a thread compute vectors. ``zone`` is the user's
        time zone, for "yesterday" in questions and for times without one; it defaults to the machine's.
        """
        from scrubjay.models import registry

        arguments.zone(zone, "zone")
        arguments.model(embedder, "embedder", "name", "dimensions", "passages", "query")
        arguments.model(reranker, "reranker", "name", "scores")
        overrides = arguments.mapping(settings, "settings")
        here = arguments.path(cwd, "cwd") if cwd is not None else opening.current_folder(path)
        places = opening.find(
            arguments.path(path, "path") if path is not None else None,
            arguments.path(home, "home") if home is not None else None,
            here,
            os.environ,
        )
        chosen = opening.settings(places, os.environ, overrides)
        if path is None:
            places = opening.notebooks(places, chosen, here, os.environ)
            chosen = replace(chosen, warnings=tuple(dict.fromkeys((*chosen.warnings, *places.warnings))))
        access = opening.access(places, chosen, os.environ)
        stores = [opening.open_store(place, chosen) for place in places.stores]
        zone = zone if zone is not None else _local_zone()
        memory = cls(
            stores,
            settings=chosen,
            reader=partial(opening.reader, chosen, zone, access),
            embedder=embedder if embedder is not None else registry.embedder(chosen.models, os.environ),
            reranker=reranker if reranker is not None else registry.reranker(chosen.models, os.environ),
            access=access,
            background=background,
            zone=zone,
            absent={place.scope: partial(opening.open_store, place, chosen) for place in places.absent},
            home=places.home,
            project=places.project,
            selector=partial(opening.selector, chosen, access),
        )
        try:
            if sync:
                memory.sync()
        except BaseException:
            memory.close()
            raise
        return memory


def _local_zone() -> tzinfo:
    try:
        zone = datetime.now().astimezone().tzinfo
    except (ValueError, OverflowError, OSError):  # TZ may say anything, such as UTC+25
        return UTC
    return zone if zone is not None else UTC
