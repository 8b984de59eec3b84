"""Embedders behind a server, against a real server on loopback that misbehaves (F43, F45, F72, F98, SEC-5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scrubjay.errors import BadSetting, Refused, Unavailable
from scrubjay.models import endpoint as endpoint_module
from scrubjay.models.endpoint import checked_url, is_loopback
from scrubjay.models.endpoints import OllamaEmbedder, OpenAIEmbedder

KEY = "key-" + "0123456789" * 3
SECRET = "the text that nobody else may read"


@pytest.fixture
def openai(server: Any, clock: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("m", url=server.url + "/v1", api_key=KEY, timeout=2.0, clock=clock, sleep=clock.sleep)


@pytest.fixture
def ollama(server: Any, clock: Any) -> OllamaEmbedder:
    return OllamaEmbedder("m", host=server.url, timeout=2.0, clock=clock, sleep=clock.sleep)


@pytest.fixture
def data(reply: Any) -> Callable[..., Any]:
    """A reply in OpenAI's form that holds these vectors."""

    def make(*rows: Any) -> Any:
        items = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
        return reply(json.dumps({"data": items}).encode())

    return make


def test_vectors_come_back_at_unit_length_in_the_order_of_their_index(openai: Any, server: Any, reply: Any) -> None:
    items = [{"index": 1, "embedding": [0, 5]}, {"index": 0, "embedding": [3, 4]}]
    server.says(reply(json.dumps({"data": items}).encode()))
    np.testing.assert_allclose(openai.passages(["a", "b"]).vectors, [[0.6, 0.8], [0.0, 1.0]], atol=1e-6)
    asked = server.received[0]
    assert (asked.path, asked.payload) == ("/v1/embeddings", {"model": "m", "input": ["a", "b"]})
    assert asked.headers["authorization"] == f"Bearer {KEY}"


def test_vectors_without_an_index_are_taken_as_they_stand(openai: Any, server: Any, reply: Any) -> None:
    server.says(reply(b'{"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}'))
    assert openai.passages(["a", "b"]).vectors.tolist() == [[1, 0], [0, 1]]


def test_many_texts_are_sent_in_batches(openai: Any, server: Any, reply: Any) -> None:
    def answer(received: Any) -> Any:
        items = [{"index": i, "embedding": [float(text), 1]} for i, text in enumerate(received.payload["input"])]
        return reply(json.dumps({"data": items}).encode())

    server.says(answer)
    vectors = openai.passages([str(number) for number in range(150)]).vectors
    assert [len(asked.payload["input"]) for asked in server.received] == [64, 64, 22]
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(150), rtol=1e-5)


def test_no_texts_are_no_request(openai: Any, server: Any) -> None:
    assert len(openai.passages([]).vectors) == 0
    assert not server.received


def test_any_text_can_be_sent(openai: Any, server: Any, data: Any) -> None:
    """Lone surrogates, NUL, nothing at all, and a text too long for the model."""
    server.says(data([1.0], [1.0], [1.0], [1.0]))
    openai.passages(["\ud800x", "a\x00b", " ", "y" * 10_000])
    assert server.received[0].payload["input"] == ["\ufffdx", "a b", ".", "y" * 8_000]


def test_the_name_holds_model_and_dimension_but_not_the_host(openai: Any, server: Any, data: Any) -> None:
    """MX-11: vectors of another length are another space, the same model elsewhere is not."""
    server.says(data([1.0, 2.0, 3.0]))
    assert (openai.name, openai.dimensions) == ("openai:m@3", 3)
    assert len(server.received) == 1


def test_the_name_of_a_silent_server_is_no_error(openai: Any, server: Any, reply: Any, data: Any) -> None:
    """F98: asking what space it is never fails; the name is right as soon as the server answers."""
    server.says(reply(status=503), reply(status=503), data([1.0, 2.0]))
    assert openai.name == "openai:m@?"
    assert openai.name == "openai:m@2"


def test_shorter_vectors_can_be_asked_for(server: Any, data: Any) -> None:
    embedder = OpenAIEmbedder("m", url=server.url, dimensions=2)
    assert embedder.name == "openai:m@2"
    server.says(data([1.0, 2.0]))
    embedder.query("a")
    assert server.received[0].payload["dimensions"] == 2


HOSTILE = {
    "html": b"<html><body>Sign in to the wifi</body></html>",
    "nothing": b"",
    "half an answer": b'{"data": [{"index": 0, "embedding": [1.0, 2',
    "a list": b"[]",
    "no data": b'{"object": "list"}',
    "data of another kind": b'{"data": "no"}',
    "items of another kind": b'{"data": ["no"]}',
    "no embedding": b'{"data": [{"index": 0}]}',
    "too few": b'{"data": []}',
    "too many": b'{"data": [{"embedding": [1]}, {"embedding": [1]}]}',
    "an index out of range": b'{"data": [{"index": 7, "embedding": [1]}]}',
    "an index of another kind": b'{"data": [{"index": true, "embedding": [1]}]}',
    "base64": b'{"data": [{"index": 0, "embedding": "AACAPw=="}]}',
    "null": b'{"data": [{"index": 0, "embedding": null}]}',
    "a null inside": b'{"data": [{"index": 0, "embedding": [1, null]}]}',
    "an empty vector": b'{"data": [{"index": 0, "embedding": []}]}',
    "zeros": b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}',
    "NaN": b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
    "infinity": b'{"data": [{"index": 0, "embedding": [1.0, 1e999]}]}',
    "a huge integer": b'{"data": [{"index": 0, "embedding": [1' + b"0" * 400 + b"]}]}",
    "a number of 9,000 digits": b'{"data": [{"index": 0, "embedding": [' + b"9" * 9000 + b"]}]}",
    "deep nesting": b'{"data": ' + b"[" * 100_000,
    "bytes that are no text": b"\xff\xfe\x00\xd8",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_vector_is_one_sentence_and_never_a_vector(
    body: bytes, openai: Any, server: Any, reply: Any
) -> None:
    """F45: a failed embedding is an error, not a zero vector that hides a memory for ever."""
    server.says(reply(body))
    with pytest.raises(Unavailable) as caught:
        openai.passages([SECRET])
    assert str(caught.value.message).count(". ") == 0
    assert len(str(caught.value)) < 300
    assert KEY not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_huge_numbers_are_still_directions(openai: Any, server: Any, data: Any) -> None:
    server.says(data([3e300, 4e300]))
    np.testing.assert_allclose(openai.query("a").vector, [0.6, 0.8], atol=1e-6)


def test_a_vector_of_another_dimension_is_refused_at_once(openai: Any, server: Any, data: Any) -> None:
    """F43: found where it arises, said clearly."""
    server.says(data([1.0, 2.0]), data([1.0, 2.0, 3.0]))
    openai.query("a")
    with pytest.raises(Unavailable, match="dimension 3 instead of 2"):
        openai.query("b")


def test_vectors_of_several_dimensions_in_one_answer_are_refused(openai: Any, server: Any, data: Any) -> None:
    server.says(data([1.0, 2.0], [1.0]))
    with pytest.raises(Unavailable, match="different dimensions"):
        openai.passages(["a", "b"])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_once_more(
    status: int, openai: Any, server: Any, reply: Any, data: Any, clock: Any
) -> None:
    server.says(reply(status=status), data([1.0]))
    openai.query("a")
    assert clock.slept == [0.5]
    assert len(server.received) == 2


def test_the_server_says_how_long_to_wait(openai: Any, server: Any, reply: Any, data: Any, clock: Any) -> None:
    server.says(reply(status=429, headers={"Retry-After": "2"}), data([1.0]))
    openai.query("a")
    assert clock.slept == [2.0]


@pytest.mark.parametrize("after", ["3600", "Fri, 31 Dec 2027 23:59:59 GMT", "nan"])
def test_a_long_wait_is_left_to_the_caller(after: str, openai: Any, server: Any, reply: Any, clock: Any) -> None:
    server.says(reply(status=429, headers={"Retry-After": after}))
    with pytest.raises(Unavailable, match="fewer requests"):
        openai.query("a")
    assert (len(server.received), clock.slept) == (1, [])


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_tried_again(status: int, openai: Any, server: Any, reply: Any) -> None:
    """F72"""
    server.says(reply(status=status, body=KEY.encode()))
    with pytest.raises(Unavailable, match="refused access") as caught:
        openai.query(SECRET)
    assert len(server.received) == 1
    assert "api_key_env" in caught.value.hint
    assert KEY not in str(caught.value)


def test_quota_errors_for_ever_open_the_circuit(openai: Any, server: Any, reply: Any, data: Any, clock: Any) -> None:
    """F72: three failed calls, then a minute without a request, then one trial."""
    server.says(reply(status=403))
    for _ in range(10):
        with pytest.raises(Unavailable):
            openai.query("a")
    assert len(server.received) == 3
    assert openai.resting == 60.0
    with pytest.raises(Unavailable, match="rests for 60 s"):
        openai.query("a")
    clock.now += 61
    server.says(data([1.0]))
    openai.query("a")
    assert (len(server.received), openai.resting) == (4, 0.0)


def test_malformed_answers_open_the_circuit_too(openai: Any, server: Any, reply: Any) -> None:
    server.says(reply(b"<html>"))
    for _ in range(5):
        with pytest.raises(Unavailable):
            openai.query("a")
    assert len(server.received) == 3


def test_a_redirect_is_not_followed(openai: Any, server: Any, reply: Any) -> None:
    """SEC-5: text goes where the user said, not where that server says."""
    server.says(reply(status=307, headers={"Location": server.url + "/elsewhere"}))
    with pytest.raises(Unavailable, match="status 307"):
        openai.query("a")
    assert [asked.path for asked in server.received] == ["/v1/embeddings"]


def test_a_proxy_is_not_used_for_this_machine(openai: Any, server: Any, data: Any, monkeypatch: Any) -> None:
    """SEC-5"""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    server.says(data([1.0]))
    assert openai.query("a").vector.tolist() == [1.0]


def test_a_server_that_hangs_is_given_up(server: Any, reply: Any) -> None:
    embedder = OpenAIEmbedder("m", url=server.url, timeout=0.1)
    server.says(reply(b"", promised=100, then_hang=True))
    with pytest.raises(Unavailable, match=r"did not answer within 0\.1 s"):
        embedder.query("a")


def test_a_server_that_drips_is_given_up(openai: Any, server: Any, reply: Any, clock: Any) -> None:
    """Each read is in time, the whole is not."""

    def drip(_: Any) -> Any:
        clock.now += 3
        return reply(b'{"data": ' + b" " * 1000)

    server.says(drip)
    with pytest.raises(Unavailable, match="did not answer within 2 s"):
        openai.query("a")


def test_an_answer_that_breaks_off_is_an_error(openai: Any, server: Any, reply: Any) -> None:
    server.says(reply(b'{"data": [', promised=1000))
    with pytest.raises(Unavailable, match="cannot be reached"):
        openai.query("a")


def test_a_flood_is_cut_off(openai: Any, server: Any, reply: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(endpoint_module, "LARGEST_ANSWER", 1 << 20)
    server.says(reply(b" " * (2 << 20)))
    with pytest.raises(Unavailable, match="more than 1 MB"):
        openai.query("a")


def test_nobody_listens(clock: Any) -> None:
    """F98: without the server search goes on by words."""
    embedder = OpenAIEmbedder("m", url="http://127.0.0.1:9", clock=clock)
    with pytest.raises(Unavailable, match="cannot be reached") as caught:
        embedder.query("a")
    assert "by words" in caught.value.hint


@pytest.mark.parametrize("key", ["line\nbreak: x", "ключ"])
def test_a_key_that_no_header_can_hold_is_not_repeated(key: str, server: Any, data: Any) -> None:
    embedder = OpenAIEmbedder("m", url=server.url, api_key=key)
    server.says(data([1.0]))
    with pytest.raises(Unavailable) as caught:
        embedder.query("a")
    assert key not in str(caught.value)
    assert not server.received


def test_ollama_takes_a_batch(ollama: Any, server: Any, reply: Any) -> None:
    server.says(reply(b'{"embeddings": [[0, 2], [3, 0]]}'))
    assert ollama.passages(["a", "b"]).vectors.tolist() == [[0, 1], [1, 0]]
    assert (server.received[0].path, server.received[0].payload) == ("/api/embed", {"model": "m", "input": ["a", "b"]})
    assert ollama.name == "ollama:m@2"


def test_an_old_ollama_takes_one_text_at_a_time(ollama: Any, server: Any, reply: Any) -> None:
    def answer(received: Any) -> Any:
        if received.path == "/api/embed":
            return reply(b"404 page not found", status=404)
        return reply(json.dumps({"embedding": [1.0, float(len(received.payload["prompt"]))]}).encode())

    server.says(answer)
    vectors = ollama.passages(["a", "bb"]).vectors
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], [1, 2], rtol=1e-6)
    ollama.query("c")
    assert [asked.path for asked in server.received] == ["/api/embed"] + ["/api/embeddings"] * 3


def test_a_model_that_ollama_does_not_have(ollama: Any, server: Any, reply: Any) -> None:
    server.says(reply(b'{"error": "model \\"m\\" not found"}', status=404))
    with pytest.raises(Unavailable, match="has no model m") as caught:
        ollama.query("a")
    assert "ollama pull m" in caught.value.hint


@pytest.mark.parametrize(
    "body", [b'{"embeddings": [[0, 0]]}', b'{"embeddings": []}', b'{"embeddings": [[NaN]]}', b"{}"]
)
def test_ollama_gives_no_vector(body: bytes, ollama: Any, server: Any, reply: Any) -> None:
    """F45"""
    server.says(reply(body))
    with pytest.raises(Unavailable):
        ollama.query("a")


@pytest.mark.parametrize("host", ["http://192.0.2.7:11434", "http://localhost.example.com", "http://[2001:db8::1]:1"])
def test_ollama_elsewhere_has_to_be_named_by_the_user(host: str) -> None:
    """SEC-5"""
    with pytest.raises(Refused) as caught:
        OllamaEmbedder("m", host=host)
    assert "models.endpoint" in caught.value.hint
    OllamaEmbedder("m", host=host, explicit=True)


def test_what_is_this_machine() -> None:
    assert all(map(is_loopback, ["http://localhost:1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]:11434"]))
    assert not any(map(is_loopback, ["http://0.0.0.0", "http://127.0.0.1.example.com", "http://localhost@192.0.2.1"]))


@pytest.mark.parametrize(
    "url", ["", "localhost:11434", "ftp://x", "http://", "http://[::1", "http://a:99999999", "file:///etc"]
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(BadSetting):
        checked_url(url)


@pytest.mark.parametrize("url", ["http://u:p@host/v1", "https://host/v1?key=abc"])
def test_an_address_holds_no_secret(url: str) -> None:
    with pytest.raises(BadSetting) as caught:
        checked_url(url)
    assert "abc" not in str(caught.value)
    assert "api_key_env" in caught.value.hint
