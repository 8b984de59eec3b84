"""What every reranker must do, whatever is behind it (``ports.Reranker``, MX-3)."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from scrubjay.models.rerank import CrossEncoder, HttpReranker
from scrubjay.ports import Reranker


class _Rerank(BaseHTTPRequestHandler):
    """A server whose scores are logits: how often the passage says "cat", minus one."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        scores = [float(text.count("cat")) * 2 - 1 for text in asked["documents"]]
        items = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
        body = json.dumps({"results": sorted(items, key=lambda item: -item["relevance_score"])}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _tiny_cross_encoder(folder: Path) -> Path:
    """A model whose logit is twice the number of "cat" in the pair, minus three."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({"[PAD]": 0, "[UNK]": 1, "[SEP]": 2, "cat": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[SEP]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    nodes = [
        helper.make_node("Gather", ["weights", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axis"], ["sum"], keepdims=1),
        helper.make_node("Add", ["sum", "bias"], ["logits"]),
    ]
    held = {"weights": np.array([0, 0, 0, 2], np.float32), "axis": np.array([1]), "bias": np.float32(-3)}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "t"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", 1])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in held.items()],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), folder / "model.onnx"
    )
    return folder


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Rerank) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module", params=["http", "onnx"])
def reranker(request: pytest.FixtureRequest, url: str, tmp_path_factory: pytest.TempPathFactory) -> Reranker:
    if request.param == "http":
        return HttpReranker(url, "m")
    return CrossEncoder(_tiny_cross_encoder(tmp_path_factory.mktemp("cross")))


def test_every_passage_has_a_probability(reranker: Reranker) -> None:
    passages = ["a cat", "", " ", "\x00", "\ud800", "猫", "cat " * 5000, "dog"]
    scores = reranker.scores("the cat", passages)
    assert len(scores) == len(passages)
    assert all(isinstance(score, float) and math.isfinite(score) and 0 <= score <= 1 for score in scores)


def test_what_answers_scores_higher_wherever_it_stands(reranker: Reranker) -> None:
    scores = reranker.scores("cat", ["nothing here", "cat and cat", "one cat"])
    assert scores[1] > scores[2] > scores[0]
    assert reranker.scores("cat", ["one cat", "nothing here", "cat and cat"]) == [scores[2], scores[0], scores[1]]


def test_a_score_does_not_depend_on_the_company(reranker: Reranker) -> None:
    passages = ["cat " * (number % 5) + "dog " * (number * 11 % 90) for number in range(70)]
    together = reranker.scores("cat", passages)
    alone = [reranker.scores("cat", [passage])[0] for passage in passages[:10]]
    np.testing.assert_allclose(together[:10], alone, rtol=1e-5)


def test_no_passages_have_no_scores(reranker: Reranker) -> None:
    assert list(reranker.scores("cat", [])) == []


def test_any_question_can_be_asked(reranker: Reranker) -> None:
    for query in ["", "\ud800", "cat " * 5000]:
        assert len(reranker.scores(query, ["a", "b"])) == 2


def test_it_has_a_name(reranker: Reranker) -> None:
    assert reranker.name
