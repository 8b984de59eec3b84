"""From settings to models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scrubjay.config.sections import ModelSettings
from scrubjay.errors import BadSetting
from scrubjay.models import registry
from scrubjay.models.endpoints import OllamaEmbedder, OpenAIEmbedder
from scrubjay.models.packaged import PackagedEmbedder
from scrubjay.models.rerank import CrossEncoder, HttpReranker


def test_by_default_the_packaged_model_and_late_interaction() -> None:
    assert isinstance(registry.embedder(ModelSettings(), {}), PackagedEmbedder)
    assert registry.reranker(ModelSettings(), {}) is None


def test_none_means_words_only() -> None:
    assert registry.embedder(ModelSettings(embedder="none", endpoint="http://localhost:1"), {}) is None
    assert registry.reranker(ModelSettings(reranker="none"), {}) is None


@pytest.mark.parametrize(
    ("setting", "endpoint", "kind"),
    [
        ("openai:text-embedding-3-small", "", OpenAIEmbedder),
        ("openai:BAAI/bge-m3", "http://localhost:8000", OpenAIEmbedder),
        ("ollama:nomic-embed-text:latest", "", OllamaEmbedder),
        ("ollama:nomic-embed-text", "http://192.0.2.7:11434", OllamaEmbedder),
        ("nomic-embed-text:latest", "http://localhost:11434", OllamaEmbedder),
        ("BAAI/bge-m3", "http://localhost:8000/v1", OpenAIEmbedder),
    ],
)
def test_a_model_behind_a_server(setting: str, endpoint: str, kind: type) -> None:
    assert isinstance(registry.embedder(ModelSettings(embedder=setting, endpoint=endpoint), {}), kind)


def test_a_folder_holds_a_model(tmp_path: Path) -> None:
    assert isinstance(registry.embedder(ModelSettings(embedder=str(tmp_path)), {}), PackagedEmbedder)
    assert isinstance(registry.reranker(ModelSettings(reranker=str(tmp_path)), {}), CrossEncoder)


def test_a_reranker_behind_a_server() -> None:
    named = ModelSettings(reranker="jina-reranker-v2", reranker_endpoint="https://api.jina.ai/v1")
    assert isinstance(registry.reranker(named, {}), HttpReranker)
    assert isinstance(registry.reranker(ModelSettings(reranker="http://localhost:8080"), {}), HttpReranker)


@pytest.mark.parametrize(
    ("setting", "advice"),
    [
        ("package", '"packaged"'),
        ("nnone", '"none"'),
        ("olama:nomic", '"ollama:<model>"'),
        ("nomic-embed-text", "models.endpoint"),
        ("https://api.openai.com/v1", "models.endpoint"),
        ("", "packaged"),
        ("openai:", "openai:<model>"),
        ("/nowhere/at/all", "spelling"),
    ],
)
def test_a_mistake_is_named_with_what_was_meant(setting: str, advice: str) -> None:
    with pytest.raises(BadSetting, match=r"models\.embedder") as caught:
        registry.embedder(ModelSettings(embedder=setting), {})
    assert advice in caught.value.hint


@pytest.mark.parametrize(("setting", "advice"), [("latte", '"late"'), ("bge", "reranker_endpoint"), ("", "late")])
def test_the_same_for_a_reranker(setting: str, advice: str) -> None:
    with pytest.raises(BadSetting, match=r"models\.reranker") as caught:
        registry.reranker(ModelSettings(reranker=setting), {})
    assert advice in caught.value.hint


def test_an_embedder_without_a_key_in_the_environment_still_opens() -> None:
    """F98: a shell without the key degrades when the server refuses, not before."""
    settings = ModelSettings(embedder="openai:m", api_key_env="NOT_SET")
    assert registry.embedder(settings, {}) is not None


def test_importing_and_choosing_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from scrubjay.config.sections import ModelSettings\n"
        "from scrubjay.models import registry\n"
        "for name in ('packaged', 'openai:m', 'ollama:m'):\n"
        "    registry.embedder(ModelSettings(embedder=name), {})\n"
        "registry.reranker(ModelSettings(reranker='http://localhost:1'), {})\n"
        "print(*{'numpy', 'onnxruntime', 'tokenizers', 'httpx2'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == []
