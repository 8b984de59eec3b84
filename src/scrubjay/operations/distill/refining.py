"""Small repairs of a memory's frontmatter: keywords, summary, topic, category (SM-48)."""

from __future__ import annotations

from scrubjay.text import frontmatter, markdown
from scrubjay.text.graphemes import cut_before
from scrubjay.text.terms import key_terms
from scrubjay.vaults.documents import revision

SUMMARY = 100
FEW = 4
MOST = 8


def changes(text: str, *, asked: bool) -> tuple[dict[str, object], list[str]]:
    """The fields to set and why. Without ``asked`` only what needs no judgement: double keywords, a summary that is
    missing, the spelling of the topic. A file without frontmatter, or with a broken one, is left alone."""
    parsed = frontmatter.parse(text)
    if not parsed.present or parsed.problems:
        return {}, []
    values: dict[str, object] = {}
    why: list[str] = []
    keywords = list(parsed.strings("keywords"))
    single = _single(keywords)
    if single != keywords:
        values["keywords"] = single
        why.append("keywords stood there twice")
    if not parsed.string("summary") and (line := _first_line(text)):
        values["summary"] = line
        why.append("it had no summary")
    topic = parsed.string("topic")
    tidy = topic.strip().strip("/").lower()
    if tidy != topic:
        values["topic"] = tidy
        why.append("the topic was spelled differently")
    if asked and len(single) < FEW:
        more = _single([*single, *key_terms(revision.body_of(text), MOST)])[:MOST]
        if len(more) > len(single):
            values["keywords"] = more
            why.append(f"it had {len(single)} keywords")
    if asked and not parsed.strings("tags"):
        values["tags"] = ["INSIGHT"]
        why.append("it had no category")
    return values, why


def _single(words: list[str]) -> list[str]:
    """``words`` without those that stand there already in another spelling."""
    seen: set[str] = set()
    kept = []
    for word in words:
        if word.casefold() not in seen:
            seen.add(word.casefold())
            kept.append(word)
    return kept


def _first_line(text: str) -> str:
    body = revision.body_of(text)
    headings = {heading.line for heading in markdown.headings(body)}
    for number, line in enumerate(body.splitlines(), 1):
        plain = " ".join(line.strip("#*_>-` \t").split())
        if plain and number not in headings and not line.lstrip().startswith(("```", "~~~", "|", "<!--")):
            return plain[: cut_before(plain, SUMMARY)]
    return ""
