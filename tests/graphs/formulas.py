# SPDX-License-Identifier: Apache-2.0
"""Operators in NumPy that neither ONNX Runtime nor the evaluator of the onnx package computes as ONNX defines them."""

import numpy as np

from recurrent_formulas import recurrence


def bit_shift(node, x, places):
    """Since operator set 28 a shift of signed integers to the right keeps the sign."""
    shift = np.right_shift if node.attributes["direction"] == "RIGHT" else np.left_shift
    return [shift(x, places).astype(x.dtype)]


def _where(node, axes):
    """The axes of a reduction and `keepdims`, as arguments for NumPy."""
    axes = tuple(int(axis) for axis in axes) if axes is not None else None
    return {"axis": axes, "keepdims": bool(node.attributes.get("keepdims", 1))}


def total(node, x, axes=None):
    """Sums of integers wrap around, as all arithmetic of ONNX's integers; those of ONNX Runtime saturate. Floats are
    added in float64: ONNX Runtime adds one after the other in their type, an error that grows with their number."""
    return [np.sum(x, dtype=x.dtype if x.dtype.kind in "iu" else np.float64, **_where(node, axes)).astype(x.dtype)]


def sum_of_magnitudes(node, x, axes=None):
    return total(node, np.abs(x), axes)


def mean(node, x, axes=None):
    return [np.mean(x, dtype=np.float64, **_where(node, axes)).astype(x.dtype)]


def log_of_sum_of_exponentials(node, x, axes=None):
    """NaN where an operand is NaN. ONNX Runtime gives an infinity if another one is infinite."""
    where = _where(node, axes)
    x64 = x.astype(np.float64)
    most = np.max(x64, axis=where["axis"], keepdims=True)
    most = np.where(np.isfinite(most), most, 0)
    found = np.log(np.sum(np.exp(x64 - most), axis=where["axis"], keepdims=True)) + most
    return [(found if where["keepdims"] else np.squeeze(found, where["axis"])).astype(x.dtype)]


def mean_of_image(node, x):
    return mean(node, x, range(2, x.ndim))


def to_float16(node, x):
    """Rounded once, as by the evaluator. ONNX Runtime rounds float64 to float32 before, and may so make a tie."""
    return [x.astype(np.float16)]


def squares_of_neighbours(node, x):
    """What LRN adds for each element."""
    size = node.attributes["size"]
    before, after = (size - 1) // 2, size // 2
    squares = np.pad(np.square(x.astype(np.float64)), [(0, 0), (before, after), (0, 0), (0, 0)])
    return sum(squares[:, i : i + x.shape[1]] for i in range(size))


def local_response_normalization(node, x):
    """ONNX Runtime adds what enters the window to the sum before and subtracts what leaves it, which cancels."""
    alpha, beta, bias, size = (node.attributes[name] for name in ("alpha", "beta", "bias", "size"))
    return [(x / (bias + alpha / size * squares_of_neighbours(node, x)) ** beta).astype(x.dtype)]


def pad(node, x, pads, value=None):
    """Of any type, also with negative numbers, which remove elements."""
    before, after = pads[: x.ndim].astype(int), pads[x.ndim :].astype(int)
    removed = tuple(slice(max(0, -b), size - max(0, -a)) for b, a, size in zip(before, after, x.shape))
    width = [(max(0, b), max(0, a)) for b, a in zip(before, after)]
    mode = node.attributes["mode"]
    options = {"constant_values": np.zeros((), x.dtype) if value is None else value} if mode == "constant" else {}
    return [np.pad(x[removed], width, mode=mode, **options)]


FORMULAS = {
    "BitShift": bit_shift,
    "Cast": to_float16,
    "GRU": recurrence,
    "GlobalAveragePool": mean_of_image,
    "LRN": local_response_normalization,
    "LSTM": recurrence,
    "RNN": recurrence,
    "ReduceL1": sum_of_magnitudes,
    "ReduceLogSumExp": log_of_sum_of_exponentials,
    "ReduceMean": mean,
    "ReduceSum": total,
}
WITHOUT_KERNEL = {"Pad": pad}  # in place of the evaluator of the onnx package, which refuses some


def apply_to(graph, step):
    """Whether there is a formula for the step: only for those of one node."""
    node = step.nodes[0]
    if node.kind == "Cast":
        types = [graph.tensors[name].dtype for name in (*node.inputs, *node.outputs)]
        return len(step.nodes) == 1 and types == ["float64", "float16"]
    return len(step.nodes) == 1 and node.kind in FORMULAS


def replace_evaluator(step):
    return len(step.nodes) == 1 and step.nodes[0].kind in WITHOUT_KERNEL


def results(graph, step, values):
    """The results of the step by name."""
    node = step.nodes[0]
    operands = [graph.constants.get(name, values.get(name)) if name else None for name in node.inputs]
    with np.errstate(all="ignore"):
        formula = FORMULAS.get(node.kind) or WITHOUT_KERNEL[node.kind]
        return dict(zip(node.outputs, formula(node, *operands)))
