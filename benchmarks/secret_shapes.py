"""Secrets made up when they are needed, in the shapes of real ones: alphabet, length, checksum where there is one.

None is written down anywhere. ``SHAPES`` has a maker for every rule id of CC-T2; a name with several shapes in use has
them all.
"""

from __future__ import annotations

import json
import string
import zlib
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from random import Random

Maker = Callable[[Random], str]

LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
WORD = string.ascii_letters + string.digits
URL = WORD + "-_"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def body(random: Random, alphabet: str, length: int) -> str:
    """``length`` characters of ``alphabet``, the ends letters or digits so that the token is whole in any text."""
    ends = [letter for letter in alphabet if letter.isalnum()]
    return random.choice(ends) + "".join(random.choices(alphabet, k=length - 2)) + random.choice(ends)


def base62(number: int, width: int) -> str:
    """``number`` in base 62, as the checksums of GitHub and npm are written."""
    letters = []
    for _ in range(width):
        number, rest = divmod(number, 62)
        letters.append(BASE62[rest])
    return "".join(reversed(letters))


def checked(prefix: str) -> Maker:
    """30 random characters and their CRC-32 in six, as GitHub and npm make them."""

    def make(random: Random) -> str:
        entropy = "".join(random.choices(WORD, k=30))
        return f"{prefix}_{entropy}{base62(zlib.crc32(entropy.encode()), 6)}"

    return make


def token(prefix: str, alphabet: str, length: int) -> Maker:
    return lambda random: prefix + body(random, alphabet, length)


def either(*makers: Maker) -> Maker:
    return lambda random: random.choice(makers)(random)


def digits(random: Random, least: int, most: int) -> str:
    return str(random.randrange(1, 10)) + "".join(random.choices(string.digits, k=random.randint(least, most) - 1))


def openai(random: Random) -> str:
    mark = "T3Blbk" + "FJ"
    if random.random() < 0.3:
        return f"sk-{body(random, WORD, 20)}{mark}{body(random, WORD, 20)}"
    half = random.choice([58, 74])
    return f"sk-{random.choice(['proj', 'svcacct', 'admin'])}-{body(random, URL, half)}{mark}{body(random, URL, half)}"


def gitlab(random: Random) -> str:
    if random.random() < 0.5:
        return "glpat-" + body(random, URL, 20)
    return f"glpat-{body(random, URL, random.randint(27, 60))}.01.{body(random, LOWER, 9)}"


def azure(random: Random) -> str:
    return (
        f"{body(random, WORD + '_~.', 3)}{random.randrange(10)}Q~{body(random, WORD + '_~.-', random.choice([31, 34]))}"
    )


def slack_user(random: Random) -> str:
    numbers = "-".join(digits(random, 10, 13) for _ in range(3))
    return f"xox{random.choice('pe')}-{numbers}-{body(random, HEX, 32)}"


def slack_app(random: Random) -> str:
    return f"xapp-1-A{body(random, UPPER, 10)}-{digits(random, 12, 13)}-{body(random, HEX, 64)}"


def pypi(random: Random) -> str:
    host, known = random.choice([(b"pypi.org", "AgEIcHlwaS5vcmc"), (b"test.pypi.org", "AgENdGVzdC5weXBpLm9yZw")])
    made = bytes([2, 1, len(host)]) + host + bytes(random.randrange(256) for _ in range(random.randint(60, 140)))
    return f"pypi-{known}{urlsafe_b64encode(made[3 + len(host) :]).decode().rstrip('=')}"


def grafana_cloud(random: Random) -> str:
    key = b64encode(bytes(random.randrange(256) for _ in range(18))).decode()
    made = {"o": digits(random, 6, 7), "n": f"stack-{random.randrange(99)}", "k": key, "m": {"r": "us"}}
    return "glc_" + b64encode(json.dumps(made, separators=(",", ":")).encode()).decode()


def grafana_service(random: Random) -> str:
    secret = body(random, WORD, 32)
    return f"glsa_{secret}_{zlib.crc32(secret.encode()):08x}"


def sentry_org(random: Random) -> str:
    made = {"iat": 1_700_000_000 + random.randrange(10**8) + 0.25, "url": "https://sentry.io", "org": "acme"}
    signature = b64encode(bytes(random.randrange(256) for _ in range(32))).decode().rstrip("=")
    return f"sntrys_{b64encode(json.dumps(made).encode()).decode()}_{signature}"


def private_key(random: Random) -> str:
    kind = random.choice(["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA ", "PGP "])
    block = " BLOCK" if kind == "PGP " else ""
    size = random.choice([120, 600, 1200, 2400, 5000])
    data = b64encode(bytes(random.randrange(256) for _ in range(size))).decode()
    lines = "\n".join(data[start : start + 64] for start in range(0, len(data), 64))
    return f"-----BEGIN {kind}PRIVATE KEY{block}-----\n{lines}\n-----END {kind}PRIVATE KEY{block}-----"


SHAPES: Mapping[str, Maker] = {
    "aws-access-token": either(
        *(token(prefix, BASE32, 16) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    ),
    "gcp-api-key": token("AIza", URL, 35),
    "azure-ad-client-secret": azure,
    "digitalocean-pat": token("dop_v1_", HEX, 64),
    "digitalocean-access-token": token("doo_v1_", HEX, 64),
    "anthropic-api-key": lambda random: f"sk-ant-api03-{body(random, URL, 93)}AA",
    "anthropic-admin-api-key": lambda random: f"sk-ant-admin01-{body(random, URL, 93)}AA",
    "openai-api-key": openai,
    "huggingface-access-token": either(
        token("hf_", string.ascii_letters, 34), token("api_org_", string.ascii_letters, 34)
    ),
    "github-pat": checked("ghp"),
    "github-fine-grained-pat": lambda random: f"github_pat_{body(random, UPPER, 22)}_{body(random, WORD, 59)}",
    "github-app-token": either(checked("ghu"), checked("ghs")),
    "github-oauth": checked("gho"),
    "github-refresh-token": either(checked("ghr"), token("ghr_", WORD, 76)),
    "gitlab-pat": gitlab,
    "gitlab-deploy-token": token("gldt-", URL, 20),
    "slack-bot-token": lambda random: (
        f"xoxb-{digits(random, 10, 13)}-{digits(random, 10, 13)}-{body(random, WORD, 24)}"
    ),
    "slack-user-token": slack_user,
    "slack-app-token": slack_app,
    "twilio-api-key": token("SK", HEX, 32),
    "sendgrid-api-token": lambda random: f"SG.{body(random, URL, 22)}.{body(random, URL, 43)}",
    "npm-access-token": checked("npm"),
    "pypi-upload-token": pypi,
    "databricks-api-token": either(
        token("dapi", HEX, 32), lambda random: f"dapi{body(random, HEX, 32)}-{random.randrange(9)}"
    ),
    "hashicorp-tf-api-token": lambda random: (
        f"{body(random, WORD, 14)}.atlasv1.{body(random, URL, random.randint(60, 70))}"
    ),
    "pulumi-api-token": token("pul-", HEX, 40),
    "postman-api-token": lambda random: f"PMAK-{body(random, HEX, 24)}-{body(random, HEX, 34)}",
    "grafana-cloud-api-token": grafana_cloud,
    "grafana-service-account-token": grafana_service,
    "sentry-org-token": sentry_org,
    "sentry-access-token": lambda random: f"SENTRY_AUTH_TOKEN={body(random, HEX, 64)}",
    "sentry-user-token": token("sntryu_", HEX, 64),
    "stripe-access-token": lambda random: (
        f"{random.choice(['sk', 'rk'])}_{random.choice(['live', 'test'])}_{body(random, WORD, random.choice([24, 99]))}"
    ),
    "shopify-access-token": token("shpat_", HEX, 32),
    "shopify-custom-access-token": token("shpca_", HEX, 32),
    "shopify-private-app-access-token": token("shppa_", HEX, 32),
    "shopify-shared-secret": token("shpss_", HEX, 32),
    "private-key": private_key,
}
