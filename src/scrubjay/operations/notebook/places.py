"""Every notebook that can be seen from a folder: the project's, its team's, those of single agents (XC-3, CC-P5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubjay.vaults.dialects.claude_memory import host, paths, scan
from scrubjay.vaults.dialects.claude_memory.paths import HostSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A notebook at ``path``. ``memories`` counts its topic files, up to as many as a host looks at; ``enabled`` tells
    whether the host itself writes there, ``why`` what made it this folder."""

    scope: str
    path: Path
    there: bool
    memories: int
    enabled: bool
    why: str


def seen(cwd: Path, environ: Mapping[str, str], settings: HostSettings) -> list[Seen]:
    """The notebooks for whoever works in ``cwd``: the project's in any case, the others where there are any."""
    auto = paths.auto_memory(cwd, environ, settings)
    return [_seen("notebook", auto.path, auto.enabled, auto.why), *_others(cwd, environ, auto)]


def _others(cwd: Path, environ: Mapping[str, str], auto: paths.AutoMemory) -> Iterator[Seen]:
    team = paths.team(auto.path)
    if team.is_dir():
        yield _seen(host.TEAM, team, auto.enabled, "the team's part of it")
    for name, scope, folder in paths.agents(cwd, environ):
        yield _seen(f"agent:{name}", folder, auto.enabled, f"the agent's memory for the {_WHOSE[scope]}")


_WHOSE = {"user": "user", "project": "project", "local": "user in this project"}


def _seen(scope: str, path: Path, enabled: bool, why: str) -> Seen:
    return Seen(scope=scope, path=path, there=path.is_dir(), memories=len(scan.scan(path)), enabled=enabled, why=why)
