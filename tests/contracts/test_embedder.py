"""What every embedder must do, whatever is behind it (``ports.Embedder``)."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from scrubjay.models.endpoints import OllamaEmbedder, OpenAIEmbedder
from scrubjay.models.packaged import PackagedEmbedder
from scrubjay.ports import Embedder
from scrubjay.testing import HashEmbedder


class _Embeddings(BaseHTTPRequestHandler):
    """A server of both APIs whose vectors are letter counts."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
        rows = [[1.0, *(text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz")] for text in texts]
        openai = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
        body = json.dumps({"data": openai, "embeddings": rows}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Embeddings) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module", params=["packaged", "hash", "openai", "ollama"])
def embedder(request: pytest.FixtureRequest, url: str) -> Embedder:
    if request.param == "packaged":
        return PackagedEmbedder()
    if request.param == "hash":
        return HashEmbedder()
    return OpenAIEmbedder("m", url=url) if request.param == "openai" else OllamaEmbedder("m", host=url)


STRANGE = ["", " ", "\x00", "\ud800", "猫", "🎉", "\n" * 50, "word " * 5000, "x" * 20_000]


def test_passages_are_unit_vectors_one_a_text(embedder: Embedder) -> None:
    texts = ["the cat sleeps", "the dog barks", *STRANGE]
    vectors = embedder.passages(texts).vectors
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), embedder.dimensions)
    assert np.isfinite(vectors).all(), "F45: NaN never leaves"
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_query_is_a_unit_vector_of_the_same_space(embedder: Embedder) -> None:
    for text in ["where does the cat sleep?", *STRANGE]:
        vector = embedder.query(text).vector
        assert vector.dtype == np.float32
        assert vector.shape == (embedder.dimensions,)
        assert math.isclose(float(np.linalg.norm(vector)), 1, abs_tol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.passages([]).vectors.shape == (0, embedder.dimensions)


def test_the_name_is_stable_and_says_nothing_of_the_host(embedder: Embedder, url: str) -> None:
    """MX-11"""
    assert embedder.name == embedder.name
    assert embedder.name
    assert "127.0.0.1" not in embedder.name
    assert url not in embedder.name


def test_the_same_text_gives_the_same_vector_in_any_company(embedder: Embedder) -> None:
    texts = ["Anna lives in Berlin", "", "the cat sleeps on the sofa " * 20, "猫"]
    together = embedder.passages(texts).vectors
    for text, vector in zip(texts, together, strict=True):
        assert float(embedder.passages([text]).vectors[0] @ vector) > 0.999
    again = embedder.passages(texts[::-1]).vectors[::-1]
    assert float((again * together).sum(axis=1).min()) > 0.999


def test_the_text_itself_is_nearest(embedder: Embedder) -> None:
    passages = ["quick zebras jump", "the cat sleeps on the sofa", "we moved the database"]
    similar = embedder.passages(passages).vectors @ embedder.query("the cat sleeps on the sofa").vector
    assert int(similar.argmax()) == 1


def test_token_vectors_if_any_go_with_words_and_passages(embedder: Embedder) -> None:
    passages = embedder.passages(["the cat sleeps", "?"])
    query = embedder.query("where does the cat sleep?")
    assert passages.tokens is None or (
        len(passages.tokens) == 2 and all(isinstance(row, bytes) for row in passages.tokens)
    )
    assert query.tokens is None or (len(query.tokens) == len(query.words) and all(query.words))
    assert query.weights is None or (query.tokens is not None and len(query.weights) == len(query.tokens))


def test_threads_may_share_it(embedder: Embedder) -> None:
    wanted = embedder.passages(["the cat sleeps"]).vectors[0]
    similar: list[float] = []

    def work() -> None:
        similar.extend(float(embedder.passages(["the cat sleeps"]).vectors[0] @ wanted) for _ in range(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(similar) == 12
    assert min(similar) > 0.999
