"""Whether a sentence asserts something: no question, condition, wish, guess, hearsay or example (MX-12, F105)."""

from __future__ import annotations

import re

_QUESTION = re.compile(
    r"[?？]|(?:吗|呢|么)[。!！.~]*$|^(?:what|why|how|when|where|who|which|whose|do|does|did|is|are|am|was|were|can|could|should"
    r"|would|will|have|has|may|shall)\b|^(?:а |и )?(?:что|почему|как|когда|где|кто|какой|какая|какие|зачем|сколько|ли)\b|是否|为什么|怎么"
    r"|什么|哪个|哪里|哪些|多少|谁能",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:if|unless|whether|maybe|perhaps|probably|possibly|might|could|would|should i|suppose|imagine|assume|guess|hope"
    r"|wish|wonder|hypothetically|pretend|not sure|don't know|do not know|i think|i believe|apparently|supposedly|seems"
    r"|reportedly|for example|for instance|e\.g|such as|say,|let's say|in theory|ideally|about to|trying to|want to try"
    r"|thinking (?:of|about)|considering|as if|was joking|just kidding|sarcas\w*|used to (?:think|be told))\b"
    r"|\b(?:если|может|возможно|наверно\w*|вероятно|кажется|вроде|допустим|предположим|представь\w*|например|хотел\w* бы"
    r"|было бы|думаю|не знаю|не уверен\w*|якобы|хорошо бы|шучу)\b"
    r"|如果|假如|要是|也许|可能|大概|或许|比如|例如|似乎|好像|假设|想象|不知道|不确定|觉得|我想|希望|开玩笑|会不会",
    re.IGNORECASE,
)
_HEARSAY = re.compile(
    r"\b(?:he|she|they|someone|somebody|people|it|the (?:docs?|article|book|readme|error|log|report|user|customer|client|model"
    r"|assistant|bot|ai)) (?:said|says|say|told|claims?|claimed|writes?|wrote|thinks?|mentioned|reported|suggests?)\b"
    r"|\baccording to\b|\bquote[sd]?\b|\b(?:он|она|они|кто-то|клиент|автор)\s+(?:сказал\w*|говорит|говорят|пишет|написал\w*|считает)\b"
    r"|\bпо словам\b|据说|听说|他说|她说|他们说|有人说|作者说|文章说",
    re.IGNORECASE,
)
_OF_THIS_TALK = re.compile(
    r"\byou(?:'ve| have)? (?:just )?(?:suggested|mentioned|provided|recommended|listed|gave|given|said|described|shared|showed)\b"
    r"|\bas (?:we|i) (?:discussed|said|mentioned)\b|\b(?:like this|like that|above|the following|this one|that one)\b"
    r"|\b(?:ты|вы)\s+(?:предложил\w*|сказал\w*|написал\w*|упомянул\w*|привёл|привел)\b|как (?:ты|вы) (?:сказал|предложил)\w*"
    r"|你(?:刚才|刚刚|上面)?(?:说|提到|建议|推荐|给|列)的?|如上|上述|以上",
    re.IGNORECASE,
)
_FOR_ANOTHER = re.compile(
    r"^(?:write|generate|translate|rewrite|summari[sz]e|create|make up|act as|you are|pretend|roleplay|imagine|compose|draft"
    r"|напиши|переведи|придумай|составь|представь|写|翻译|生成|扮演|请写|帮我写)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^[\"'«“„「『].*[\"'»”“」』][.!。！]?$")


def is_asserted(sentence: str) -> bool:
    """Whether ``sentence`` says outright that something is so."""
    if _QUOTED.match(sentence) or "‹redacted:" in sentence:
        return False
    return not any(pattern.search(sentence) for pattern in (_QUESTION, _DOUBT, _HEARSAY, _OF_THIS_TALK, _FOR_ANOTHER))
