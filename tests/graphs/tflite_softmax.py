# SPDX-License-Identifier: Apache-2.0
"""SOFTMAX of 8 bits in rows for which LiteRT's reference kernel ends the process.

The kernel adds exp(beta * (x - greatest)) along a row. Where the sum is 512 or more, it would have to shift a word by
more than 31 bits, and calls abort() instead. What is right needs no kernel there: no share of such a sum is more than
half of 1/256, the result's step, so that all elements are the least one.
"""

import copy

import numpy as np

from drawn_graph import Tensor

SAFE_SUM = 511  # The kernel's sum is rounded. Where this one is smaller, that one is below 512.


def is_of_bytes(graph, step):
    return step.nodes[0].kind == "SOFTMAX" and graph.tensors[step.outputs[0]].dtype in ("int8", "uint8")


def _exponentials(graph, step, x):
    """In rows: the greatest element of each is 1."""
    steps = x.reshape(-1, x.shape[-1]).astype(np.float64)
    scale = np.float64(graph.scales[step.inputs[0]][0]) * step.nodes[0].attributes["beta"]
    return np.exp((steps - steps.max(axis=-1, keepdims=True)) * scale)


def judged_rows(graph, step, x):
    """For each row whether the kernel can judge it."""
    return _exponentials(graph, step, x).sum(axis=-1) < SAFE_SUM


def shares(graph, step, x):
    """The result by real numbers, in rows."""
    exponentials = _exponentials(graph, step, x)
    limits = np.iinfo(graph.tensors[step.outputs[0]].dtype)
    steps = np.rint(256 * exponentials / exponentials.sum(axis=-1, keepdims=True))
    return np.minimum(limits.min + steps, limits.max).astype(limits.dtype)


def of_rows(graph, step, count):
    """The graph as if the step read so many rows."""
    source, result = step.inputs[0], step.outputs[0]
    part = copy.copy(graph)
    rows = {name: (graph.tensors[name].dtype, (count, graph.tensors[name].shape[-1])) for name in (source, result)}
    part.tensors = {**graph.tensors, **{name: Tensor(*row) for name, row in rows.items()}}
    part.constants = {name: value for name, value in graph.constants.items() if name != source}
    return part
