"""A shorter form of a long memory, without a model: its most telling sentences, code to the letter (SM-47)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from scrubjay.text import markdown
from scrubjay.text.terms import key_terms
from scrubjay.text.tokens import token_count
from scrubjay.vaults.documents import revision

KEPT_SHARE = 0.4
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\s\da-zа-яё])|(?<=[。！？；])")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_TELLING = re.compile(
    r"\d|\b(?:not|never|no|must|always|only|because|не|нельзя|никогда|всегда|должен|только)\b|不|必须|禁止|只"
)


def compressed(text: str, keywords: Iterable[str]) -> str | None:
    """The short form of a memory's body; ``None`` when nothing would be won.

    Headings stay, code and tables stand as they are, of everything else the sentences that tell most, in order and
    unchanged. Keywords that got lost are named in a last line.
    """
    body = revision.body_of(text)
    blocks = list(_blocks(body))
    points = [point for kind, content in blocks if kind == "points" for point in content]
    total = sum(token_count(point) for point in points)
    chosen = _chosen(points, KEPT_SHARE * total)
    lines = list(_lines(blocks, chosen))
    short = "\n".join(lines).strip("\n")
    lost = [word for word in keywords if word.casefold() in body.casefold() and word.casefold() not in short.casefold()]
    if lost:
        short += f"\n\n**Keywords**: {', '.join(lost)}"
    return short if token_count(short) < 0.75 * token_count(body) else None


def _blocks(body: str) -> Iterable[tuple[str, Sequence[str]]]:
    """``heading`` and ``verbatim`` blocks with their lines, ``points`` with their sentences."""
    found = markdown.structure(body, 0)
    headings = {heading.line - 1 for heading in found.headings}
    pending: list[str] = []
    verbatim: list[str] = []
    for index, kind in enumerate(found.kinds):
        line = body[found.starts[index] : found.starts[index + 1]].rstrip("\r\n")
        is_code = kind in ("fence", "code") or line.lstrip().startswith("|")
        if pending and (is_code or index in headings or not line.strip() or _ITEM.match(line)):
            yield "points", _sentences(" ".join(pending))
            pending = []
        if verbatim and not is_code:
            yield "verbatim", verbatim
            verbatim = []
        if is_code:
            verbatim.append(line)
        elif index in headings:
            yield "heading", [line]
        elif line.strip():
            pending.append(_ITEM.sub("", line, count=1).strip())
    if pending:
        yield "points", _sentences(" ".join(pending))
    if verbatim:
        yield "verbatim", verbatim


def _sentences(paragraph: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(paragraph) if sentence.strip()]


def _chosen(points: Sequence[str], budget: float) -> set[int]:
    """Places of the sentences to keep: those with the words that the whole is about, until ``budget`` tokens."""
    weights = Counter(term for point in points for term in key_terms(point, 20))
    ranked = sorted(range(len(points)), key=lambda place: (-_weight(points[place], weights), place))
    kept: set[int] = set()
    used = 0
    for place in ranked:
        size = token_count(points[place])
        if kept and used + size > budget:
            continue
        kept.add(place)
        used += size
    return kept


def _weight(point: str, weights: Counter[str]) -> float:
    terms = key_terms(point, 20)
    telling = 1.5 if _TELLING.search(point) else 1.0
    return telling * sum(weights[term] for term in terms) / (len(terms) + 3)


def _lines(blocks: Iterable[tuple[str, Sequence[str]]], chosen: set[int]) -> Iterable[str]:
    place = 0
    headings: list[str] = []
    before = ""
    for kind, content in blocks:
        if kind == "heading":
            headings = [*headings, *content] if before == "heading" else list(content)
        lines = list(content)
        if kind == "points":
            lines = [f"- {point}" for number, point in enumerate(content, place) if number in chosen]
            place += len(content)
        if kind != "heading" and lines:
            for heading in headings:
                yield from ("", heading, "")
            if kind == "verbatim" and not headings:
                yield ""
            headings = []
            yield from lines
            if kind == "verbatim":
                yield ""
        before = kind
