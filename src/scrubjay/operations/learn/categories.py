"""A careful guess at the category of a text (SM-6, SM-7): INSIGHT unless several of its words say something else.

Only a recommendation, made from words that the five definitions use of themselves, in English, Russian and Chinese;
two different ones are needed, and more than for any other category. The person who decides sees and changes it.
"""

from __future__ import annotations

import re

from scrubjay.operations.learn.kinds import kind_of

DEFAULT = "INSIGHT"

_CUES = {
    "TECHNIQUE": r"debug\w*|bisect\w*|profil(?:e|er|ing)|reproduc\w*|stack ?trace\w*|breakpoint\w*|regression test\w*"
    r"|fixture\w*|mock(?:s|ing|ed)?|workaround\w*|troubleshoot\w*|отладк\w*|отлажива\w*|профилир\w*|воспроизвест\w*"
    r"|приём\w*|прием\w*|调试|排查|复现|断点|单元测试|技巧",
    "PATTERN": r"(?:anti)?patterns?|architectur\w*|abstraction\w*|interface\w*|dependency injection|decorator\w*"
    r"|repository pattern|layer(?:s|ed|ing)?|refactor\w*|паттерн\w*|шаблон\w* проектирования|архитектур\w*|абстракци\w*"
    r"|сло(?:й|и|ёв)|设计模式|模式|架构|抽象|接口|重构",
    "CONFIG": r"config\w*|settings?|flags?|environment variables?|env vars?|defaults? to|options?|\.env|timeout\w*|port"
    r"|конфигураци\w*|настройк\w*|параметр\w*|переменн\w* окружения|флаг\w*|по умолчанию|порт"
    r"|配置|参数|环境变量|默认值|选项|端口",
    "WORKFLOW": r"steps?|workflow\w*|deploy\w*|releas\w*|pipeline\w*|checklist\w*|runbook\w*|install\w*|then run"
    r"|first,|finally,|процесс\w*|шаг(?:и|ов|ом)?|развёртыв\w*|развертыв\w*|установк\w*|установит\w*|релиз\w*|сборк\w*"
    r"|步骤|流程|部署|发布|安装|首先|然后|最后",
}
# One pattern, for lower case: letter case inside a pattern would cost three times as much.
_WORD = re.compile(
    r"(?<![^\W\u3400-\u9fff])(?:" + "|".join(f"(?P<{name}>{cues})" for name, cues in _CUES.items()) + ")"
)
_CONFIG_FILE = re.compile(r"\.(?:cfg|conf|ini|toml|ya?ml|env)$", re.IGNORECASE)
_SHELL_STEP = re.compile(r"^\s*(?:\$ |(?:\d{1,2}[.)]) )", re.MULTILINE)
_READ = 2_000
_NEEDED = 2


def guess(text: str, source_file: str = "") -> str:
    """The category of ``text``, from the kind of file it came from, else from its words; those of code mean nothing."""
    if _CONFIG_FILE.search(source_file):
        return "CONFIG"
    if kind_of(source_file).kind == "code":
        return "PATTERN"
    start = text[:_READ]
    cues = {(match.lastgroup, match.group()) for match in _WORD.finditer(start.lower())}
    found = {name: sum(group == name for group, _ in cues) for name in _CUES}
    found["WORKFLOW"] += len(_SHELL_STEP.findall(start)) >= 3
    best, second = sorted(found.values(), reverse=True)[:2]
    if best < _NEEDED or best == second:
        return DEFAULT
    return next(name for name, count in found.items() if count == best)
