# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays as formulas: files that `systole run --kernel` and systole.register() read."""
import inspect
import json
import math

import numpy

from systole import _systole
from systole.errors import InvalidArgument
from systole.recorded_array import Array, recording_for

_VERSION = 1


class _Noted:
    """A recorded array that knows what the formula calls it: a name, or a number."""

    def __init__(self, recorded, source, steps):
        self._recorded, self.source, self._steps = recorded, source, steps

    def shape(self):
        return self._recorded.shape()

    def dtype(self):
        return self._recorded.dtype()

    def number(self, value):
        if not math.isfinite(value):
            raise InvalidArgument(f"save: the number {value}; a formula has finite ones")
        return _Noted(self._recorded.number(value), value, self._steps)

    def unary(self, kind, alpha, beta):
        options = {name: value for name, value in (("alpha", alpha), ("beta", beta)) if value}
        return self._step(self._recorded.unary(kind, alpha, beta), kind, [self], **options)

    def binary(self, kind, other):
        return self._step(self._recorded.binary(kind, other._recorded), kind, [self, other])

    def reduce(self, kind, axes, keep):
        recorded = self._recorded.reduce(kind, axes, keep)
        return self._step(recorded, kind, [self], axes=[int(axis) for axis in axes], keep_dimensions=keep)

    def reshape(self, shape):
        return self._step(self._recorded.reshape(shape), "reshape", [self], shape=shape)

    def transpose(self, permutation):
        permutation = [int(axis) for axis in permutation]
        return self._step(self._recorded.transpose(permutation), "transpose", [self], permutation=permutation)

    def matmul(self, other):
        return self._step(self._recorded.matmul(other._recorded), "matmul", [self, other])

    def select(self, a, b):
        return self._step(self._recorded.select(a._recorded, b._recorded), "select", [self, a, b])

    def _step(self, recorded, operator, of, **options):
        name = f"step{len(self._steps)}"
        self._steps.append({"name": name, "operator": operator, "of": [array.source for array in of], **options})
        return _Noted(recorded, name, self._steps)


def _parameters(function, name):
    """Names of the operands, and the attributes with their defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name}: the names of its operands are not known; wrap it in a lambda") from None
    operands = [p.name for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    return operands, {p.name: p.default for p in parameters if p.default is not p.empty}


def formula_of(function, arrays):
    """The text of a formula of a Function, recorded with arrays of these types and shapes, or with float32 vectors."""
    operands, defaults = _parameters(function.function, function.name)
    arrays = arrays or [numpy.zeros(1, numpy.float32) for _ in operands]
    function.check_call(arrays, {})
    if len(operands) != len(arrays):
        raise InvalidArgument(
            f"{function.name}: has a variable number of operands; a formula has as many as it is saved with: "
            "wrap it in a lambda that names them"
        )
    attributes = {name: value for name, value in defaults.items() if isinstance(value, float)}
    steps, found = [], {}

    def noted(recorded):
        x = [Array(_Noted(array, name, steps)) for array, name in zip(recorded, operands)]
        known = {name: Array(_Noted(recorded[0].number(value), name, steps)) for name, value in attributes.items()}
        results = function.values(x, known)
        if function.derivative is not None:
            found["derivative"] = [
                None if slope is None else slope._recorded.source for slope in function.slopes(x, known)
            ]
        found["results"] = [result._recorded.source for result in results]
        return [result._recorded._recorded for result in results]

    with recording_for("save"):
        _systole.record(function.name, arrays, noted)
    head = {"formula": _VERSION, "operands": operands, "attributes": attributes}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    lines.append(' "steps": [\n' + ",\n".join(f"  {json.dumps(step)}" for step in steps) + "\n ]")
    lines += [f" {json.dumps(key)}: {json.dumps(found[key])}" for key in ("results", "derivative") if key in found]
    return "{\n" + ",\n".join(lines) + "\n}\n"
