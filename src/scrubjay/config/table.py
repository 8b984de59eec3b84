"""What one setting is: name, default, meaning, who may set it, and how a value is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

Reach = Literal["project", "trusted", "home"]
"""Where a setting may come from: any project, a trusted project, or only the user's own home file."""

_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a value must be like, and who may set it. ``form`` says in words what ``pattern`` asks."""

    meaning: str
    reach: Reach = "project"
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = math.inf
    pattern: str = ""
    form: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting, as documented. ``default`` is also what tells its type."""

    section: str
    name: str
    default: Any
    rule: Rule

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"SCRUBJAY_{self.section}_{self.name}".upper()

    @property
    def example(self) -> str:
        """A value as TOML writes it."""
        return self.rule.example or as_toml(self.default)

    @property
    def wanted(self) -> str:
        """What a value must be, in words."""
        if self.rule.choices:
            return "one of " + ", ".join(self.rule.choices)
        return self.rule.form or _words_for(self.default, self.rule)

    def check(self, value: object) -> Any:
        """``value`` as the program uses it. Raises ``ValueError`` when it is not ``wanted``."""
        if isinstance(self.default, bool):
            return _require(value, bool)
        if isinstance(self.default, int | float):
            return self._number(value)
        if isinstance(self.default, tuple):
            return tuple(self._text(_require(item, str) or None) for item in _require(value, list | tuple))
        if isinstance(self.default, Mapping):
            pairs = _require(value, Mapping).items()
            return MappingProxyType({_require(name, str): self._number(number) for name, number in pairs})
        return self._text(value)

    def read(self, text: str) -> Any:
        """The value that an environment variable writes as ``text``; lists and tables are separated by commas.
        Raises ``ValueError`` as ``check`` does."""
        if isinstance(self.default, bool):
            return self.check(_WORDS.get(text.strip().lower()))
        if isinstance(self.default, int | float):
            return self.check(type(self.default)(text))
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if isinstance(self.default, tuple):
            return self.check(parts)
        if isinstance(self.default, Mapping):
            pairs = [part.partition("=") for part in parts]
            return self.check({name.strip(): float(number) for name, _, number in pairs})
        return self.check(text)

    def _number(self, value: object) -> Any:
        kind = int if isinstance(self.default, int) else float
        number = _require(value, int) if kind is int else _require(value, int | float)
        if isinstance(number, bool) or not self.rule.low <= number <= self.rule.high:
            raise ValueError
        return kind(number)

    def _text(self, value: object) -> str:
        text: str = _require(value, str)
        if "\x00" in text or (self.rule.choices and text not in self.rule.choices):
            raise ValueError
        if self.rule.pattern and text and not re.fullmatch(self.rule.pattern, text):
            raise ValueError
        return text


def setting(default: object, meaning: str, **rule: Any) -> Any:
    """A dataclass field that is a setting: its default, what it means, and the rest of its ``Rule``."""
    metadata = {"rule": Rule(meaning=meaning, **rule)}
    if isinstance(default, Mapping):
        frozen = MappingProxyType(dict(default))
        return field(default_factory=lambda: frozen, metadata=metadata)
    return field(default=default, metadata=metadata)


def settings_of(section: str, kind: type) -> Iterator[Setting]:
    """The settings that the dataclass ``kind`` holds, in order."""
    defaults = kind()
    for item in fields(kind):
        yield Setting(section=section, name=item.name, default=getattr(defaults, item.name), rule=item.metadata["rule"])


def as_toml(value: object) -> str:
    """``value`` as TOML writes it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(_escaped(letter) for letter in value) + '"'
    if isinstance(value, tuple | list):
        return "[" + ", ".join(as_toml(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{as_toml(str(name))} = {as_toml(item)}" for name, item in value.items()) + " }"
    return repr(value)


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"


def _words_for(default: object, rule: Rule) -> str:
    span = f"from {rule.low} to {rule.high}"
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int):
        return f"a whole number {span}"
    if isinstance(default, float):
        return f"a number {span}"
    if isinstance(default, tuple):
        return "a list of texts"
    return f"a table of numbers {span}" if isinstance(default, Mapping) else "a text"


def _require(value: object, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise ValueError
    return value
