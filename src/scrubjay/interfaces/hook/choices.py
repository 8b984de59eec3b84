"""The settings that a hook obeys, read without loading all of them (HK-16).

The same files, in the same order, under the same rule of trust as ``config`` has; a value that ``config`` would refuse
leaves the default here, because a hook has nobody to complain to. A test holds the two to be the same.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrubjay.interfaces.hook.places import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INJECT = ("off", "heads", "heads+recall")
_MOST_BYTES = 64_000
_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


class Choices(NamedTuple):
    """The section ``[hooks]``, and what else a hook asks the settings."""

    inject: str = "heads"
    capture: bool = True
    heads: int = 800
    recall: int = 500
    every: int = 10
    index_path: str = ""
    notebook: bool = True


def load(home: str, project: Path | None, environ: Mapping[str, str]) -> Choices:
    """What the files and the environment choose."""
    chosen = Choices()
    own = _file(os.path.join(home, "config.toml"), follow=True)
    layers = [own]
    if project is not None and own and _trusted(own, project, environ):
        folder = os.path.join(project, ".memory")
        layers += [_file(os.path.join(folder, name), follow=False) for name in ("config.toml", "config.local.toml")]
    for layer in layers:
        chosen = _chosen(chosen, lambda key, layer=layer: _value(layer, key))  # type: ignore[misc]
    return _chosen(chosen, lambda key: environ.get(f"SCRUBJAY_{key.replace('.', '_').upper()}") or None, _read)


def _chosen(
    before: Choices, value: Callable[[str], Any], read: Callable[[Any, Any], Any] = lambda _, given: given
) -> Choices:
    changes: dict[str, Any] = {}
    for key, allowed in _ALLOWED.items():
        field = _FIELDS.get(key, key.partition(".")[2])
        given = value(key)
        given = None if given is None else read(getattr(before, field), given)
        if given is not None and type(given) is type(getattr(before, field)) and allowed(given):
            changes[field] = given
    return before._replace(**changes)


_FIELDS = {"index.path": "index_path", "notebook.enabled": "notebook"}
_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "hooks.inject": lambda value: value in INJECT,
    "hooks.capture": lambda _: True,
    "hooks.heads": lambda value: 0 <= value <= 2_000,
    "hooks.recall": lambda value: 0 <= value <= 2_000,
    "hooks.every": lambda value: 0 <= value <= 1_440,
    "index.path": lambda value: "\x00" not in value,
    "notebook.enabled": lambda _: True,
}


def _read(default: Any, text: str) -> Any:
    """What an environment variable means where ``default`` is the kind of value."""
    if isinstance(default, bool):
        return _WORDS.get(text.strip().lower())
    if isinstance(default, int):
        return int(text) if text.strip().removeprefix("-").isdecimal() else None
    return text


def _value(layer: Mapping[str, Any], key: str) -> Any:
    section, _, name = key.partition(".")
    table = layer.get(section)
    return table.get(name) if isinstance(table, dict) else None


def _trusted(own: Mapping[str, Any], project: Path, environ: Mapping[str, str]) -> bool:
    listed = _value(own, "trust.projects")
    real = os.path.realpath(project)
    return isinstance(listed, list) and any(
        isinstance(each, str) and each and os.path.realpath(expanded(each, environ)) == real for each in listed
    )


def _file(path: str, *, follow: bool) -> dict[str, Any]:
    if not follow and (os.path.islink(path) or os.path.islink(os.path.dirname(path))):
        return {}
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(os.open(path, flags), "rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError:
        return {}
    if len(data) > _MOST_BYTES or any(len(line) > 1_000 for line in data.split(b"\n")):
        return {}
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
