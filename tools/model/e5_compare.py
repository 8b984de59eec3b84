"""Compare two builds of the model by what they compute."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

MODEL_NAME = "multilingual-e5-small-en-ru-zh.onnx"
TOKENIZER_NAME = "tokenizer.json"

SENTENCES = (
    "query: Where did Anna move after she left Berlin?",
    "passage: Anna moved to Lisbon in March 2024 and works as a nurse there.",
    "passage: My cat's name is Pixel; she is 3 years old and hates the vacuum cleaner.",
    "passage: The deploy failed again: `ImportError: cannot import name 'foo'` in app/main.py.",
    "query: Как зовут сестру Михаила?",
    "passage: Михаил сказал, что его сестра Ольга живёт в Новосибирске.",
    "passage: Я не ем орехи, у меня на них аллергия с детства.",
    "passage: Встречу перенесли на вторник, 15:30, в переговорной на третьем этаже.",
    "query: 我最喜欢的水果是什么?",
    "passage: 小王上周去了杭州,他说西湖很美。",
    "passage: 我女儿今年六岁,九月份开始上小学。",
    "passage: 会议改到星期五下午三点,请提前准备好报告。",
)

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Agreement:
    """How near two builds are to each other, sentence by sentence."""

    cosines: list[float]
    same_tokens: list[bool]
    same_vectors: list[bool]


class Build:
    """A model and its tokenizer, loaded from one folder."""

    def __init__(self, folder: Path, *, fuse: bool) -> None:
        """Load both files on one thread; ``fuse`` lets the runtime fuse nodes, as in use."""
        level = onnxruntime.GraphOptimizationLevel
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = level.ORT_ENABLE_ALL if fuse else level.ORT_ENABLE_BASIC
        self.session = onnxruntime.InferenceSession(
            str(folder / MODEL_NAME), options, providers=["CPUExecutionProvider"]
        )
        self.tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_NAME))

    def encode(self, text: str) -> tuple[list[int], FloatArray]:
        """Return the token ids and the token vectors of one text."""
        ids = self.tokenizer.encode(text).ids
        batch = np.array([ids], dtype=np.int64)
        feed = {"input_ids": batch, "attention_mask": np.ones_like(batch)}
        return ids, self.session.run(None, feed)[0][0]


def compare(first: Path, second: Path) -> Agreement:
    """Encode the sentences with the builds in both folders, and compare the results.

    Cosines are of the mean token vectors, with the model run as in use. Which nodes the runtime
    fuses depends on the shape of the graph and moves the last bits, and 8-bit activations make
    that visible. So whether the token vectors are the same, bit for bit, is told without fusion.
    """
    fused, plain = ([_encode_all(Build(folder, fuse=fuse)) for folder in (first, second)] for fuse in (True, False))
    return Agreement(
        cosines=[_cosine(a, b) for (_, a), (_, b) in zip(*fused, strict=True)],
        same_tokens=[a == b for (a, _), (b, _) in zip(*fused, strict=True)],
        same_vectors=[np.array_equal(a, b) for (_, a), (_, b) in zip(*plain, strict=True)],
    )


def _encode_all(build: Build) -> list[tuple[list[int], FloatArray]]:
    return [build.encode(text) for text in SENTENCES]


def _cosine(first: FloatArray, second: FloatArray) -> float:
    """Return the cosine of the two mean token vectors."""
    a, b = first.mean(axis=0), second.mean(axis=0)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
