"""Secrets found and taken out (SEC-2, CC-T2, F110). Every secret here is made when the test runs."""

from __future__ import annotations

import json
import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrubjay.text.secrets import redact, scan
from scrubjay.text.secrets.rules import RULES

_RANDOM = random.Random(11)
WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def _made(alphabet: str, length: int) -> str:
    return "".join(_RANDOM.choice(alphabet) for _ in range(length))


def _secrets() -> dict[str, str]:
    numbers = _made("123456789", 11)
    return {
        "aws-access-token": "AKIA" + _made(string.ascii_uppercase + "234567", 16),
        "gcp-api-key": "AIza" + _made(WORD, 35),
        "azure-ad-client-secret": _made(WORD, 3) + "8Q~" + _made(WORD, 33),
        "digitalocean-pat": "dop_v1_" + _made(HEX, 64),
        "digitalocean-access-token": "doo_v1_" + _made(HEX, 64),
        "digitalocean-refresh-token": "dor_v1_" + _made(HEX, 64),
        "anthropic-api-key": "sk-ant-api03-" + _made(WORD, 93) + "AA",
        "anthropic-admin-api-key": "sk-ant-admin01-" + _made(WORD, 93) + "AA",
        "openai-api-key": "sk-proj-" + _made(WORD, 74),
        "huggingface-access-token": "hf_" + _made(WORD, 34),
        "github-pat": "ghp_" + _made(WORD, 36),
        "github-fine-grained-pat": "github_pat_" + _made(WORD, 82),
        "github-oauth": "gho_" + _made(WORD, 36),
        "github-app-token": "ghs_" + _made(WORD, 36),
        "github-refresh-token": "ghr_" + _made(WORD, 36),
        "gitlab-pat": "glpat-" + _made(WORD, 20),
        "gitlab-deploy-token": "gldt-" + _made(WORD, 20),
        "gitlab-runner-authentication-token": "glrt-" + _made(WORD, 20),
        "slack-bot-token": f"xoxb-{numbers}-{_made(WORD, 24)}",
        "slack-user-token": f"xoxp-{numbers}-{numbers}-{numbers}-{_made(HEX, 32)}",
        "slack-app-token": f"xapp-1-A{_made('BCDEFG234', 10)}-{numbers}-{_made(HEX, 64)}",
        "slack-webhook-url": f"https://hooks.slack.com/services/T{_made(WORD, 8)}/B{_made(WORD, 8)}/{_made(WORD, 24)}",
        "twilio-api-key": "SK" + _made(HEX, 32),
        "sendgrid-api-token": f"SG.{_made(WORD, 22)}.{_made(WORD, 43)}",
        "npm-access-token": "npm_" + _made(WORD, 36),
        "pypi-upload-token": "pypi-AgEIcHlwaS5vcmc" + _made(WORD, 70),
        "databricks-api-token": "dapi" + _made(HEX, 32),
        "hashicorp-tf-api-token": f"{_made(WORD, 14)}.atlasv1.{_made(WORD, 65)}",
        "vault-service-token": "hvs." + _made(WORD, 95),
        "pulumi-api-token": "pul-" + _made(HEX, 40),
        "postman-api-token": f"PMAK-{_made(HEX, 24)}-{_made(HEX, 34)}",
        "grafana-api-key": "eyJrIjoi" + _made(WORD, 80),
        "grafana-cloud-api-token": "glc_" + _made(WORD, 60),
        "grafana-service-account-token": f"glsa_{_made(WORD, 32)}_{_made(HEX, 8)}",
        "sentry-org-token": "sntrys_eyJ" + _made(WORD, 90),
        "sentry-access-token": 'SENTRY_AUTH_TOKEN="' + _made(HEX, 64) + '"',
        "sentry-user-token": "sntryu_" + _made(HEX, 64),
        "stripe-access-token": "sk_live_" + _made(WORD, 24),
        "shopify-access-token": "shpat_" + _made(HEX, 32),
        "shopify-custom-access-token": "shpca_" + _made(HEX, 32),
        "shopify-private-app-access-token": "shppa_" + _made(HEX, 32),
        "shopify-shared-secret": "shpss_" + _made(HEX, 32),
        "telegram-bot-api-token": f"{_made('123456789', 9)}:A{_made(WORD, 34)}",
        "jwt": f"eyJ{_made(WORD, 30)}.eyJ{_made(WORD, 60)}.{_made(WORD, 43)}",
        "private-key": "-----BEGIN RSA PRIVATE KEY-----\n" + _made(WORD, 64) + "\n-----END RSA PRIVATE KEY-----",
        "url-password": "postgres://app:" + _made(WORD, 14) + "@db.internal:5432/shop",
        "generic-api-key": 'DB_PASSWORD = "' + "q7" + _made(WORD, 14) + '"',
    }


SECRETS = _secrets()
BEHIND_A_WORD = {"url-password", "generic-api-key", "sentry-access-token"}  # the word itself stays


def test_every_rule_has_a_secret_that_it_finds() -> None:
    assert set(SECRETS) == {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", SECRETS)
@pytest.mark.parametrize("around", ["{}", "token={},", "密钥{}。", "ключ:{}", "see {} now", '"{}"', "line\r\n{}\r\n"])
def test_a_secret_is_found_by_its_rule_whatever_stands_around_it(rule: str, around: str) -> None:
    """F110: a key that follows Chinese text, without a space, is found like any other."""
    text = around.format(SECRETS[rule])
    found = scan(text)
    assert [finding.rule for finding in found] == [rule]
    assert found[0].label and found[0].label == found[0].label.title()
    clean, _ = redact(text)
    assert f"‹redacted:{rule}›" in clean
    core = text[found[0].start : found[0].end] if rule in BEHIND_A_WORD else SECRETS[rule]
    assert core not in clean


@pytest.mark.parametrize("rule", SECRETS)
def test_what_is_clean_after_redaction_stays_clean(rule: str) -> None:
    clean, _ = redact(f"one {SECRETS[rule]} two")
    assert scan(clean) == []
    assert redact(clean) == (clean, [])


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "export OPENAI_API_KEY=$OPENAI_API_KEY",
        "password: ${DB_PASSWORD}",
        'api_key = os.environ["API_KEY"]',
        "password = <your password>",
        "password: your_password_1",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-...",
        "postgres://localhost/db",
        "Reset your password in 24hours or so.",
        "The secret ingredient is butter.",
        "key: value",
        "see tokenizer2vec",
        "commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "550e8400-e29b-41d4-a716-446655440000",
        "task-management-board-with-many-columns-and-rows",
        "密码是必填项",
        "пароль должен быть длинным",
        "token: https://example.org/a/b/c1",
        "Токен обновляется каждые 24часа",
    ],
)
def test_placeholders_words_and_hashes_are_no_secrets(text: str) -> None:
    assert scan(text) == []


@pytest.mark.parametrize("said", ["The password is {}.", "My API key is {}", "пароль это {}", "the client secret: {}"])
def test_a_password_in_a_sentence_is_taken_out(said: str) -> None:
    secret = "q7" + _made(WORD, 14)
    assert secret not in redact(said.format(secret))[0]


def test_several_secrets_are_taken_out_and_the_rest_stays() -> None:
    one, two = SECRETS["github-pat"], SECRETS["stripe-access-token"]
    clean, found = redact(f"a {one} b {two} c")
    assert clean == "a ‹redacted:github-pat› b ‹redacted:stripe-access-token› c"
    assert [finding.rule for finding in found] == ["github-pat", "stripe-access-token"]


def test_a_finding_never_shows_the_secret() -> None:
    for secret in SECRETS.values():
        assert all(secret not in repr(finding) for finding in scan(secret))


def test_a_private_key_that_was_cut_off_is_taken_out_to_its_end() -> None:
    text = "-----BEGIN PRIVATE KEY-----\n" + _made(WORD, 400)
    assert redact(text)[0] == "‹redacted:private-key›"


def test_long_texts_without_an_end_are_scanned_in_time() -> None:
    """No pattern backtracks for ever: these are the shapes that make careless ones do so."""
    for shape in ("-----BEGIN ", "eyJ", "://a:", "password=", "SG.", "xoxb-", "sk-", "hvs.", "A3T", "密码"):
        scan(shape * 20_000)
        scan(shape + "a" * 200_000)


@given(st.text(max_size=300))
def test_redaction_of_any_text_is_repeatable_and_keeps_what_is_no_secret(text: str) -> None:
    clean, found = redact(text)
    assert redact(clean)[0] == clean
    if not found:
        assert clean == text


# --- what stands beside a secret, and what only looks like one -------------------------------------------------------


@pytest.mark.parametrize("rule", sorted(set(SECRETS) - BEHIND_A_WORD))
@pytest.mark.parametrize("said", ["here:\n{}\nend", "name\t{}", "密钥{}。", "“{}”", 'say "{}"'])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_f110_a_secret_in_the_json_of_a_transcript_is_found(rule: str, said: str, ascii_only: bool) -> None:
    """Behind an escape, the letter before it is part of the escape: ``\\n``, ``\\u5bc6``; in JSON in JSON too."""
    line = json.dumps({"text": said.format(SECRETS[rule])}, ensure_ascii=ascii_only)
    for text in (line, json.dumps({"payload": line}, ensure_ascii=ascii_only)):
        assert [finding.rule for finding in scan(text)] == [rule]


@pytest.mark.parametrize("before", ["a%20", "a%3D", "\x1b[31m", "\x1b[1;32m", "\\x0a", "_"])
def test_a_secret_behind_other_escapes_is_found(before: str) -> None:
    assert [finding.rule for finding in scan(f"{before}{SECRETS['github-pat']} b")] == ["github-pat"]


@pytest.mark.parametrize("before", ["n", "x", "7", "u5bc6", "20"])
def test_letters_that_belong_to_no_escape_are_part_of_a_longer_word(before: str) -> None:
    assert scan(f"see {before}{SECRETS['github-pat']}") == []


def test_letters_of_other_scripts_are_no_part_of_a_secret() -> None:
    made = SECRETS["anthropic-api-key"]
    assert redact(f"密钥{made}已更新，ключ{made}новый")[0] == (
        "密钥‹redacted:anthropic-api-key›已更新，ключ‹redacted:anthropic-api-key›новый"
    )


def test_a_full_stop_after_a_secret_stays() -> None:
    assert redact(f"It is {SECRETS['gitlab-pat']}. Rotate it.")[0] == "It is ‹redacted:gitlab-pat›. Rotate it."


def test_long_private_keys_are_taken_out_whole() -> None:
    lines = "\n".join(_made(WORD, 64) for _ in range(120))
    for kind, block in (("RSA ", ""), ("PGP ", " BLOCK"), ("", "")):
        text = f"a\n-----BEGIN {kind}PRIVATE KEY{block}-----\n{lines}\n-----END {kind}PRIVATE KEY{block}-----\nb\n"
        assert redact(text)[0] == "a\n‹redacted:private-key›\nb\n"


@pytest.mark.parametrize(
    "text",
    [
        "Never commit a file with -----BEGIN RSA PRIVATE KEY----- in it. This sentence and the next stay as they are.",
        "It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQ...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n" + "x" * 64 + "\n-----END PRIVATE KEY-----",
        "sk-admin-panel-of-the-new-office-building-and-its-tenants",
        "glpat-rotation-guide-for-all-teams",
        "see \\nsk-admin-panel-of-the-new-office-building-and-its-tenants",
    ],
)
def test_what_only_speaks_of_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, [])


def test_a_dollar_sign_in_a_password_is_no_reference() -> None:
    for name, quote in (("password=", ""), ('password: "', '"')):
        secret = "Pa$" + _made(WORD, 5) + "$7k" + _made(WORD, 5)
        assert secret not in redact(f"{name}{secret}{quote}")[0]
    for reference in ("$DB_PASSWORD_2", "${DB_PASSWORD_2}", "$(cat secret2.txt)"):
        assert scan(f"password={reference}") == []


def test_keys_that_documentation_shows_are_no_secrets() -> None:
    for known in (
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc",
        "dapi" + "1234567890ab1cde2f3ab456c7d89efa",
    ):
        assert scan(f"Use {known} as the key.") == []
