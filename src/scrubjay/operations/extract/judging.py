"""How a statement relates to what is known, by rules (F15, F16, F20, F88, F91).

Another digit, name or date makes another statement. Only what is about the same thing can take a fact's place: the
opposite of it, another object of a relation that holds once, or what the speaker says it replaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrubjay.operations.facts import content_hash
from scrubjay.text.analyze import lexemes
from scrubjay.text.changes import adopted, left_behind, purpose
from scrubjay.text.polarity import stance
from scrubjay.text.predicates import LOOSE, NO_LONGER, holds_once
from scrubjay.types import Candidate, Fact, Verdict

_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|moved|switched|changed|migrated|instead|new|from now on|since)\b"
    r"|\b(?:теперь|больше не|переехал\w*|перешли|сменил\w*|вместо|новый|новая|новое)\b"
    r"|现在|現在|不再|换成|換成|改成|改为|改為|搬到|新的",
    re.IGNORECASE,
)
_REPLACEABLE = frozenset({"uses", "prefers", "lives in", "works at", "runs on", "decided", ""})
_RATHER = re.compile(
    r"(?P<this>.+?)(?:\s+(?:over|to|rather than|instead of)\s+"
    r"|,?\s+(?:а не|чем|вместо)\s+|，?(?:而不是|胜过|勝過))(?P<that>.+)",
    re.IGNORECASE,
)
_SAME_MATTER = 3
"""Words at the beginning of two decisions that tell that they are about the same: "retry failed jobs"."""
_SHAPES = (
    re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?"),
    re.compile(r"(?:port )?\d{2,5}"),
    re.compile(r"https?://\S+"),
    re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?"),
    re.compile(r"v?\d+(?:\.\d+)*"),
)


class RuleJudge:
    """Compares without a model."""

    name = "rules/1"

    def compare(self, candidate: Candidate, known: Sequence[Fact]) -> Verdict:
        """The first of the rules that applies, over all of ``known``."""
        for relation in (_duplicate, _opposite, _reversed, _ended, _other_object, _replaced, _decided_anew):
            for fact in known:
                if verdict := relation(candidate, fact):
                    return verdict
        return Verdict()


def same_words(one: str, other: str) -> bool:
    """Whether two statements are the same but for spelling, case and words without weight."""
    if content_hash(one) == content_hash(other):
        return True
    mine, theirs = stance(one), stance(other)
    return bool(mine.core) and mine == theirs


def _duplicate(candidate: Candidate, fact: Fact) -> Verdict | None:
    triples = ([_folded(part) for part in (one.subject, one.predicate, one.object)] for one in (candidate, fact))
    mine, theirs = triples
    if same_words(candidate.text, fact.text) or (all(mine) and mine == theirs):
        return Verdict(relation="duplicate", fact_id=fact.id, reason="It says the same.")
    return None


def _opposite(candidate: Candidate, fact: Fact) -> Verdict | None:
    if stance(candidate.text).opposes(stance(fact.text)):
        return Verdict(relation="update", fact_id=fact.id, reason="It says the opposite.")
    return None


def _reversed(candidate: Candidate, fact: Fact) -> Verdict | None:
    """ "Prefers spaces over tabs" is the opposite of "prefers tabs over spaces"."""
    if _folded(candidate.predicate) != "prefers" or _folded(fact.predicate) != "prefers":
        return None
    if _folded(candidate.subject) != _folded(fact.subject):
        return None
    mine, theirs = _RATHER.fullmatch(candidate.object or ""), _RATHER.fullmatch(fact.object or "")
    if mine is None or theirs is None:
        return None
    this, that = lexemes(mine["this"]), lexemes(mine["that"])
    if this and that and (this, that) == (lexemes(theirs["that"]), lexemes(theirs["this"])):
        return Verdict(relation="update", fact_id=fact.id, reason="It prefers the other of the two.")
    return None


def _ended(candidate: Candidate, fact: Fact) -> Verdict | None:
    """ "No longer uses Docker" ends "uses Docker"."""
    predicate = candidate.predicate or ""
    if not predicate.startswith(NO_LONGER) or _folded(candidate.subject) != _folded(fact.subject):
        return None
    if _folded(fact.predicate) == predicate.removeprefix(NO_LONGER) and _names(candidate.replaces, fact.object):
        return Verdict(relation="update", fact_id=fact.id, reason=f"It no longer holds: {candidate.replaces}.")
    return None


def _other_object(candidate: Candidate, fact: Fact) -> Verdict | None:
    subject, predicate = _folded(candidate.subject), _folded(candidate.predicate)
    if (
        not subject
        or not holds_once(predicate)
        or (subject, predicate) != (_folded(fact.subject), _folded(fact.predicate))
    ):
        return None
    mine, theirs = _folded(candidate.object), _folded(fact.object)
    if not mine or not theirs or mine == theirs:
        return None
    if predicate not in LOOSE or _alike(mine, theirs) or _CHANGE.search(candidate.quote):
        reason = f"It says another {candidate.predicate} of {candidate.subject}."
        return Verdict(relation="update", fact_id=fact.id, reason=reason)
    reason = f"It may contradict what else {candidate.subject} {candidate.predicate}."
    return Verdict(relation="contradiction", fact_id=fact.id, reason=reason)


def _replaced(candidate: Candidate, fact: Fact) -> Verdict | None:
    """ "Switched from pip to uv" takes the place of "uses pip" and of "decided to use pip"."""
    replaced = candidate.replaces or left_behind(candidate.quote)
    if not replaced or (candidate.predicate or "").startswith(NO_LONGER) or stance(fact.text).sign < 0:
        return None
    if _folded(fact.predicate) in _REPLACEABLE:
        held = _names(replaced, fact.object) or (not fact.object and _ends_with(fact.text, replaced))
    else:
        held = False
    if held or _decided_for(replaced, candidate, fact):
        return Verdict(relation="update", fact_id=fact.id, reason=f"It replaces {replaced}.")
    return None


def _decided_for(replaced: str, candidate: Candidate, fact: Fact) -> bool:
    """Whether ``fact`` is the decision for what ``candidate`` leaves behind, for the same purpose if both say one in
    one script."""
    if fact.category != "Decision" or candidate.category != "Decision" or left_behind(fact.text):
        return False
    if not _names(replaced, adopted(fact.text)):
        return False
    mine, theirs = purpose(candidate.quote), purpose(fact.text)
    if not mine or not theirs or _script(mine) != _script(theirs):
        return True
    return bool(set(lexemes(mine)) & set(lexemes(theirs)))


def _script(text: str) -> str:
    return "zh" if re.search(r"[\u3400-\u9fff]", text) else "ru" if re.search(r"[а-яё]", text, re.IGNORECASE) else "en"


def _alike(one: str, other: str) -> bool:
    """Whether two objects are of one kind: two addresses, two ports, two versions of the same."""
    if any(shape.fullmatch(one) and shape.fullmatch(other) for shape in _SHAPES):
        return True
    first, second = one.split(), other.split()
    return first[0] == second[0] and len(first) == len(second)


def _decided_anew(candidate: Candidate, fact: Fact) -> Verdict | None:
    """ "The retry policy changed: … to retry failed jobs five times" replaces "… to retry failed jobs three times"."""
    if _folded(candidate.predicate) != "decided" or _folded(fact.predicate) != "decided":
        return None
    mine, theirs = _content(candidate.object), _content(fact.object)
    alike = mine[:_SAME_MATTER] == theirs[:_SAME_MATTER] and len(mine) > _SAME_MATTER < len(theirs)
    if not alike or stance(candidate.text).sign != stance(fact.text).sign or not _CHANGE.search(candidate.quote):
        return None
    return Verdict(relation="update", fact_id=fact.id, reason="It was decided anew.")


def _content(decision: str | None) -> list[str]:
    return [word for word in lexemes(decision or "") if word != "to"]


def _names(replaced: str | None, object: str | None) -> bool:
    """Whether ``object`` is what was replaced, perhaps with more about it: "pip", "pip for Python"."""
    old, mine = lexemes(replaced or ""), lexemes(object or "")
    return bool(old) and mine[: len(old)] == old


def _ends_with(text: str, replaced: str) -> bool:
    old, mine = lexemes(replaced), lexemes(text)
    return bool(old) and mine[-len(old) :] == old


def _folded(part: str | None) -> str:
    return (part or "").casefold().strip()
