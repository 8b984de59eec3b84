"""The rules by which secrets are known: an id of the gitleaks vocabulary, words that must occur, and a pattern.

``keywords`` (lower case) are looked for first, because that is a hundred times faster than a pattern. A pattern's group
``secret`` is what is taken out, the whole match where it has none. Patterns stand free of letters and digits of
*ASCII* on both sides: ``\\b`` would miss a key that follows Chinese text. A letter that ends an escape stands for
something else: in the JSON of a transcript a key at the beginning of a line follows ``\\n``, one behind Chinese
``\\u5bc6``.
"""

from __future__ import annotations

import hashlib
import math
import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_LONGEST = 4096  # characters of one secret; longer runs are data
_LETTERS = frozenset(string.ascii_letters + string.digits)
# What ends in a letter or digit and is none: escapes of JSON, percent signs of a URL, colours of a terminal.
_ESCAPE = re.compile(r"(?:\\[abfnrtv]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\[[\d;]{0,6}m)\Z")
_LONGEST_ESCAPE = 8


@dataclass(frozen=True)
class Rule:
    """One kind of secret. ``bits`` is the least entropy a character of it has; ``sure`` is false for guesses."""

    id: str
    keywords: tuple[str, ...]
    pattern: str
    bits: float = 2.5
    sure: bool = True

    @property
    def label(self) -> str:
        """The id as words: ``Github Pat``."""
        return self.id.replace("-", " ").title()

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{self.pattern})(?![A-Za-z0-9])", re.ASCII)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each secret of this kind."""
        group = "secret" if "secret" in self._compiled.groupindex else 0
        place = 0
        while match := self._compiled.search(text, place):
            if not _begins(text, match.start()):
                place = match.start() + 1
                continue
            place = match.end()
            start, end = match.span(group)
            if self._accepts(text[start:end]) and (group or not _is_of_words(text[start:end])):
                yield start, end

    def _accepts(self, value: str) -> bool:
        return len(value) <= _LONGEST and _is_secret(value, self.bits)


class _PrivateKey(Rule):
    """A key in PEM, however its lines are joined. Without key material between the marks it is only spoken of."""

    def _accepts(self, value: str) -> bool:
        return any(len(set(found)) > 8 for found in _KEY_LINE.findall(value))


_PREFIXED = (
    ("aws-access-token", ("akia", "asia", "abia", "acca", "a3t"), r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    ("gcp-api-key", ("aiza",), r"AIza[\w-]{35}"),
    ("azure-ad-client-secret", ("q~",), r"[a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34}"),
    ("digitalocean-pat", ("dop_v1_",), r"dop_v1_[a-f0-9]{64}"),
    ("digitalocean-access-token", ("doo_v1_",), r"doo_v1_[a-f0-9]{64}"),
    ("digitalocean-refresh-token", ("dor_v1_",), r"dor_v1_[a-f0-9]{64}"),
    ("anthropic-admin-api-key", ("sk-ant-admin",), r"sk-ant-admin\d\d-[\w-]{40,120}"),
    ("anthropic-api-key", ("sk-ant-",), r"sk-ant-(?!admin)[a-z]{2,8}\d\d-[\w-]{40,120}"),
    ("openai-api-key", ("sk-",), r"sk-(?:proj|svcacct|admin|None)-[\w-]{40,200}|sk-[A-Za-z0-9]{32,64}"),
    ("huggingface-access-token", ("hf_", "api_org_"), r"(?:hf_|api_org_)[A-Za-z0-9]{34}"),
    ("github-fine-grained-pat", ("github_pat_",), r"github_pat_\w{40,255}"),
    ("github-pat", ("ghp_",), r"ghp_[0-9a-zA-Z]{36,251}"),
    ("github-oauth", ("gho_",), r"gho_[0-9a-zA-Z]{36,251}"),
    ("github-app-token", ("ghu_", "ghs_"), r"gh[us]_[0-9a-zA-Z]{36,251}"),
    ("github-refresh-token", ("ghr_",), r"ghr_[0-9a-zA-Z]{36,251}"),
    ("gitlab-pat", ("glpat-",), r"glpat-[\w-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
    ("gitlab-deploy-token", ("gldt-",), r"gldt-[\w-]{20,40}"),
    ("gitlab-runner-authentication-token", ("glrt-",), r"glrt-[\w-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"),
    ("slack-bot-token", ("xoxb-",), r"xoxb-[0-9]{8,14}-[0-9A-Za-z-]{16,60}"),
    ("slack-user-token", ("xoxp-", "xoxe-"), r"xox[pe](?:-[0-9]{8,14}){2,3}-[0-9A-Za-z-]{24,40}"),
    ("slack-app-token", ("xapp-",), r"xapp-\d-[A-Z0-9]{8,14}-\d{8,14}-[a-z0-9]{40,70}"),
    (
        "slack-webhook-url",
        ("hooks.slack.com",),
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{40,60}",
    ),
    ("twilio-api-key", ("sk",), r"SK[0-9a-f]{32}"),
    ("sendgrid-api-token", ("sg.",), r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    ("npm-access-token", ("npm_",), r"npm_[0-9A-Za-z]{36}"),
    (
        "pypi-upload-token",
        ("pypi-ageichlwas5vcmc", "pypi-agendgvzdc5wexbplm9yzw"),
        r"pypi-(?:AgEIcHlwaS5vcmc|AgENdGVzdC5weXBpLm9yZw)[\w-]{50,1000}",
    ),
    ("databricks-api-token", ("dapi",), r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("hashicorp-tf-api-token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    ("vault-service-token", ("hvs.",), r"hvs\.[\w-]{90,120}"),
    ("pulumi-api-token", ("pul-",), r"pul-[a-f0-9]{40}"),
    ("postman-api-token", ("pmak-",), r"PMAK-[A-Fa-f0-9]{24}-[A-Fa-f0-9]{34}"),
    ("grafana-api-key", ("eyjrijoi",), r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}"),
    ("grafana-cloud-api-token", ("glc_",), r"glc_[A-Za-z0-9+/]{32,400}={0,3}"),
    ("grafana-service-account-token", ("glsa_",), r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("sentry-org-token", ("sntrys_",), r"sntrys_eyJ[A-Za-z0-9+/=_]{60,400}"),
    (
        "sentry-access-token",
        ("sentry",),
        r"(?i:sentry)[\w.-]{0,30}[\"'\\]{0,3}(?:\s{0,3}[=:]\s{0,3}|%3[AD])[\"'\\]{0,3}(?P<secret>[a-f0-9]{64})",
    ),
    ("sentry-user-token", ("sntryu_",), r"sntryu_[a-f0-9]{64}"),
    ("stripe-access-token", ("_live_", "_test_", "_prod_"), r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,99}"),
    ("shopify-access-token", ("shpat_",), r"shpat_[A-Fa-f0-9]{32}"),
    ("shopify-custom-access-token", ("shpca_",), r"shpca_[A-Fa-f0-9]{32}"),
    ("shopify-private-app-access-token", ("shppa_",), r"shppa_[A-Fa-f0-9]{32}"),
    ("shopify-shared-secret", ("shpss_",), r"shpss_[A-Fa-f0-9]{32}"),
    ("telegram-bot-api-token", (":a",), r"\d{8,10}:A[\w-]{34}"),
    ("jwt", ("eyj",), r"eyJ[A-Za-z0-9_-]{14,}\.eyJ[A-Za-z0-9_-]{14,}\.[A-Za-z0-9_-]{16,}"),
)

_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{24,}")

# A name for a secret, an assignment, and a value: English, Russian and Chinese. The value is quoted, or has no spaces.
_NAMES = (
    r"pass(?:word|wd|phrase)|secret(?:[ _-]?(?:access)?[ _-]?key)?|api[ _-]?key|auth[_-]?token|access[ _-]?token"
    r"|client[ _-]?secret|private[ _-]?key|refresh[_-]?token|bearer"
    r"|пароль|секретный ключ|токен|密码|密碼|密钥|密鑰|口令"
)
_BARE = r"(?:(?![\\\"'`,;<>(){}\[\]])[!-~]){8,200}"
_VALUE = rf"""(?:"(?P<double>[^"\s]{{8,200}})"|'(?P<single>[^'\s]{{8,200}})'|(?P<bare>{_BARE}))"""


class _Assignment(Rule):
    """A value given to a name such as ``password``: likely a secret when it looks like nothing else."""

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        for match in self._compiled.finditer(text):
            group = next(name for name, value in match.groupdict().items() if value is not None)
            start, end = match.span(group)
            value = text[start:end].rstrip(".:!?")
            if _is_secret(value, self.bits) and _is_mixed(value) and not _LOOSE_STAND_INS.search(value):
                yield start, start + len(value)


RULES: tuple[Rule, ...] = (
    *(Rule(id, words, pattern) for id, words, pattern in _PREFIXED),
    _PrivateKey(
        "private-key",
        ("-----begin",),
        r"(?s:-----BEGIN[ A-Z0-9_%+-]{0,100}PRIVATE(?: |\+|%20)KEY(?:(?: |\+|%20)BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN).){0,20000}?-----END[ A-Z0-9_%+-]{0,100}-----"
        # One that was cut off ends with its last full line.
        r"|(?:(?:\s|\\[nr]|[\"'>#*]){1,12}[A-Za-z0-9+/=]{30,}){1,1000}))",
    ),
    Rule(
        "url-password",
        ("://",),
        r"[a-z][a-z0-9+.-]{1,20}://[^\s/:@'\"]{1,100}:(?P<secret>[^\s/@'\"]{6,200})(?=@)",
        bits=2,
    ),
    _Assignment(
        "generic-api-key",
        ("pass", "secret", "key", "token", "bearer", "парол", "ключ", "токен", "密码", "密碼", "密钥", "密鑰", "口令"),
        rf"(?:{_NAMES})[\w-]{{0,20}}[\"']?\s{{0,3}}(?:=>|:=|[=:：]|是|为|為|is\s|это\s|\s)\s{{0,3}}{_VALUE}",
        bits=3.0,
        sure=False,
    ),
)

RULES_BY_KEYWORD: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (word, tuple(rule.id for rule in RULES if word in rule.keywords))
    for word in dict.fromkeys(word for rule in RULES for word in rule.keywords)
)

_STAND_INS = re.compile(
    r"example|placeholder|redacted|x{5}|\*{4}|\.{3}\Z|…|1234567890|0123456789|abcdef0?123|(.)\1{7}"
    r"|\A(?:my|your|user|the)?[_-]?(?:pass(?:word|wd|phrase)?|secret)\Z",
    re.IGNORECASE,
)
_LOOSE_STAND_INS = re.compile(
    r"x{4}|\.{3}|change_?me|your[_-]|my[_-]|dummy|sample|foobar|not[_-]?a[_-]?real|test[_-]?(?:key|token|secret)|fake|12345",
    re.IGNORECASE,
)
# A name in place of the value; a password may hold a ``$`` all the same.
_REFERENCE = re.compile(
    r"\A\$[A-Z_]|\A\$\w+\Z|\$[{(]|%\w+%|\{\{|\A<\w|<[\w -]+>|process\.env|os\.environ|getenv|env\[|config\.|settings\."
)


# Keys that the documentation of their services shows, by the beginning of their SHA-256.
_PUBLISHED = frozenset(
    "3543c50b0cb9cea8 2cafc0970149a84f f2d6ca16515033e5 ac9265e56c79b234 f5375a46365089a8 0b5dd075ccdd03c4 "
    "7f75367e78812551 bf145d9380bbe05b".split()
)


def _begins(text: str, start: int) -> bool:
    """Whether a word may begin at ``start``: no letter or digit stands before it, or only the end of an escape."""
    before = text[max(0, start - _LONGEST_ESCAPE) : start]
    return not before or before[-1] not in _LETTERS or _ESCAPE.search(before) is not None


def _is_secret(value: str, bits: float) -> bool:
    """Whether ``value`` is random enough and nobody's stand-in for a secret."""
    if _REFERENCE.search(value) or len(set(value)) < 5:
        return False
    if hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16] in _PUBLISHED:
        return False
    return not (bits and (_STAND_INS.search(value) or _entropy(value) < bits))


def _is_of_words(value: str) -> bool:
    """Whether ``value`` ends as a name made of words does, not as anything random: ``sk-admin-panel-of-the-office``."""
    end = value[-20:]
    return sum(map(end.count, "-_")) > 1 and sum(letter.isdigit() or letter.isupper() for letter in end) < 3


def _is_mixed(value: str) -> bool:
    """Whether ``value`` is no word, name, path or address: it mixes letters with digits or signs, as passwords do."""
    if "://" in value or value.count("/") > 1 or value.count(".") > 2 or not value.isprintable():
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return letters and digits


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(value)
    return -sum(times / size * math.log2(times / size) for times in Counter(value).values())
