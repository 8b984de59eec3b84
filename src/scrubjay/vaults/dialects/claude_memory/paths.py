"""Where the host keeps its memories (CC-P1 … CC-P6). Nothing here is made or written.

Settings that come with a clone are obeyed only in a project that is trusted, so that no repository says which folder
is read (F112).
"""

from __future__ import annotations

import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scrubjay.vaults.dialects.claude_memory import host
from scrubjay.vaults.identity import claude_key, project_root

_MOST_BYTES = 1 << 20
_OFF = frozenset({"0", "false", "no", "off", ""})
_NAME = re.compile(r"[^\w.-]")
_HEAD = 64 * 1024
_HELD_IN = re.compile(rb'"cwd":\s*("(?:[^"\\]|\\.){1,4000}")')


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What the host's settings files say about memory; ``None`` where they say nothing. ``problems`` name what could
    not be read or was not obeyed."""

    directory: str | None = None
    enabled: bool | None = None
    dream: bool | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoMemory:
    """The folder of a project's memory, whether the host itself uses it, and why it is this one."""

    path: Path
    enabled: bool
    why: str
    problems: tuple[str, ...] = ()


def base(environ: Mapping[str, str]) -> Path:
    """The host's own folder: ``CLAUDE_CONFIG_DIR``, or ``.claude`` in the home directory."""
    named = environ.get(host.CONFIG_DIR)
    return Path(named) if named else _home(environ) / host.FOLDER


def canonical_root(cwd: Path) -> Path:
    """The folder whose memory ``cwd`` shares: the git root of all its worktrees, else ``cwd`` itself (F101)."""
    return project_root(cwd) or Path(os.path.realpath(cwd))


def host_settings(project: Path | None, environ: Mapping[str, str], *, trusted: bool = False) -> HostSettings:
    """What the settings files say: the user's, and those of ``project`` where it is ``trusted``; the nearer wins."""
    values: dict[str, object] = {}
    problems: list[str] = []
    for file, obeyed in _settings_files(project, environ, trusted):
        found, problem = _read(file)
        if problem:
            problems.append(problem)
        if not obeyed and host.DIRECTORY_SETTING in found:
            problems.append(f"{file}: {host.DIRECTORY_SETTING} is not obeyed, because the project is not trusted.")
        values.update(found if obeyed else {})
    directory = values.get(host.DIRECTORY_SETTING)
    return HostSettings(
        directory=directory if isinstance(directory, str) else None,
        enabled=_switch(values.get(host.ENABLED_SETTING)),
        dream=_switch(values.get(host.DREAM_SETTING)),
        problems=tuple(problems),
    )


def auto_memory(cwd: Path, environ: Mapping[str, str], settings: HostSettings | None = None) -> AutoMemory:
    """The auto memory of the project around ``cwd``: overrides first, in their order (CC-P3), then its key (CC-P1).

    An override that is unsafe is named in ``problems`` and passed over. ``enabled`` follows CC-P4.
    """
    settings = settings if settings is not None else HostSettings()
    problems = list(settings.problems)
    named = (
        (host.PATH_OVERRIDE, environ.get(host.PATH_OVERRIDE) or None, False),
        (host.DIRECTORY_SETTING, settings.directory, True),
    )
    for name, value, tilde in named:
        if value is None:
            continue
        path, wrong = _override(value, environ, tilde=tilde)
        if path is not None:
            return _found(path, name, environ, settings, problems)
        problems.append(f"{name} is not obeyed: {wrong}.")
    root = canonical_root(cwd)
    key, why = _key(root, environ, problems)
    return _found(_folder_of(key, environ, _real(root)) / host.MEMORY, why, environ, settings, problems)


def transcripts_of(cwd: Path, environ: Mapping[str, str]) -> Path:
    """The folder of the sessions that were held in ``cwd``, which is keyed by the folder itself (CC-P1)."""
    return _folder_of(claude_key(_real(cwd)), environ, _real(cwd))


def agent_memory(name: str, cwd: Path, environ: Mapping[str, str]) -> dict[str, Path]:
    """The memory folders of the agent ``name`` by their scope: ``user``, ``project``, ``local`` (CC-P5)."""
    safe = agent_folder(name)
    here = Path(os.path.realpath(cwd)) / host.FOLDER
    return {
        "user": base(environ) / host.AGENT_MEMORY / safe,
        "project": here / host.AGENT_MEMORY / safe,
        "local": here / host.AGENT_MEMORY_LOCAL / safe,
    }


def agent_folder(name: str) -> str:
    """The folder name of an agent; what leads elsewhere, such as the colon of a plugin's agents, is a dash."""
    return _NAME.sub("-", unicodedata.normalize("NFC", name)).strip(".")[:100] or "agent"


def agents(cwd: Path, environ: Mapping[str, str]) -> Iterator[tuple[str, str, Path]]:
    """Every agent memory that there is for ``cwd``: the agent's name, the scope, the folder. One that a project leads
    out of itself with a link is left out: it came with a hostile clone (F112)."""
    for scope, folder in agent_memory("x", cwd, environ).items():
        if scope != "user" and not stays_inside(folder.parent, cwd):
            continue
        try:
            names = sorted(entry.name for entry in os.scandir(folder.parent) if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
        yield from ((name, scope, folder.parent / name) for name in names if agent_folder(name) == name)


def stays_inside(folder: Path, cwd: Path) -> bool:
    """Whether ``folder``, links resolved, lies in ``cwd``. Ask it of every folder that comes with a project."""
    return Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(cwd))


def team(path: Path) -> Path:
    """The team's memory inside the auto memory at ``path`` (CC-P6)."""
    return path / host.TEAM


def _found(path: Path, why: str, environ: Mapping[str, str], settings: HostSettings, problems: list[str]) -> AutoMemory:
    return AutoMemory(path=path, enabled=_enabled(environ, settings), why=why, problems=tuple(problems))


def _enabled(environ: Mapping[str, str], settings: HostSettings) -> bool:
    switch = environ.get(host.DISABLE)
    if switch is not None and switch != "":
        return switch.strip().casefold() in _OFF
    if environ.get(host.SIMPLE, "").strip().casefold() not in _OFF:
        return False
    return settings.enabled is not False


def _override(value: str, environ: Mapping[str, str], *, tilde: bool) -> tuple[Path | None, str]:
    """The folder that an override names, or why it is not taken."""
    wrong = _unsafe(value)
    if wrong:
        return None, wrong
    home = Path(os.path.realpath(_home(environ)))
    path = Path(os.path.normpath(home / value[2:] if tilde and value.startswith("~/") else value))
    if not path.is_absolute():
        return None, "it is not an absolute path"
    real = Path(os.path.realpath(path))
    if real == Path(real.anchor):
        return None, "it is the root of a disk"
    if real == home or real in home.parents:
        return None, "it is the home folder or one above it"
    return path, ""


def _unsafe(value: str) -> str:
    if "\x00" in value:
        return "it holds a NUL character"
    if len(value) < 3:
        return "it is too short to be a folder of its own"
    if value.startswith(("\\\\", "//")):
        return "it is a network path"
    if re.fullmatch(r"[A-Za-z]:[\\/]*", value):
        return "it is the root of a disk"
    return ""


def _key(root: Path, environ: Mapping[str, str], problems: list[str]) -> tuple[str, str]:
    named = environ.get(host.PROJECT_DIR_NAME)
    if named and environ.get(host.CONFIG_DIR):
        if named not in (".", "..") and not re.search(r"[/\\\x00]", named) and len(named) <= 255:
            return named, host.PROJECT_DIR_NAME
        problems.append(f"{host.PROJECT_DIR_NAME} is not obeyed: it is not the name of a folder.")
    return claude_key(_real(root)), "the project's key"


def _folder_of(key: str, environ: Mapping[str, str], place: str = "") -> Path:
    """The folder of ``key``, which the path ``place`` has. Builds of the host hash what is beyond the limit in
    different ways, so a long key also means the one folder that begins as it does, unless it is another place's
    (CC-P2)."""
    projects = base(environ) / host.PROJECTS
    exact = projects / key
    if len(key) <= host.MAX_KEY or exact.is_dir():
        return exact
    try:
        names = sorted(name for name in os.listdir(projects) if name.startswith(f"{key[: host.MAX_KEY]}-"))
    except OSError:
        return exact
    near = [projects / name for name in names if _may_be_of(projects / name, place)]
    return near[0] if len(near) == 1 else exact


def _may_be_of(folder: Path, place: str) -> bool:
    """Whether the sessions in ``folder`` were held in or below ``place``, as far as one of them says."""
    for file in sorted(folder.glob("*.jsonl"))[-3:]:
        try:
            with file.open("rb") as stream:
                found = _HELD_IN.search(stream.read(_HEAD))
            if found is not None:
                held = unicodedata.normalize("NFC", os.path.realpath(json.loads(found[1])))
                return Path(held).is_relative_to(place)
        except (OSError, ValueError):
            continue
    return True


def _settings_files(project: Path | None, environ: Mapping[str, str], trusted: bool) -> Iterator[tuple[Path, bool]]:
    yield base(environ) / host.SETTINGS, True
    if project is not None:
        yield project / host.FOLDER / host.SETTINGS, trusted
        yield project / host.FOLDER / host.SETTINGS_LOCAL, trusted


def _read(file: Path) -> tuple[dict[str, object], str]:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return {}, f"{file} is not a file."
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}, ""
    except OSError as error:
        return {}, f"{file} cannot be read: {error.strerror}."
    if len(data) > _MOST_BYTES:
        return {}, f"{file} is too big to be settings."
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}, f"{file} is not JSON."
    return (found, "") if isinstance(found, dict) else ({}, f"{file} does not hold settings.")


def _switch(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _real(path: Path) -> str:
    return unicodedata.normalize("NFC", os.path.realpath(path))


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or os.path.expanduser("~"))
