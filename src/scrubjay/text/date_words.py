"""The words of time in English, Russian and Chinese, as data for ``dates``.

Each word stands for a symbol and a value; ``dates`` knows the order in which symbols make an expression.

    n  a number, as (least, most)             u  a unit of time
    m  a month, M one that is also a word     w  a weekday (Monday is 0), W one that is also a word
    d  a day counted from today               k  (offset, unit): "last year" in one word
    r  last (-1), this (0), next (+1)         p  "the past", up to now
    a  ago                                    l  from now (after), z the same (before)
    t  a part of a day, in hours              T  (day offset, hours): "tonight"
    s  a season by its first month            c  (week offset, weekday)
    v  "every"
    i  a preposition, f "since"               h  "to", "until"; g the same, but often no time; b, & "between", "and"
    Q  a half year, as (number, unit)         x  a word without weight between the others
"""

from __future__ import annotations

from typing import Any

Entry = tuple[str, Any]
Lexicon = dict[str, Entry]


def _spread(symbol: str, values: dict[Any, str]) -> Lexicon:
    return {word: (symbol, value) for value, words in values.items() for word in words.split()}


def _inflect(symbol: str, stems: dict[Any, str]) -> Lexicon:
    """Russian: ``стем:окончание,окончание``; ``-`` is the empty ending."""
    lexicon: Lexicon = {}
    for value, forms in stems.items():
        for form in forms.split():
            head, _, endings = form.partition(":")
            for ending in endings.split(","):
                lexicon[head + ending.strip("-")] = (symbol, value)
    return lexicon


_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}

# fmt: off

ENGLISH: Lexicon = {
    **_spread(
        "m",
        {1: "january", 2: "february", 7: "july", 9: "september", 10: "october", 11: "november", 12: "december"},
    ),
    **_spread(
        "M",
        {
            1: "jan", 2: "feb", 3: "march mar", 4: "april apr", 5: "may", 6: "june jun", 7: "jul", 8: "august aug",
            9: "sep sept", 10: "oct", 11: "nov", 12: "dec",
        },
    ),
    **_spread(
        "w",
        {
            0: "monday", 1: "tuesday", 2: "wednesday", 3: "thursday",
            4: "friday", 5: "saturday", 6: "sunday",
        },
    ),
    **_spread("W", {0: "mon", 1: "tue tues", 2: "wed", 3: "thu thur thurs", 4: "fri", 5: "sat", 6: "sun"}),
    **_spread("d", {-1: "yesterday", 0: "today", 1: "tomorrow"}),
    **_spread("r", {-1: "last previous prior", 0: "this current", 1: "next coming upcoming following"}),
    **_spread("p", {-1: "past"}),
    **_spread("a", {-1: "ago"}),
    **_spread("l", {1: "hence"}),
    **_spread("s", {3: "spring", 6: "summer", 9: "autumn fall", 12: "winter"}),
    **_spread("t", {hours: name for name, hours in _HOURS.items()}),
    **_spread("T", {(0, (18, 30)): "tonight"}),
    **_spread(
        "u",
        {
            "minute": "minute minutes mins", "hour": "hour hours hrs", "day": "day days", "week": "week weeks",
            "weekend": "weekend weekends", "month": "month months", "quarter": "quarter quarters",
            "year": "year years", "decade": "decade decades",
        },
    ),
    **_spread(
        "n",
        {
            (1, 1): "a an one", (2, 2): "two couple", (3, 3): "three", (4, 4): "four", (5, 5): "five", (6, 6): "six",
            (7, 7): "seven", (8, 8): "eight", (9, 9): "nine", (10, 10): "ten", (11, 11): "eleven", (12, 12): "twelve",
            (15, 15): "fifteen", (20, 20): "twenty", (30, 30): "thirty", (2, 5): "few several",
        },
    ),
    **_spread("i", {0: "in on during at by around before after from early late"}),
    **_spread("f", {0: "since"}),
    **_spread("h", {0: "until till through thru"}),
    **_spread("g", {0: "to"}),
    **_spread("b", {0: "between"}),
    **_spread("&", {0: "and"}),
    **_spread("v", {0: "every each"}),
    **_spread("x", {0: "the of mid"}),
    "a few": ("n", (2, 5)),
    "a couple of": ("n", (2, 2)),
    "a couple": ("n", (2, 2)),
    "the day before yesterday": ("d", -2),
    "day before yesterday": ("d", -2),
    "the day after tomorrow": ("d", 2),
    "day after tomorrow": ("d", 2),
    "half a year": ("Q", (6, "month")),
    "from now": ("l", 1),
}

VERBS = frozenset({"may", "march"})  # months that are verbs when they begin with a small letter

_ADJECTIVE = "ый,ая,ое,ые,ого,ой,ому,ом,ую,ых,ым,ыми"
_SOFT = "ий,яя,ее,ие,его,ей,ему,ем,юю,их,им,ими,ая,ую"

RUSSIAN: Lexicon = {
    **_inflect(
        "m",
        {
            1: "январ:ь,я,е,ем", 2: "феврал:ь,я,е,ем", 4: "апрел:ь,я,е,ем", 6: "июн:ь,я,е,ем", 7: "июл:ь,я,е,ем",
            8: "август:-,а,е,ом", 9: "сентябр:ь,я,е,ем", 10: "октябр:ь,я,е,ем", 11: "ноябр:ь,я,е,ем",
            12: "декабр:ь,я,е,ем",
        },
    ),
    **_inflect("M", {3: "март:-,а,е,ом", 5: "ма:й,я,е,ем"}),
    **_inflect(
        "w",
        {
            0: "понедельник:-,а,е,у,ом,и,ам", 1: "вторник:-,а,е,у,ом,и,ам", 3: "четверг:-,а,е,у,ом,и,ам",
            4: "пятниц:а,у,ы,е,ей,ам", 5: "суббот:а,у,ы,е,ой,ам", 6: "воскресень:е,я,ю,ем,ям",
        },
    ),
    **_inflect("W", {2: "сред:а,у,ы,е,ам"}),
    **_spread("d", {-2: "позавчера", -1: "вчера", 0: "сегодня", 1: "завтра", 2: "послезавтра"}),
    **_inflect(
        "r",
        {
            -2: f"позапрошл:{_ADJECTIVE}",
            -1: f"прошл:{_ADJECTIVE} минувш:{_SOFT} предыдущ:{_SOFT}",
            0: f"эт:а,у,ой,от,ом,о,и,их,им,ого,ими текущ:{_SOFT}",
            1: f"следующ:{_SOFT} будущ:{_SOFT} ближайш:{_SOFT}",
        },
    ),
    **_inflect("p", {-1: f"последн:{_SOFT}"}),
    **_spread("a", {-1: "назад тому"}),
    **_spread("z", {1: "через"}),
    **_inflect("s", {3: "весн:а,ой,ы,у,е", 6: "лет:о,ом,а", 9: "осен:ь,ью,и", 12: "зим:а,ой,ы,у,е"}),
    **_spread(
        "t",
        {
            (5, 12): "утро утром утра", (12, 18): "днем", (17, 24): "вечер вечером вечера",
            (18, 30): "ночь ночью ночи",
        },
    ),
    **_inflect(
        "u",
        {
            "minute": "минут:-,а,у,ы", "hour": "час:-,а,ов,у", "day": "день:- дн:я,ей,ю,и сут:ки,ок",
            "week": "недел:я,и,ю,е,ь,ей,ям,ями", "weekend": "выходн:ые,ых,ым", "month": "месяц:-,а,е,ев,у,ем,ы",
            "quarter": "квартал:-,а,е,ов", "year": "год:-,а,у,ом,ы,ов лет:-", "decade": "десятилети:е,я,и,й",
        },
    ),
    **_spread(
        "n",
        {
            (1, 1): "один одну одна", (2, 2): "два две пару пара", (3, 3): "три", (4, 4): "четыре", (5, 5): "пять",
            (6, 6): "шесть", (7, 7): "семь", (8, 8): "восемь", (9, 9): "девять", (10, 10): "десять",
            (11, 11): "одиннадцать", (12, 12): "двенадцать", (15, 15): "пятнадцать", (20, 20): "двадцать",
            (30, 30): "тридцать", (2, 5): "несколько",
        },
    ),
    **_spread("i", {0: "в во на за с со к ко от после около перед под весь всю начале середине конце"}),
    **_spread("h", {0: "до по"}),
    **_spread("b", {0: "между"}),
    **_spread("&", {0: "и"}),
    **_inflect("v", {0: "кажд:ый,ая,ое,ую,ого,ой"}),
    **_spread("x", {0: "числа число г"}),
    **_spread("Q", {(6, "month"): "полгода"}),
}

_WEEK_NAMES = ("周", "週", "星期", "礼拜", "禮拜")
_OFFSETS = {
    "上上个": -2, "上上個": -2, "上上": -2, "上个": -1, "上個": -1, "上": -1, "这个": 0, "這個": 0, "这": 0, "這": 0,
    "本": 0, "下个": 1, "下個": 1, "下": 1, "下下": 2,
}
_DAY_NAMES = "一二三四五六日天"

CHINESE: Lexicon = {
    **_spread("d", {-3: "大前天", -2: "前天 前日", -1: "昨天 昨日", 0: "今天 今日", 1: "明天 明日"}),
    **_spread("d", {2: "后天 後天"}),
    **_spread("T", {(-1, (18, 30)): "昨晚 昨夜", (0, (5, 12)): "今早 今晨"}),
    **_spread("T", {(0, (18, 30)): "今晚", (1, (5, 12)): "明早"}),
    **_spread("k", {(-2, "year"): "前年", (-1, "year"): "去年", (0, "year"): "今年 本年"}),
    **_spread("k", {(1, "year"): "明年", (2, "year"): "后年 後年"}),
    **_spread("k", {(0, "month"): "本月 当月", (0, "day"): "当天"}),
    **{prefix + unit: ("k", (offset, "week")) for prefix, offset in _OFFSETS.items() for unit in _WEEK_NAMES},
    **{prefix + "周末": ("k", (offset, "weekend")) for prefix, offset in _OFFSETS.items()},
    **{prefix + "週末": ("k", (offset, "weekend")) for prefix, offset in _OFFSETS.items()},
    **{prefix + "季度": ("k", (offset, "quarter")) for prefix, offset in _OFFSETS.items()},
    **{prefix + "月": ("k", (offset, "month")) for prefix, offset in _OFFSETS.items()},
    **{
        prefix + week + name: ("c", (offset, min(number, 6)))
        for prefix, offset in _OFFSETS.items()
        for week in _WEEK_NAMES
        for number, name in enumerate(_DAY_NAMES)
    },
    **{week + name: ("w", min(number, 6)) for week in _WEEK_NAMES for number, name in enumerate(_DAY_NAMES)},
    **_spread("r", {-1: "上个 上個 上", 0: "这个 這個 这 這 本", 1: "下个 下個 下"}),
    **_spread("p", {-1: "最近 过去 過去 近 这 這"}),
    **_spread("a", {-1: "前 以前 之前"}),
    **_spread("l", {1: "后 後 以后 以後 之后 之後"}),
    **_spread("s", {3: "春天 春季", 6: "夏天 夏季", 9: "秋天 秋季", 12: "冬天 冬季"}),
    **_spread(
        "t",
        {(5, 12): "早上 上午 早晨 清晨", (12, 18): "下午 中午", (17, 24): "傍晚", (18, 30): "晚上 夜里 夜裡 夜晚"},
    ),
    **_spread(
        "u",
        {
            "minute": "分钟 分鐘", "hour": "小时 小時 钟头", "day": "天 日", "week": "周 週 星期 礼拜 禮拜",
            "weekend": "周末 週末", "month": "月", "quarter": "季度", "year": "年",
        },
    ),
    **_spread("Q", {(6, "month"): "半年"}),
    **_spread("i", {0: "在 于 於 从 從 自"}),
    **_spread("h", {0: "到 至"}),
    **_spread("v", {0: "每 每个 每個"}),
    **_spread("x", {0: "的 个 個 整"}),
}

WORDS: Lexicon = {**ENGLISH, **RUSSIAN}
LONGEST_PHRASE = 4  # words

# fmt: on

_DIGITS = ("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")
CHINESE_DIGITS = {letter: number for number, letters in enumerate(_DIGITS) for letter in letters}
