"""Words that say nothing about what a question is about, in English, Russian and Chinese (with Japanese particles).

They are dropped from queries only (see ``analyze``). Negations stay: "not allowed" differs from "allowed" (F16), but a
query with nothing else beside them is kept whole. All words are in the analyser's form: case folded, without accents.
"""

from __future__ import annotations

import re
from functools import lru_cache

ENGLISH = frozenset(
    """
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    someone somebody something anyone anybody anything everyone everybody everything
    what which who whom whose when where why how whatever whichever whoever whenever wherever
    and or but if then else than so as because while although though whether
    of to in on at by for with from into onto about over through up down out off upon via per
    am is are was were be been being do does did done doing have has had having
    can could will would shall should may might must ought
    ll ve re im ive id dont didnt doesnt isnt arent wasnt
    here there now just also too very really quite rather only even still already yet again ever
    any some all both each every other others another more most much many few own same
    please tell
    """.split()
)

RUSSIAN = frozenset(
    """
    а и или но да же ли бы б ж ль то вот ведь уж уже еще лишь только даже так как что чтобы чтоб если когда пока хотя
    потому поэтому затем также тоже либо будто словно разве неужели пусть пускай
    в во на с со к ко о об обо от до из изо у за по под подо над при про для через между перед после около среди
    ради вместо насчет из-за изза кроме
    я меня мне мной мною ты тебя тебе тобой тобою он его ему им ним него нему нем она ее ей ею ней нее оно
    мы нас нам нами вы вас вам вами они их ими них ними себя себе собой
    мой моя мое мои моего моей моему моих моим моими моем мою твой твоя твое твои твоего твоей твоему твоих твоим твою
    наш наша наше наши нашего нашей нашему наших нашим нашу нашем
    ваш ваша ваше ваши вашего вашей вашему ваших вашим вашу
    свой своя свое свои своего своей своему своих своим своими своем свою
    этот эта это эти этого этой этому этих этим этими этом эту тот та те того той тому тех тем теми том ту
    такой такая такое такие такого таких таким сам сама само сами самого самой самый самая самое самые
    весь вся все всего всей всему всех всем всеми всю каждый каждая каждое каждые каждого каждой каждую
    кто кого кому кем ком чего чему чем чем-то что-то кто-то чемто чтото ктото
    какой какая какое какие какого какой какому каких каким какими
    каком какую который которая которое которые которого которой которому которых которым которыми котором которую
    чей чья чье чьи чьего чьей чьих где куда откуда почему зачем отчего сколько насколько каков какова каково
    быть был была было были буду будет будешь будем будут будучи есть является являются
    мочь может могут можно могу можем надо нужно
    там тут здесь туда сюда теперь сейчас тогда потом очень просто почти опять снова
    пожалуйста скажи расскажи подскажи
    """.split()
)

# Phrases are cut out of a query and part what stands before from what follows.
CHINESE_PHRASES = frozenset(
    """
    什么时候 什麼時候 什么样 什麼樣 什么 什麼 为什么 為什麼 为何 為何 为啥 怎么样 怎麼樣 怎么办 怎么 怎麼 怎样 怎樣 如何
    哪里 哪裡 哪裏 哪儿 哪兒 哪个 哪個 哪些 哪一个 哪一個 哪位 哪年 哪一年 哪天 何时 何時 何处 何地 多少 几个 幾個
    多久 多大 多长时间 是谁 是誰 是什么 是什麼 是否 是不是 有没有 有沒有 能不能 会不会
    我们 我們 你们 你們 他们 他們 她们 她們 它们 它們 咱们 自己 大家
    这个 這個 那个 那個 这些 這些 那些 这样 這樣 那样 这里 這裡 那里 那裡 这种 那种
    关于 關於 对于 對於 由于 由於 因为 因為 所以 但是 而且 并且 或者 还是 以及 如果 虽然 其中 之一 的话
    可以 应该 應該 已经 已經 曾经 一下 一些 有些 请问 請問 告诉我 告訴我
    """.split()
)

# Single characters are dropped as unigrams; pairs that hold one stay, for 的 is also half of 目的.
CJK_LETTERS = frozenset(
    "的地得了着著过過吗嗎呢吧啊呀嘛么麼是在和与與及或而且之于於以为為把被让讓给給从從对對到由向就都也还還又很太更最再才"
    "我你您他她它这這那哪谁誰何几幾个個些有会會能要所其等各该該此并請请"
)

# Words that a question may turn on ("before the release"), but that are no key terms.
RELATIONS = frozenset(
    """
    before after during between under within across along among against toward towards around behind beside besides
    beyond above below inside outside since until unless however therefore instead
    """.split()
)

NEGATIONS = frozenset("no not nor never without не ни нет без никогда 不 没 沒 无 無 非 未 别".split())

STOP_WORDS = ENGLISH | RUSSIAN


@lru_cache(maxsize=1)
def chinese_phrases() -> re.Pattern[str]:
    """A pattern that finds the longest phrase at each place."""
    return re.compile("|".join(sorted(CHINESE_PHRASES, key=len, reverse=True)))
