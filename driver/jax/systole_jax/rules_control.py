# SPDX-License-Identifier: Apache-2.0
"""Calls, loops and branches."""
from jaxlib.mlir import ir

from systole_jax import attributes
from systole_jax.refusal import Refusal
from systole_jax.program_values import FLOATS
from systole_jax.routine import Routine
from systole_jax.rules import RULES, rule
from systole_jax.rules_elements import UNARY

#: A loop whose number of turns is known is a part of the graph if it has at most this many operators.
MOST_UNROLLED = 6000


@rule("func.call")
def call(t, op, x):
    return t.call(ir.FlatSymbolRefAttr(op.attributes["callee"]).value, x)


@rule("stablehlo.composite")
def composite(t, op, x):
    """A function by its name, if the device has it, else by its decomposition."""
    if attributes.text(op, "name") == "chlo.erf":
        return t.o.unary("erf", x[0])
    return t.call(ir.FlatSymbolRefAttr(op.attributes["decomposition"]).value, x)


@rule("stablehlo.custom_call")
def custom_call(t, op, x):
    name = attributes.text(op, "call_target_name")
    if name in ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"):
        return list(x)
    function = name.replace("mhlo.", "chlo.")  # as jaxlib before 0.9 writes them
    if function in UNARY:
        return t.o.unary(UNARY[function], x[0])
    if function == "chlo.topk":
        return RULES["chlo.top_k"](t, op, x)
    raise Refusal("the custom call %s, which is code for another device" % name)


def turns(t, op, x):
    """How often a loop over a counter runs, else None: `while counter < limit: counter = counter + step`."""
    condition, body = (region.blocks[0] for region in op.regions)
    test = condition.operations[len(condition.operations) - 1].operands[0].owner
    if not isinstance(test, ir.Operation) and not hasattr(test, "operation"):
        return None
    test = getattr(test, "operation", test)
    if test.name != "stablehlo.compare" or attributes.word(test, "comparison_direction") != "LT":
        return None
    arguments = list(condition.arguments)
    if test.operands[0] not in arguments:
        return None
    at = arguments.index(test.operands[0])
    if x[at].type in FLOATS:
        return None
    first = t.o.number_of(x[at])
    limit = t.known_number(test.operands[1], dict(zip(arguments, x)), arguments, body)
    counter, result = body.arguments[at], list(body.operations[len(body.operations) - 1].operands)[at]
    adds = getattr(result.owner, "operation", result.owner)
    if not hasattr(adds, "name") or adds.name != "stablehlo.add" or counter not in list(adds.operands):
        return None
    step = (
        t.known_number([v for v in adds.operands if v != counter][0], {}, [], body)
        if len(set(adds.operands)) == 2
        else None
    )
    if first is None or limit is None or step is None or step < 1:
        return None
    return max(0, -(-(int(limit) - int(first)) // int(step)))


def inner_routine(t, region):
    inner = Routine(t.routine.name, t.routine)
    translation, block = t.within(inner), region.blocks[0]
    arguments = [inner.input(*attributes.type_of(argument)) for argument in block.arguments]
    results = [translation.o.dense(value) for value in translation.block(block, arguments)]
    inner.results([inner.own(value) for value in results])
    return inner


@rule("stablehlo.while")
def loop(t, op, x):
    number = turns(t, op, x)
    if number is not None and number * t.size_of(op.regions[1]) <= MOST_UNROLLED:
        for _ in range(number):
            x = t.apply(op.regions[1], x)
        return list(x)
    parts = [inner_routine(t, region) for region in op.regions]
    outputs = [t.routine_value(value) for value in op.results]
    t.routine.loop(*parts, [t.o.dense(value) for value in x], outputs)
    return outputs


@rule("stablehlo.case", "stablehlo.if")
def branch(t, op, x):
    branches = [inner_routine(t, region) for region in op.regions]
    if op.name == "stablehlo.if":  # the branch of true is the first
        branches.reverse()
    outputs = [t.routine_value(value) for value in op.results]
    t.routine.choice(t.o.dense(x[0]), branches, outputs)
    return outputs
