"""The forms of statements in Russian. Verbs of the first person are put into the third by a table."""

from __future__ import annotations

import re

from scrubjay.text.statements.forms import Form


def _said(pattern: str) -> re.Pattern[str]:
    """A pattern behind the words with which people begin."""
    return re.compile(
        r"(?:(?:так|ну|ок|окей|да|нет|кстати|вообще|вообще-то|в общем|и|а|но|ещё|еще|также|лично|честно|привет|слушай"
        rf"|смотри|спасибо|пожалуйста|обычно)[,.:!]?\s+){{0,3}}(?P<said>{pattern})",
        re.IGNORECASE,
    )


_ADVERBS = (
    r"(?:(?:всегда|обычно|очень|сейчас|теперь|уже|давно|больше всего|чаще всего|в основном|только|тоже|раньше)\s+){0,2}"
)
_WE = r"(?:мы|я|наша команда|команда)\s+(?:с\s+\w+\s+)?" + _ADVERBS
_THINGS = (
    "сервер|шлюз|прокси|брокер|база данных|база|бд|кластер|репозиторий|ветка|порт|домен|адрес|хост|регион|прод|стейджинг|продакшен|бэкенд"
    "|фронтенд|очередь|кеш|кэш|версия|лицензия|дедлайн|часовой пояс"
)
_VALUE = r"(?:\s+—|\s+-|\s+–|:)?\s+(?:это\s+)?"

FORMS: tuple[Form, ...] = (
    Form(
        "remember",
        "Fact",
        _said(
            r"(?:запомни(?:те)?|имей(?:те)? в виду|учти(?:те)?|не забудь(?:те)?|заметь(?:те)?|на будущее|отметь(?:те)?)"
            r"(?:\s*:\s*(?:что\s+)?|,?\s+что\s+|(?<=виду),\s+|(?<=будущее),\s+)(?P<object>.+)"
        ),
        confidence=0.95,
        inner=True,
    ),
    Form(
        "remind",
        "TODO",
        _said(r"(?:туду|todo|задача)\s*:\s*(?P<object>.+)|напомни(?:те)?(?:\s+мне)?\s+(?P<task>.+)"),
    ),
    Form(
        "due",
        "TODO",
        _said(r"(?:(?:мне|нам)\s+)?(?:нужно|надо|необходимо)\s+(?P<object>.+)"),
        confidence=0.85,
        dated=True,
    ),
    Form(
        "prefers",
        "Preference",
        _said(rf"я\s+{_ADVERBS}предпочитаю\s+(?P<object>.+)"),
        "{who} предпочитает {object}",
        "prefers",
        confidence=0.95,
    ),
    Form(
        "dislikes",
        "Preference",
        _said(
            rf"я\s+{_ADVERBS}(?:не люблю|терпеть не могу|не переношу)\s+(?P<object>.+)"
            r"|мне\s+(?:очень\s+|совсем\s+)?не\s+нрав(?:ится|ятся)\s+(?P<object2>.+)"
        ),
        "{who} не любит {object}",
        "dislikes",
    ),
    Form(
        "hates",
        "Preference",
        _said(rf"я\s+{_ADVERBS}ненавижу\s+(?P<object>.+)"),
        "{who} ненавидит {object}",
        "dislikes",
    ),
    Form(
        "likes",
        "Preference",
        _said(rf"я\s+{_ADVERBS}(?:люблю|обожаю)\s+(?P<object>.+)"),
        "{who} любит {object}",
        "likes",
    ),
    Form(
        "likes that",
        "Preference",
        _said(r"мне\s+(?:очень\s+)?нрав(?:ится|ятся)\s+(?P<object>.+)"),
    ),
    Form(
        "favourite",
        "Preference",
        _said(
            r"мо(?:й|я|ё|е|и)\s+любим(?:ый|ая|ое|ые)\s+(?P<kind>[\w -]{2,40}?)(?:\s+—|\s+-|\s+–|:)\s+(?:это\s+)?(?P<object>.+)"
        ),
    ),
    Form(
        "no longer",
        "Preference",
        _said(
            r"(?:я|мы)\s+(?:больше|уже)\s+не\s+(?:использу(?:ю|ем)|пользу(?:юсь|емся)|ем|пью|пишу|работаю|живу|люблю)\s+.+"
        ),
    ),
    Form(
        "switched",
        "Decision",
        _said(
            rf"{_WE}(?:перешли|перешёл|перешел|перешла|переехали|мигрировали|переключились)\s+с(?:о)?\s+(?P<old>.+?)\s+на\s+(?P<object>.+)"
        ),
    ),
    Form(
        "switched to",
        "Decision",
        _said(rf"{_WE}(?:перешли|перешёл|перешел|перешла|мигрировали|переключились)\s+на\s+(?P<object>.+)"),
        confidence=0.85,
    ),
    Form(
        "uses",
        "Preference",
        _said(rf"я\s+{_ADVERBS}(?:использую|пользуюсь)\s+(?P<object>.+)"),
        plain=False,
        confidence=0.85,
    ),
    Form(
        "name",
        "Identity",
        _said(r"меня\s+зовут\s+(?-i:(?P<object>[А-ЯЁA-Z][\w-]+(?:\s+[А-ЯЁA-Z][\w-]+){0,2}))(?:\s*[,;].*)?"),
        "Пользователя зовут {object}",
        "name",
        subject="user",
        confidence=0.97,
    ),
    Form(
        "lives",
        "Identity",
        _said(rf"я\s+{_ADVERBS}живу\s+(?:в|во|на)\s+(?-i:(?P<object>[А-ЯЁA-Z].{{1,80}}))"),
        "{who} живёт в {object}",
        "lives in",
        confidence=0.95,
    ),
    Form(
        "moved",
        "Identity",
        _said(
            rf"(?:я|мы)\s+{_ADVERBS}переехал[аи]?\s+(?:из\s+(?-i:(?P<old>[А-ЯЁA-Z]\S+))\s+)?(?:в|во|на)\s+(?-i:(?P<object>[А-ЯЁA-Z][^,;]{{1,60}}))"
        ),
    ),
    Form(
        "works at",
        "Identity",
        _said(rf"я\s+{_ADVERBS}работаю\s+(?:в|во|на)\s+(?-i:(?P<object>[А-ЯЁA-Z«\"].{{1,80}}))"),
        "{who} работает в {object}",
        "works at",
        confidence=0.95,
    ),
    Form(
        "works as",
        "Identity",
        _said(
            rf"я\s+{_ADVERBS}работаю\s+(?P<object>(?:\w+\s+){{0,2}}(?:\w+(?:истом|ером|ором|щиком|телем|логом|еном|тором|ником|ком|дом|чом|жем))(?:\s+.+)?)"
        ),
        "{who} работает {object}",
        "works as",
    ),
    Form(
        "trait",
        "Identity",
        _said(r"у\s+меня\s+(?P<object>(?:аллергия|непереносимость|диабет|астма)\b.*)"),
    ),
    Form(
        "relation",
        "Identity",
        _said(
            r"мо(?:ю|его|ему|й|я)\s+(?P<kind>жену|мужа|сына|дочь|дочку|собаку|кошку|кота|брата|сестру|маму|папу|начальника)\s+зовут"
            r"\s+(?-i:(?P<object>[А-ЯЁA-Z][\w-]+(?:\s+[А-ЯЁA-Z][\w-]+){0,2}))"
        ),
    ),
    Form(
        "decided",
        "Decision",
        _said(
            rf"{_WE}(?:решил[аи]?|договорил(?:ись|ся|ась)|выбрал[аи]?|остановил(?:ись|ся|ась)\s+на|условились)\s+(?P<object>.+)"
        ),
        subject="",
        confidence=0.92,
    ),
    Form("decision", "Decision", _said(r"(?:решено|решение|итог)\s*(?::|—|-|–)\s*(?P<object>.+)"), subject=""),
    Form(
        "let's",
        "Decision",
        _said(r"(?:давай(?:те)?|будем)\s+(?:использовать|брать|возьм[её]м|оставим|придерживаться)\s+(?P<object>.+)"),
        plain=False,
        subject="",
        confidence=0.8,
    ),
    Form(
        "from now on",
        "Process",
        _said(r"(?:отныне|с этого момента|впредь|на будущее|в дальнейшем)[,:]?\s+(?P<object>.+)"),
        "Впредь: {object}",
        subject="",
    ),
    Form(
        "rule",
        "Process",
        _said(
            r"(?:всегда|никогда не)\s+(?P<object>\w+(?:ай|яй|уй|ой|ей|юй|ши|ли|ри|жи|чи|ди|ти|си|пи|ви|ми|ни|вь|шь|ть(?=те)|нь|ль|дь)(?:те)?\s+.+)"
        ),
        subject="",
        confidence=0.88,
    ),
    Form(
        "we use",
        "Infrastructure",
        _said(rf"мы\s+{_ADVERBS}(?:используем|пользуемся|держим|хостим|деплоим|разворачиваем)\s+(?P<object>.+)"),
        plain=False,
        subject="",
        confidence=0.88,
    ),
    Form(
        "runs on",
        "Infrastructure",
        _said(
            rf"(?P<subject>(?:наш\w*\s+|мой\s+|моя\s+|тестов\w+\s+|основн\w+\s+){{0,2}}(?:{_THINGS}|сервис(?:\s+[\w-]+)?|api))\s+"
            r"(?P<how>(?:работает|крутится|слушает|лежит|находится|развёрнут\w?|развернут\w?|доступен|доступна)\s+(?:на|в|по))\s+(?P<object>.+)"
        ),
        "{subject} {how} {object}",
        "runs on",
        subject="{subject}",
        plain=False,
    ),
    Form(
        "is",
        "Infrastructure",
        _said(
            rf"(?P<subject>(?:наш\w*\s+|мо[йя]\s+|основн\w+\s+|тестов\w+\s+)(?:\w+\s+)?(?:{_THINGS})){_VALUE}(?P<object>[^,;]+)(?:[,;].*)?"
        ),
        "{subject} — {object}",
        "is",
        subject="{subject}",
        plain=False,
        confidence=0.88,
    ),
)
