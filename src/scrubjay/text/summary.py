"""A conversation in short, without a model: its own most telling sentences, in order, each with who said it (MX §3.1).

What was asked, decided and reached comes first; code, logs, tables, quotations and politeness are left out. The same
conversation always gives the same summary, in its own language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrubjay.text.analyze import lexemes
from scrubjay.text.statements import statements
from scrubjay.text.statements.sentences import Sentence, sentences

LEAST, MOST = 100, 200
"""Words of a summary; characters where the conversation is in Chinese."""

_MOST_CHOICES = 300  # sentences that are compared with one another
_MOST_TURNS = 400  # turns that are read: the first ones and the last ones
_HEAD, _TAIL = 3_000, 1_500  # characters of a turn that are read
_SHORTEST, _LONGEST = 4, 45  # words of a sentence that tells something
_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"\S*\w\S*")
_CUES = (
    (
        3.0,
        r"\b(?:decid\w+|decision|agreed|chose|chosen|settled on|going with|we(?:'ll| will) (?:use|go|keep)|switched|conclusion"
        r"|instead of|must|never|always|prefer\w*)\b|\b(?:решил\w*|решение|договорил\w*|выбрал\w*|будем использовать|перешли"
        r"|предпочита\w+|итог\w*)\b|决定|決定|选择了|選擇了|采用|採用|方案是|结论|結論|改用|偏好",
    ),
    (
        2.5,
        r"\b(?:fixed|works now|done|finished|implemented|merged|deployed|passes|passing|passed|released|root cause|caused by|because of"
        r"|the (?:problem|issue|bug|cause) (?:was|is)|turned out|in summary|to summari[sz]e|result)\b|\b(?:исправ\w+|готово|работает"
        r"|сделал\w*|заверш\w+|причина|оказалось|проблема (?:была|в))\b|修复|修復|完成|解决|解決|原因|成功|结果|結果|通过了|通過了",
    ),
    (1.0, r"\b(?:need|want|plan|next|todo|deadline|important|problem|error|because)\b|нужно|надо|план|важно|проблем|需要|计划|重要|问题"),
)  # fmt: skip
_TELLING = tuple((weight, re.compile(pattern, re.IGNORECASE)) for weight, pattern in _CUES)
_POLITE = re.compile(
    r"^(?:thanks?|thank you|hi|hello|hey|great|sure|ok(?:ay)?|of course|certainly|absolutely|you're (?:right|welcome)|sorry|perfect"
    r"|good (?:morning|question|idea)|i'd be happy|i'm happy|happy to|glad|let me|i'll (?:now|start|check|look|read)|now (?:let|i)|here(?:'s| is| are)|feel free"
    r"|i hope|let's (?:see|check|look)|спасибо|привет|здравствуй\w*|хорошо|конечно|пожалуйста|давай(?:те)? посмотрим|сейчас (?:я|посмотрю)"
    r"|谢谢|謝謝|你好|您好|好的|当然|當然|希望|让我|讓我)",
    re.IGNORECASE,
)


_NARRATION = re.compile(
    r"^(?:(?:ok(?:ay)?|good|great|perfect)[,.]? )?(?:now|next|first|let me|let's|i'll|i will|i need to|i'm going to|i should|continuing|looking|checking|running"
    r"|reading|there (?:is|are)|теперь|сначала|сейчас|посмотрю|проверю|现在|現在|首先|接下来|让我|讓我|我来|我來)",
    re.IGNORECASE,
)
"""How a program that works tells what it does next."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said: ``speaker`` is how the summary names them, ``human`` whether it is a person."""

    speaker: str
    text: str
    human: bool = True


@dataclass(frozen=True, slots=True)
class _Said:
    place: int
    turn: Turn
    text: str
    size: int
    words: frozenset[str]
    score: float


def summarise(turns: Sequence[Turn]) -> str:
    """The telling sentences of ``turns``, at most ``MOST`` words; empty where nobody said anything that tells."""
    wide = _is_wide(turns)
    said = _scored(list(_said(turns, wide)), turns)
    if not any(one.turn.human for one in said):
        return ""
    return "\n".join(_lines(sorted(_chosen(said), key=lambda one: one.place)))


def size(text: str) -> int:
    """The length of a text: words, or characters where it is in Chinese."""
    ideographs = len(_CJK.findall(text))
    words = len(_WORD.findall(_CJK.sub(" ", text)))
    return ideographs + words


def _is_wide(turns: Sequence[Turn]) -> bool:
    sample = "".join(turn.text[:500] for turn in turns if turn.human)[:20_000]
    return len(_CJK.findall(sample)) * 3 > sum(map(str.isalpha, sample))


def _said(turns: Sequence[Turn], wide: bool) -> Iterator[tuple[int, Turn, str]]:
    """Sentences that could stand in a summary, with their place, each once."""
    place = 0
    factor = 2 if wide else 1
    seen: set[str] = set()
    half = _MOST_TURNS // 2
    read = turns if len(turns) <= _MOST_TURNS else [*turns[:half], *turns[-half:]]
    for turn in read:
        for sentence in _prose(turn.text):
            place += 1
            text = " ".join(sentence.text.split())
            if text in seen or "‹redacted:" in text or not factor * _SHORTEST <= size(text) <= factor * _LONGEST:
                continue
            seen.add(text)
            yield place, turn, text


def _prose(text: str) -> Iterator[Sentence]:
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"
    return sentences(text)


def _scored(said: Sequence[tuple[int, Turn, str]], turns: Sequence[Turn]) -> list[_Said]:
    words = [frozenset(lexemes(text)) for _, _, text in said]
    common = Counter(word for one in words for word in one)
    first = next((turn for turn in turns if turn.human), None)
    last = turns[-1] if turns else None
    asked: set[int] = set()
    found = []
    for (place, turn, text), own in zip(said, words, strict=True):
        central = sum(min(common[word], 8) for word in own) / (len(own) + 4) if own else 0.0
        score = central + sum(weight for weight, cue in _TELLING if cue.search(text))
        score += 1.5 if turn.human else 0.0
        if turn is first and id(turn) not in asked:
            score += 3.0  # what it was about
            asked.add(id(turn))
        score += 1.0 if turn is last else 0.0
        score += 3.0 if turn.human and _states(text) else 0.0
        score += 0.8 if turn.human and text.rstrip().endswith(("?", "？")) and size(text) >= 2 * _SHORTEST else 0.0
        score -= 2.5 if not turn.human and _NARRATION.match(text) else 0.0
        score -= 3.0 if text.startswith("[") else 0.0
        score -= 4.0 if _POLITE.match(text) else 0.0
        score -= 2.0 if text.rstrip().endswith(":") else 0.0
        found.append(_Said(place, turn, text, size(text) + 1, own, score))  # and its speaker
    return found


def _states(text: str) -> bool:
    """Whether a sentence says outright what a memory should keep."""
    return bool(statements(text, at=None))


def _chosen(said: Sequence[_Said]) -> list[_Said]:
    """The best sentences that say something other than those before, as many as fit."""
    chosen: list[_Said] = []
    covered: set[str] = set()
    left = sorted(said, key=lambda one: (-one.score, one.place))[:_MOST_CHOICES]
    length = 0
    while left and length < MOST:
        best = max(left, key=lambda one: (_worth(one, covered), -one.place))
        left.remove(best)
        if length >= LEAST and _worth(best, covered) < 1.5:
            break
        if length + best.size > MOST or (best.words and len(best.words & covered) > 0.8 * len(best.words)):
            continue
        chosen.append(best)
        covered |= best.words
        length += best.size
    return chosen


def _worth(one: _Said, covered: set[str]) -> float:
    known = len(one.words & covered) / len(one.words) if one.words else 0.0
    return one.score - 3.0 * known


def _lines(chosen: Sequence[_Said]) -> Iterator[str]:
    """A line for each turn, with its speaker in front."""
    for number, one in enumerate(chosen):
        if number and chosen[number - 1].turn is one.turn:
            continue
        together = [one.text]
        for following in chosen[number + 1 :]:
            if following.turn is not one.turn:
                break
            together.append(following.text)
        joint = "" if _CJK.search(one.text) else " "
        yield f"{one.turn.speaker}: {joint.join(together)}"
