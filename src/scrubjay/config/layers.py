"""Lays the layers of settings over one another, and keeps out what a layer may not set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrubjay.config.files import Given, printable, read_file
from scrubjay.config.sections import SECTIONS, table
from scrubjay.config.table import Reach, Setting
from scrubjay.errors import BadSetting

WARNING_LIMIT = 10
"""So many warnings a project file may cause; a hostile one shall not flood a terminal."""

_OTHER_VARIABLES = frozenset({"SCRUBJAY_HOME", "SCRUBJAY_DATABASE_URL", "SCRUBJAY_MCP_TOKEN"})
_MAY_SET: Mapping[Reach, tuple[Reach, ...]] = MappingProxyType(
    {"project": ("project",), "trusted": ("project", "trusted"), "home": ("project", "trusted", "home")}
)


class Draft:
    """Settings while they are put together: values and origins by key, and what was ignored."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.origins: dict[str, str] = {}
        self.warnings: list[str] = []

    def add_home_file(self, path: Path) -> None:
        """Everything in it must be right. Raises ``BadSetting``."""
        for given in _entries(path, follow=True):
            self._put(*_checked(given, reach="home"), given.where)

    def add_project_file(self, path: Path, *, trusted: bool, home: Path) -> None:
        """What is wrong or not allowed in it becomes a warning."""
        ignored: list[str] = []
        hint = f"To obey it, list the project under [trust] projects in {home / 'config.toml'}."
        try:
            entries = _entries(path, follow=False)
        except BadSetting as error:
            warning = f"{error.message} The file is ignored."
            if warning not in self.warnings:  # both files may lie behind the same link
                self.warnings.append(warning)
            return
        for given in entries:
            try:
                setting, value = _checked(given, reach="trusted" if trusted else "project", hint=hint)
            except BadSetting as error:
                ignored.append(f"{error} It is ignored.")
            else:
                self._put(setting, value, given.where)
        more = len(ignored) - WARNING_LIMIT
        self.warnings += ignored[:WARNING_LIMIT] + ([f"{path} has {more} more such lines."] if more > 0 else [])

    def add_variables(self, environ: Mapping[str, str]) -> None:
        """A variable with a wrong value is an error, one that is no setting a warning; an empty one is not given."""
        by_variable = {setting.variable: setting for setting in table().values()}
        for name in sorted(environ):
            if not name.startswith("SCRUBJAY_") or name in _OTHER_VARIABLES or not environ[name]:
                continue
            if name not in by_variable:
                self.warnings.append(f"{printable(name)} is no setting. {_nearest(name, by_variable)} It is ignored.")
                continue
            setting = by_variable[name]
            _permit(setting, reach="trusted", where=name)
            try:
                value = setting.read(environ[name])
            except ValueError:
                raise _wrong(
                    setting, where=name, hint=f"Write, for instance, {name}={_as_variable(setting)}."
                ) from None
            self._put(setting, value, name)

    def add_overrides(self, overrides: Mapping[str, object]) -> None:
        """Values that the caller asks for; ``None`` is not given. Raises ``BadSetting``."""
        for key, value in overrides.items():
            if value is not None:
                self._put(*_checked(Given(key=key, value=value, where="The caller"), reach="trusted"), "the caller")

    def sections(self) -> dict[str, Any]:
        """One object a section, defaults filled in."""
        return {
            section: kind(
                **{
                    setting.name: self.values[setting.key]
                    for setting in table().values()
                    if setting.section == section and setting.key in self.values
                }
            )
            for section, kind in SECTIONS.items()
        }

    def _put(self, setting: Setting, value: Any, where: str) -> None:
        if isinstance(setting.default, Mapping):
            value = MappingProxyType({**self.values.get(setting.key, setting.default), **value})
        self.values[setting.key] = value
        self.origins[setting.key] = where


def _entries(path: Path, *, follow: bool) -> list[Given]:
    """What a file gives; a section of ours that stands there empty gives nothing."""
    return [given for given in read_file(path, follow=follow) if not (given.key in SECTIONS and given.value == {})]


def _checked(given: Given, *, reach: Reach, hint: str = "") -> tuple[Setting, Any]:
    setting = table().get(given.key)
    if setting is None:
        raise _unknown(given)
    _permit(setting, reach=reach, where=given.where, hint=hint)
    try:
        return setting, setting.check(given.value)
    except ValueError:
        raise _wrong(setting, where=given.where) from None


def _permit(setting: Setting, *, reach: Reach, where: str, hint: str = "") -> None:
    if setting.rule.reach == "home" and reach != "home":
        raise BadSetting(
            f"{where} may not set {setting.key}.", hint="It belongs in the config.toml of your home folder."
        )
    if setting.rule.reach not in _MAY_SET[reach]:
        raise BadSetting(f"{where} sets {setting.key}, which a project may only set when you trust it.", hint=hint)


def _wrong(setting: Setting, *, where: str, hint: str = "") -> BadSetting:
    # The value is not repeated: somebody may have pasted a key (F110).
    return BadSetting(
        f"{where}: {setting.key} must be {setting.wanted}.",
        hint=hint or f"Write, for instance, {setting.name} = {setting.example} under [{setting.section}].",
    )


def _as_variable(setting: Setting) -> str:
    """The example of ``setting`` as its environment variable writes it."""
    import tomllib

    value = tomllib.loads(f"example = {setting.example}")["example"]
    if isinstance(value, Mapping):
        return ",".join(f"{name}={number}" for name, number in value.items())
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown(given: Given) -> BadSetting:
    known = [*table(), *SECTIONS]
    return BadSetting(f"{given.where}: there is no setting {printable(given.key)}.", hint=_nearest(given.key, known))


def _nearest(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    # A bare name is most likely right and merely outside its section.
    candidates = list(known)
    outside = [candidate for candidate in candidates if candidate.partition(".")[2] == name]
    close = outside or get_close_matches(name[:80], candidates, n=1, cutoff=0.5)
    return f"The nearest is {close[0]}." if close else "docs/configuration.md lists all settings."
