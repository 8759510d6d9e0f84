# SPDX-License-Identifier: Apache-2.0
"""How far a result may be from the judge's, operator by operator. An operator that is not named here is exact."""

import numpy as np

from formulas import squares_of_neighbours

EPSILON = 2.0**-24  # half a unit in the last place of float32, relative

MOVES = {
    "Slice", "Concat", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Pad", "Split", "Gather", "Expand",
    "Tile", "DepthToSpace", "SpaceToDepth", "Resize", "Trilu", "Identity", "Where",
}  # fmt: skip

# Functions: relative to the result, and absolute. The judge is a polynomial in float32 as well.
FUNCTIONS = {
    "Exp": (4e-7, 0), "Log": (4e-7, 1e-7), "Erf": (1e-6, 1e-7), "Sigmoid": (1e-6, 2e-7), "Tanh": (1e-6, 1e-7),
    "Softplus": (1e-6, 3e-7), "Gelu": (1e-6, 1e-6), "Elu": (1e-6, 3e-7), "Selu": (1e-6, 6e-7), "Celu": (1e-6, 6e-7),
    "Mish": (2e-6, 1e-6), "Sin": (4e-7, 2e-7), "Cos": (4e-7, 2e-7), "Softsign": (3e-7, 0), "HardSigmoid": (2e-7, 1e-7),
    "HardSwish": (4e-7, 2e-7), "Pow": (1e-6, 0), "Reciprocal": (1.3e-7, 0),
}  # fmt: skip

# Operators that add: the error is relative to the sum of the magnitudes of the terms.
SUMS = {
    "ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceProd", "CumSum", "Softmax", "LogSoftmax", "MatMul", "Gemm", "Conv", "ConvTranspose", "AveragePool",
    "GlobalAveragePool", "LayerNormalization", "BatchNormalization", "InstanceNormalization", "LRN",
    "LpNormalization", "Mean", "Sum", "LSTM", "GRU", "RNN",
}  # fmt: skip

ROWS_BESIDE_BLOCKS = 64

PRODUCTS = {"MatMul", "Gemm", "Conv", "ConvTranspose"}
RECURRENCES = {"LSTM", "GRU", "RNN"}
MEANS = {"ReduceMean", "AveragePool", "GlobalAveragePool", "Mean"}
PLAIN_SUMS = {"ReduceSum", "ReduceL1", "CumSum", "Sum", *MEANS}
NORMALIZATIONS = {"LayerNormalization", "BatchNormalization", "InstanceNormalization"}


def _magnitude(array):
    """The greatest finite magnitude."""
    array = np.abs(np.asarray(array, np.float64))
    array = array[np.isfinite(array)]
    return float(array.max()) if array.size else 0.0


def _terms(case, inputs):
    """How many terms a result is the sum of, at most."""
    kind = case.kind
    if kind == "Gemm":
        return inputs[0].shape[0 if case.step.nodes[0].attributes["transA"] else 1]
    if kind in PRODUCTS:
        return inputs[1].size // max(1, inputs[1].shape[0 if kind == "Conv" else -1])
    if kind in RECURRENCES:
        return inputs[1].shape[-1] + inputs[2].shape[-1] + 2
    if kind == "CumSum":
        return max(inputs[0].shape)
    if kind in ("Sum", "Mean"):
        return len(inputs)
    return max(1, inputs[0].size // max(1, case.judged.size))


def size_of_terms(case):
    """The greatest sum of magnitudes of the terms of a result; of LRN, that of each result. None if the operator does
    not add."""
    kind = case.kind
    inputs = [a for a in case.operands() if a.dtype.kind == "f"]
    if kind not in SUMS or not inputs or case.host.dtype.kind != "f":
        return None
    terms = _terms(case, inputs)
    greatest = _magnitude(inputs[0])
    if kind in PRODUCTS:
        return greatest * _magnitude(inputs[1]) * terms + sum(_magnitude(a) for a in inputs[2:])
    if kind in RECURRENCES:
        return max(greatest, *map(_magnitude, inputs[3:]), 1.0) * max(map(_magnitude, inputs[1:3])) * terms
    if kind == "LRN":
        return squares_of_neighbours(case.step.nodes[0], inputs[0])
    if kind in ("ReduceSumSquare", "ReduceL2", "LpNormalization"):
        return greatest * greatest * terms
    if kind == "ReduceProd":
        return float(np.power(np.float64(max(greatest, 1.0)), terms))  # infinity where it overflows
    if kind in NORMALIZATIONS:
        return max(greatest * greatest * terms, greatest * max(map(_magnitude, inputs[1:])))
    return max(map(_magnitude, inputs)) * terms


def bound(case, judged):
    """The greatest distance from `judged` that is right for the step, an array or a number; None: it is exact."""
    if case.host.dtype.kind != "f":
        return None
    found = _bound(case, judged)
    if found is None or case.graph.precision != "mx":
        return found
    # Beside products in blocks, exponentials and means have rules of their own, within 2^-17.
    return found * ROWS_BESIDE_BLOCKS


def _bound(case, judged):
    kind = case.kind
    size = np.abs(judged.astype(np.float64))
    if kind in FUNCTIONS:
        relative, absolute = FUNCTIONS[kind]
        return relative * size + absolute
    if kind not in SUMS:
        return None
    terms = size_of_terms(case)
    if kind in PRODUCTS:
        return terms * (2.0**-10 if case.graph.precision == "mx" else 16 * EPSILON)
    if kind in PLAIN_SUMS:
        terms = max(map(_magnitude, case.operands())) if kind in MEANS else terms
        return (8 + np.sqrt(_count(case))) * EPSILON * terms
    if kind in RECURRENCES:
        return 64 * EPSILON * terms + 2e-5
    if kind in NORMALIZATIONS:
        return 2e-5 * size + 32 * EPSILON * _normalized(case) + 1e-6
    if kind == "ReduceLogSum":  # of a sum that may be much less than its terms
        with np.errstate(over="ignore"):
            return 2e-6 * size + 8 * EPSILON * terms / np.exp(judged.astype(np.float64))
    return 1e-5 * size + 1e-5


def _count(case):
    """How many elements a result is the sum of, at most."""
    if case.kind == "CumSum":
        return max(case.host.shape)
    return max(a.size for a in case.operands()) / max(1, case.host.size)


def _normalized(case):
    """The greatest magnitude that a normalization subtracts from another of its size."""
    inputs = [a for a in case.operands() if a.dtype.kind == "f"]
    epsilon = case.step.nodes[0].attributes.get("epsilon", 1e-5)
    return _magnitude(inputs[0]) * _magnitude(inputs[1]) / np.sqrt(epsilon)
