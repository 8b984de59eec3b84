"""CC-T2, SEC-2: what the secret rules have to reach, measured on made-up secrets and on real texts."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from random import Random

import pytest

from benchmarks import secret_cases, secrets
from benchmarks.secret_shapes import SHAPES

NAMED = """
    aws-access-token gcp-api-key azure-ad-client-secret digitalocean-pat digitalocean-access-token anthropic-api-key
    anthropic-admin-api-key openai-api-key huggingface-access-token github-pat github-fine-grained-pat github-app-token
    github-oauth github-refresh-token gitlab-pat gitlab-deploy-token slack-bot-token slack-user-token slack-app-token
    twilio-api-key sendgrid-api-token npm-access-token pypi-upload-token databricks-api-token hashicorp-tf-api-token
    pulumi-api-token postman-api-token grafana-*-token sentry-*-token stripe-access-token shopify-*-token private-key
""".split()


def test_cc_t2_every_rule_that_is_named_has_a_shape() -> None:
    assert [name for name in NAMED if not fnmatch.filter(SHAPES, name)] == []
    assert [name for name in SHAPES if not any(fnmatch.fnmatch(name, named) for named in NAMED)] == [
        "shopify-shared-secret"
    ]


@pytest.mark.parametrize("seed", [2, 3])
def test_cc_t2_recall_of_every_rule_and_alarms_on_innocent_texts(seed: int) -> None:
    where: list[str] = []
    result = secrets.measured(secrets.ours, 1, seed, where)
    assert result["least_recall_of_a_rule"] >= 0.95, where
    assert result["named_by_their_rule"] >= 0.95, where
    assert result["innocents"]["alarms_per_10000"] <= 1, where


def test_sec_2_real_notes_and_transcripts_hardly_ever_raise_an_alarm(shared_data: Path) -> None:
    where: list[str] = []
    result = secrets.alarms(secrets.ours, shared_data, where)
    assert result["lines"] > 100_000
    assert result["alarms_per_10000"] <= 1, where


def test_no_secret_is_the_same_twice_and_all_are_made_when_needed() -> None:
    made = [make(Random(seed)) for seed in (1, 2) for make in SHAPES.values()]
    assert len(set(made)) == len(made)
    texts = "".join(Path(module.__file__ or "").read_text("utf-8") for module in (secret_cases, secrets))
    assert not any(secret in texts for secret in made)


def test_the_command_prints_counts_and_no_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = SHAPES["github-pat"](Random(9))
    (tmp_path / "vaults").mkdir()
    (tmp_path / "vaults/note.md").write_text(f"one\n\n{secret}\n", "utf-8")
    secrets.main(["--data", str(tmp_path), "--times", "1", "--where", "--scanner", "ours"])
    printed = capsys.readouterr()
    result = json.loads(printed.out)["scanners"]["ours"]
    assert result["real_texts"]["by_rule"] == {"github-pat": 1}
    assert "alarm: github-pat at vaults/note.md:3" in printed.err
    assert secret not in printed.out + printed.err
