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
    r"|thinking (?:of|about)|considering|planning to|as if|was joking|just kidding|sarcas\w*|used to (?:think|be told))\b"
    r"|\b(?:если|может|возможно|наверно\w*|вероятно|кажется|вроде|допустим|предположим|представь\w*|например|хотел\w* бы"
    r"|было бы|думаю|не знаю|не уверен\w*|якобы|хорошо бы|шучу)\b"
    r"|^(?:yeah,? right|oh,? (?:sure|great|yes|wonderful)|ну да|ага,? конечно|да уж|是啊)\b|我(?:们|們)?(?:正在|在|正)?(?:考虑|考慮|打算|计划|計劃|准备|準備)"
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
    r"^(?:(?:please )?(?:write|generate|translate|rewrite|summari[sz]e|create|make up|compose|draft|proofread|rephrase|shorten)"
    r"|напиши|переведи|придумай|составь|сократи|перепиши)\b|^(?:请|請|帮我|幫我)?(?:写|寫|翻译|翻譯|生成|缩短|縮短|改写|改寫|造)",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(?:please )?(?:act as|you are|you're (?:an?|the)\b|pretend|role-?play|imagine|suppose|let's say)\b|^(?:представь|вообрази|ты —|ты -|допустим)\b"
    r"|^(?:请|請)?(?:扮演|假装|假裝|假设|假設|想象|想像)",
    re.IGNORECASE,
)
_PASTED = re.compile(
    r"^(?:here(?:'s| is| are)|this is|these are|see|below is|look at)\s(?:[\w'’-]+\s+){0,4}?(?:logs?|readme|output|file|transcript|article|e-?mail"
    r"|document|text|page|post|chat|paste|snippet|excerpt|ticket|response|message)s?\b.*:$"
    r"|^(?:вот|ниже)\s(?:[\w-]+\s+){0,3}?(?:логи?|вывод|файл|текст|письмо|статья|документ|переписка|сообщение)\b.*:$"
    r"|^(?:以下|下面|这)是.{0,12}(?:日志|输出|文件|文章|邮件|文档|文本|聊天记录|内容).{0,6}[:：]$",
    re.IGNORECASE,
)
"""Words that hand over what somebody else wrote."""
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}?(?:previous|prior|above|earlier|preceding|system|safety)\s+(?:\w+\s+)?"
    r"(?:instructions?|prompts?|rules?|messages?|guidelines?|context)\b|^(?:system|developer)\s*:|\bjailbreak\b"
    r"|\b(?:игнорируй|забудь|отмени)\w*\s+(?:\w+\s+){0,2}?(?:предыдущи|прежни|системн)\w*\s+(?:инструкци|указани|правил)\w*"
    r"|(?:忽略|无视|忘记|忘掉)(?:之前|以前|上面|先前|系统|所有|的|一切){1,4}(?:指令|指示|提示|规则)",
    re.IGNORECASE,
)
"""Orders to a model to cast off its own, which no memory hands on (SEC-3, F112)."""
_TAKEN_BACK = re.compile(
    r"(?:i'?m |i am |i was |just )*(?:kidding|joking)\b.*|not[.!]*|/s|(?:это )?(?:шучу|шутка)\b.*|.{0,4}(?:开玩笑|開玩笑).*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^[\"'«“„「『].*[\"'»”“」』][.!。！]?$")


def is_taken_back(following: str) -> bool:
    """Whether the sentence that follows says that the one before was a joke."""
    return _TAKEN_BACK.fullmatch(following.strip()) is not None


def begins_fiction(sentence: str) -> bool:
    """Whether what follows is said in a role, or is somebody else's text: "act as …", "translate: …", "here
    is the log: …"."""
    return bool(
        _ROLE.match(sentence)
        or _PASTED.match(sentence)
        or (_FOR_ANOTHER.match(sentence) and re.search(r"[:：]", sentence))
    )


def is_asserted(sentence: str) -> bool:
    """Whether ``sentence`` says outright that something is so."""
    if _QUOTED.match(sentence) or "‹redacted:" in sentence:
        return False
    return not any(
        pattern.search(sentence)
        for pattern in (_QUESTION, _DOUBT, _HEARSAY, _OF_THIS_TALK, _FOR_ANOTHER, _ROLE, _ORDERS)
    )
