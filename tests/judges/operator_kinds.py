# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's operators that the importer reads, with the types of their first operand."""

import numpy as np

import element_operators as elements
import move_operators as moves
import sum_operators as sums

I8, I16, F32 = np.int8, np.int16, np.float32
INTEGERS, ALL = (I8, I16), (I8, I16, F32)

# Kind: the function that builds a case, types.
KINDS = {
    "ADD": (elements.arithmetic("AddOptions"), ALL),
    "SUB": (elements.arithmetic("SubOptions"), ALL),
    "MUL": (elements.arithmetic("MulOptions"), ALL),
    "SQUARED_DIFFERENCE": (elements.arithmetic("SquaredDifferenceOptions"), ALL),
    "MAXIMUM": (elements.extreme_of_two, ALL),
    "MINIMUM": (elements.extreme_of_two, ALL),
    "PRELU": (elements.prelu, ALL),
    "SELECT_V2": (elements.select, ALL),
    "EQUAL": (elements.comparison("EqualOptions"), (I8, F32)),
    "NOT_EQUAL": (elements.comparison("NotEqualOptions"), (I8, F32)),
    "LESS": (elements.comparison("LessOptions"), (I8, F32)),
    "LESS_EQUAL": (elements.comparison("LessEqualOptions"), (I8, F32)),
    "GREATER": (elements.comparison("GreaterOptions"), (I8, F32)),
    "GREATER_EQUAL": (elements.comparison("GreaterEqualOptions"), (I8, F32)),
    "LOGICAL_AND": (elements.logic("LogicalAndOptions"), (np.bool_,)),
    "LOGICAL_OR": (elements.logic("LogicalOrOptions"), (np.bool_,)),
    "LOGICAL_NOT": (elements.logic("LogicalNotOptions"), (np.bool_,)),
    "ABS": (elements.function("AbsOptions"), (I8, F32)),
    "ELU": (elements.function(), (I8, F32)),
    "EXP": (elements.function("ExpOptions"), (F32,)),
    "LOG": (elements.function(low=0.1, high=9), (F32,)),
    "SQRT": (elements.function(low=0, high=9), (F32,)),
    "RSQRT": (elements.function(low=0.1, high=9), (F32,)),
    "NEG": (elements.function("NegOptions"), (F32,)),
    "SIN": (elements.function(), (F32,)),
    "COS": (elements.function("CosOptions"), (F32,)),
    "FLOOR": (elements.function(), (F32,)),
    "CEIL": (elements.function(), (F32,)),
    "ROUND": (elements.function(), (F32,)),
    "SQUARE": (elements.function("SquareOptions"), (F32,)),
    "HARD_SWISH": (elements.function("HardSwishOptions"), (I8, F32)),
    "LEAKY_RELU": (elements.function("LeakyReluOptions", 2), ALL),
    "RELU": (elements.function(version=2), ALL),
    "RELU6": (elements.function(version=2), ALL),
    "LOGISTIC": (elements.fixed_range, ALL),
    "TANH": (elements.fixed_range, ALL),
    "SOFTMAX": (elements.softmax, ALL),
    "LOG_SOFTMAX": (elements.softmax, (I8, F32)),
    "L2_NORMALIZATION": (elements.l2_normalization, (I8, F32)),
    "PAD": (moves.pad, ALL),
    "PADV2": (moves.pad, (I8, F32)),
    "MIRROR_PAD": (moves.mirror_pad, (I8, F32)),
    "RESHAPE": (moves.reshape, ALL),
    "SQUEEZE": (moves.squeeze, ALL),
    "EXPAND_DIMS": (moves.expand_dims, ALL),
    "TRANSPOSE": (moves.transpose, ALL),
    "CONCATENATION": (moves.concatenation, ALL),
    "PACK": (moves.pack, ALL),
    "UNPACK": (moves.unpack, ALL),
    "SPLIT": (moves.split, ALL),
    "SPLIT_V": (moves.split, ALL),
    "SLICE": (moves.slice_, ALL),
    "STRIDED_SLICE": (moves.strided_slice, ALL),
    "REVERSE_V2": (moves.reverse, ALL),
    "TILE": (moves.tile, (I8, F32)),
    "BROADCAST_TO": (moves.broadcast_to, (I8, F32)),
    "GATHER": (moves.gather, ALL),
    "GATHER_ND": (moves.gather_nd, (I8, F32)),
    "DEPTH_TO_SPACE": (moves.depth_and_space, (I8, F32)),
    "SPACE_TO_DEPTH": (moves.depth_and_space, (I8, F32)),
    "SPACE_TO_BATCH_ND": (moves.space_to_batch, (I8, F32)),
    "BATCH_TO_SPACE_ND": (moves.space_to_batch, (I8, F32)),
    "RESIZE_BILINEAR": (moves.resize, (I8, F32)),
    "RESIZE_NEAREST_NEIGHBOR": (moves.resize, ALL),
    "CONV_2D": (sums.convolution, ALL),
    "DEPTHWISE_CONV_2D": (sums.convolution, ALL),
    "TRANSPOSE_CONV": (sums.transposed_convolution, ALL),
    "FULLY_CONNECTED": (sums.fully_connected, ALL),
    "BATCH_MATMUL": (sums.batch_matmul, ALL),
    "AVERAGE_POOL_2D": (sums.pool, ALL),
    "MAX_POOL_2D": (sums.pool, ALL),
    "MEAN": (sums.reduction, ALL),
    "SUM": (sums.reduction, ALL),
    "REDUCE_MAX": (sums.reduction, (I8, F32)),
    "REDUCE_MIN": (sums.reduction, (I8, F32)),
    "REDUCE_PROD": (sums.reduction, (F32,)),
    "ARG_MAX": (sums.arg_extreme, (I8, F32)),
    "ARG_MIN": (sums.arg_extreme, (I8, F32)),
    "CUMSUM": (sums.cumulative_sum, (I8, F32)),
}

# QUANTIZE and DEQUANTIZE: types of operand and result; CAST: numbers without a scale.
CONVERSIONS = {
    "QUANTIZE": [(F32, I8), (F32, I16), (I8, I8), (I8, I16), (I16, I8), (I16, I16), (I8, np.uint8), (np.uint8, I8)],
    "DEQUANTIZE": [(I8, F32), (I16, F32), (np.uint8, F32)],
    "CAST": [(np.int32, F32), (F32, np.int32), (np.int64, np.int32), (np.bool_, F32), (np.int32, np.bool_)],
}


def short(dtype):
    return np.dtype(dtype).name


def all_kinds():
    """Name, kind in the file, type of the first operand and builder of each."""
    for kind, (build, types) in KINDS.items():
        for dtype in types:
            yield f"{kind} {short(dtype)}", kind, dtype, build
    for kind, pairs in CONVERSIONS.items():
        build = elements.cast if kind == "CAST" else elements.conversion
        for source, target in pairs:
            yield f"{kind} {short(source)} to {short(target)}", kind, source, build(source, target)
