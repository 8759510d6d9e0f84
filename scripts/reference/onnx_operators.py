# SPDX-License-Identifier: Apache-2.0
"""ONNX models of many small operators in parallel, each result an output: conversions of types, shifts, and numbers
that are infinite, not a number, zero or nothing at all.

Each function returns an .onnx file, its inputs and its outputs: inputs and outputs with the sample as first axis. What
ONNX Runtime computes is not taken where its page says something else; `expected` then comes from NumPy.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from judges import onnx_outputs

OPSET = 22
IR_VERSION = 10
WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


class Model:
    """Collects nodes; `inputs` and `outputs` are the names of the graph's."""

    def __init__(self, opset=OPSET, domains=()):
        self.opset, self.domains = opset, domains
        self.nodes, self.constants, self.inputs, self.outputs = [], [], {}, {}

    def input(self, name, array):
        """`array`: one sample."""
        self.inputs[name] = np.asarray(array)
        return name

    def constant(self, array, name=None):
        name = name or f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, kind, inputs, outputs=1, domain="", **attributes):
        """The name of the node's result, or their names."""
        names = [f"{kind}{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=names[0], domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def output(self, name, expected=None):
        """A result that is compared; `expected` where ONNX Runtime is not the judge."""
        self.outputs[name] = expected

    def file(self, results):
        """`results`: the outputs, of which the file has the types."""
        values = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.inputs.items()
        ]
        typed = [
            helper.make_empty_tensor_value_info(name)
            if array is None
            else helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(self.outputs, results)
        ]
        graph = helper.make_graph(self.nodes, "operators", values, typed, self.constants)
        sets = [helper.make_opsetid("", self.opset)] + [helper.make_opsetid(domain, 1) for domain in self.domains]
        return helper.make_model(graph, opset_imports=sets, ir_version=IR_VERSION).SerializeToString()

    def judged(self):
        """The file, its inputs and its outputs, one sample."""
        inputs = [array[np.newaxis] for array in self.inputs.values()]
        outputs = list(self.outputs.values())
        if any(expected is None for expected in outputs):
            computed = onnx_outputs(self.file(outputs), inputs)
            outputs = [c[0] if e is None else e for c, e in zip(computed, outputs)]
        return self.file(outputs), inputs, [array[np.newaxis] for array in outputs]


def whole_numbers(name):
    """The limits of an integer type, numbers next to the limits of the others, and a few more."""
    info = np.iinfo(name)
    near = [0, 1, -1, 100, -100]
    near += [sign * 2**bits + by for bits in (7, 8, 15, 16, 31, 32, 63) for sign in (1, -1) for by in (-1, 0, 1)]
    return np.array([info.min, info.max] + [n for n in near if info.min <= n <= info.max], name)


def casts():
    """Every pair of integer types, of an input and of a constant: the higher bits are dropped. Real numbers that the
    result holds are truncated; all but 0 are true."""
    model = Model()
    reals = np.array([0, -0.0, 0.5, -0.5, 1, 1.5, -1.99, 2.5, 100.7, -100.7, 127.9, -128.9, 1e-3], np.float32)
    lower_bits = np.array([200.5, 255.9, -200.5, 300.7, -300.7, 40000.5, -40000.5, 70000.9, -129], np.float32)
    tiny = np.array([1e-30, -1e-30, np.inf, -np.inf, np.nan, 65504, 65519, 65520, 1e9], np.float32)
    truth = np.array([True, False, True])

    def cast(name, array, to):
        both = [
            model.node("Cast", [source], to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))
            for source in (name, model.constant(array))
        ]
        model.output(model.node("Concat", both, axis=0))

    for source in WHOLE:
        array = whole_numbers(source)
        name = model.input(source, array)
        for to in WHOLE + ["bool", "float32", "float64", "float16"]:
            if to != source:
                cast(name, array, to)
    for source in ("float32", "float64", "float16"):
        array = reals.astype(source)
        name = model.input(source, array)
        for to in ("int8", "int16", "int32", "int64", "bool"):
            cast(name, array, to)
        array = np.abs(array)
        name = model.input(source + "_positive", array)
        for to in ("uint8", "uint16", "uint32", "uint64"):
            cast(name, array, to)
    name = model.input("lower_bits", lower_bits)
    for to in ("int8", "uint8", "int16", "uint16", "uint32", "uint64"):
        cast(name, lower_bits, to)
    name = model.input("tiny", tiny)
    for to in ("bool", "float64", "float16"):
        cast(name, tiny, to)
    name = model.input("truth", truth)
    for to in WHOLE + ["float32", "float64", "float16"]:
        cast(name, truth, to)
    near = np.float32(
        [1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-8 + 2.0**-20, -1.01, 3.4e38, np.inf, np.nan, 1e-30]
    )
    upper_half = model.node("Cast", [model.input("near", near)], to=TensorProto.BFLOAT16)
    model.output(model.node("Cast", [upper_half], to=TensorProto.FLOAT))
    return model.judged()


def shifts():
    """Right shifts of signed integers keep the sign; where all bits are shifted out, 0 or -1 is left. ONNX Runtime has
    no signed shifts: the expected values are NumPy's, of Python's integers."""
    model = Model(opset=28)
    for kind in WHOLE:
        info = np.iinfo(kind)
        numbers = [0, 1, 5, 100, info.max, info.min, info.min + 1] + ([-1, -8, -100] if info.min < 0 else [8, 77, 200])
        steps = list(range(info.bits + 2)) + [100] + ([-1, info.min] if info.min < 0 else [info.max])
        x = np.array(numbers, kind)[:, np.newaxis]
        y = np.array([step for step in steps if info.min <= step <= info.max], kind)[np.newaxis]
        for direction in ("LEFT", "RIGHT"):
            name = model.node(
                "BitShift", [model.input(f"{kind}_{direction}", x), model.constant(y)], direction=direction
            )
            bits = np.empty((x.size, y.size), object)
            for row, number in enumerate(x.ravel().tolist()):
                for column, by in enumerate(y.ravel().tolist()):
                    out = by < 0 or by >= info.bits
                    whole = (
                        (number >> (info.bits - 1) >> 1 if out else number >> by)
                        if direction == "RIGHT"
                        else (0 if out else number << by)
                    )
                    bits[row, column] = whole & (2**info.bits - 1)
            model.output(name, bits.astype(f"uint{info.bits}").view(kind))
    return model.judged()


SPECIAL = np.array(
    [0, -0.0, 1, -1, 0.5, -2.5, 3.75, -60, 90, -100, 1e30, -1e30, np.inf, -np.inf, np.nan, 2, -3, 7, 1e-20, -4],
    np.float32,
)


def special_numbers():
    """Functions of infinities, of numbers that overflow, and of NaNs."""
    model = Model()
    x = model.input("x", SPECIAL)
    y = model.input("y", np.roll(SPECIAL, 7))
    functions = {
        "LeakyRelu": {"alpha": 0.5},
        "Elu": {"alpha": 2.0},
        "Selu": {},
        "Celu": {"alpha": 2.0},
        "HardSigmoid": {},
        "ThresholdedRelu": {"alpha": 2.0},
        "Shrink": {"lambd": 1.5, "bias": 1.0},
        "Gelu": {},
    }
    names = "Abs Neg Sign Relu Sigmoid Tanh Softplus Softsign Exp Log Sqrt Reciprocal Floor Ceil Round Erf HardSwish"
    for kind in names.split() + list(functions):
        model.output(model.node(kind, [x], **functions.get(kind, {})))
    for kind in ("IsNaN", "IsInf"):
        model.output(model.node(kind, [x]))
    model.output(model.node("Clip", [x, model.constant(np.float32(-1)), model.constant(np.float32(2))]))
    for kind in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Less", "LessOrEqual", "Equal", "Greater"):
        model.output(model.node(kind, [x, y]))
    for slope in (np.inf, 0.25, -0.5, 0):
        model.output(model.node("PRelu", [x, model.constant(np.float32([slope]))]))
    model.output(model.node("PRelu", [x, y]))
    model.output(model.node("Where", [model.node("IsNaN", [y]), x, y]))
    for kind in ("float64", "float16"):
        to = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
        with np.errstate(over="ignore"):
            a, b = (
                model.input(f"{n}_{kind}", array.astype(kind)) for n, array in (("a", SPECIAL), ("b", SPECIAL[::-1]))
            )
        model.output(model.node("Sign", [a]), np.sign(model.inputs[a]))  # of a NaN of float16 ONNX Runtime's is 0
        for one in ("Relu", "Abs"):
            model.output(model.node(one, [a]))
        for two in ("Min", "Max"):
            model.output(model.node(two, [a, b]))
        model.output(model.node("Cast", [model.node("IsNaN", [a])], to=to))
    return model.judged()


def special_rows():
    """Reductions and normalizations of rows of zeros, with infinities and with NaNs. The greatest and least of numbers
    are NumPy's: in ONNX Runtime it depends on the place of a NaN whether it counts, and a window of infinities has the
    lowest number as its greatest."""
    inf, nan = np.inf, np.nan
    rows = np.array(
        [
            [0, 0, 0, 0],
            [1, 2, 3, -4],
            [inf, 1, 2, 3],
            [-inf, 1, -2, 3],
            [-inf] * 4,
            [inf] * 4,
            [inf, -inf, 0, 1],
            [nan, 1, 2, 3],
            [1, nan, inf, -inf],
            [1e15, 2, 3, 4],
            [-100, -200, -300, -400],
            [-0.0, 0, -0.0, 0],
        ],
        np.float32,
    )
    model = Model()
    x = model.input("x", rows)
    axes = model.constant(np.int64([1]))
    kinds = "Sum Mean Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split()
    for kind in kinds:
        for keep in (0, 1):
            extreme = {"Max": np.max, "Min": np.min}.get(kind)
            expected = None if extreme is None else extreme(rows, axis=1, keepdims=keep != 0)
            model.output(model.node("Reduce" + kind, [x, axes], keepdims=keep), expected)
    for kind in ("Softmax", "LogSoftmax"):
        model.output(model.node(kind, [x], axis=1))
    for p in (1, 2):
        model.output(model.node("LpNormalization", [x], axis=1, p=p))
    ones, zeros = model.constant(np.ones(4, np.float32)), model.constant(np.zeros(4, np.float32))
    model.output(model.node("LayerNormalization", [x, ones, zeros], axis=-1))
    image = model.node("Reshape", [x, model.constant(np.int64([1, 12, 2, 2]))])
    greatest = np.max(rows, axis=1).reshape(1, 12, 1, 1)
    model.output(model.node("MaxPool", [image], kernel_shape=[2, 2]), greatest)
    model.output(model.node("AveragePool", [image], kernel_shape=[2, 2]))
    model.output(model.node("GlobalMaxPool", [image]), greatest)
    model.output(model.node("GlobalAveragePool", [image]))
    scale, bias = model.constant(np.ones(12, np.float32)), model.constant(np.zeros(12, np.float32))
    model.output(model.node("InstanceNormalization", [image, scale, bias]))
    model.output(model.node("CumSum", [x, model.constant(np.int64(1))]))
    doubles = model.node("Cast", [x], to=TensorProto.DOUBLE)
    model.output(model.node("ReduceMax", [doubles, axes], keepdims=0), np.max(rows.astype(np.float64), axis=1))
    model.output(model.node("ReduceMin", [doubles, axes], keepdims=0), np.min(rows.astype(np.float64), axis=1))
    model.output(model.node("ReduceLogSumExp", [doubles, axes], keepdims=0))
    return model.judged()


def short_sequences():
    """Recurrences over sequences of different lengths, also 0."""
    rng = np.random.default_rng(4)
    steps, batch, width, hidden = 3, 3, 2, 2
    model = Model(opset=14)
    lengths = model.input("lengths", np.int32([3, 0, 1]))
    for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        for direction, number in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):

            def random(*shape):
                return rng.standard_normal(shape).astype(np.float32)

            x = model.input(f"{kind}_{direction}", random(steps, batch, width))
            weights = [random(number, gates * hidden, width), random(number, gates * hidden, hidden)]
            parameters = [model.constant(a) for a in (*weights, random(number, 2 * gates * hidden))]
            states = [model.constant(random(number, batch, hidden)) for _ in range(2 if kind == "LSTM" else 1)]
            results = model.node(
                kind, [x, *parameters, lengths, *states], 1 + len(states), hidden_size=hidden, direction=direction
            )
            for result in results:
                model.output(result)
    return model.judged()


def averages():
    """Average pools that count the padding and whose last windows reach beyond it."""
    model = Model()
    rng = np.random.default_rng(5)
    for size, kernel, stride, pads, dilation in [
        (4, 3, 2, (0, 0), 1),
        (4, 3, 2, (1, 1), 1),
        (6, 3, 3, (1, 1), 1),
        (7, 4, 3, (1, 1), 1),
        (9, 3, 2, (1, 1), 2),
        (8, 3, 3, (1, 0), 2),
        (6, 2, 3, (0, 1), 1),
        (7, 3, 2, (1, 0), 1),
    ]:
        for rank in (1, 2, 3):
            x = model.input(f"x{len(model.inputs)}", rng.standard_normal((1, 2) + (size,) * rank).astype(np.float32))
            for count in (0, 1):
                attributes = {
                    "kernel_shape": [kernel] * rank,
                    "strides": [stride] * rank,
                    "dilations": [dilation] * rank,
                    "pads": [pads[0]] * rank + [pads[1]] * rank,
                    "ceil_mode": 1,
                    "count_include_pad": count,
                }
                model.output(model.node("AveragePool", [x], **attributes))
    return model.judged()


def fused():
    """Fused operators of com.microsoft other than attention."""
    model = Model(opset=21, domains=["com.microsoft"])
    rng = np.random.default_rng(6)

    def random(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def microsoft(kind, inputs, outputs=1, **attributes):
        return model.node(kind, inputs, outputs, domain="com.microsoft", **attributes)

    x, skip = model.input("x", random(2, 3, 8)), model.input("skip", random(2, 3, 8))
    gamma, beta, bias = (model.constant(random(8)) for _ in range(3))
    for names in ([x, skip, gamma, beta, bias], [x, skip, gamma, beta], [x, skip, gamma], [x, skip, gamma, "", bias]):
        results = microsoft("SkipLayerNormalization", names, 4, epsilon=1e-5)
        model.output(results[0])
        model.output(results[3])
    for names in ([x, skip, gamma, bias], [x, skip, gamma]):
        results = microsoft("SkipSimplifiedLayerNormalization", names, 4, epsilon=1e-6)
        model.output(results[0])
        model.output(results[3])
    model.output(model.node("SimplifiedLayerNormalization", [x, gamma], axis=-1, epsilon=1e-5))
    model.output(microsoft("BiasGelu", [x, bias]))
    model.output(microsoft("FastGelu", [x, bias]))
    model.output(microsoft("FastGelu", [x]))
    model.output(microsoft("QuickGelu", [x]))
    model.output(microsoft("QuickGelu", [x], alpha=0.5))
    a, b = model.input("a", random(2, 4, 3)), model.input("b", random(2, 4, 5))
    model.output(microsoft("FusedMatMul", [a, b], transA=1, alpha=0.5))
    model.output(microsoft("FusedMatMul", [b, a], transA=1))
    model.output(microsoft("FusedMatMul", [a, model.constant(random(6, 3))], transB=1, alpha=2.0))
    ids = model.input("ids", rng.integers(0, 10, (2, 3)).astype(np.int32))
    segments = model.input("segments", rng.integers(0, 2, (2, 3)).astype(np.int32))
    seen = model.input("seen", np.int32([[1, 1, 0], [1, 1, 1]]))
    tables = [model.constant(random(n, 8)) for n in (10, 5, 2)]
    results = microsoft("EmbedLayerNormalization", [ids, segments, *tables, gamma, beta, seen], 3, epsilon=1e-5)
    for result in results:
        model.output(result)
    results = microsoft("EmbedLayerNormalization", [ids, "", tables[0], tables[1], "", gamma, beta], 2, epsilon=1e-5)
    model.output(results[0])
    return model.judged()


def attentions():
    """Attention of com.microsoft, in its variants."""
    model = Model(opset=21, domains=["com.microsoft"])
    rng = np.random.default_rng(7)
    batch, sequence, heads, size = 2, 3, 2, 16
    width = heads * size

    def random(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def microsoft(kind, inputs, outputs=1, **attributes):
        results = model.node(kind, inputs, outputs, domain="com.microsoft", **attributes)
        for result in results if outputs > 1 else [results]:
            model.output(result)

    def given(array):
        return model.input(f"x{len(model.inputs)}", array)

    x = given(random(batch, sequence, width))
    weights, bias = model.constant(random(width, 3 * width)), model.constant(random(3 * width))
    microsoft("Attention", [x, weights, bias], num_heads=heads)
    microsoft("Attention", [x, weights, bias], num_heads=heads, unidirectional=1, scale=0.3)
    microsoft("Attention", [x, weights, bias, given(np.int32([2, 3]))], num_heads=heads)
    microsoft("Attention", [x, weights, bias, given(np.int32([2, 3, 0, 1]))], num_heads=heads)
    microsoft("Attention", [x, weights, bias, given(np.int32([[1, 0, 1], [1, 1, 1]]))], num_heads=heads)
    past = given(random(2, batch, heads, 2, size))
    microsoft("Attention", [x, weights, bias, "", past], 2, num_heads=heads)
    microsoft("Attention", [x, weights, bias, "", past], 2, num_heads=heads, unidirectional=1)
    microsoft("Attention", [x, weights, bias, "", "", given(random(batch, heads, sequence, sequence))], num_heads=heads)

    q, k, v = given(random(batch, sequence, width)), given(random(batch, 5, width)), given(random(batch, 5, width))
    microsoft("MultiHeadAttention", [q, k, v], num_heads=heads)
    microsoft("MultiHeadAttention", [q, k, v, bias], num_heads=heads, scale=0.25)
    lengths = given(np.int32([5, 3]))
    microsoft("MultiHeadAttention", [q, k, v, bias, lengths], num_heads=heads)
    seen = given(np.int32([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]]))
    microsoft("MultiHeadAttention", [q, k, v, "", seen], num_heads=heads)
    microsoft("MultiHeadAttention", [q, k, v, "", "", given(random(1, heads, sequence, 5))], num_heads=heads)
    pasts = [given(random(batch, heads, 2, size)) for _ in range(2)]
    here = [given(random(batch, sequence, width)) for _ in range(2)]
    microsoft("MultiHeadAttention", [q, *here, "", "", "", *pasts], 3, num_heads=heads, unidirectional=1)

    cosine, sine = model.constant(np.cos(random(8, size // 2))), model.constant(np.sin(random(8, size // 2)))
    for interleaved in (0, 1):
        start = model.constant(np.int64([2]))
        microsoft("RotaryEmbedding", [q, start, cosine, sine], interleaved=interleaved)
        places = given(rng.integers(0, 8, (batch, sequence)))
        four = given(random(batch, heads, sequence, size))
        microsoft("RotaryEmbedding", [four, places, cosine, sine], interleaved=interleaved)
    partial = given(random(batch, sequence, 2 * width))
    microsoft("RotaryEmbedding", [partial, start, cosine, sine], num_heads=heads, rotary_embedding_dim=size)

    groups = given(random(batch, sequence, 4 * size))
    shared = [given(random(batch, sequence, 2 * size)) for _ in range(2)]
    last = model.constant(np.full(batch, sequence - 1, np.int32))
    total = model.constant(np.int32(sequence))
    common = {"num_heads": 4, "kv_num_heads": 2}
    microsoft("GroupQueryAttention", [groups, *shared, "", "", last, total], 3, **common)
    rotary = [cosine, sine]
    microsoft("GroupQueryAttention", [groups, *shared, "", "", last, total, *rotary], 3, do_rotary=1, **common)
    microsoft(
        "GroupQueryAttention", [groups, *shared, "", "", last, total], 3, softcap=2.0, local_window_size=2, **common
    )
    packed = given(random(batch, sequence, 8 * size))
    microsoft(
        "GroupQueryAttention",
        [packed, "", "", "", "", last, total, *rotary],
        3,
        do_rotary=1,
        rotary_interleaved=1,
        **common,
    )
    one = given(random(batch, 1, 4 * size))
    new = [given(random(batch, 1, 2 * size)) for _ in range(2)]
    before = [given(random(batch, 2, 4, size)) for _ in range(2)]
    last, total = model.constant(np.full(batch, 4, np.int32)), model.constant(np.int32(5))
    microsoft("GroupQueryAttention", [one, *new, *before, last, total, *rotary], 3, do_rotary=1, **common)
    microsoft("GroupQueryAttention", [one, *new, *before, last, total], 3, local_window_size=3, **common)
    return model.judged()


MODELS = {
    "onnx_casts": casts,
    "onnx_shifts": shifts,
    "onnx_special_numbers": special_numbers,
    "onnx_special_rows": special_rows,
    "onnx_short_sequences": short_sequences,
    "onnx_averages": averages,
    "onnx_fused": fused,
    "onnx_attentions": attentions,
}
