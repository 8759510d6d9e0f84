# SPDX-License-Identifier: Apache-2.0
"""Recurrences: LSTM, GRU and RNN, in both directions."""

from draft import Unfit

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def recurrence(d):
    def shape():
        return d.choices.integer(1, 4), d.choices.integer(1, 3), d.size(32)

    kind = d.choices.pick(("GRU", "LSTM", "RNN"))
    x = d.operand(types=("float32",), ranks=(3,), accept=lambda t: t.shape[0] <= 8, shape=shape)
    steps, batch, width = d[x].shape
    hidden = d.size(48)
    direction = d.choices.weighted([("forward", 60), ("reverse", 20), ("bidirectional", 20)])
    directions = 2 if direction == "bidirectional" else 1
    rows = GATES[kind] * hidden
    if batch * rows * max(width, hidden) > 1 << 18:
        raise Unfit("product")
    d.multiply(directions * steps * batch * rows * (width + hidden))
    inputs = [x, d.fixed("float32", (directions, rows, width)), d.fixed("float32", (directions, rows, hidden))]
    state = (directions, batch, hidden)
    inputs.append(d.fixed("float32", (directions, 2 * rows)) if d.choices.chance(60) else "")
    inputs.append("")
    inputs.append(d.like(x, state) if d.choices.chance(40) else "")
    attributes = {"hidden_size": hidden, "direction": direction}
    if kind == "LSTM" and d.choices.chance(30):
        inputs.append(d.like(x, state))
    if kind == "GRU":
        attributes["linear_before_reset"] = d.choices.integer(0, 1)
    while inputs[-1] == "":
        inputs.pop()
    results = [("float32", (steps, directions, batch, hidden)), ("float32", state)]
    if kind == "LSTM":
        results.append(("float32", state))
    return d.add(kind, inputs, results, **attributes)


STEPS = [(recurrence, 1)]
