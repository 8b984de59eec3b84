"""Where a memory lies, as ``memory.opening`` finds it, found without loading what opens it (HK-16)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrubjay.vaults import identity
from scrubjay.vaults.known import known_project

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT_FOLDER = ".memory"


class Store(NamedTuple):
    """One vault and the folder of its index."""

    scope: str
    vault: str
    index_folder: str


def home(environ: Mapping[str, str]) -> str:
    """The user's own folder, as ``config.home`` names it. Raises ``ValueError`` where there is no home directory."""
    given = environ.get("SCRUBJAY_HOME") or "~/.scrubjay"
    path = expanded(given, environ)
    if path.startswith("~/"):
        raise ValueError(given)
    return os.path.abspath(path)


def expanded(path: str, environ: Mapping[str, str]) -> str:
    """``path`` with a leading ``~/`` replaced by the home directory."""
    user = environ.get("HOME") or os.path.expanduser("~")
    if path != "~" and not path.startswith("~/"):
        return path
    return path if user.startswith("~") else os.path.join(user, path[2:])


def project(cwd: str) -> Path | None:
    """The project around ``cwd``."""
    return identity.project_root(Path(cwd)) if cwd else None


def stores(home: str, project: Path | None, index: str) -> list[Store]:
    """The stores that a memory opened in ``project`` has, the most special first. ``index`` is the setting
    ``index.path``. A shared vault that is a link is left out: it may have come with a hostile clone."""
    found = []
    if project is not None:
        known = known_project(home, project)
        if known is not None:
            found.append(_store("local", os.path.join(home, "projects", known, "vault"), home, index))
        shared = os.path.join(project, PROJECT_FOLDER)
        if os.path.isdir(shared) and not os.path.islink(shared):
            found.append(_store("project", shared, home, index))
    return [*found, _store("user", os.path.join(home, "vault"), home, index)]


def _store(scope: str, vault: str, home: str, index: str) -> Store:
    folder = expanded(index, os.environ) if index else os.path.join(home, "state", "index")
    return Store(scope, vault, os.path.join(folder, identity.index_name(vault)))
