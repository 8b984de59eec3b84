"""Whether two statements say the same thing with opposite signs: "is allowed" and "is not allowed" (F16, F20).

Deliberately narrow: the words left after taking out signs must be the same in the same order. A statement that also
differs in a name, a number or a date is another statement, not the opposite.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scrubjay.text.analyze import lexemes

# Words that turn a statement round, and words whose pairs say the opposite; the first of a pair is the positive one.
NEGATIONS = frozenset(
    "not no never cannot without n't don't doesn't didn't isn't aren't wasn't weren't won't can't shouldn't mustn't "
    "couldn't wouldn't hasn't haven't hadn't "
    "не нет ни никогда нельзя без 不 没 沒 没有 不是 不再 别 勿 未 非 无".split()
)
ANTONYMS = (
    ("love loves like likes enjoy enjoys adore adores", "hate hates dislike dislikes detest detests loathe loathes"),
    ("allow allows allowed permitted", "forbid forbids forbidden prohibited disallowed"),
    ("enable enables enabled", "disable disables disabled"),
    ("use uses", "avoid avoids"),
    ("accept accepts accepted", "reject rejects rejected"),
    ("start starts started", "stop stops stopped"),
    ("любит люблю нравится обожает", "ненавидит ненавижу терпеть"),
    ("можно разрешено разрешён разрешен", "нельзя запрещено запрещён запрещен"),
    ("включен включён включено", "выключен выключён выключено отключен отключён отключено"),
    ("喜欢 喜歡 爱 愛", "讨厌 討厭 恨"),
    ("允许 允許 可以", "禁止"),
    ("启用 啟用 开启", "禁用 关闭"),
)
_AUXILIARIES = frozenset("do does did to be is are was were has have had very really much so always всегда".split())
_IRREGULAR = {"can't": "can", "won't": "will", "shan't": "shall"}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\w.:-]*|[^\s\w]", re.UNICODE)
_CJK = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Stance:
    """What a statement says without its sign, and the sign: ``+1`` or ``-1``."""

    core: tuple[str, ...]
    sign: int

    def opposes(self, other: Stance) -> bool:
        """Whether both say the same thing with opposite signs."""
        return bool(self.core) and self.core == other.core and self.sign != other.sign


def stance(text: str) -> Stance:
    """The core and the sign of ``text``."""
    folded = text.casefold().replace("’", "'")
    return _cjk_stance(folded) if _CJK.search(folded) else _spaced_stance(folded)


def _spaced_stance(text: str) -> Stance:
    sign = 1
    kept: list[str] = []
    for word in _WORD.findall(text):
        if word in NEGATIONS or word.endswith("n't"):
            sign = -sign
            stem = _IRREGULAR.get(word) or word.removesuffix("n't").removesuffix("'")
            if word.endswith("n't") and stem and stem not in _AUXILIARIES:
                kept.append(stem)
        elif word in _POLES:
            pole, pole_sign = _POLES[word]
            sign *= pole_sign
            kept.append(pole)
        elif word not in _AUXILIARIES and any(map(str.isalnum, word)):
            kept.extend(lexemes(word) or [word])
    return Stance(tuple(kept), sign)


def _cjk_stance(text: str) -> Stance:
    sign = 1
    core = text
    for word, (pole, pole_sign) in _CJK_POLES:
        if word in core:
            core = core.replace(word, f"\x00{pole}\x00")
            sign *= pole_sign
    for word in _CJK_NEGATIONS:
        while word in core:
            core = core.replace(word, "", 1)
            sign = -sign
    return Stance(tuple(re.findall(r"\x00\w+\x00|\w", core)), sign)


def _poles() -> dict[str, tuple[str, int]]:
    table: dict[str, tuple[str, int]] = {}
    for number, (positive, negative) in enumerate(ANTONYMS):
        for sign, words in ((1, positive), (-1, negative)):
            table.update(dict.fromkeys(words.split(), (f"pole{number}", sign)))
    return table


_POLES = {word: pole for word, pole in _poles().items() if word not in NEGATIONS}
_CJK_POLES = sorted(
    ((word, pole) for word, pole in _POLES.items() if _CJK.search(word)), key=lambda item: -len(item[0])
)
_CJK_NEGATIONS = sorted((word for word in NEGATIONS if _CJK.search(word)), key=len, reverse=True)
