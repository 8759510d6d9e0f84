# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN in float64, as ONNX defines them with the default functions. The sigmoid of ONNX Runtime is off by
so much where it is near 0 that a large cell state times it is wrong in the third digit."""

import numpy as np


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _gates(x, count):
    """The columns of the gates, in the order of ONNX."""
    return np.split(x, count, axis=1)


def _lstm(node, projected, state, cell, r, bias):
    i, o, f, c = _gates(projected + state @ r.T + bias, 4)
    cell = _sigmoid(f) * cell + _sigmoid(i) * np.tanh(c)
    return _sigmoid(o) * np.tanh(cell), cell


def _gru(node, projected, state, cell, r, bias):
    z, reset, h = _gates(projected, 3)
    r_z, r_reset, r_h = np.split(r, 3)
    b_z, b_reset, b_h = np.split(bias, 3)
    z = _sigmoid(z + state @ r_z.T + b_z)
    reset = _sigmoid(reset + state @ r_reset.T + b_reset)
    if node.attributes["linear_before_reset"]:
        h = np.tanh(h + reset * (state @ r_h.T + b_h))
    else:
        h = np.tanh(h + (reset * state) @ r_h.T + b_h)
    return (1 - z) * h + z * state, cell


def _rnn(node, projected, state, cell, r, bias):
    return np.tanh(projected + state @ r.T + bias), cell


STEPS = {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn}


def recurrence(node, x, w, r, bias=None, lengths=None, initial=None, initial_cell=None):
    """All states, the last ones and, of an LSTM, the last cell states."""
    assert lengths is None
    x, w, r = (a.astype(np.float64) for a in (x, w, r))
    directions, rows, _ = w.shape
    shape = (directions, x.shape[1], r.shape[2])
    none = np.zeros(shape)
    states = none if initial is None else initial.astype(np.float64)
    cells = none if initial_cell is None else initial_cell.astype(np.float64)
    bias = np.zeros((directions, 2 * rows)) if bias is None else bias.astype(np.float64)
    every = np.zeros((x.shape[0], *shape))
    last, last_cells = np.zeros(shape), np.zeros(shape)
    for d in range(directions):
        state, cell = states[d], cells[d]
        backwards = d == 1 or node.attributes["direction"] == "reverse"
        for at in reversed(range(x.shape[0])) if backwards else range(x.shape[0]):
            projected = x[at] @ w[d].T + bias[d, :rows]
            state, cell = STEPS[node.kind](node, projected, state, cell, r[d], bias[d, rows:])
            every[at, d] = state
        last[d], last_cells[d] = state, cell
    return [a.astype(np.float32) for a in (every, last, last_cells)[: len(node.outputs)]]
