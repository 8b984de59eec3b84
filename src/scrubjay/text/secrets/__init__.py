"""Secrets in a text: keys, tokens and passwords found, named by rule, and taken out (SEC-2, CC-T2, F110).

The rules are data (``rules``), in the vocabulary of gitleaks, so that a report means the same as in other tools. A
finding says where and which rule, and never what: nothing in here keeps or prints the secret itself. Keys are found
beside letters of any script, because Chinese and Japanese put no space before them.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Finding", "redact", "scan"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A secret at ``text[start:end]``: the id of the rule that found it and its label. ``sure`` tells a format that
    nothing else has from a guess by the word before it."""

    start: int
    end: int
    rule: str
    label: str
    sure: bool = True


def scan(text: str) -> list[Finding]:
    """Every secret in ``text``, in order, without overlaps; placeholders and examples are none."""
    from scrubjay.text.secrets.rules import RULES, RULES_BY_KEYWORD

    folded = text.lower()
    if len(folded) != len(text):  # a few letters change their length; offsets must not
        folded = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    likely = {id for word, ids in RULES_BY_KEYWORD if word in folded for id in ids}
    if not likely:
        return []
    found = [
        Finding(start, end, rule.id, rule.label, rule.sure)
        for rule in RULES
        if rule.id in likely
        for start, end in rule.spans(text)
    ]
    return _without_overlaps(found)


def redact(text: str) -> tuple[str, list[Finding]]:
    """``text`` with ``‹redacted:rule-id›`` in place of each secret, and what was found in it."""
    found = scan(text)
    parts = []
    position = 0
    for finding in found:
        parts += [text[position : finding.start], f"‹redacted:{finding.rule}›"]
        position = finding.end
    return "".join([*parts, text[position:]]), found


def _without_overlaps(found: list[Finding]) -> list[Finding]:
    """The earliest and, among those, the surest and longest of findings that overlap."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda one: (not one.sure, one.start, -one.end)):
        if all(finding.end <= other.start or finding.start >= other.end for other in kept):
            kept.append(finding)
    return sorted(kept)
