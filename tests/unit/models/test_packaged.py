"""The packaged model itself: real weights, real runtime."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrubjay.errors import Corrupt, Unavailable
from scrubjay.models import packaged
from scrubjay.models.packaged import PackagedEmbedder
from scrubjay.models.runtime import LocalModel, ModelFiles
from scrubjay.models.tokens import TokenProjection

WEIGHTS = Path(packaged.__file__).with_name("weights")
PROJECTION = WEIGHTS / "token_projection.npz"


@pytest.fixture(scope="module")
def model() -> PackagedEmbedder:
    return PackagedEmbedder()


def test_the_constants_are_those_of_the_shipped_files() -> None:
    listed = (WEIGHTS / "README.md").read_text(encoding="utf-8")
    for name, size, digest in (
        (packaged.MODEL_FILE, packaged.MODEL_BYTES, packaged.MODEL_SHA256),
        (packaged.TOKENIZER_FILE, packaged.TOKENIZER_BYTES, packaged.TOKENIZER_SHA256),
    ):
        assert (WEIGHTS / name).stat().st_size == size
        assert digest in listed
    PackagedEmbedder().verify()


def test_the_name_tells_which_weights_they_are(model: PackagedEmbedder) -> None:
    """MX-11: other weights, or another token projection, are another space."""
    projection = f"+{hashlib.sha256(PROJECTION.read_bytes()).hexdigest()[:8]}" if PROJECTION.exists() else ""
    assert model.name == f"multilingual-e5-small-en-ru-zh@{packaged.MODEL_SHA256[:8]}{projection}"
    assert model.dimensions == 384


TEXTS = [
    "Max prefers uv over pip.",
    "",
    " ",
    "passage: ",
    "query: ",
    "🎉🎉",
    "a\x00b",
    "\ud800 alone \udfff",
    "猫",
    "\u0301\u0301",
    "ﷺ" * 50,
    "\t\n",
    "x" * 3000,
    "слово " * 5000,
    "word " * 5000,
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_any_text_gives_a_finite_unit_vector(text: str, model: PackagedEmbedder) -> None:
    for vector in (model.passages([text]).vectors[0], model.query(text).vector):
        assert vector.dtype == np.float32
        assert vector.shape == (384,)
        assert np.isfinite(vector).all()
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_words_differ_in_what_they_find_in_any_sentence(model: PackagedEmbedder) -> None:
    """F73: what stands out for one token is usual for another."""
    query = model.query("Where does Anna live now?").tokens
    assert query is not None
    mean, deviation = TokenProjection.load().usual(query)
    assert mean.shape == deviation.shape == (len(query),)
    assert (deviation > 0).all()
    assert float(mean.std()) > 0.01


def test_a_text_has_the_same_vector_alone_and_among_others(model: PackagedEmbedder) -> None:
    """Batches of a model with activations in 8 bits would give cosines of .997."""
    texts = ["Anna lives in Berlin.", "猫", "word " * 200, "Собака спит на диване."]
    together = model.passages(texts).vectors
    alone = np.concatenate([model.passages([text]).vectors for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.9999


def test_translations_are_nearer_than_other_sentences(model: PackagedEmbedder) -> None:
    """English, Russian and Chinese share one space."""
    english = ["The cat is sleeping on the sofa.", "We moved the database to a new server.", "Her birthday is in May."]
    russian = ["Кошка спит на диване.", "Мы перенесли базу данных на новый сервер.", "Её день рождения в мае."]
    chinese = ["猫在沙发上睡觉。", "我们把数据库迁移到了新服务器。", "她的生日在五月。"]
    for one, other in ((english, russian), (english, chinese), (russian, chinese)):
        similar = model.passages(one).vectors @ model.passages(other).vectors.T
        assert similar.argmax(axis=1).tolist() == [0, 1, 2]


def test_a_question_finds_its_answer_in_another_language(model: PackagedEmbedder) -> None:
    passages = ["The cat sleeps on the sofa.", "Anna lives in Berlin.", "The server has 64 GB of memory."]
    similar = model.passages(passages).vectors @ model.query("Где живёт Анна?").vector
    assert int(similar.argmax()) == 1


def test_a_passage_counts_up_to_its_512th_token(model: PackagedEmbedder) -> None:
    text = "word " * 600
    vectors = model.passages([text, text + "and something else entirely", "word " * 300]).vectors
    assert float(vectors[0] @ vectors[1]) > 0.9999
    assert float(vectors[0] @ vectors[2]) < 0.9999


def test_a_query_counts_up_to_its_128th_token(model: PackagedEmbedder) -> None:
    text = "word " * 200
    assert float(model.query(text).vector @ model.query(text + "cat").vector) > 0.9999


def test_no_texts_are_no_vectors(model: PackagedEmbedder) -> None:
    assert model.passages([]).vectors.shape == (0, 384)


def test_only_the_words_of_the_text_have_token_vectors(model: PackagedEmbedder) -> None:
    """Not the prefix, not the special tokens, not punctuation; every token knows its word."""
    encoded = model.query("When did Anna's cat arrive, and where?")
    if encoded.tokens is None:
        pytest.skip("the token projection is not here")
    assert list(dict.fromkeys(encoded.words)) == ["When", "did", "Anna's", "cat", "arrive", "and", "where"]
    assert len(encoded.words) == len(encoded.tokens)
    np.testing.assert_allclose(np.linalg.norm(encoded.tokens, axis=1), 1, atol=1e-5)


def test_chinese_tokens_are_their_own_words(model: PackagedEmbedder) -> None:
    encoded = model.query("我们什么时候去旅行?")
    if encoded.tokens is None:
        pytest.skip("the token projection is not here")
    assert "".join(encoded.words) == "我们什么时候去旅行"


def test_stored_token_vectors_match_the_query_that_means_them(model: PackagedEmbedder) -> None:
    passages = ["The cat sleeps on the sofa.", "Anna lives in Berlin.", "?!"]
    packed = model.passages(passages).tokens
    query = model.query("In which city does Anna live?").tokens
    if packed is None or query is None:
        pytest.skip("the token projection is not here")
    rows, starts = TokenProjection.load().unpack_many(packed)
    assert starts[3] == starts[2], "a passage without a word has no token vectors"
    scores = [(query @ rows[starts[number] : starts[number + 1]].T).max(axis=1).mean() for number in range(2)]
    assert scores[1] > scores[0]


def test_a_query_without_words_has_no_token_vectors(model: PackagedEmbedder) -> None:
    encoded = model.query("?!")
    assert encoded.tokens is None or len(encoded.tokens) == len(encoded.words) == 0


def test_without_the_projection_there_are_sentence_vectors(model: PackagedEmbedder, monkeypatch: Any) -> None:
    """MX-10: a missing part makes the answer poorer, not absent."""
    monkeypatch.setattr(packaged, "_projection", lambda: None)
    assert model.passages(["a"]).tokens is None
    assert model.query("a").tokens is None


def copy(folder: Path) -> Path:
    for name in (packaged.MODEL_FILE, packaged.TOKENIZER_FILE):
        (folder / name).symlink_to(WEIGHTS / name)
    return folder


def test_a_missing_model_is_named_with_what_helps(tmp_path: Path) -> None:
    """F98"""
    embedder = PackagedEmbedder(tmp_path)
    assert embedder.name, "its name needs no file"
    with pytest.raises(Unavailable, match=re.escape(packaged.MODEL_FILE)) as caught:
        embedder.query("a")
    assert "reinstall" in caught.value.hint
    assert 'models.embedder = "none"' in caught.value.hint


@pytest.mark.parametrize("name", [packaged.MODEL_FILE, packaged.TOKENIZER_FILE])
def test_a_file_that_was_cut_off_is_seen_at_once(name: str, tmp_path: Path) -> None:
    whole = (WEIGHTS / name).read_bytes()
    copy(tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unavailable, match=f"{len(whole) // 2} bytes instead of {len(whole)}"):
        PackagedEmbedder(tmp_path).passages(["a"])


@pytest.mark.parametrize("name", [packaged.MODEL_FILE, packaged.TOKENIZER_FILE])
def test_a_damaged_file_is_found_out(name: str, tmp_path: Path) -> None:
    """At the first use where it cannot be opened, by ``doctor`` in any case."""
    copy(tmp_path)
    size = (tmp_path / name).stat().st_size
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(b"\x00" * size)
    embedder = PackagedEmbedder(tmp_path)
    with pytest.raises(Unavailable, match="cannot be opened"):
        embedder.query("a")
    with pytest.raises(Corrupt, match=re.escape(name)):
        embedder.verify()


def test_a_failed_opening_is_tried_again(tmp_path: Path) -> None:
    embedder = PackagedEmbedder(tmp_path)
    with pytest.raises(Unavailable):
        embedder.load()
    copy(tmp_path)
    embedder.load()


def test_threads_open_a_model_once() -> None:
    files = ModelFiles(model=WEIGHTS / packaged.MODEL_FILE, tokenizer=WEIGHTS / packaged.TOKENIZER_FILE)
    model = LocalModel(files)
    opened: list[Any] = []
    start = threading.Barrier(4)

    def work() -> None:
        start.wait(10)
        opened.append(model.load())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 4
    assert len({id(loaded) for loaded in opened}) == 1


FORK = """
import os, sys, warnings
warnings.simplefilter("ignore")
from scrubjay.models.packaged import PackagedEmbedder
embedder = PackagedEmbedder(threads=2)
vector = embedder.query("hello").vector
for use in (True, False):
    child = os.fork()
    if child == 0:
        sys.exit(0 if not use or abs(float(embedder.query("hello").vector @ vector) - 1) < 1e-3 else 3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_opens_its_own_model_and_ends() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, encoding="utf-8", check=True)
    assert (done.stdout.split(), done.stderr) == (["0", "0"], "")


QUIET = """
import json, os, sys
from scrubjay.models.packaged import PackagedEmbedder
before = sorted({"numpy", "onnxruntime", "tokenizers"} & set(sys.modules))
embedder = PackagedEmbedder()
lazy = sorted({"numpy", "onnxruntime", "tokenizers"} & set(sys.modules))
embedder.query("hello")
print(json.dumps([before, lazy, os.environ["ORT_DISABLE_TELEMETRY"], sorted(os.listdir(os.environ["HOME"]))]))
"""


def test_the_runtime_neither_talks_nor_reports_home(own_home: Path) -> None:
    """SEC-5: onnxruntime would start an uploader and keep a device id in the home folder; and nothing loads before
    the first use."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    environment.pop("CI", None)  # where onnxruntime holds back by itself
    done = subprocess.run(
        [sys.executable, "-c", QUIET], capture_output=True, encoding="utf-8", env=environment, check=True
    )
    assert done.stderr == ""
    assert json.loads(done.stdout) == [[], [], "1", []]
