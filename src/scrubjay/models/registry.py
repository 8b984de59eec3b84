"""From the settings of ``[models]`` to an embedder and a reranker. Loads nothing heavy: models open at first use.

* embedder: packaged | none | openai:<model> | ollama:<model> | a name that ``endpoint`` serves | a folder
* reranker: late | none | a name that ``reranker_endpoint`` serves | an address | a folder with model.onnx
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrubjay.errors import BadSetting
from scrubjay.ports import Embedder, Reranker

if TYPE_CHECKING:
    from scrubjay.config.sections import ModelSettings

_EMBEDDERS = ("packaged", "none", "openai:<model>", "ollama:<model>")
_RERANKERS = ("late", "none")


def embedder(models: ModelSettings, environ: Mapping[str, str]) -> Embedder | None:
    """The embedder that ``models`` asks for, ``None`` for words only. Raises ``BadSetting``.

    ``environ`` holds the key under the name ``models.api_key_env``.
    """
    setting = models.embedder.strip()
    if setting == "none":
        return None
    if setting == "packaged" or (not models.endpoint and _is_path(setting)):
        from scrubjay.models.packaged import PackagedEmbedder

        return PackagedEmbedder(_folder("embedder", setting) if setting != "packaged" else None, models.threads)
    return _remote_embedder(setting, models, _key(models, environ))


def reranker(models: ModelSettings, environ: Mapping[str, str]) -> Reranker | None:
    """The reranker that ``models`` asks for, ``None`` where recall's own late interaction has the last word.
    Raises ``BadSetting``."""
    setting = models.reranker.strip()
    if setting in _RERANKERS:
        return None
    from scrubjay.models.rerank import CrossEncoder, HttpReranker

    if _is_address(setting):
        return HttpReranker(setting, api_key=_key(models, environ))
    if models.reranker_endpoint and setting:
        return HttpReranker(models.reranker_endpoint, setting, api_key=_key(models, environ))
    if _is_path(setting):
        return CrossEncoder(_folder("reranker", setting), threads=models.threads)
    raise _unknown("reranker", setting, _RERANKERS, "set models.reranker_endpoint to the server of that model")


def _remote_embedder(setting: str, models: ModelSettings, key: str) -> Embedder:
    from scrubjay.models.endpoints import OLLAMA, OPENAI, OllamaEmbedder, OpenAIEmbedder

    api, colon, model = setting.partition(":")
    if not colon or api not in ("openai", "ollama"):
        if not models.endpoint or not setting or _is_address(setting):
            raise _unknown("embedder", setting, _EMBEDDERS, "set models.endpoint to the server of that model")
        api, model = _api_of(models.endpoint), setting
    if not model.strip():
        raise BadSetting(f"models.embedder names no model: {setting!r}.", hint=f"Write {api}:<model>.")
    if api == "openai":
        return OpenAIEmbedder(model, url=models.endpoint or OPENAI, api_key=key)
    return OllamaEmbedder(model, host=models.endpoint or OLLAMA, explicit=bool(models.endpoint), api_key=key)


def _api_of(endpoint: str) -> str:
    """OpenAI's API lives below a path such as ``/v1``, Ollama's at the root."""
    return "openai" if urlsplit(endpoint).path.strip("/") else "ollama"


def _key(models: ModelSettings, environ: Mapping[str, str]) -> str:
    return environ.get(models.api_key_env, "").strip() if models.api_key_env else ""


def _is_address(setting: str) -> bool:
    return setting.startswith(("http://", "https://"))


def _is_path(setting: str) -> bool:
    return setting.startswith(("~", "./", "../", ".\\", "..\\")) or Path(setting).is_absolute()


def _folder(name: str, setting: str) -> Path:
    path = Path(setting).expanduser()
    if not path.is_dir():
        raise BadSetting(f"models.{name} names a folder that is not there: {setting}.", hint="Check its spelling.")
    return path


def _unknown(name: str, setting: str, known: Sequence[str], otherwise: str) -> BadSetting:
    """What to say of a value that is none of ``known``: the nearest of them first."""
    near = get_close_matches(setting, known, n=1, cutoff=0.5)
    advice = f'Did you mean "{near[0]}"?' if near else f"Write {', '.join(known)}, or {otherwise}."
    return BadSetting(f"models.{name} = {setting!r} is not known.", hint=advice)
