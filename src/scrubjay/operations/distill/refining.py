"""Small repairs of a memory's frontmatter: keywords, summary, topic, category (SM-48)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrubjay.errors import Refused
from scrubjay.operations.learn import categories, topics
from scrubjay.proposals import CATEGORIES
from scrubjay.text import frontmatter, markdown
from scrubjay.text.graphemes import cut_before
from scrubjay.text.terms import key_terms
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents.note import tags_of

SUMMARY = 100
FEW = 4
MOST = 5

FIELDS = ("keywords", "summary", "topic", "tags")
"""What refining may set, and nothing else."""


def changes(text: str, *, asked: bool) -> tuple[dict[str, object], list[str]]:
    """The fields to set and why.

    Without ``asked`` only what needs no judgement: double keywords, a summary that is missing, the spelling of the
    topic. With it also what is a guess: more keywords, a category, a topic. A file without frontmatter, or with a
    broken one, is left alone.
    """
    parsed = frontmatter.parse(text)
    if not parsed.present or parsed.problems:
        return {}, []
    values: dict[str, object] = {}
    why: list[str] = []
    keywords = list(parsed.strings("keywords"))
    single = revision.merged_tags([], keywords)
    if single != keywords:
        values["keywords"] = single
        why.append(f"{len(keywords) - len(single)} of its keywords stood there twice")
    said = any(parsed.string(name).strip() for name in ("summary", "description"))  # by dialect
    if not said and (line := _first_line(text)):
        values["summary"] = line
        why.append("it had no summary")
    topic = parsed.string("topic")
    tidy = topic.strip().strip("/").strip().lower()
    if tidy != topic:
        values["topic"] = tidy
        why.append(f"its topic was spelled {topic!r}")
    if asked:
        _guess(text, single, tidy, tags_of(parsed.values), values, why)
    return values, why


def _guess(
    text: str, keywords: Sequence[str], topic: str, tags: Sequence[str], values: dict[str, object], why: list[str]
) -> None:
    """Adds what somebody has to look at (SM-48, tier 2)."""
    body = revision.body_of(text)
    found = key_terms(body, MOST)
    if len(keywords) < FEW:
        more = revision.merged_tags(keywords, found)[: max(MOST, len(keywords))]
        if len(more) > len(keywords):
            values["keywords"] = more
            why.append(f"it had {len(keywords) or 'no'} keyword{'s' * (len(keywords) != 1)}")
    known = next((tag for tag in tags if tag.upper() in CATEGORIES), None)
    if not tags or (known is not None and known != tags[0]):
        first = known or categories.guess(body)
        values["tags"] = [first, *(tag for tag in tags if tag != first)]
        why.append("its category was not its first tag" if known else "it had no category")
    title = revision.title_of(text)
    if not topic and (fitting := topics.from_words([*keywords, *found], title)):
        values["topic"] = fitting
        why.append("it had no topic")


def require_sound(values: Mapping[str, object], text: str) -> None:
    """Raises ``Refused`` unless ``values`` are fields of refining that take nothing away from the memory ``text``."""
    parsed = frontmatter.parse(text)
    for name, value in values.items():
        if name not in FIELDS:
            raise Refused(f"Refining never sets `{name}`.", hint="Take that field out, or skip it.")
        if name in ("summary", "topic"):
            sound = isinstance(value, str)
        else:
            words = value if isinstance(value, list | tuple) else None
            sound = words is not None and all(isinstance(word, str) for word in words)
            kept = {str(word).casefold() for word in words or ()}
            missing = next((word for word in parsed.strings(name) if sound and word.casefold() not in kept), None)
            if missing is not None:
                raise Refused(f"Refining would take {missing!r} out of `{name}`.", hint="Add it again, or skip it.")
        if not sound:
            raise Refused(f"`{name}` cannot be set to {str(value)[:40]!r}.", hint="Mend that field, or skip it.")


def _first_line(text: str) -> str:
    """The first line that says something, cut at a word."""
    body = revision.body_of(text)
    found = markdown.structure(body, 0)
    for index, kind in enumerate(found.kinds):
        line = body[found.starts[index] : found.starts[index + 1]]
        plain = " ".join(line.strip().lstrip("*_>-+ ").rstrip("*_ ").split())
        if kind != "paragraph" or not plain or plain.startswith("|"):
            continue
        if len(plain) <= SUMMARY:
            return plain
        cut = plain[: cut_before(plain, SUMMARY)]
        return cut.rpartition(" ")[0] or cut
    return ""
