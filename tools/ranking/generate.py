"""Write small two-person dialogues with questions, in English, Russian and Chinese.

The public sets that may be used for fitting hold few casual dialogues and no question asked in another
language than its evidence. These templates supply both: a question of one speaker is followed by the answer
of the other, facts of one kind recur with other values (so that the words of the kind alone don't decide),
and every fact is asked for in three languages. All text is our own; the output is deterministic.

    python tools/ranking/generate.py OUT_FOLDER
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

LANGUAGES = ("en", "ru", "zh")
Text = dict[str, str]


@dataclass(frozen=True)
class Kind:
    """One kind of fact: how it is prompted, told and asked for, and what may fill `{x}`.

    `{n}` in a question is the name of the person whom the fact is about.
    """

    prompts: dict[str, tuple[str, ...]]
    tellings: dict[str, tuple[str, ...]]
    questions: dict[str, tuple[str, ...]]
    values: tuple[tuple[str, str, str], ...]
    dated: bool = False


def _kind(
    prompts: Sequence[Sequence[str]],
    tellings: Sequence[Sequence[str]],
    questions: Sequence[Sequence[str]],
    values: str,
    *,
    dated: bool = False,
) -> Kind:
    """Build a kind from lists in the order of `LANGUAGES`; values are `en|ru|zh` separated by `;`."""
    rows = tuple(tuple(part.strip() for part in row.split("|")) for row in values.split(";"))
    return Kind(
        {lang: tuple(texts) for lang, texts in zip(LANGUAGES, prompts, strict=True)},
        {lang: tuple(texts) for lang, texts in zip(LANGUAGES, tellings, strict=True)},
        {lang: tuple(texts) for lang, texts in zip(LANGUAGES, questions, strict=True)},
        tuple((row[0], row[1], row[2]) for row in rows),
        dated,
    )


KINDS: tuple[Kind, ...] = (
    _kind(
        [
            ("What did you get up to at the weekend?", "Done anything fun lately?"),
            ("Как прошли выходные?", "Чем занимался в последнее время?"),
            ("周末过得怎么样？", "最近忙什么呢？"),
        ],
        [
            (
                "Last Saturday I went {x} for the first time, and my legs still hurt!",
                "I finally tried {x} yesterday. Loved every minute of it.",
                "We spent the whole Sunday {x}, it was so relaxing.",
            ),
            ("В субботу впервые пробовал {x}, до сих пор всё болит.", "Вчера наконец-то было {x}, очень понравилось!"),
            ("上周六我第一次去{x}，腿到现在还疼。", "昨天终于试了{x}，特别开心。"),
        ],
        [
            ("When did {n} go {x}?", "On which day did {n} try {x}?"),
            ("Когда {n} впервые занимался: {x}?", "В какой день было {x} у {n}?"),
            ("{n}是什么时候去{x}的？", "{n}哪天第一次{x}？"),
        ],
        "rock climbing|скалолазание|攀岩;kayaking|сплав на байдарке|划皮划艇;horse riding|катание на лошади|骑马;"
        "ice skating|катание на коньках|滑冰;bird watching|наблюдение за птицами|观鸟;fishing|рыбалка|钓鱼;"
        "surfing|сёрфинг|冲浪;mushroom picking|сбор грибов|采蘑菇;swimming in a lake|плавание в озере|在湖里游泳;"
        "sledding|катание на санках|滑雪橇",
        dated=True,
    ),
    _kind(
        [
            ("So how is the job hunt going?", "Any news from work?"),
            ("Как дела на работе?", "Нашёл что-нибудь новое?"),
            ("工作怎么样了？", "找到新工作了吗？"),
        ],
        [
            (
                "I start as {x} on Monday, the contract is signed.",
                "They offered me a position, so from now on I'm working as {x}.",
                "Honestly, being {x} is harder than I thought, but the team is kind.",
            ),
            ("С понедельника моя новая должность: {x}, договор подписан.", "Взяли меня! Теперь я {x}."),
            ("我下周一开始当{x}，合同已经签了。", "他们录用我了，现在我是{x}。"),
        ],
        [
            ("What is {n}'s new job?", "What does {n} do for a living?", "Which position did {n} accept?"),
            ("Кем теперь работает {n}?", "Какая новая профессия у {n}?"),
            ("{n}的新工作是什么？", "{n}现在做什么职业？"),
        ],
        "a nurse|медсестра|护士;a bus driver|водитель автобуса|公交车司机;a baker|пекарь|面包师;"
        "a translator|переводчик|翻译;an accountant|бухгалтер|会计;a carpenter|столяр|木匠;"
        "a school librarian|школьный библиотекарь|学校图书管理员;a lifeguard|спасатель|救生员;"
        "a web designer|веб-дизайнер|网页设计师;a gardener|садовник|园丁",
    ),
    _kind(
        [
            ("Did you get a present for your sister?", "What's in that big box?"),
            ("Что ты купил сестре в подарок?", "А что в этой коробке?"),
            ("你给妹妹买礼物了吗？", "那个大盒子里是什么？"),
        ],
        [
            (
                "Yep, I bought {x} at the flea market, quite a bargain.",
                "It's {x}! I had been saving up for months.",
                "I picked {x} in the end. She loved it.",
            ),
            ("Да, {x}, нашёл на блошином рынке, совсем недорого.", "Там {x}! Копил несколько месяцев."),
            ("买了，在跳蚤市场淘到{x}，很便宜。", "是{x}！我攒了好几个月的钱。"),
        ],
        [
            ("What did {n} buy at the market?", "What did {n} save money for?", "What present did {n} choose?"),
            ("Что {n} купил на рынке?", "На что {n} копил деньги?"),
            ("{n}在市场上买了什么？", "{n}攒钱买了什么？"),
        ],
        "a silver necklace|серебряное ожерелье|一条银项链;an old typewriter|старая пишущая машинка|一台旧打字机;"
        "a telescope|телескоп|一架望远镜;a ceramic teapot|керамический чайник|一个陶瓷茶壶;"
        "a leather jacket|кожаная куртка|一件皮夹克;a chess set|шахматы|一副国际象棋;"
        "a mountain bike|горный велосипед|一辆山地车;a wool blanket|шерстяное одеяло|一条羊毛毯;"
        "a record player|проигрыватель пластинок|一台唱片机",
    ),
    _kind(
        [
            ("Where are you off to this summer?", "Any travel plans?"),
            ("Куда поедешь летом?", "Есть планы на отпуск?"),
            ("今年夏天你打算去哪儿？", "有旅行计划吗？"),
        ],
        [
            (
                "We're flying to {x} with my parents in July, tickets are booked.",
                "I've just come back from {x}, the food there is unreal.",
                "Next month it's {x} for me, two weeks without a laptop.",
            ),
            (
                "В июле летим: {x}, билеты уже куплены.",
                "Только что вернулись, страна назначения была {x}, еда невероятная.",
            ),
            ("七月我和父母一起飞{x}，票已经订好了。", "我刚从{x}回来，那里的东西太好吃了。"),
        ],
        [
            ("Which country is {n} going to visit?", "Where did {n} travel?", "Where will {n} spend the holidays?"),
            ("В какую страну едет {n}?", "Где {n} проводит отпуск?"),
            ("{n}要去哪个国家旅行？", "{n}去哪里度假？"),
        ],
        "Portugal|Португалия|葡萄牙;Norway|Норвегия|挪威;Vietnam|Вьетнам|越南;Peru|Перу|秘鲁;"
        "Morocco|Марокко|摩洛哥;Iceland|Исландия|冰岛;Greece|Греция|希腊;Kenya|Кения|肯尼亚;Mexico|Мексика|墨西哥",
    ),
    _kind(
        [
            ("Who is that in the photo?", "Is there anyone new at home?"),
            ("Кто это на фотографии?", "У вас дома кто-то новый?"),
            ("照片里这是谁？", "家里来新成员了吗？"),
        ],
        [
            (
                "That's our {x}, we adopted it from the shelter a week ago.",
                "My {x}! It sleeps on my pillow every night.",
                "Oh, the {x} has been to the vet again, but it is fine now.",
            ),
            ("Это {x}, взяли неделю назад из приюта.", "{x}! Каждую ночь спит у меня на подушке."),
            ("这是我们的{x}，一周前从收容所领养的。", "是我的{x}！每天晚上都睡在我枕头上。"),
        ],
        [
            ("What pet does {n} have?", "What kind of animal did {n} adopt?"),
            ("Какое домашнее животное у {n}?", "Кого {n} взял из приюта?"),
            ("{n}养了什么宠物？", "{n}领养了什么动物？"),
        ],
        "grey kitten|серый котёнок|灰色小猫;parrot|попугай|鹦鹉;old greyhound|старая борзая|老灰狗;"
        "tortoise|черепаха|乌龟;white rabbit|белый кролик|白兔;hamster|хомяк|仓鼠;"
        "three-legged dog|трёхногая собака|三条腿的狗;goldfish|золотая рыбка|金鱼",
    ),
    _kind(
        [
            ("Have you read anything good?", "Are you still taking that class?"),
            ("Чему сейчас учишься?", "Ты ещё ходишь на курсы?"),
            ("你现在还在上课吗？", "在学什么新东西？"),
        ],
        [
            (
                "I signed up for a course in {x}, every Tuesday evening.",
                "{x} is my new obsession, I practise before breakfast.",
                "My teacher says I have a talent for {x}. Can you believe it?",
            ),
            (
                "Записался на курс, предмет: {x}, каждый вторник вечером.",
                "Моё новое увлечение: {x}, занимаюсь до завтрака.",
            ),
            ("我报了{x}课，每周二晚上上课。", "我最近迷上了{x}，早饭前都要练。"),
        ],
        [
            ("What is {n} learning?", "Which course did {n} sign up for?", "What is {n}'s new hobby?"),
            ("Чему учится {n}?", "На какие курсы записался {n}?"),
            ("{n}在学什么？", "{n}报了什么课？"),
        ],
        "pottery|гончарное дело|陶艺;calligraphy|каллиграфия|书法;sign language|язык жестов|手语;"
        "the violin|игра на скрипке|小提琴;first aid|первая помощь|急救;salsa dancing|сальса|萨尔萨舞;"
        "beekeeping|пчеловодство|养蜂;photography|фотография|摄影;Italian cooking|итальянская кухня|意大利菜",
    ),
    _kind(
        [
            ("You sound tired, is everything OK?", "How are you feeling?"),
            ("Ты какой-то уставший, всё хорошо?", "Как самочувствие?"),
            ("你听起来很累，没事吧？", "身体怎么样？"),
        ],
        [
            (
                "Not great, I've got {x} and the doctor told me to rest.",
                "Better now. It was {x} again, I was in bed for three days.",
                "Ugh, {x}. No more running this month.",
            ),
            ("Не очень, у меня {x}, врач велел отдыхать.", "Уже лучше. Опять {x}, три дня пролежал."),
            ("不太好，我有{x}，医生让我休息。", "好多了。又是{x}，躺了三天。"),
        ],
        [
            (
                "What health problem does {n} have?",
                "Why did the doctor tell {n} to rest?",
                "What was {n} suffering from?",
            ),
            ("Что со здоровьем у {n}?", "Почему врач велел {n} отдыхать?"),
            ("{n}的身体有什么问题？", "医生为什么让{n}休息？"),
        ],
        "a sprained ankle|вывих лодыжки|脚踝扭伤;a migraine|мигрень|偏头痛;back pain|боль в спине|背痛;"
        "the flu|грипп|流感;a toothache|зубная боль|牙疼;a pollen allergy|аллергия на пыльцу|花粉过敏;"
        "insomnia|бессонница|失眠;a broken finger|перелом пальца|手指骨折",
    ),
    _kind(
        [
            ("What are you cooking tonight?", "What should I bring to dinner?"),
            ("Что готовишь вечером?", "Что принести на ужин?"),
            ("今晚做什么菜？", "晚饭我带点什么？"),
        ],
        [
            (
                "I'm making {x} after my grandmother's recipe.",
                "Anything but {x}, please, I can't stand it.",
                "{x}, of course! That's my favourite since childhood.",
            ),
            ("Готовлю по бабушкиному рецепту, будет {x}.", "Конечно, {x}! Моё любимое блюдо с детства."),
            ("我按外婆的方子做{x}。", "当然是{x}！我从小最爱吃。"),
        ],
        [
            ("What dish does {n} cook?", "What food did {n} talk about?", "Which family recipe does {n} use?"),
            ("Какое блюдо готовит {n}?", "Что {n} любит есть с детства?"),
            ("{n}做什么菜？", "{n}从小最爱吃什么？"),
        ],
        "mushroom soup|грибной суп|蘑菇汤;dumplings|пельмени|饺子;lasagna|лазанья|千层面;"
        "apple pie|яблочный пирог|苹果派;fried rice|жареный рис|炒饭;pickled herring|солёная сельдь|腌鲱鱼;"
        "lentil curry|карри из чечевицы|扁豆咖喱;pancakes|блины|煎饼",
    ),
    _kind(
        [
            ("How did the move go?", "So where do you live now?"),
            ("Как прошёл переезд?", "И где ты теперь живёшь?"),
            ("搬家顺利吗？", "你现在住哪儿？"),
        ],
        [
            (
                "We live {x} now, and the rent is half of what it was.",
                "Boxes everywhere, but the flat {x} is finally ours since Friday.",
            ),
            ("Теперь мы живём {x}, и аренда вдвое меньше.", "Везде коробки, но квартира {x} с пятницы наша."),
            ("我们现在住{x}，房租便宜一半。", "到处是箱子，不过{x}的房子周五起就是我们的了。"),
        ],
        [
            ("Where does {n} live now?", "Where did {n} move to?"),
            ("Где теперь живёт {n}?", "Куда переехал {n}?"),
            ("{n}现在住在哪里？", "{n}搬到哪里去了？"),
        ],
        "near the harbour|у порта|在港口附近;above a bookshop|над книжным магазином|在书店楼上;"
        "in a village in the hills|в деревне на холмах|在山里的村子;by the railway station|у вокзала|在火车站旁边;"
        "next to the botanical garden|рядом с ботаническим садом|在植物园旁边;on a houseboat|в плавучем доме|在船屋上",
    ),
    _kind(
        [
            ("When is the big day?", "Is the date fixed?"),
            ("Когда это будет?", "Дата уже известна?"),
            ("日子定了吗？", "什么时候举行？"),
        ],
        [
            (
                "My {x} is in three weeks, I am so nervous.",
                "The {x} was two days ago, and everybody cried.",
                "We had to postpone the {x} till next month.",
            ),
            ("Через три недели {x}, очень волнуюсь.", "Два дня назад прошло важное событие: {x}, все плакали."),
            ("三周后就是{x}了，我好紧张。", "{x}是两天前，大家都哭了。"),
        ],
        [
            ("When is {n}'s {x}?", "When did {n} have the {x}?"),
            ("Когда у {n} {x}?", "На какой день у {n} назначено: {x}?"),
            ("{n}的{x}是什么时候？", "{n}什么时候有{x}？"),
        ],
        "wedding|свадьба|婚礼;driving test|экзамен по вождению|驾照考试;first concert|первый концерт|第一场音乐会;"
        "job interview|собеседование|面试;graduation|выпускной|毕业典礼;art exhibition|выставка картин|画展;"
        "charity run|благотворительный забег|慈善跑;housewarming|новоселье|乔迁聚会",
        dated=True,
    ),
)

REACTIONS = {
    "en": (
        "Wow, that's great to hear!",
        "Oh, I didn't know that. Good for you.",
        "Sounds lovely, I'm happy for you.",
        "Haha, I can imagine.",
        "That must have been something. Take care of yourself.",
        "Amazing! Keep it up.",
        "Thanks, that means a lot to me.",
        "You're right, it's the little things that matter.",
        "I should try something like that too.",
        "Let's talk about it when we meet.",
    ),
    "ru": (
        "Ого, здорово!",
        "Не знал, рад за тебя.",
        "Звучит прекрасно.",
        "Ха, представляю.",
        "Береги себя.",
        "Спасибо, мне очень приятно.",
        "Ты прав, важны мелочи.",
        "Надо и мне попробовать.",
        "Поговорим при встрече.",
    ),
    "zh": (
        "哇，太好了！",
        "我都不知道，真替你高兴。",
        "听起来不错。",
        "哈哈，可以想象。",
        "照顾好自己。",
        "谢谢，你这么说我很感动。",
        "你说得对，小事才重要。",
        "我也该试试。",
        "见面再聊吧。",
    ),
}
FOLLOW_UPS = {
    "en": (
        "And how did it feel?",
        "Was it expensive?",
        "Who came with you?",
        "Will you do it again?",
        "What did your family say?",
    ),
    "ru": ("И как впечатления?", "Дорого вышло?", "А кто был с тобой?", "Повторишь?", "Что сказала семья?"),
    "zh": ("感觉怎么样？", "贵不贵？", "谁跟你一起？", "还会再来一次吗？", "家里人怎么说？"),
}
ANSWERS = {
    "en": (
        "Better than I expected, to be honest.",
        "My cousin helped me a lot.",
        "Not really, it was fine.",
        "I would do it again at once.",
    ),
    "ru": (
        "Честно говоря, лучше, чем ожидал.",
        "Двоюродный брат очень помог.",
        "Да нет, нормально.",
        "Хоть сейчас бы повторил.",
    ),
    "zh": ("说实话，比我想的好。", "表哥帮了我很多。", "还行吧。", "我马上愿意再来一次。"),
}
GREETINGS = {
    "en": ("Hey {o}! Long time no see, how are you?", "Hi {o}! It's good to hear from you."),
    "ru": ("Привет, {o}! Давно не виделись, как ты?", "{o}, привет! Рад тебя слышать."),
    "zh": ("嗨，{o}！好久不见，你好吗？", "{o}你好！真高兴收到你的消息。"),
}
NAMES: tuple[tuple[str, str, str], ...] = tuple(
    (row.split("|")[0], row.split("|")[1], row.split("|")[2])
    for row in """
    Nora|Нора|诺拉 Felix|Феликс|费利克斯 Irina|Ирина|伊琳娜 Marcus|Маркус|马库斯 Lena|Лена|莲娜 Oscar|Оскар|奥斯卡
    Tamara|Тамара|塔玛拉 Victor|Виктор|维克多 Sofia|София|索菲亚 Anton|Антон|安东 Helen|Елена|海伦 Boris|Борис|鲍里斯
    Ingrid|Ингрид|英格丽 Pavel|Павел|帕维尔 Clara|Клара|克拉拉 Hugo|Гуго|雨果 Vera|Вера|薇拉 Simon|Семён|西蒙
    Greta|Грета|格蕾塔 Roman|Роман|罗曼 Alice|Алиса|爱丽丝 Leo|Лев|列奥 Diana|Диана|黛安娜 Timur|Тимур|帖木儿
    Martha|Марфа|玛莎 Kirill|Кирилл|基里尔 Ruth|Руфь|露丝 Gleb|Глеб|格列布 Olivia|Оливия|奥利维亚 Denis|Денис|丹尼斯
    Yara|Яра|雅拉 Igor|Игорь|伊戈尔 Paula|Паула|葆拉 Stefan|Степан|斯特凡 Zoe|Зоя|佐伊 Arthur|Артур|亚瑟
    """.split()
)
SESSIONS = 12
FACTS_A_SESSION = 3
WRONG_PERSON = 0.1  # share of questions that name the other speaker, as people do


@dataclass
class _Dialogue:
    """The memories and queries of one corpus while it is being written."""

    corpus: str
    memories: list[dict[str, object]]
    queries: list[dict[str, object]]

    def say(self, session: int, day: date, speaker: str, text: str) -> str:
        memory_id = f"m{len(self.memories)}"
        self.memories.append(
            {
                "corpus_id": self.corpus,
                "memory_id": memory_id,
                "text": text,
                "speaker": speaker,
                "time": day.isoformat(),
                "session_id": f"s{session}",
            }
        )
        return memory_id

    def ask(self, text: str, lang: str, gold: str, kind: str) -> None:
        self.queries.append(
            {
                "corpus_id": self.corpus,
                "query_id": f"{self.corpus}-q{len(self.queries)}",
                "query": text,
                "type": kind,
                "lang": lang,
                "gold_memory_ids": [gold],
                "gold_session_ids": [],
            }
        )


def _session(
    out: _Dialogue,
    rng: random.Random,
    lang: str,
    people: Sequence[int],
    session: int,
    day: date,
    used: set[tuple[int, int, int]],
) -> None:
    """Write one session: a greeting, then facts that are prompted, told, and chatted about."""
    column = LANGUAGES.index(lang)
    names = [NAMES[i][column] for i in people]
    out.say(session, day, names[0], rng.choice(GREETINGS[lang]).format(o=names[1]))
    out.say(session, day, names[1], rng.choice(GREETINGS[lang]).format(o=names[0]))
    for _ in range(FACTS_A_SESSION):
        teller = rng.randrange(2)
        number = rng.randrange(len(KINDS))
        kind = KINDS[number]
        value = rng.randrange(len(kind.values))
        if any((number, value, who) in used for who in (0, 1)):
            continue
        used.add((number, value, teller))
        filled = kind.values[value]
        prompted = rng.random() < 0.65
        if prompted:
            lead = f"{rng.choice(REACTIONS[lang])} " if rng.random() < 0.5 else ""
            out.say(session, day, names[1 - teller], lead + rng.choice(kind.prompts[lang]))
        told = rng.choice(kind.tellings[lang]).format(x=filled[column])
        if rng.random() < 0.3:
            told += " " + rng.choice(FOLLOW_UPS[lang])
        gold = out.say(session, day, names[teller], told[0].upper() + told[1:])
        ending = rng.choice(REACTIONS[lang])
        if rng.random() < 0.5:
            ending += " " + rng.choice(FOLLOW_UPS[lang])
        out.say(session, day, names[1 - teller], ending)
        out.say(session, day, names[teller], rng.choice(ANSWERS[lang]))
        _questions(out, rng, kind, filled, people, teller, lang, gold, used, number)
    out.say(session, day, names[0], rng.choice(REACTIONS[lang]))


def _questions(
    out: _Dialogue,
    rng: random.Random,
    kind: Kind,
    filled: tuple[str, str, str],
    people: Sequence[int],
    teller: int,
    lang: str,
    gold: str,
    used: set[tuple[int, int, int]],
    number: int,
) -> None:
    """Ask for a fact in its own language and, less often, in the two others."""
    told_before = sum(1 for n, _, who in used if n == number and who == teller) > 1
    for index, other in enumerate(LANGUAGES):
        if other != lang and rng.random() < 0.5:
            continue
        wrong = other == lang and rng.random() < WRONG_PERSON
        person = NAMES[people[1 - teller if wrong else teller]][index]
        question = rng.choice(kind.questions[other])
        if "{x}" not in question and told_before:
            continue  # two tellings of one kind by one person: the question would be ambiguous
        out.ask(
            question.format(n=person, x=filled[index]),
            other,
            gold,
            "wrong_person" if wrong else "same_language" if other == lang else "cross_language",
        )


def dialogues(count: int = 36, seed: int = 7) -> Iterator[_Dialogue]:
    """Yield `count` dialogues, the languages taking turns (English twice as often)."""
    rng = random.Random(seed)
    for number in range(count):
        lang = ("en", "en", "ru", "zh")[number % 4]
        people = rng.sample(range(len(NAMES)), 2)
        out = _Dialogue(f"dialogue-{number:02d}-{lang}", [], [])
        day = date(2024, 1, 5) + timedelta(days=rng.randrange(400))
        used: set[tuple[int, int, int]] = set()
        for session in range(SESSIONS):
            _session(out, rng, lang, people, session, day, used)
            day += timedelta(days=rng.randrange(2, 25))
        yield out


def write(folder: Path, count: int = 36) -> None:
    """Write `generated.memories.jsonl` and `generated.queries.jsonl` in the form of the benchmark data."""
    folder.mkdir(parents=True, exist_ok=True)
    made = list(dialogues(count))
    for name, rows in (
        ("memories", [row for dialogue in made for row in dialogue.memories]),
        ("queries", [row for dialogue in made for row in dialogue.queries]),
    ):
        lines = (json.dumps(row, ensure_ascii=False) for row in rows)
        (folder / f"generated.{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=36)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.count)


if __name__ == "__main__":
    main()
