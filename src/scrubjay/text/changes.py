"""What a decision says of the one before it: what it adopts, what it leaves behind, and what for (en, ru, zh)."""

from __future__ import annotations

import re

_THING = r"(?P<thing>[^\s,;，；。]+(?-i:\s+[A-Z0-9][^\s,;]*){0,3})"
_OLD = r"(?P<thing>.{1,60}?)"
_LEFT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:switch|move|migrate|change|convert)(?:d|ed|ing)?\s+(?:over\s+)?from\s+{_OLD}\s+to\s",
        rf"\breplac(?:e|ed|ing)\s+{_OLD}\s+(?:with|by)\s",
        rf"\b(?:перейти|переехать|мигрировать|переключиться|уйти|перевести\s+\S+)\s+со?\s+{_OLD}\s+на\s",
        rf"\bзаменить\s+{_OLD}\s+на\s",
        rf"(?:从|從)\s*{_OLD}\s*(?:换成|換成|替换为|替換為|改用|切换到|切換到|迁移到|遷移到|改成|改为|改為|转到|轉到)",
        rf"(?:把|将|將)\s*{_OLD}\s*(?:换成|換成|替换为|替換為|改成|改为|改為)",
        r"\b(?:instead of|вместо)\s+(?P<thing>[^,;.]+)\.?$",
        r"(?:代替|取代|替代|替换|替換)(?:掉)?\s*(?P<thing>[^，,。]+)。?$",
    )
)
_AGAINST = re.compile(r"\b(?:not|against|never|don't|won't|не)\b|不|别", re.IGNORECASE)
_ADOPTED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:use|adopt|choose|chose|pick|picked|select|selected|go with|going with|on)\s+{_THING}",
        rf"\b(?:использовать|взять|выбрать|выбрали|выбрал|применять|на)\s+{_THING}",
        r"(?:使用|采用|採用|选择|選擇|选用|選用|用)\s*"
        r"(?P<thing>[A-Za-z0-9][\w.+#-]*(?-i:\s[A-Z0-9][\w.+#-]*)*|.{1,12}?(?=做|作为|作為|来|來|当|。|$))",
    )
)
_PURPOSE = re.compile(
    r"\b(?:for|as|в качестве|для|под)\s+(?P<purpose>[^,;.]+)|(?:做|作为|作為|当|當)(?P<purpose_zh>[^，；。]+)",
    re.IGNORECASE,
)


def left_behind(statement: str) -> str | None:
    """What ``statement`` moves away from: ``MySQL`` in "switch from MySQL to PostgreSQL"; ``None`` if nothing, or
    if it is said not to move."""
    if _AGAINST.search(statement):
        return None
    match = next((found for pattern in _LEFT if (found := pattern.search(statement))), None)
    return match["thing"].strip(" \"'`«»“”") if match else None


def adopted(statement: str) -> str | None:
    """What ``statement`` decides for: ``MySQL`` in "we decided to use MySQL for orders"; ``None`` if nothing."""
    match = next((found for pattern in _ADOPTED if (found := pattern.search(statement))), None)
    return match["thing"].strip(" .\"'`«»“”") if match else None


def purpose(statement: str) -> str:
    """What something was decided for: "for orders", "для заказов", "做缓存"; empty where it is not said."""
    match = _PURPOSE.search(statement)
    return (match["purpose"] or match["purpose_zh"] or "").strip() if match else ""
