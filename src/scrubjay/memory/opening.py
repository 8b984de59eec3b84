"""Finding and wiring what a memory consists of: which vaults, which index for each, which models.

The one place that knows every implementation. Nothing here is created before it is needed: a vault's folder by its
first write, an index by its first opening.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay import config
from scrubjay.config import Settings
from scrubjay.errors import BadInput, NotFound, Refused, Unavailable
from scrubjay.operations.store import Store
from scrubjay.vaults import identity
from scrubjay.vaults.dialects.claude_memory import host as claude_host
from scrubjay.vaults.dialects.claude_memory import paths as claude_paths
from scrubjay.vaults.paths import resolve
from scrubjay.vaults.projects import Projects

if TYPE_CHECKING:
    from scrubjay.models.llm.access import Access
    from scrubjay.operations.extract import Reader
    from scrubjay.ports import Selector

PROJECT_FOLDER = ".memory"
CLAUDE_MEMORY = "claude_memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one store lives: its scope, its vault's folder, its index's folder.

    For the folder of another program also its ``dialect``, the folder of ours ``beside`` it, and which folders in it
    are vaults of their own.
    """

    scope: str
    vault: Path
    index: Path
    dialect: str = ""
    beside: Path | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Every store of a memory, and the project it was found in. ``absent`` are those that could be and are not yet."""

    home: Path
    project: Path | None
    stores: tuple[Place, ...]
    absent: tuple[Place, ...] = ()
    warnings: tuple[str, ...] = ()


def find(path: Path | None, home: Path | None, cwd: Path, environ: Mapping[str, str]) -> Places:
    """The places of a memory: one given vault, or those that belong to ``cwd``, as the command line sees it.

    A folder that holds ``.memory/`` means that vault. Raises ``NotFound`` when ``path`` is not a folder and cannot
    become one, ``Refused`` when its ``.memory`` is a link that leads out of it.
    """
    root = config.home(environ) if home is None else absolute(home)
    if path is not None:
        return Places(home=root, project=None, stores=(_named(absolute(path), root),))
    stores = [_place("user", root / "vault", root)]
    project = identity.project_root(cwd)
    if project is not None:
        key = Projects(root).identify(project)
        stores.append(_place("local", root / "projects" / key / "vault", root))
        shared, warning = _shared_vault(project)
        if shared is not None:
            stores.append(_place("project", shared, root))
        return Places(home=root, project=project, stores=tuple(stores), warnings=warning)
    return Places(home=root, project=None, stores=tuple(stores))


def shared_vault(project: Path) -> Path:
    """The vault that ``project`` shares, whether it exists or not.

    Raises ``Refused`` when it is a link that does not stay in the project: such a link came with a hostile clone.
    """
    try:
        return resolve(project, PROJECT_FOLDER)
    except Refused:
        raise Refused(
            f"{project / PROJECT_FOLDER} is a link that does not stay in the project.", hint="Remove the link."
        ) from None


def absolute(path: Path) -> Path:
    """``path`` from the root of the disk. Raises ``Unavailable`` where the current folder was deleted, and
    ``BadInput`` where ``~`` names nobody."""
    try:
        path = path.expanduser()
    except RuntimeError:
        raise BadInput(f"{path} begins with a home folder that is not known.", hint="Write the path in full.") from None
    return path if path.is_absolute() else current_folder() / path


def current_folder(vault: str | os.PathLike[str] | None = None) -> Path:
    """Where this process is; only a relative path needs to know, so a full path of a ``vault`` stands in for it.

    Raises ``Unavailable`` where the folder was deleted.
    """
    try:
        return Path.cwd()
    except OSError:
        if vault is not None and os.path.isabs(os.path.expanduser(vault)):
            return Path(os.path.expanduser(vault))
        raise Unavailable(
            "The current folder does not exist any more.", hint="Change to another folder, or give a full path."
        ) from None


def settings(places: Places, environ: Mapping[str, str], overrides: Mapping[str, object]) -> Settings:
    """The settings in force for ``places``."""
    loaded = Settings.load(places.home, places.project, environ, overrides)
    return replace(loaded, warnings=(*loaded.warnings, *places.warnings))


def notebooks(places: Places, settings: Settings, cwd: Path, environ: Mapping[str, str]) -> Places:
    """``places`` with the memory that the coding agent itself keeps of the project around ``cwd``, and its team's,
    where there is any (XC-3)."""
    if not settings.notebook.enabled or (places.project is None and _is_home(cwd, environ)):
        return places
    host = claude_paths.host_settings(places.project, environ, trusted=trusted(places, settings, environ))
    found = claude_paths.auto_memory(cwd, environ, host)
    more = notebook_places(found.path, places.home)
    there = tuple(place for place in more if place.vault.is_dir())
    return replace(
        places,
        stores=(*places.stores, *there),
        # One is begun in a project only: any folder may be the current one.
        absent=tuple(place for place in more if place not in there) if places.project is not None or there else (),
        warnings=(*places.warnings, *found.problems),
    )


def _is_home(cwd: Path, environ: Mapping[str, str]) -> bool:
    """Whether ``cwd`` is the home folder, which is no project, or one above it."""
    home, here = (Path(os.path.realpath(path)) for path in (environ.get("HOME") or Path.home(), cwd))
    return here == home or here in home.parents


def notebook_places(folder: Path, home: Path) -> tuple[Place, Place]:
    """The places of an agent's memory in ``folder`` and of its team's, whether they exist or not."""
    own, team = _place("notebook", folder, home), _place("team", claude_paths.team(folder), home)
    foreign = [
        replace(place, dialect=CLAUDE_MEMORY, beside=home / "beside" / place.index.name) for place in (own, team)
    ]
    return replace(foreign[0], without=(claude_host.TEAM,)), foreign[1]


def trusted(places: Places, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether what comes with the project is obeyed in all things (F112)."""
    return places.project is not None and config.lists(settings.trust.projects, places.project, environ)


def open_store(place: Place, settings: Settings) -> Store:
    """Opens vault and index of one place."""
    from scrubjay.index.sqlite import SqliteIndex
    from scrubjay.vaults.folder import FolderVault

    vault = FolderVault(place.vault, suffixes=settings.vault.suffixes, beside=place.beside, without=place.without)
    index = SqliteIndex(_index_folder(place, settings), fingerprint=fingerprint(), durability=settings.write.durability)
    return Store(vault=vault, index=index, scope=place.scope, key=place.index.name, dialect=place.dialect)


def reader(settings: Settings, zone: tzinfo, access: Access) -> Reader:
    """What reads conversations: rules, which need nothing, behind the language model where there is one (MX-12)."""
    from scrubjay.operations.episodes import ExtractiveSummarizer
    from scrubjay.operations.extract import Reader, RuleJudge, StatementExtractor

    return Reader(
        extractor=access.extractor(StatementExtractor(todo_days=settings.extract.todo_days)),
        judge=access.judge(RuleJudge()),
        summarizer=access.summarizer(ExtractiveSummarizer()),
        zone=zone,
        settings=settings.extract,
    )


def selector(settings: Settings, access: Access, own: Selector) -> Selector:
    """What chooses memories of a notebook: ``own``, behind the language model if the settings say so (CC-S3)."""
    from scrubjay.vaults.dialects.claude_memory.scan import manifest

    return access.selector(own, manifest=manifest) if settings.notebook.selector == "model" else own


def access(places: Places, settings: Settings, environ: Mapping[str, str]) -> Access:
    """The access to a language model that ``settings`` allow; all memories of a home share one account."""
    from scrubjay.models.llm.access import Access

    return Access(settings.llm, environ, places.home / "state")


def fingerprint() -> str:
    """What an index depends on: when it changes, the index is rebuilt from the vault."""
    from scrubjay.operations import indexing

    return f"records={indexing.VERSION}"


def _shared_vault(project: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The project's own vault; one that is a link out of the project came with a hostile clone and is left out."""
    folder = project / PROJECT_FOLDER
    if not folder.is_dir():
        return None, ()
    try:
        return shared_vault(project), ()
    except Refused as error:
        return None, (f"The vault {folder} was not opened: {error.message}",)


def _foreign(place: Place, home: Path) -> Place:
    return replace(place, dialect=CLAUDE_MEMORY, beside=home / "beside" / place.index.name)


def _named(folder: Path, home: Path) -> Place:
    """The place of a vault that was named: the folder itself, or the ``.memory/`` in it."""
    scope = "user"
    if (folder / PROJECT_FOLDER).is_dir():
        folder = folder / PROJECT_FOLDER
    if folder.name == PROJECT_FOLDER:
        scope, folder = "project", shared_vault(folder.parent)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file, not a folder of memories.", hint="Name the folder that holds it.")
    if not folder.parent.exists():
        raise NotFound(f"{folder.parent} does not exist.", hint="Create the folder first, or check the path.")
    return _place(scope, folder, home)


def _index_folder(place: Place, settings: Settings) -> Path:
    return Path(settings.index.path).expanduser() / place.index.name if settings.index.path else place.index


def _place(scope: str, vault: Path, home: Path) -> Place:
    return Place(scope=scope, vault=vault, index=home / "state" / "index" / identity.index_name(str(vault)))
