"""The forms of statements: a pattern each, and how the fact reads that comes of it.

A form belongs to one language (``english``, ``russian``, ``chinese``); the first form that fits a sentence counts.
Templates name the speaker as ``{who}`` and the groups of the pattern; without a template the sentence stands as it is,
behind the speaker's name where it says "I".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from scrubjay.text.changes import left_behind
from scrubjay.types import Interval

if TYPE_CHECKING:
    from scrubjay.text.statements import Statement
    from scrubjay.text.statements.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Form:
    """One way of saying one kind of thing. ``predicate`` may name groups as a template does.

    ``plain`` objects need nothing; others must be concrete: a name, a number, a path, something in code marks.
    ``alone`` objects must not point at what was said before. ``dated`` statements count only with a time in them.
    ``inner`` is a group that is a statement in itself.
    """

    rule: str
    category: str
    pattern: re.Pattern[str]
    template: str = ""
    predicate: str = ""
    subject: str = "{who}"
    confidence: float = 0.9
    plain: bool = True
    alone: bool = False
    dated: bool = False
    inner: bool = False


_VAGUE = re.compile(
    r"^(?:it|this|that|these|those|them|him|her|you|your|so|the (?:first|second|third|last|other|same|above|former|latter"
    r"|following|way you|way that)|option|approach|what|how|both|either|all of (?:it|them)|everything|nothing|something"
    r"|anything|one|ones|to (?:see|know|hear|think|thank|ask|help)|#\d|number \d+$|when|where|here|there)\b(?!-)"
    r"|^(?:это|этот|эта|эти|то|тот|его|её|их|тебя|вас|ваш\w*|твой|твою|так|всё|все|что|как|первый|второй|последний|вариант)\b"
    r"|^(?:这|那|它|他|她|你|您|什么|怎么|第[一二三]|这个|那个|这样|所有|一切|问|知道)",
    re.IGNORECASE,
)
_CONCRETE = re.compile(r"[A-ZА-ЯЁ0-9/`@_]|\w\.\w|[\u3400-\u9fff]")
_OF_CONTEXT = re.compile(
    r"^(?:all )?the\s+(?-i:[a-z])|\b(?:it|them|they|their|these|those|this|that|him|his|her|its|you|your|yours)\b|^[\"“'‘«]"
    r"|\b(?:parts?|principles?|sections?|approach(?:es)?|suggestions?|options?|versions?|wording|tone|vibe|points?)$"
    r"|^(?:hearing|seeing|knowing|talking|chatting|being here|having)\b|\b(?:idea|sound|thought|look)s?\b",
    re.IGNORECASE,
)
"""Objects of liking that point at what was said before: "the color", "watching them"."""

_TAIL_CLAUSE = re.compile(
    r"(?:,\s+|\s+[-–—]\s+|;\s*)(?:so|but|and (?:i|we|it|they|he|she|that|this|the|my|you|then|so)|which|they|it|it's|because|since|though|although|even|i|we|i'm|i'll|especially when"
    r"|поэтому|но|потому|так что|а|и)\b.*$|\s+and\s+(?:i|we|my|our|they|it|i'm|i'll|i've)\b.*$|[，,](?:所以|但是|但|因为|而且|不过).*$",
    re.IGNORECASE,
)
_THIS_TALK = re.compile(
    r"\b(?:try|do|use|keep|drop|fix|change|take|make|test|finish|go with|stick with|need|see|check|add|remove)\s+(?:it|that|this|them|those|these)\b"
    r"(?!\s+(?:week|weekend|month|year|quarter|morning|afternoon|evening|night|spring|summer|autumn|fall|winter)\b)"
    r"|\b(?:it|them|there|mine|yours)$|\bway it\b|\bwho do$|^on the (?-i:[a-z]+)$|^make sure\b|(?:这个|這個|那个|那個|它)$|\b(?:это|его|её|их)$",
    re.IGNORECASE,
)
"""Objects that only this conversation can explain: "to try that", "on the budget"."""
_POINTING = re.compile(r"\b(?:it|them)\b(?!')", re.IGNORECASE)
_REASON = re.compile(r"\s+(?:because|since)\s.*$", re.IGNORECASE)
"""A reason points into its own sentence: "from A to B because it was slow"."""
_ONE_OFF = re.compile(r"\b(?:yesterday|today|tonight|вчера|сегодня)\b|昨天|今天|今晚", re.IGNORECASE)
"""Times of decisions that were over in a day (MX-12)."""
_OUTCOME = re.compile(
    r"^(?:i|я|我)\b.*(?:\b(?:and|but) (?:now|then|it|that|still)\b|, (?:и|но) (?:теперь|всё|не)\b)|^我(?!们|們).*[，,](?:现在|現在|然后|結果|结果|但)"
    r"|\bto (?:restart|reboot|re-?run|retry(?!.*\b(?:times|backoff|attempts?|delay)\b)|debug|reinstall|look at|look into|try)\b",
    re.IGNORECASE,
)
"""Decisions that are told for what came of them, or that were done at once."""
_TOPIC = re.compile(
    r"(?:(?:and|also|so|actually|ok|okay|update)[,:]?\s+)*(?:the|our)\s+(?P<topic>[A-Za-z][\w/.-]*(?:\s+[\w/.-]+){0,3}?)"
    r"(?:\s+(?:has\s+|have\s+)?changed)?\s*(?::|\s[-–—])\s+(?P<rest>.+)",
    re.IGNORECASE,
)
"""What a decision is about, named before it: "the retry policy: we decided …"."""
_PAST = re.compile(r"^(?:last|yesterday|the past|прошл|вчера|昨|上)|\bago$|назад$|前$", re.IGNORECASE)
_NOWADAYS = re.compile(
    r"[, ]+(?:right now|now|nowadays|these days|at the moment|currently|too|as well|instead|a lot|сейчас|теперь|тоже)$"
    r"|(?:了|啦|呢)$",
    re.IGNORECASE,
)
_BY_NOW = re.compile(r"\s+(?:now|currently|already|теперь|сейчас|уже)$|(?:现在|現在|目前|已经|已經)$", re.IGNORECASE)
"""What stands between a subject and its verb when something changed: "the server now runs on …"."""
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|our|ours|us|я|мне|меня|мной|мой|моя|моё|мое|мои|моей|моего|моему|мою)\b|我(?![们們])|俺",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_CYRILLIC = re.compile(r"[А-Яа-яЁё]")
_TAIL = ".!。！ \t~…"
_LONGEST_OBJECT = 200


def recognise(sentence: Sentence, *, at: datetime | None, speaker: str, zone: tzinfo) -> Statement | None:
    """The statement that ``sentence`` makes, or ``None``."""
    said = sentence.text.strip(_TAIL)
    for form in _forms(said):
        match = form.pattern.fullmatch(said)
        if match is None:
            continue
        found = _statement(form, match, sentence, at=at, speaker=speaker, zone=zone)
        if found is not None:
            return found
    return _on_topic(sentence, said, at=at, speaker=speaker, zone=zone)


def _on_topic(sentence: Sentence, said: str, *, at: datetime | None, speaker: str, zone: tzinfo) -> Statement | None:
    """A decision behind the name of what it is about, which the fact keeps."""
    found = _TOPIC.fullmatch(said)
    known = recognise(replace(sentence, text=found["rest"]), at=at, speaker=speaker, zone=zone) if found else None
    if found is None or known is None or known.category != "Decision":
        return None
    topic = found["topic"]
    text = f"{topic[:1].upper()}{topic[1:]}: {known.text[:1].lower()}{known.text[1:]}"
    return replace(known, text=text, quote=sentence.text)


def _forms(said: str) -> tuple[Form, ...]:
    if _CJK.search(said):
        from scrubjay.text.statements.chinese import FORMS
    elif _CYRILLIC.search(said):
        from scrubjay.text.statements.russian import FORMS
    else:
        from scrubjay.text.statements.english import FORMS
    return FORMS


def _statement(
    form: Form, match: re.Match[str], sentence: Sentence, *, at: datetime | None, speaker: str, zone: tzinfo
) -> Statement | None:
    from scrubjay.text.statements import Statement

    groups = {name: (value or "").strip(" ,;:—–-") for name, value in match.groupdict().items()}
    # A pattern may name a group twice, once in each of two ways of saying it.
    groups |= {name[:-1]: value for name, value in groups.items() if name.endswith("2") and value}
    object = groups.get("object", "")
    if form.template and not form.inner:
        object = groups["object"] = _NOWADAYS.sub("", _TAIL_CLAUSE.sub("", object))
    said = _TAIL_CLAUSE.sub("", groups.get("task") or groups.get("what") or object)
    if (
        (form.alone and _OF_CONTEXT.search(object))
        or _THIS_TALK.search(said)
        or _is_torn(said)
        or (form.category == "Decision" and (_ONE_OFF.search(said) or _OUTCOME.search(match.group("said"))))
        or (form.category in ("Decision", "TODO") and _POINTING.search(_REASON.sub("", said)))
    ):
        return None
    if (
        object.casefold() in ("to", "of", "in")
        or len(object) > _LONGEST_OBJECT
        or _VAGUE.match(object)
        or not (form.plain or _CONCRETE.search(object))
    ):
        return None
    if form.inner:
        return _inner(form, object, sentence, at=at, speaker=speaker, zone=zone)
    valid = _valid(form, sentence.text, at, zone)
    if valid is None:
        return None
    names = {"who": speaker, "whose": _whose(speaker, sentence.text), **groups}
    if "verb" in groups:
        names["verbs"] = _third_person(groups["verb"])
    # "Nate enjoys watching our pets" would mix two people: such a sentence stays as it was said.
    named = form.template and not _FIRST_PERSON.search(object)
    text = form.template.format(**names) if named else _standing(match.group("said"), speaker)
    return Statement(
        text=_closed(text),
        category=form.category,
        quote=sentence.text,
        start=sentence.start,
        end=sentence.end,
        rule=form.rule,
        confidence=form.confidence,
        subject=_BY_NOW.sub("", form.subject.format(**names)) or None,
        predicate=form.predicate.format(**names) or None,
        object=(object or None) if form.predicate else None,
        replaces=groups.get("old") or (left_behind(said) if form.category == "Decision" else None),
        valid=valid,
    )


def _inner(
    form: Form, said: str, sentence: Sentence, *, at: datetime | None, speaker: str, zone: tzinfo
) -> Statement | None:
    """What is to be remembered: a statement of a known form if it is one, else the words as they are."""
    from scrubjay.text.statements import Statement
    from scrubjay.text.statements.doubt import is_asserted

    if (len(said) < 8 and not _CJK.search(said)) or not is_asserted(said):
        return None
    known = recognise(replace(sentence, text=said), at=at, speaker=speaker, zone=zone)
    if known is not None:
        confidence = max(known.confidence, form.confidence)
        return replace(known, quote=sentence.text, rule=f"{form.rule}: {known.rule}", confidence=confidence)
    return Statement(
        text=_closed(_standing(said, speaker)),
        category=form.category,
        quote=sentence.text,
        start=sentence.start,
        end=sentence.end,
        rule=form.rule,
        confidence=form.confidence,
    )


def _valid(form: Form, said: str, at: datetime | None, zone: tzinfo) -> Interval | None:
    """When the statement holds; ``None`` when the form wants a time and there is none to come.

    A task ends with the day that it names, or is left open for the caller to end.
    """
    if form.category != "TODO":
        return Interval(start=at)
    due = None
    if at is not None:
        from scrubjay.text.dates import resolve

        expression = resolve(said, at, zone)
        if expression is not None and not _PAST.search(said[slice(*expression.span)]):
            due = _to_come(expression.end, at, said[slice(*expression.span)])
    if due is None and form.dated:
        return None
    if at is None:
        return Interval()
    return Interval(start=at, end=due)


def _to_come(end: datetime, at: datetime, expression: str) -> datetime | None:
    """A time in the future: "by Friday" means the next one, although a question about Friday means the last; and a day
    without a year is one of the year to come."""
    if end <= at and at - end < timedelta(days=7):
        end += timedelta(days=7)
    elif end <= at and not re.search(r"\d{4}", expression):
        end += timedelta(days=365)
    return end if end > at else None


def _is_torn(object: str) -> bool:
    """Whether a quotation in ``object`` lost its other half to another sentence."""
    return (
        any(object.count(left) != object.count(right) for left, right in ("“”", "«»", "「」"))
        or object.count('"') % 2 == 1
    )


def _standing(said: str, speaker: str) -> str:
    """``said`` so that it can stand alone: whoever says "I" is named."""
    said = said[:1].upper() + said[1:]
    return f"{speaker}: {said}" if _FIRST_PERSON.search(said) else said


def _closed(text: str) -> str:
    text = " ".join(text.split()).strip(_TAIL)
    text = text[:1].upper() + text[1:]
    return text + ("。" if _CJK.search(text) else ".")


def _whose(speaker: str, said: str) -> str:
    return speaker if _CJK.search(said) else f"{speaker}'" if speaker.endswith("s") else f"{speaker}'s"


_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "am": "is", "'m": "is"}


def _third_person(verb: str) -> str:
    """An English verb for he or she; verbs of other languages are spelled out in their own tables."""
    if not verb.isascii():
        return verb
    first, _, rest = verb.partition(" ")
    folded = first.casefold()
    if folded in _IRREGULAR:
        first = _IRREGULAR[folded]
    elif re.search(r"[^aeiou]y$", folded):
        first = f"{first[:-1]}ies"
    else:
        first += "es" if re.search(r"(?:s|sh|ch|x|z|o)$", folded) else "s"
    return f"{first} {rest}".strip()
