"""A shorter form of a long memory, without a model: its most telling points, code to the letter (SM-47).

No point is reworded. What turns a point round stays with it: a sentence that begins with "but" goes with the one before
it, an item of a list with the line that leads in ("Never do this:"), a code block with the line above it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from scrubjay.text import markdown
from scrubjay.text.terms import key_terms
from scrubjay.text.tokens import token_count
from scrubjay.vaults.documents import revision

KEPT_SHARE = 0.4
WORTH_IT = 0.75
"""The short form has at most this share of the long one's tokens, or it is none."""

_TERMS = 20
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_QUOTE = re.compile(r"\s*>\s?")
_END = re.compile(r"(?<=[.!?…])[\"'»”’)]*\s+(?=[^\s\da-zа-яё])|(?<=[。！？；])(?![”’」』）])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|approx|ca|т\.е|т\.д|т\.п|др|г|см)|\b[A-ZА-Я])\.$"
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_BOUND = re.compile(
    r"(?:but|however|except|unless|instead|otherwise|although|though|still|yet|this|that|these|those|it|they|so|then"
    r"|therefore|also|only|и|но|однако|кроме|если|иначе|зато|хотя|это|этот|эта|эти|он|она|оно|они|поэтому|тогда|только"
    r")\b|但|不过|然而|除非|否则|因此|所以|这|那|它|只有",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\d|\b(?:not|never|no|without|must|always|only|because|cannot|don't|не|нет|ни|нельзя|никогда|без|всегда|должен"
    r"|должна|должно|должны|только)\b|不|没|别|勿|必须|禁止|只",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Block:
    """``points`` are parts of a paragraph or an item, each as it stands in the text; other kinds have their lines."""

    kind: Literal["heading", "verbatim", "points"]
    content: tuple[str, ...]
    depth: int = -1  # of an item of a list, by its indentation
    leads: bool = False  # whether what follows belongs to it


def compressed(text: str, keywords: Iterable[str]) -> str | None:
    """The short form of a memory's body; ``None`` when nothing would be won.

    Headings stay, code and tables stand as they are; of everything else the points that tell most stay, in order and
    unchanged. Keywords that got lost are named in a last line.
    """
    body = revision.body_of(text)
    blocks = list(_blocks(body))
    short = "\n".join(_lines(blocks, _chosen(blocks))).strip("\n")
    lost = [word for word in keywords if word.casefold() in body.casefold() and word.casefold() not in short.casefold()]
    if lost:
        short += f"\n\n**Keywords**: {', '.join(lost)}"
    return short if short and token_count(short) <= WORTH_IT * token_count(body) else None


# --- taking apart ----------------------------------------------------------------------------------------------


def _blocks(body: str) -> Iterator[_Block]:
    found = markdown.structure(body, 0)
    headings = {heading.line - 1: heading for heading in found.headings}
    paragraph: list[str] = []
    verbatim: list[str] = []
    for index, kind in enumerate(found.kinds):
        line = body[found.starts[index] : found.starts[index + 1]].rstrip("\r\n")
        as_it_is = kind in ("fence", "code", "html") or line.lstrip().startswith("|")
        starts_anew = as_it_is or kind in ("heading", "rule", "blank", "comment", "marker") or _ITEM.match(line)
        if paragraph and starts_anew:
            yield _points(paragraph)
            paragraph = []
        if verbatim and not as_it_is:
            yield _Block("verbatim", _flush_left(verbatim))
            verbatim = []
        if as_it_is:
            verbatim.append(line)
        elif index in headings:
            yield _Block("heading", (f"{'#' * headings[index].level} {headings[index].title}",))
        elif kind == "paragraph":
            paragraph.append(line)
        elif kind == "heading" and line.strip("#=- \t>*+"):
            paragraph.append(line.replace("#", "", 6))  # one in a list or a quote
    if paragraph:
        yield _points(paragraph)
    if verbatim:
        yield _Block("verbatim", _flush_left(verbatim))


def _points(lines: Sequence[str]) -> _Block:
    """A paragraph or an item of a list as its sentences; those that lean on the one before stay together with it."""
    item = _ITEM.match(lines[0])
    first = lines[0][item.end() :] if item else lines[0]
    quoted = not item and bool(_QUOTE.match(first))
    text = " ".join(_QUOTE.sub("", line, count=1).strip() if quoted else line.strip() for line in (first, *lines[1:]))
    points: list[str] = []
    for sentence in _sentences(text):
        if points and _BOUND.match(sentence):
            points[-1] += f" {sentence}"
        else:
            points.append(sentence)
    if quoted:
        points = [f"> {point}" for point in points]
    depth = len(item.group(1).expandtabs(4)) if item else -1
    return _Block("points", tuple(points), depth, text.rstrip(" *_").endswith((":", "：")))


def _sentences(text: str) -> Iterator[str]:
    spans = [match.span() for match in _CODE_SPAN.finditer(text)]
    start = place = 0
    for match in _END.finditer(text):
        while place < len(spans) and spans[place][1] <= match.start():
            place += 1
        in_code = place < len(spans) and spans[place][0] < match.start()
        if in_code or _ABBREVIATION.search(text, max(start, match.start() - 8), match.start()):
            continue
        yield text[start : match.end()].strip()
        start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def _flush_left(lines: Sequence[str]) -> tuple[str, ...]:
    """A block that stood in an item of a list, without the item's indentation."""
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return tuple(line[margin:] for line in lines) if lines[0].lstrip().startswith(("`", "~", "|")) else tuple(lines)


# --- choosing --------------------------------------------------------------------------------------------------


def _chosen(blocks: Sequence[_Block]) -> set[tuple[int, int]]:
    """The points to keep, as (block, place in it): those with the words that the whole is about, with all that they
    need, until ``KEPT_SHARE`` of the tokens."""
    points = {
        (number, place): point
        for number, block in enumerate(blocks)
        if block.kind == "points"
        for place, point in enumerate(block.content)
    }
    needs = _needs(blocks)
    terms = {key: key_terms(point, _TERMS) for key, point in points.items()}
    weights = Counter(term for found in terms.values() for term in found)
    sizes = {key: token_count(point) for key, point in points.items()}
    budget = KEPT_SHARE * sum(sizes.values())
    kept = {
        lead
        for number, block in enumerate(blocks)
        if block.kind == "verbatim"
        for lead in _all_needed(blocks, needs, number)
    }
    used = sum(sizes[key] for key in kept)
    said = {points[key] for key in kept}
    for key in sorted(points, key=lambda key: (-_weight(points[key], terms[key], weights), key)):
        wanted = {key, *_all_needed(blocks, needs, key[0])} - kept
        size = sum(sizes[one] for one in wanted)
        if points[key] not in said and (not kept or used + size <= budget):
            kept |= wanted
            said |= {points[one] for one in wanted}
            used += size
    return kept


def _needs(blocks: Sequence[_Block]) -> dict[int, int]:
    """For each block the one without which it would say something else: the paragraph that leads in to a list, the item
    above a deeper one, the line above a code block."""
    needs: dict[int, int] = {}
    above: list[int] = []  # items that the current one is nested in
    lead: int | None = None
    for number, block in enumerate(blocks):
        parent: int | None = None
        if block.kind == "verbatim":
            parent = number - 1 if number and blocks[number - 1].leads else None
        elif block.kind == "heading" or block.depth < 0:
            above, lead = [], number if block.leads else None
        else:
            while above and blocks[above[-1]].depth >= block.depth:
                above.pop()
            parent = above[-1] if above else lead
            above.append(number)
        if parent is not None:
            needs[number] = parent
    return needs


def _all_needed(blocks: Sequence[_Block], needs: dict[int, int], number: int) -> list[tuple[int, int]]:
    """The points that block ``number`` cannot do without: the last one of each block that it hangs on."""
    found = []
    while number in needs:
        number = needs[number]
        found.append((number, len(blocks[number].content) - 1))
    return found


def _weight(point: str, terms: Sequence[str], weights: Counter[str]) -> float:
    telling = 1.5 if _TELLING.search(point) else 1.0
    return telling * sum(weights[term] for term in terms) / (len(terms) + 3)


# --- putting together ------------------------------------------------------------------------------------------


def _lines(blocks: Sequence[_Block], chosen: set[tuple[int, int]]) -> Iterator[str]:
    """The short form, line by line. A heading stands when something below it does."""
    pending: list[_Block] = []
    needs = _needs(blocks)
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            level = _level(block)
            pending = [heading for heading in pending if _level(heading) < level] + [block]
            continue
        if block.kind == "points":
            indent = "  " * len(_all_needed(blocks, needs, number))
            lines = [f"{indent}- {point}" for place, point in enumerate(block.content) if (number, place) in chosen]
        else:
            lines = ["", *block.content, ""]
        if lines:
            for heading in pending:
                yield from ("", *heading.content, "")
            pending = []
            yield from lines


def _level(heading: _Block) -> int:
    return len(heading.content[0]) - len(heading.content[0].lstrip("#"))
