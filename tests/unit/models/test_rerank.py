"""Rerankers: a tiny cross-encoder made here, and a server that answers in several dialects (MX-3)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrubjay.errors import Unavailable
from scrubjay.models.rerank import CrossEncoder, HttpReranker, sigmoid

onnx = pytest.importorskip("onnx")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "sofa", "nan"]


def make_tokenizer(folder: Path) -> None:
    """Words by spaces; pairs as ``[CLS] query [SEP] passage [SEP]`` with type 1 for the passage."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))


def make_model(folder: Path, classes: int, *, types: bool = True) -> Path:
    """Logit = what the passage's tokens weigh: cat 2, dog -2, sofa .5, nan NaN. With two classes, the other gets 1."""
    from onnx import TensorProto, helper, numpy_helper

    weights = np.array([9, 0, 9, 0, 2, -2, 0.5, math.nan], np.float32)  # padding and [CLS] would show
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("Mul", ["attention_mask", "token_type_ids" if types else "attention_mask"], ["own"]),
        helper.make_node("Cast", ["own"], ["own_bool"], to=TensorProto.BOOL),
        helper.make_node("Where", ["own_bool", "each", "zero"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axis"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "minus"], ["rest"]),
        helper.make_node("Concat", ["rest"] * (classes - 1) + ["sum"], ["logits"], axis=1),
    ]
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "t"]) for name in names]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", classes])
    held = {"weights": weights, "zero": np.float32(0), "axis": np.array([1]), "minus": np.float32(-1)}
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in held.items()]
    graph = helper.make_graph(nodes, "tiny", inputs, [output], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / "model.onnx")
    make_tokenizer(folder)
    return folder


def test_one_logit_becomes_a_probability(tmp_path: Path) -> None:
    reranker = CrossEncoder(make_model(tmp_path, 1))
    scores = reranker.scores("cat", ["cat", "dog", "sofa cat", "", "what"])
    np.testing.assert_allclose(scores, [sigmoid(value) for value in (2, -2, 2.5, 0, 0)], rtol=1e-6)
    assert reranker.name == f"cross-encoder:{tmp_path.name}"


def test_two_classes_are_compared(tmp_path: Path) -> None:
    scores = CrossEncoder(make_model(tmp_path, 2)).scores("cat", ["cat", "dog"])
    np.testing.assert_allclose(scores, [sigmoid(4), sigmoid(-4)], rtol=1e-6)


def test_three_classes_are_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="3 classes"):
        CrossEncoder(make_model(tmp_path, 3)).scores("cat", ["cat"])


def test_scores_do_not_depend_on_the_others_in_a_batch(tmp_path: Path) -> None:
    reranker = CrossEncoder(make_model(tmp_path, 1))
    passages = ["sofa " * (number * 7 % 400) + "cat" for number in range(60)]
    together = reranker.scores("dog", passages)
    assert together == [reranker.scores("dog", [passage])[0] for passage in passages]


def test_a_model_without_token_types(tmp_path: Path) -> None:
    assert CrossEncoder(make_model(tmp_path, 1, types=False)).scores("what", ["", "cat"])[1] > 0.5


def test_long_and_strange_texts_are_cut_not_refused(tmp_path: Path) -> None:
    reranker = CrossEncoder(make_model(tmp_path, 1))
    scores = reranker.scores("cat " * 5000, ["dog " * 5000, "\ud800", "a\x00b", "猫"])
    assert all(0 <= score <= 1 for score in scores)


def test_no_passages_are_no_scores(tmp_path: Path) -> None:
    assert CrossEncoder(make_model(tmp_path, 1)).scores("cat", []) == []


def test_a_score_that_is_not_a_number_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="not a number"):
        CrossEncoder(make_model(tmp_path, 1)).scores("cat", ["nan"])


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"model\.onnx") as caught:
        CrossEncoder(tmp_path).scores("cat", ["cat"])
    assert 'models.reranker = "late"' in caught.value.hint


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    make_tokenizer(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"<html>")
    with pytest.raises(Unavailable, match="cannot be opened"):
        CrossEncoder(tmp_path).scores("cat", ["cat"])


@pytest.fixture
def jina(server: Any, clock: Any) -> HttpReranker:
    return HttpReranker(server.url + "/v1/", "m", api_key="k" * 20, timeout=2.0, clock=clock, sleep=clock.sleep)


def answer(*scores: Any, key: str = "relevance_score") -> bytes:
    items = [{"index": index, key: score} for index, score in enumerate(scores)]
    return json.dumps({"results": items[::-1]}).encode()


def test_jina_and_cohere(jina: Any, server: Any, reply: Any) -> None:
    server.says(reply(answer(0.9, 0.1)))
    assert jina.scores("q", ["a", "b"]) == [0.9, 0.1]
    asked = server.received[0]
    assert asked.path == "/v1/rerank"
    assert asked.payload == {"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2}
    assert asked.headers["authorization"] == "Bearer " + "k" * 20


def test_text_embeddings_inference(server: Any, reply: Any) -> None:
    """A bare list; no model, because such a server has one."""
    server.says(reply(b'[{"index": 1, "score": 0.7}, {"index": 0, "score": 0.2}]'))
    reranker = HttpReranker(server.url + "/rerank")
    assert reranker.scores("q", ["a", "b"]) == [0.2, 0.7]
    assert (server.received[0].path, server.received[0].payload["texts"]) == ("/rerank", ["a", "b"])


def test_a_server_that_rejects_one_dialect_is_spoken_to_in_the_other(jina: Any, server: Any, reply: Any) -> None:
    def hears_texts(received: Any) -> Any:
        return reply(answer(0.5, key="score")) if "texts" in received.payload else reply(b"{}", status=422)

    server.says(hears_texts)
    assert jina.scores("q", ["a"]) == [0.5]
    assert jina.scores("q", ["b"]) == [0.5]
    assert ["texts" in asked.payload for asked in server.received] == [False, True, True]


def test_logits_become_probabilities_in_the_same_order(jina: Any, server: Any, reply: Any) -> None:
    """MX-3: one score outside 0..1 says that all of them are logits, those of later answers too."""
    server.says(reply(answer(0.9, 1.2, -800.0)), reply(answer(0.5)))
    scores = jina.scores("q", ["a", "b", "c"])
    assert scores == [sigmoid(0.9), sigmoid(1.2), sigmoid(-800)]
    assert jina.scores("q", ["d"]) == [sigmoid(0.5)]


def test_many_passages_go_in_batches(jina: Any, server: Any, reply: Any) -> None:
    server.says(lambda received: reply(answer(*(float(text) / 100 for text in received.payload["documents"]))))
    assert jina.scores("q", [str(number) for number in range(70)]) == [number / 100 for number in range(70)]
    assert [len(asked.payload["documents"]) for asked in server.received] == [32, 32, 6]


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b'{"results": []}',
        b'{"results": [{"index": 0}]}',
        b'{"results": [{"index": 0, "score": NaN}]}',
        b'{"results": [{"index": 0, "score": "high"}]}',
        b'{"results": [{"index": 1, "score": 0.5}]}',
        b'{"results": [{"index": 0, "score": 1' + b"0" * 400 + b"}]}",
        b'{"results": null}',
        b"3",
    ],
)
def test_what_is_no_score_is_an_error(body: bytes, jina: Any, server: Any, reply: Any) -> None:
    server.says(reply(body))
    with pytest.raises(Unavailable):
        jina.scores("a secret question", ["a"])


def test_a_server_that_keeps_refusing_is_left_alone(jina: Any, server: Any, reply: Any) -> None:
    """F72"""
    server.says(reply(status=403))
    for _ in range(5):
        with pytest.raises(Unavailable):
            jina.scores("q", ["a"])
    assert len(server.received) == 3
    assert jina.resting > 0


def test_the_sigmoid_has_no_overflow() -> None:
    assert [sigmoid(-1e308), sigmoid(0.0), sigmoid(1e308)] == [pytest.approx(0), 0.5, 1.0]
