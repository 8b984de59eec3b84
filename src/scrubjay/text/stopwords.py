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

# Words that a question may turn on and a text may be full of, without being about them: no key terms either.
FILLERS = frozenset(
    """
    according actually added adding adds allow allows almost already always another around based because become becomes
    better called calls cannot case cases certain come comes consider contains could
 current currently described different difference directly during either enough ensure especially
    everything example examples exactly except exist exists explicitly false figure finally first follow following
    follows further generally given gives going happen happens having helps hence herein holds important include
    includes including inside instead keeps known large later least leave leaves likely little longer looks makes
    making matter means might moreover multiple needed needs never nothing often otherwise overall
    particular perhaps place please point possible possibly previous probably provide provided provides really
    related required requires rather return returned returns right second several shall should
    shown shows similar simple simply since single small something sometimes start starting starts still stand stands
    takes taking thing things think third though three times together toward treat tries trying typically under unless
    unlike until useful user's uses using usually various wants whatever where which while whole
    within without words works would write wrong
    более больше будет будто была были бывает важно вместо вообще вопрос впрочем время всегда вторая второй выше далее
    данный делает делать должен должна должно должны достаточно другая другие другим других другой если значит иногда
    используется используйте используют использовать именно иметь имеет каждый какие какой конечно который кроме лучше
    можете может можно напримере например начать нельзя необходимо несколько нужно обратите обычно один однако одной
    одного отдельно первая первый перед поскольку потом поэтому правило практически пример примеры примера просто прямо
    разные работает сделать себя сейчас скорее следует следующий следующие следующее следующем случае случаях случай
    снова совсем среди станет стоит такая такие таким таких также только точно третий тогда требуется хорошо хотите
    чаще часто через числе чтобы этого этом этому является являются
    """.split()
)

CHINESE_FILLERS = frozenset(
    """
    时候 时间 问题 知道 觉得 开始 使用 比较 好像 不知 当时 特别 目前 基本 比如 部分 相关 情况 进行 通过 需要 没有
    一个 一种 一篇 方式 不错 直接 非常 主要 其实 然后 不是 就是 如下 例如 以下 文章 介绍 内容 简单 表示 用于 可能
    必须 不同 之间 之后 之前 以上 同时 最后 首先 其次 另外 此外 不过 不会 不能 不要 只是 只有 为了 根据 以便 从而
    因此 即可 其他 其它 多个 任何 所有 整个 一样 一直 一般 一次 一定 一点 时代 现在 当前 具体 存在 包括 包含 提供
    支持 实现 得到 出现 发现 成为 作为 起来 出来 下来 过程 结果 东西 地方 事情 大部分 小伙伴 常见 常用 重要 完全
    真正 确实 往往 通常 经常 直到 来说 方面 看到 看看 想要 希望 建议 推荐 注意 了解 理解 学会 回答 描述 解释 说明
    含义 意思 总结 示例 例子 代码示例 下面 上面 里面 前面 后面 時候 時間 問題 沒有 一個 這種 這個 進行 通過 需要
    實現 當前 結果 說明
    """.split()
)

# What code is full of, in whatever language.
CODE_WORDS = frozenset(
    """
    abstract alias args array assert async await bool boolean break bytes case catch char class classes config const
    constructor continue data debug def default define delete dict double elif else elseif endif ensure enum error
    errors except exception exit expected export exports extends extern false fields file final finally float foreach
    from func function functions global goto https if implements import imports in include index inner input instance
    int integer interface items iter join key keys kwargs lambda len length let line lines list local long map match
    message method mixed module mut name namespace new next nil node none null number object optional option options
    output override package param params parent parse pass path print printf println private process property protected
    public raise range read readonly require result results return returns self sequence set short sizeof slice source
    split start static stdin stdout str strict string strings strip struct super switch template text this throw throws
    todo token trait true try tuple type typedef typename types typing undefined union unsigned use using val value
    values var vec vector virtual void volatile where while width with yield
    end start stop first last before after get put append extend format replace lower upper iterator callable mapping
    dataclass frozen slots annotations __future__ collections functools itertools pathlib dataclasses
    px em rem auto margin padding color display block flex width height solid border background
    """.split()
)

STOP_WORDS = ENGLISH | RUSSIAN


@lru_cache(maxsize=1)
def chinese_phrases() -> re.Pattern[str]:
    """A pattern that finds the longest phrase at each place."""
    return re.compile("|".join(sorted(CHINESE_PHRASES, key=len, reverse=True)))


@lru_cache(maxsize=1)
def chinese_fillers() -> re.Pattern[str]:
    """A pattern for phrases and for words that are no key terms."""
    return re.compile("|".join(sorted(CHINESE_PHRASES | CHINESE_FILLERS, key=len, reverse=True)))
