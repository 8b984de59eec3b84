"""The forms of statements in Chinese, simplified and traditional. "我" becomes the speaker's name."""

from __future__ import annotations

import re

from scrubjay.text.statements.forms import Form


def _said(pattern: str) -> re.Pattern[str]:
    """A pattern behind the words with which people begin."""
    return re.compile(
        r"(?:(?:好的?|嗯|对了?|對了?|那|另外|还有|還有|其实|其實|顺便说一下|总之|總之|不过|而且|你好|请|請|是的|不)[，,。：: ]*){0,3}"
        rf"(?P<said>{pattern})",
        re.IGNORECASE,
    )


_ADVERBS = r"(?:一直|平时|平時|通常|现在|現在|目前|已经|已經|真的|非常|特别|特別|很|都|也|更|最|比较|比較|主要|只)*"
_WE = r"(?:我们|我們|团队|團隊|大家|我)" + _ADVERBS
_THINGS = (
    "服务器|伺服器|服務器|数据库|資料庫|數據庫|集群|仓库|倉庫|分支|端口|域名|地址|主机|主機|地区|区域|生产环境|測試環境|测试环境"
    "|后端|後端|前端|队列|缓存|快取|版本|许可证|截止日期|时区|接口|网关"
)
_ROLES = "工程师|工程師|分析师|分析師|架构师|架構師|程序员|程式設計師|开发者|開發者|设计师|設計師|老师|老師|教师|医生|醫生|护士|学生|學生|律师|律師|研究员|經理|经理|产品经理|作家|记者|記者|科学家"

FORMS: tuple[Form, ...] = (
    Form(
        "remember",
        "Fact",
        _said(
            r"(?:记住|記住|请记住|記得|记得|牢记|记一下|記一下|注意|别忘了|別忘了|不要忘记)[，,：:一下 ]*(?P<object>.+)"
        ),
        confidence=0.95,
        inner=True,
    ),
    Form("remind", "TODO", _said(r"(?:待办|待辦|todo)[：: ]+(?P<object>.+)|提醒我(?P<task>.+)")),
    Form("due", "TODO", _said(r"(?:我|我们|我們)?(?:需要|必须|必須|得|要)(?P<object>.+)"), confidence=0.85, dated=True),
    Form(
        "prefers",
        "Preference",
        _said(rf"我{_ADVERBS}(?:偏好|偏爱|偏愛|更喜欢|更喜歡|更愿意用|更願意用|倾向于|傾向於|倾向使用)(?P<object>.+)"),
        "{who}偏好{object}",
        "prefers",
        confidence=0.95,
    ),
    Form(
        "dislikes",
        "Preference",
        _said(rf"我{_ADVERBS}(?:讨厌|討厭|不喜欢|不喜歡|不爱|不愛|受不了)(?P<object>.+)"),
        "{who}不喜欢{object}",
        "dislikes",
    ),
    Form(
        "favourite",
        "Preference",
        _said(r"我最(?:喜欢|喜歡|爱|愛)的(?P<kind>[^是]{1,20})是(?P<object>.+)"),
        "{who}最喜欢的{kind}是{object}",
        "favorite {kind}",
        confidence=0.95,
    ),
    Form("likes", "Preference", _said(rf"我{_ADVERBS}(?:喜欢|喜歡|爱|愛)(?P<object>.+)"), "{who}喜欢{object}", "likes"),
    Form(
        "no longer",
        "Preference",
        _said(
            r"(?:我|我们|我們)(?:已经|已經)?(?:不再|再也不)(?P<how>使用|用|吃|喝|写|寫|住在|喜欢|喜歡)(?P<old>.+?)(?:了)?"
        ),
        "{who}不再{how}{old}",
    ),
    Form(
        "switched",
        "Decision",
        _said(
            rf"{_WE}(?:把.{{1,20}})?(?:从|從)(?P<old>.{{1,30}}?)(?:换成|換成|切换到|切換到|迁移到|遷移到|改成|改用|转到|轉到)(?:了)?(?P<object>.+)"
        ),
    ),
    Form(
        "switched to",
        "Decision",
        _said(rf"{_WE}(?:改用|换成|換成|切换到|切換到|迁移到|遷移到)(?:了)?(?P<object>.+)"),
        confidence=0.85,
    ),
    Form(
        "uses",
        "Preference",
        _said(rf"我{_ADVERBS}(?:习惯用|習慣用|使用|在用)(?P<object>.+)"),
        "{who}使用{object}",
        "uses",
        confidence=0.85,
    ),
    Form(
        "name",
        "Identity",
        _said(r"(?:我叫|我的名字是|我的名字叫)(?P<object>[\u3400-\u9fff]{2,4}|[A-Za-z][\w .-]{1,30})(?:[，,].*)?"),
        "用户的名字是{object}",
        "name",
        subject="user",
        confidence=0.97,
    ),
    Form(
        "lives",
        "Identity",
        _said(rf"我{_ADVERBS}(?:住在|居住在|定居在)(?P<object>[^，,]+)(?:[，,].*)?"),
        "{who}住在{object}",
        "lives in",
        confidence=0.95,
    ),
    Form(
        "moved",
        "Identity",
        _said(
            rf"(?:我|我们|我們){_ADVERBS}(?:去年|今年|上个月|上個月|上周|上週|最近|刚刚?|剛剛?)?(?:(?:从|從)(?P<old>[^搬]{{1,12}}))?搬到(?:了)?(?P<object>[^，,]+)(?:[，,].*)?"
        ),
        "{who}住在{object}",
        "lives in",
    ),
    Form(
        "works at",
        "Identity",
        _said(rf"我{_ADVERBS}在(?P<object>[^，,]{{2,30}}?)(?:工作|上班|任职|任職)(?:[，,].*)?"),
        "{who}在{object}工作",
        "works at",
        confidence=0.95,
    ),
    Form(
        "role",
        "Identity",
        _said(rf"我是(?:一名|一个|一個|一位|个|個)?(?P<object>[^，,]{{0,15}}(?:{_ROLES}))(?:[，,].*)?"),
        "{who}是{object}",
        "is a",
    ),
    Form(
        "from",
        "Identity",
        _said(r"我(?:来自|來自)(?P<object>[^，,]{2,20})(?:[，,].*)?"),
        "{who}来自{object}",
        "is from",
    ),
    Form(
        "trait",
        "Identity",
        _said(
            r"我(?P<object>对[^，,]{1,20}过敏|對[^，,]{1,20}過敏|吃素|是素食者|有糖尿病|是左撇子|乳糖不耐受)(?:[，,].*)?"
        ),
        "{who}{object}",
        "is a",
        confidence=0.95,
    ),
    Form(
        "relation",
        "Identity",
        _said(
            r"我的?(?P<kind>妻子|太太|老婆|丈夫|老公|儿子|兒子|女儿|女兒|狗|猫|貓|哥哥|弟弟|姐姐|妹妹|妈妈|媽媽|爸爸|老板|老闆|经理|經理)(?:叫|的名字是|名叫)(?P<object>[^，,]{1,20})"
        ),
        "{who}的{kind}叫{object}",
        "{kind}",
    ),
    Form(
        "decided",
        "Decision",
        _said(rf"{_WE}(?:最终|最終|最后|最後)?(?:决定|決定|商定|确定|確定|一致同意|说好|說好)(?:了)?(?P<object>.+)"),
        subject="",
        confidence=0.92,
    ),
    Form(
        "chose",
        "Decision",
        _said(rf"{_WE}(?:选择了|選擇了|选用|選用|选定了|選定了|采用了?|採用了?)(?P<object>.+)"),
        subject="",
    ),
    Form(
        "decision",
        "Decision",
        _said(r"(?:最终|最終)?(?:方案|决定|決定|结论|結論)(?:是|：|:)(?P<object>.+)"),
        subject="",
    ),
    Form(
        "from now on",
        "Process",
        _said(r"(?:从现在开始|從現在開始|以后|以後|今后|今後|往后)[，,]?(?:请|請|都)?(?P<object>.+)"),
        "以后：{object}",
        subject="",
    ),
    Form(
        "rule",
        "Process",
        _said(
            r"(?:[^，,。：我他她]{1,12}(?:里|裡|中|时|時|上|前|后|後)[，,]?)?(?:总是|總是|永远|永遠|始终|始終|务必|務必|一定要|永远不要|永遠不要|千万不要|千萬不要|绝不要|不要再)(?P<object>.{2,})"
        ),
        subject="",
        confidence=0.88,
    ),
    Form(
        "we use",
        "Infrastructure",
        _said(rf"(?:我们|我們|团队|團隊|项目|項目|公司){_ADVERBS}(?:使用|用的是|用|部署在|采用|採用)(?P<object>.+)"),
        subject="",
        confidence=0.88,
    ),
    Form(
        "is",
        "Infrastructure",
        _said(
            rf"(?P<subject>(?:我们的|我們的|我的|项目的|公司的)?[^，,是在]{{0,12}}(?:{_THINGS}|(?:服务|服務|系统|系統|应用|應用)(?=跑在|运行在|運行在|部署在|监听)))(?P<how>是|在|为|為|位于|位於|跑在|运行在|運行在|监听|監聽|部署在)(?P<object>[^，,]+)(?:[，,].*)?"
        ),
        "{subject}{how}{object}",
        "is",
        subject="{subject}",
        confidence=0.88,
    ),
)
