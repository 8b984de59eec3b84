"""What a model proposes outright, and whether the person who answers agrees without reserve.

Both are narrow on purpose: "yes" to a question of a model is a decision only when the question held one proposal.
"""

from __future__ import annotations

import re

_LONGEST_ANSWER = 80  # characters; a longer answer says something of its own
_YES = re.compile(
    r"(?:yes,? )?(?:let's (?:do|go with) (?:that|it|this)|do (?:it|that|so)|please do|go (?:ahead|for it|with (?:that|it))|sounds (?:good|great)"
    r"|that works|works for me|i agree|good idea|great idea|makes sense|so be it)\b"
    r"|(?:делай(?:те)?|пусть будет так|так и (?:сделаем|поступим)|давай(?:те)? так|я за|звучит хорошо|хорошая идея)\b"
    r"|(?:yes|yep|yeah|yup|sure|ok(?:ay)?|agreed?|perfect|great|exactly|absolutely|definitely|please|good|right|fine|deal"
    r"|confirmed|approved|lgtm|thanks|да|ага|хорошо|отлично|согласен|согласна|давай(?:те)?|ок|окей|супер|годится|принято)\b"
    r"|就这么办|就這麼辦|就这样|就這樣|就这么定了|就這麼定了|听你的|聽你的|好主意|就用这个|就用這個"
    r"|好的?|行|可以|同意|没问题|沒問題|是的|对|對|嗯",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,.!。！，、;:—–-]+|(?:and|then|и|тогда|吧|了)\b|吧|了")
_PROPOSAL = re.compile(
    r"(?:(?:so|then|in that case|ok(?:ay)?)[,:]?\s+)?"
    r"(?:(?:shall|should) we (?P<a>(?:use|go with|adopt|switch to|stick with|keep|move to|deploy|name|call|drop|pin)\s+.{3,120})\?"
    r"|i(?:'d| would)? (?:suggest|propose|recommend)(?: (?:that )?we)? (?P<b>(?:use|go with|adopt|switch to|stick with|keep|move to|using"
    r"|going with|adopting|switching to|sticking with|keeping|moving to)\s+.{3,120})[.?])",
    re.IGNORECASE,
)
_RUSSIAN = re.compile(
    r"(?:(?:тогда|итак)[,:]?\s+)?(?:предлагаю|рекомендую|давайте|может,?)\s+(?P<a>(?:использовать|взять|перейти на|оставить"
    r"|остановиться на|выбрать)\s+.{3,120})[.?]",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:那么?[，,]?)?(?:我?建议|我?建議|要不要|我们要不|我們要不)(?:我们|我們)?(?P<a>(?:使用|用|采用|採用|选择|選擇|换成|換成|改用).{2,60}?)(?:吗|吧|嗎)?[。？?]"
)
_GERUND = {
    "using": "use",
    "going": "go",
    "adopting": "adopt",
    "switching": "switch",
    "sticking": "stick",
    "keeping": "keep",
    "moving": "move",
}


def agrees(text: str) -> bool:
    """Whether ``text`` says yes and nothing else."""
    rest = text.strip()
    if not rest or len(rest) > _LONGEST_ANSWER or "?" in rest or "？" in rest:
        return False
    said = False
    while rest:
        if found := _YES.match(rest):
            said, rest = True, rest[found.end() :]
        elif found := _BETWEEN.match(rest):
            rest = rest[found.end() :]
        else:
            return False
    return said


def proposal(sentence: str) -> str:
    """What ``sentence`` proposes to do, as a verb and its object: "use PostgreSQL 16"; empty when it proposes nothing
    or leaves a choice."""
    for pattern in (_PROPOSAL, _RUSSIAN, _CHINESE):
        if found := pattern.fullmatch(sentence.strip()):
            said = next(value for value in found.groupdict().values() if value).strip(" .?？。")
            if re.search(r"\b(?:or|или|either|both)\b|还是|還是", said, re.IGNORECASE):
                return ""
            first, _, rest = said.partition(" ")
            return f"{_GERUND.get(first.lower(), first)} {rest}".strip()
    return ""
