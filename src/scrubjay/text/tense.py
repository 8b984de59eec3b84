"""What a question asks about time: what held before, whether something still holds, when it changed (en, ru, zh).

Such a question wants statements that no longer hold beside those that do. A wrong guess costs little: what does not
hold any more is marked as such wherever it is shown.
"""

from __future__ import annotations

import re
from typing import Literal

Tense = Literal["present", "before", "still", "change"]

_BEFORE = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|earlier|originally|initially|used to|in the past|no longer|back then"
    r"|(?:not|n't|stop(?:ped)?)\b.*\bany ?more)\b"
    # "before" as an adverb or with what was changed, not "what to run before a release"
    r"|\bbefore(?=\s*(?:$|[?.!,;]|that\b|this\b|then\b|now\b|the (?:change|switch|move|migration)\b|(?:we|i|they) \w+"
    r"|\d|(?:switch|mov|chang|migrat)ing\b))"
    r"|\b(?:раньше|прежде|ранее|(?<!-)прежн\w+|до этого|до того|первоначально|изначально|сначала|больше не|в прошлом"
    r"|бывш\w+)\b"
    r"|以前|之前|此前|原来|原先|曾经|过去|当初|先前|从前|以往|不再",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"\b(?:still|any ?more)\b"
    r"|\b(?:вс[её] ещ[её]|ещ[её] ли|по-прежнему|до сих пор|до сей поры)\b"
    r"|仍然|仍旧|依然|还在|还是.{0,12}[吗嗎]|还.{1,12}[吗嗎]|至今",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|switch(?:ed|ing)?|replac(?:e|es|ed|ing)|migrat(?:e|es|ed|ing|ion)|supersed\w+"
    r"|since when|how long|history of|evol(?:ve|ved|ution)|(?:moved?|moving) (?:away )?(?:from|to)|revers(?:e|ed))\b"
    r"|\b(?:смен\w+|помен\w+|измен\w+|замен\w+|переш(?:[её]л|л[аио])\w*|переход\w*|переезд\w*|переехал\w*|с каких пор"
    r"|как давно|как долго|истори[яию])\b"
    r"|改成|改为|改了|更改|变更|变了|换成|换了|更换|改用|切换|从什么时候|什么时候(?:开始|起)|多久|历史|演变",
    re.IGNORECASE,
)


def tense(question: str) -> Tense:
    """``before`` for what held earlier, ``still`` for whether it holds now, ``change`` for when or how it changed."""
    if _BEFORE.search(question):
        return "before"
    if _CHANGE.search(question):
        return "change"
    return "still" if _STILL.search(question) else "present"
