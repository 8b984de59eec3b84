"""Write the encoder as an ONNX graph, node by node, with quantised weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from e5_quantize import BLOCK, int4_blocks, int8_per_column, pack_int4, restore_int4
from e5_source import SourceModel
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
OPSETS = {"": 21, MICROSOFT: 1}
IR_VERSION = 10
PRODUCER = "scrubjay tools/model"
TOKENS = ("batch", "tokens")  # the axes of both inputs

# Which layer outputs are outputs of the model, counted from the end: sentence vectors are means over the last layer,
# and the one before it compares single tokens better.
_OUTPUTS = {1: "last_hidden_state", 2: "token_states"}

FloatArray = npt.NDArray[np.float32]
Quantized = tuple[str, str, str]  # names of: values, scale, zero point


class _Graph:
    """Collects nodes and initializers; every method returns the name of what it made."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.shapes: list[onnx.ValueInfoProto] = []

    def shaped(self, x: str, shape: Sequence[str | int]) -> str:
        """Declare the shape of ``x`` where the runtime cannot infer it; it fuses less without."""
        self.shapes.append(helper.make_tensor_value_info(x, TensorProto.FLOAT, shape))
        return x

    def constant(self, name: str, value: npt.NDArray[Any]) -> str:
        """Store an array."""
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Add a node with one output, called as the node."""
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def quantize(self, x: str) -> Quantized:
        """Quantise an activation to 8 bits at run time, one scale for the whole tensor."""
        outputs = (f"{x}.q", f"{x}.q_scale", f"{x}.q_zero")
        self.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], outputs, f"{x}.q"))
        return outputs

    def dense(self, x: Quantized, name: str, weight: FloatArray, bias: FloatArray) -> str:
        """Multiply by an int8 matrix, and add the bias in float."""
        values, scale, zero = x
        int8, scales = int8_per_column(weight)
        w = self.constant(f"{name}.w", int8)
        w_scale = self.constant(f"{name}.w_scale", scales)
        w_zero = self.constant(f"{name}.w_zero", np.zeros(len(scales), np.int8))
        product = self.node("MatMulInteger", [values, w, zero, w_zero], f"{name}.int32")
        product = self.node("Cast", [product], f"{name}.cast", to=TensorProto.FLOAT)
        factor = self.node("Mul", [scale, w_scale], f"{name}.factor")
        product = self.node("Mul", [product, factor], f"{name}.product")
        return self.node("Add", [self.constant(f"{name}.b", bias), product], name)

    def lookup(self, ids: str, name: str, table: FloatArray) -> str:
        """Look rows up in a 4-bit table."""
        values, scales = int4_blocks(table)
        packed = helper.make_tensor(f"{name}.q4", TensorProto.INT4, table.shape, pack_int4(values), raw=True)
        self.initializers.append(packed)
        inputs = [packed.name, ids, self.constant(f"{name}.scales", scales)]
        axes = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK}
        return self.node("GatherBlockQuantized", inputs, name, domain=MICROSOFT, **axes)

    def norm(self, x: str, name: str, weight: FloatArray, bias: FloatArray, eps: float) -> str:
        """Normalise each token vector."""
        inputs = [x, self.constant(f"{name}.w", weight), self.constant(f"{name}.b", bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=eps)


class _Encoder:
    """Writes the layers of the model into a graph."""

    def __init__(self, source: SourceModel) -> None:
        self.source = source
        self.config = source.config
        self.graph = _Graph()
        graph, config = self.graph, self.config
        head = config.hidden // config.heads
        self.split_shape = graph.constant("split_shape", np.array([0, 0, config.heads, head]))
        self.join_shape = graph.constant("join_shape", np.array([0, 0, config.hidden]))
        self.scale = graph.constant("attention_scale", np.array(head**-0.5, np.float32))
        self.sqrt2 = graph.constant("sqrt2", np.array(math.sqrt(2), np.float32))
        self.one = graph.constant("one", np.array(1, np.float32))
        self.half = graph.constant("half", np.array(0.5, np.float32))

    def norm(self, x: str, name: str, key: str) -> str:
        """Add the layer normalisation stored under ``key``."""
        weight, bias = self.source.vector(f"{key}.w"), self.source.vector(f"{key}.b")
        return self.graph.norm(x, name, weight, bias, self.config.eps)

    def dense(self, x: Quantized, name: str, key: str, inputs: int) -> str:
        """Add the dense layer stored under ``key``."""
        weight = np.ascontiguousarray(self.source.matrix(f"{key}.w", inputs).T)
        return self.graph.dense(x, name, weight, self.source.vector(f"{key}.b"))

    def embeddings(self, words: FloatArray) -> str:
        """Add word, token type (always the first) and position vectors, then normalise."""
        graph, config = self.graph, self.config
        types = self.source.vector("emb.type").reshape(-1, config.hidden)
        positions = self.source.vector("emb.pos").reshape(-1, config.hidden)
        first_type = graph.constant("type_vector", restore_int4(*int4_blocks(types))[0])
        x = graph.lookup("input_ids", "words", words)
        x = graph.node("Add", [x, first_type], "words_and_type")
        numbers = graph.constant("position_numbers", np.arange(config.max_positions))
        length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
        zero = graph.constant("zero", np.array([0]))
        ids = graph.node("Slice", [numbers, zero, length, zero], "position_ids")
        x = graph.node("Add", [x, graph.lookup(ids, "positions", positions)], "embeddings_sum")
        graph.shaped(x, [*TOKENS, config.hidden])
        return self.norm(x, "embeddings", "emb.ln")

    def mask(self) -> str:
        """Turn the attention mask into 0 (a token) or the lowest float (padding)."""
        graph = self.graph
        lowest = graph.constant("lowest", np.array(np.finfo(np.float32).min))
        axes = graph.constant("mask_axes", np.array([1, 2]))
        x = graph.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
        x = graph.node("Sub", [self.one, x], "mask.padding")
        x = graph.node("Mul", [x, lowest], "mask.low")
        return graph.node("Unsqueeze", [x, axes], "mask")

    def attention(self, x: Quantized, mask: str, layer: int) -> str:
        """Add self-attention, without its output projection."""
        graph, hidden, p = self.graph, self.config.hidden, f"layer{layer}.attention"
        parts = {}
        for key, order in (("q", (0, 2, 1, 3)), ("k", (0, 2, 3, 1)), ("v", (0, 2, 1, 3))):
            part = self.dense(x, f"{p}.{key}", f"l{layer}.{key}", hidden)
            part = graph.node("Reshape", [part, self.split_shape], f"{p}.{key}.split")
            parts[key] = graph.node("Transpose", [part], f"{p}.{key}.heads", perm=order)
        scores = graph.node("MatMul", [parts["q"], parts["k"]], f"{p}.dot")
        scores = graph.node("Mul", [scores, self.scale], f"{p}.scaled")
        scores = graph.node("Add", [scores, mask], f"{p}.masked")
        shares = graph.node("Softmax", [scores], f"{p}.shares", axis=-1)
        mixed = graph.node("MatMul", [shares, parts["v"]], f"{p}.mixed")
        mixed = graph.node("Transpose", [mixed], f"{p}.tokens", perm=(0, 2, 1, 3))
        return graph.node("Reshape", [mixed, self.join_shape], f"{p}.joined")

    def gelu(self, x: str) -> str:
        """Add the exact GELU."""
        graph = self.graph
        y = graph.node("Div", [x, self.sqrt2], f"{x}.div")
        y = graph.node("Erf", [y], f"{x}.erf")
        y = graph.node("Add", [y, self.one], f"{x}.erf1")
        y = graph.node("Mul", [x, y], f"{x}.double")
        return graph.node("Mul", [y, self.half], f"{x}.gelu")

    def layer(self, x: str, mask: str, layer: int) -> str:
        """Add one transformer layer."""
        graph, config, p, key = self.graph, self.config, f"layer{layer}", f"l{layer}"
        mixed = self.attention(graph.quantize(x), mask, layer)
        mixed = self.dense(graph.quantize(mixed), f"{p}.attention.out", f"{key}.ao", config.hidden)
        x = graph.node("Add", [mixed, x], f"{p}.attention.sum")
        x = self.norm(x, f"{p}.attention.norm", f"{key}.aln")
        wide = self.dense(graph.quantize(x), f"{p}.up", f"{key}.fi", config.hidden)
        activated = graph.quantize(self.gelu(wide))
        narrow = self.dense(activated, f"{p}.down", f"{key}.fo", config.feed_forward)
        x = graph.node("Add", [narrow, x], f"{p}.sum")
        return self.norm(x, _OUTPUTS.get(config.layers - layer, p), f"{key}.oln")


def build_model(source: SourceModel, kept: Sequence[int]) -> bytes:
    """Return the serialised ONNX model with the vocabulary cut to ``kept``."""
    encoder = _Encoder(source)
    words = source.matrix("emb.word", source.config.hidden)[list(kept)]
    x, mask = encoder.embeddings(words), encoder.mask()
    for layer in range(source.config.layers):
        x = encoder.layer(x, mask, layer)
    model = _as_model(encoder.graph, source.config.hidden)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))


def _as_model(graph: _Graph, hidden: int) -> onnx.ModelProto:
    names = ("input_ids", "attention_mask")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, TOKENS) for name in names]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [*TOKENS, hidden]) for name in _OUTPUTS.values()]
    body = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small-en-ru-zh",
        inputs,
        outputs,
        graph.initializers,
        value_info=graph.shapes,
    )
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    return helper.make_model(body, producer_name=PRODUCER, ir_version=IR_VERSION, opset_imports=opsets)
