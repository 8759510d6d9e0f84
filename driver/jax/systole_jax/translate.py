# SPDX-License-Identifier: Apache-2.0
"""Programs of JAX, which are modules of StableHLO, as routines for the device. jaxlib reads them."""
import re

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

from systole._systole import JaxTranslation
from systole_jax import attributes, settings
from systole_jax import rules_control, rules_elements, rules_indices, rules_moves, rules_products  # noqa: F401
from systole_jax import rules_reductions, rules_sorting  # noqa: F401
from systole_jax.operators import Operators
from systole_jax.refusal import Refusal
from systole_jax.routine import Routine
from systole_jax.rules import RULES
from systole_jax.values import Value


class Translation:
    """Translates the operations of a routine."""

    def __init__(self, functions, routine, exact):
        self.functions, self.routine, self.exact = functions, routine, exact
        self.o = Operators(routine, exact)
        self.known = {}  # values by those of MLIR
        self.line = ""  # of the user's program, the innermost that is known

    def within(self, routine):
        """The translation of a routine inside this one."""
        inner = Translation(self.functions, routine, self.exact)
        inner.known, inner.line = dict(self.known), self.line
        return inner

    def call(self, name, arguments):
        return self.block(self.functions[name].regions[0].blocks[0], arguments)

    def apply(self, region, arguments):
        """The results of a region whose arguments are single elements, for all elements of arrays; or of any region."""
        return self.block(region.blocks[0], self.of_one_rank(arguments))

    def of_one_rank(self, values):
        return list(values)

    def block(self, block, arguments):
        known = dict(zip(block.arguments, arguments))
        outside, self.known = self.known, {**self.known, **known}
        try:
            for operation in block.operations:
                op = operation.operation
                if op.name in ("func.return", "stablehlo.return"):
                    return [self.known[value] for value in op.operands]
                self.operation(op)
        finally:
            self.known = outside
        return []

    def operation(self, op):
        found = RULES.get(op.name)
        outside, self.line = self.line, line_of(op) or self.line
        self.routine.current_block().builder.at(self.place_of(op))
        try:
            if found is None:
                raise Refusal("there is no rule for it")
            results = found(self, op, [self.known[value] for value in op.operands])
        except Refusal as refusal:
            raise self.located(op, refusal) from None
        finally:
            self.line = outside
        results = results if isinstance(results, list) else [results]
        self.known.update(zip(op.results, results))

    def place_of(self, op):
        name = op.name.split(".")[-1]
        return "%s (%s)" % (name, self.line) if self.line else name

    def located(self, op, refusal):
        """The refusal with the operation, its line, and what to do."""
        if refusal.args[0].startswith("systole: "):
            return refusal
        return Refusal("systole: %s: %s. %s" % (self.place_of(op), refusal.args[0], REMEDY))

    def routine_value(self, value):
        """A value of the routine that a loop or branch will compute."""
        type, shape = attributes.type_of(value)
        return Value(self.routine, type, shape, register=self.routine.new_register())

    def known_number(self, value, inside, arguments, body):
        """The number that a value of MLIR is, if it is known now."""
        if value in inside:  # what the loop does not change
            at = arguments.index(value)
            unchanged = list(body.operations[len(body.operations) - 1].operands)[at] == body.arguments[at]
            return self.o.number_of(inside[value]) if unchanged else None
        if value in self.known:
            return self.o.number_of(self.known[value])
        owner = getattr(value.owner, "operation", value.owner)
        if getattr(owner, "name", "") != "stablehlo.constant":
            return None
        array, _ = attributes.elements(owner.attributes["value"])
        return array.reshape(-1)[0] if array.size == 1 else None

    def size_of(self, region):
        """The number of operations of a region, calls included."""
        total = 0
        for operation in region.blocks[0].operations:
            op = operation.operation
            total += 1
            if op.name in ("func.call", "stablehlo.composite"):
                key = "callee" if op.name == "func.call" else "decomposition"
                total += self.size_of(self.functions[ir.FlatSymbolRefAttr(op.attributes[key]).value].regions[0])
            for inner in op.regions:
                total += self.size_of(inner)
        return total


def line_of(op):
    """The file and line of an operation in the user's program, empty if they are not known."""
    found = re.findall(r'"([^"]+\.py)":(\d+)', str(op.location))
    return "%s:%s" % (found[0][0].rsplit("/", 1)[-1], found[0][1]) if found else ""


REMEDY = "Run this part of the program on another device, as with jax.default_device"


def donated(function):
    """The arguments that the caller gives away."""
    numbers = []
    for number, argument in enumerate(function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else []):
        names = [named.name for named in ir.DictAttr(argument)]
        if "tf.aliasing_output" in names or "jax.buffer_donor" in names:
            numbers.append(number)
    return numbers


def translate(code, options):
    """The routine of a module in StableHLO's portable form."""
    context = ir.Context()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    with context:
        return translate_module(stablehlo.deserialize_portable_artifact(context, bytes(code)))


def translate_module(module):
    functions = {}
    for operation in module.body.operations:
        if operation.operation.name == "func.func":
            functions[ir.StringAttr(operation.operation.attributes["sym_name"]).value] = operation.operation
    name = ir.StringAttr(module.operation.attributes["sym_name"]).value if "sym_name" in module.operation.attributes else "main"
    main = functions["main"]
    block = main.regions[0].blocks[0]
    routine = Routine(name)
    translation = Translation(functions, routine, settings.exact())
    results = translation.block(block, [routine.input(*attributes.type_of(value)) for value in block.arguments])
    routine.results([translation.o.dense(value) for value in results])
    outputs = [(value.type, list(value.shape)) for value in results]
    return JaxTranslation(name, outputs, donated(main), routine.finish(not translation.exact))
