"""Secrets taken out of what is about to be stored, with word of what kind stood where (SEC-2, F110).

Whatever writes to a vault on somebody's behalf goes through here first, so that a secret reaches neither document nor
index, journal, trash or error message. What is reported is the rule and the place, never the secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from scrubjay.text.secrets import Finding, redact, scan
from scrubjay.types import Redacted

_Thing = TypeVar("_Thing")

_MARKS = re.compile(r"‹redacted:[\w-]+›")
_LEAST = 8  # characters of the shortest secret
_BLANK = re.compile(r"(‹redacted:[\w-]+›)\n{3,}")


class Redaction:
    """What was taken out of one thing so far. ``found`` says what and where."""

    def __init__(self) -> None:
        self.found: list[Redacted] = []
        self._secrets: dict[str, str] = {}

    def text(self, text: str, place: str, *, keep_lines: bool = False) -> str:
        """``text`` without its secrets. ``keep_lines`` leaves empty lines for those of a long one, so that the lines
        after it keep their numbers; ``closed_up`` takes them out again."""
        if len(text) < _LEAST:
            return text
        clean, findings = redact(text)
        if not findings:
            return text
        for finding in findings:
            self._note(text, finding, place)
        return _lines_kept(text, findings) if keep_lines else clean

    def knows(self, other: Redaction) -> None:
        """Lets what ``other`` found be looked for too."""
        self._secrets.update(other._secrets)

    def ending(self, text: str, place: str) -> str:
        """``text`` without the beginning of a known secret at its end, where it was cut."""
        cut = text.rstrip("… .")
        for secret, rule in self._secrets.items():
            length = next((n for n in range(len(secret), _LEAST - 1, -1) if cut.endswith(secret[:n])), 0)
            if length:
                self._append(rule, place, 1)
                return f"{cut[:-length]}‹redacted:{rule}›{text[len(cut) :]}"
        return text

    def value(self, value: Any, place: str) -> Any:
        """The same for what is made of texts: tuples, lists, mappings, dataclasses. Anything else is as it was."""
        if isinstance(value, str):
            return self.text(value, place)
        if isinstance(value, tuple | list):
            return type(value)(self.value(item, place) for item in value)
        if isinstance(value, Mapping):
            return {self.value(key, place): self.value(item, f"{place} {key}") for key, item in value.items()}
        if is_dataclass(value) and not isinstance(value, type):
            return self.fields(value, (one.name for one in fields(value)), place=place)
        return value

    def fields(
        self, thing: _Thing, names: Iterable[str], *, pairs: Iterable[tuple[str, str]] = (), place: str = ""
    ) -> _Thing:
        """``thing`` (a frozen dataclass) without secrets in its fields ``names``.

        ``pairs`` are fields of which one may name what the other holds, such as a title "password". What is found in
        one field is taken out of the others too, in whatever letter case.
        """
        lead = f"{place} " if place else ""
        before: dict[str, Any] = {name: getattr(thing, name) for name in names}
        for label, content in pairs:
            self._paired(before[label], before[content])
        after = {name: self.value(value, f"{lead}{name}") for name, value in before.items()}
        if self._secrets:
            after = {name: self._elsewhere(value, f"{lead}{name}") for name, value in after.items()}
        changed = {name: value for name, value in after.items() if value != before[name]}
        return replace(thing, **changed) if changed else thing  # type: ignore[type-var] # it is a dataclass

    def _paired(self, label: object, content: object) -> None:
        """Notes a secret that only its label gives away."""
        if isinstance(label, str) and isinstance(content, str) and label and content:
            lead = f"{label.strip().rstrip(':')}: "
            for finding in scan(f"{lead}{content.lstrip()}"):
                if finding.start >= len(lead):
                    secret = content.lstrip()[finding.start - len(lead) : finding.end - len(lead)]
                    self._secrets[secret] = finding.rule

    def _elsewhere(self, value: Any, place: str) -> Any:
        if isinstance(value, str):
            return self._without_known(value, place)
        if isinstance(value, tuple | list):
            return type(value)(self._elsewhere(item, place) for item in value)
        if isinstance(value, Mapping):
            return {self._elsewhere(key, place): self._elsewhere(item, place) for key, item in value.items()}
        return value

    def _without_known(self, text: str, place: str) -> str:
        for secret, rule in self._secrets.items():
            if len(secret) < _LEAST:
                continue
            known = re.compile(re.escape(secret), re.IGNORECASE)
            while match := known.search(text):
                self._append(rule, place, text.count("\n", 0, match.start()) + 1)
                text = f"{text[: match.start()]}‹redacted:{rule}›{text[match.end() :]}"
        return text

    def _note(self, text: str, finding: Finding, place: str) -> None:
        self._secrets[text[finding.start : finding.end]] = finding.rule
        self._append(finding.rule, place, text.count("\n", 0, finding.start) + 1)

    def _append(self, rule: str, place: str, line: int) -> None:
        self.found.append(Redacted(rule=rule, place=place, line=line))


def only_marks(text: str) -> bool:
    """Whether nothing but marks is left of ``text``, so that it says nothing any more."""
    return bool(_MARKS.search(text)) and not any(letter.isalnum() for letter in _MARKS.sub("", text))


def closed_up(text: str) -> str:
    """``text`` without the empty lines that ``keep_lines`` left after a mark."""
    return _BLANK.sub(r"\1\n\n", text)


def _lines_kept(text: str, findings: Iterable[Finding]) -> str:
    parts, position = [], 0
    for finding in findings:
        lines = "\n" * text.count("\n", finding.start, finding.end)
        parts += [text[position : finding.start], f"‹redacted:{finding.rule}›{lines}"]
        position = finding.end
    return "".join([*parts, text[position:]])
