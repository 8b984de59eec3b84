"""Texts with a secret in them, as people and programs write it down, and texts that only look as if there were one."""

from __future__ import annotations

import json
import string
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha1, sha256, sha512
from random import Random
from urllib.parse import quote

from benchmarks.secret_shapes import BASE32, HEX, SHAPES, URL, WORD, body

Around = Callable[[str], str]


def plain(template: str) -> Around:
    return lambda secret: template.replace("{}", secret)


def in_json(template: str, *, ascii_only: bool = False, twice: bool = False) -> Around:
    """The text as a JSON string holds it: with its quotes, line ends and other letters escaped."""

    def make(secret: str) -> str:
        text = json.dumps({"role": "user", "text": template.replace("{}", secret)}, ensure_ascii=ascii_only)
        return json.dumps({"payload": text}, ensure_ascii=ascii_only) if twice else text

    return make


# Where it stands, and the kind of file that is; a scanner may read each kind in its own way.
CONTEXTS: tuple[tuple[str, str, Around], ...] = (
    ("prose", "md", plain("The deploy bot uses {} for releases.")),
    ("end of a sentence", "md", plain("We rotated it on Friday and it is now {}.")),
    ("in brackets", "md", plain("Ask Max (his key is {}), he knows.")),
    ("quoted", "md", plain("She pasted \"{}\" into the chat, and then '{}' again.")),
    ("typographic quotes", "md", plain("It says “{}”…")),
    ("list", "md", plain("- {}")),
    ("table", "md", plain("| staging | {} | rotated |")),
    ("code span", "md", plain("Set it to `{}` first.")),
    ("bold", "md", plain("Use **{}** for now")),
    ("alone", "md", plain("{}")),
    ("Chinese", "md", plain("密钥{}已经更新。")),
    ("Chinese brackets", "md", plain("（令牌：{}），请保密")),
    ("Chinese after", "md", plain("请使用 {}，不要外传")),
    ("Japanese", "md", plain("トークンは{}です")),
    ("Korean", "md", plain("키는{}입니다")),
    ("Russian", "md", plain("Ключ: {}, никому не показывай.")),
    ("Russian letters beside", "md", plain("токен{}этоон")),
    ("emoji", "md", plain("🔑{}🔒")),
    ("env", "env", plain("SERVICE_CREDENTIAL={}")),
    ("env exported", "sh", plain('export SERVICE_CREDENTIAL="{}"')),
    ("env commented", "env", plain("SERVICE_CREDENTIAL='{}' # staging")),
    ("command line", "sh", plain("deploy --credential={} --region eu-west-1")),
    ("header", "sh", plain('curl -H "Authorization: Bearer {}" https://api.example.net/v1/things')),
    ("basic", "sh", plain("curl -u {}: https://api.example.net/v1/things")),
    ("query", "md", plain("https://api.example.net/v1/things?access={}&page=2")),
    ("in a URL", "sh", plain("git clone https://oauth2:{}@git.example.net/team/app.git")),
    ("percent signs beside", "md", plain("https://example.net/?q=a%20{}%20b%3D")),
    ("JSON", "json", plain('{"credential": "{}", "region": "eu"}')),
    ("JSON line", "jsonl", in_json("use {} please")),
    ("JSON after a line end", "jsonl", in_json("here it is:\n{}\nkeep it safe")),
    ("JSON after a tab", "jsonl", in_json("name\t{}\tend")),
    ("JSON in quotes", "jsonl", in_json('set "{}" there')),
    ("JSON Chinese, escaped", "jsonl", in_json("密钥{}。", ascii_only=True)),
    ("JSON in JSON", "jsonl", in_json("here:\n{}\nend", twice=True)),
    ("JSON in JSON, escaped", "jsonl", in_json("密钥{}\n密", ascii_only=True, twice=True)),
    ("YAML", "yaml", plain("credential: {}")),
    ("YAML quoted", "yaml", plain('  credential: "{}"')),
    ("TOML", "toml", plain('credential = "{}"')),
    ("INI", "ini", plain("credential = {} ; staging")),
    ("XML", "xml", plain("<credential>{}</credential>")),
    ("HTML escaped", "xml", plain("&quot;{}&quot;")),
    ("Python", "py", plain('client = Client("{}", region="eu")')),
    ("JavaScript", "js", plain("const client = connect(`{}`);")),
    ("log", "log", plain("2026-03-01T10:00:00Z INFO signed in credential={} user=7")),
    ("terminal colours", "log", plain("\x1b[32m{}\x1b[0m done")),
    ("diff", "diff", plain("+SERVICE_CREDENTIAL={}")),
    ("Windows line end", "txt", plain("credential {}\r")),
    ("percent-encoded", "md", lambda secret: f"https://example.net/?next={quote('a=' + secret, safe='')}%26b"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A text with a secret of the kind ``rule``, or with none (an empty one), as it stands in a ``suffix`` file."""

    rule: str
    context: str
    suffix: str
    text: str


def secrets(random: Random, times: int) -> Iterator[Case]:
    """Every kind of secret in every context, ``times`` times with another body."""
    for rule, make in SHAPES.items():
        for context, suffix, around in CONTEXTS:
            for _ in range(times):
                secret = make(random)
                if rule == "private-key" and not suffix.startswith("json") and "encoded" not in context:
                    secret = secret if random.random() < 0.5 else secret.replace("\n", "\\n")
                yield Case(rule, context, suffix, around(secret))


def innocents(random: Random, times: int) -> Iterator[Case]:
    """Every kind of innocent text, ``times`` times."""
    for kind, make in INNOCENT.items():
        for _ in range(times):
            for suffix, around in (
                ("md", "{}"),
                ("md", "See {} for more."),
                ("json", '{"value": "{}"}'),
                ("md", "值为{}。"),
            ):
                yield Case("", kind, suffix, around.replace("{}", make(random)))


_WORDS = (
    "task while risk desk mask disk ask flask basket skill sketch token secret key password bearer access admin live "
    "test project management board with many columns and rows for the new office building of our team in the spring "
    "release anthropic openai github gitlab slack stripe shopify grafana sentry pulumi postman databricks twilio"
).split()


def slug(random: Random) -> str:
    head = random.choice(["task-", "risk-", "desk-", "ask-", "sk-", "disk-", "pul-", "mask-", "flask-"])
    return head + "-".join(random.choices(_WORDS, k=random.randint(4, 12)))


def camel(random: Random) -> str:
    return "".join(word.title() for word in random.choices(_WORDS, k=random.randint(3, 7)))


def path(random: Random) -> str:
    return "/".join(random.choices(_WORDS, k=random.randint(3, 8))) + random.choice(
        [".py", ".md", "/index.ts", ".test.js"]
    )


def data(random: Random, size: int) -> str:
    return b64encode(bytes(random.randrange(256) for _ in range(size))).decode()


def public_key(random: Random) -> str:
    return f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{data(random, 33)} max@laptop"


def certificate(random: Random) -> str:
    kind = random.choice(["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"])
    return f"-----BEGIN {kind}-----\\n{data(random, 300)}\\n-----END {kind}-----"


_STAND_IN = (
    "YOUR_API_KEY_HERE",
    "<your-token>",
    "${API_KEY}",
    "$GITHUB_TOKEN",
    "{{ secrets.NPM_TOKEN }}",
    "%API_KEY%",
    "process.env.STRIPE_SECRET_KEY",
    'os.environ["OPENAI_API_KEY"]',
    "sk-...",
    "sk-ant-...",
    "ghp_…",
    "xoxb-your-token",
    "changeme",
    "changeme123",
    "REDACTED",
    "********",
    "hunter2",
    "example-password-1",
    "my_secret_key_1",
)
_PREFIXES = (
    "ghp_",
    "sk-",
    "sk-ant-api03-",
    "sk_live_",
    "AKIA",
    "AIza",
    "npm_",
    "hf_",
    "xoxb-",
    "glpat-",
    "SG.",
    "dapi",
)


def masked(random: Random) -> str:
    return random.choice(_PREFIXES) + random.choice("xX*.0") * random.randint(12, 40)


def example(random: Random) -> str:
    """Keys that documentation shows as examples."""
    known = (
        "AKIA" + "IOSFODNN7EXAMPLE",
        "AKIA" + "I44QH8DHBEXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
        "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2",
        "AIza" + "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
        "xoxb-" + "17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
        "dapi" + "1234567890ab1cde2f3ab456c7d89efa",
        "110201543:" + "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
    )
    return random.choice(known)


def lock_line(random: Random) -> str:
    kind = random.randrange(4)
    if kind == 0:
        return f'"integrity": "sha512-{b64encode(sha512(random.randbytes(9)).digest()).decode()}"'
    if kind == 1:
        return f'hash = "sha256:{sha256(random.randbytes(9)).hexdigest()}"'
    if kind == 2:
        return f"github.com/acme/app v1.2.3 h1:{b64encode(sha256(random.randbytes(9)).digest()).decode()}"
    return f'checksum = "{sha256(random.randbytes(9)).hexdigest()}"'


_SENTENCES = (
    "Reset your password in 24hours or so, the token expires then.",
    "The secret ingredient is butter2go, she said.",
    "password: must have at least 8 characters",
    "API key: ask Max; token: see the vault",
    "Set `OPENAI_API_KEY` and `password` before you start.",
    "api_key = config.get('api_key')",
    "token = generate_token(user_id=42)",
    "The access token is refreshed every 3600seconds.",
    "password=password123456 is what nobody should use",
    "密码必须包含8个字符以上",
    "密钥长度为256位，令牌有效期为24小时",
    "Пароль должен содержать не менее 8символов",
    "токен обновляется каждые 24часа",
    "client_secret: string | undefined",
    "const tokenizer2 = new Tokenizer2(secretKeyProvider)",
    "private_key_path: ~/.ssh/id_ed25519",
    "access_token_url: https://login.example.net/oauth2/v2.0/token",
    "Files with a line -----BEGIN RSA PRIVATE KEY----- never belong into a repository, whatever the reason may be.",
    "It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----, base64 in between.",
    "key: |-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADAN...\\n-----END PRIVATE KEY-----",
    "secret_name: arn:aws:secretsmanager:eu-west-1:123456789012:secret:app/db",
)

INNOCENT: dict[str, Callable[[Random], str]] = {
    "sentence": lambda random: random.choice(_SENTENCES),
    "slug": slug,
    "camel case": camel,
    "path": path,
    "git hash": lambda random: sha1(random.randbytes(9)).hexdigest(),
    "digest": lambda random: f"sha256:{sha256(random.randbytes(9)).hexdigest()}",
    "uuid": lambda random: str(uuid.UUID(int=random.getrandbits(128), version=4)),
    "ulid": lambda random: "01" + body(random, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24),
    "request id": lambda random: "req_" + body(random, WORD, 24),
    "message id": lambda random: "msg_01" + body(random, WORD, 22),
    "tool call": lambda random: "toolu_01" + body(random, WORD, 22),
    "tool call of openai": lambda random: "call_" + body(random, WORD, 24),
    "video": lambda random: f"https://www.youtube.com/watch?v={body(random, URL, 11)}",
    "document link": lambda random: f"https://docs.google.com/document/d/{body(random, URL, 44)}/edit",
    "image": lambda random: f"data:image/png;base64,iVBORw0KGgo{data(random, 600)}",
    "base64": lambda random: data(random, random.randint(30, 900)),
    "public key": public_key,
    "certificate": certificate,
    "stand-in": lambda random: random.choice(_STAND_IN),
    "assigned stand-in": lambda random: f"api_key={random.choice(_STAND_IN)}",
    "masked": masked,
    "example": example,
    "lock file": lock_line,
    "pod": lambda random: f"api-{body(random, LOWER_POD, 10)}-{body(random, LOWER_POD, 5)}",
    "constant": lambda random: "_".join(word.upper() for word in random.choices(_WORDS, k=5)),
    "upper case run": lambda random: body(random, BASE32, random.randint(20, 60)),
    "colour": lambda random: "#" + body(random, HEX, 6),
    "version": lambda random: (
        ".".join(str(random.randrange(40)) for _ in range(3)) + f"-rc.{random.randrange(9)}+{body(random, HEX, 8)}"
    ),
    "number": lambda random: "".join(random.choices(string.digits, k=random.randint(8, 40))),
    "address": lambda random: f"0x{body(random, HEX, 40)}",
    "css": lambda random: f".{body(random, LOWER_POD, 6)}__{body(random, WORD, 8)} {{ color: red }}",
}
LOWER_POD = "bcdfghjklmnpqrstvwxz2456789"
