# SPDX-License-Identifier: Apache-2.0
"""Programs of JAX, which are modules of StableHLO, as routines for the device. jaxlib reads them."""
import re

from jaxlib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

from systole._systole import JaxTranslation
from systole_jax import attributes, settings
from systole_jax import rules_control, rules_devices, rules_elements, rules_indices, rules_moves  # noqa: F401
from systole_jax import rules_products, rules_random, rules_reductions, rules_sorting  # noqa: F401
from systole_jax.graph_operators import Operators
from systole_jax.refusal import REMEDY, Refusal
from systole_jax.routine import Routine
from systole_jax.rules import RULES
from systole_jax.rules_devices import Sharded, own_part
from systole_jax.sharding import Mesh, signature, splits_of
from systole_jax.splitting import split_operation
from systole_jax.program_values import Value


class Translation:
    """Translates the operations of a routine."""

    def __init__(self, functions, routine, exact, meshes, devices=1):
        self.functions, self.routine, self.exact = functions, routine, exact
        self.meshes, self.devices = meshes, devices
        self.splits = None  # of the results of an operation on parts
        self.device = None  # the device's number as a value, if there are several
        self.o = Operators(routine, exact)
        self.known = {}  # values by those of MLIR
        self.line = ""  # of the user's program, the innermost that is known

    def within(self, routine):
        """The translation of a routine inside this one."""
        inner = Translation(self.functions, routine, self.exact, self.meshes, self.devices)
        inner.device = self.device
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
                if op.name in ("func.return", "stablehlo.return", "sdy.return"):
                    return [self.known[value] for value in op.operands]
                self.operation(op)
        finally:
            self.known = outside
        return []

    def operation(self, op):
        found = RULES.get(op.name)
        outside, self.line = (self.line, self.splits), line_of(op) or self.line
        self.splits = None
        self.routine.current_block().builder.at(self.place_of(op))
        try:
            if found is None:
                for value in op.results:
                    attributes.type_of(value)  # refuses a type that the device does not have
                raise Refusal("there is no rule for it")
            operands, results = self.sharded(op), None
            if op.name not in ("sdy.manual_computation", "func.call"):
                if any(isinstance(value, Sharded) for value in operands):
                    results = split_operation(self, op, operands, found)
                operands = operands if results is not None else [whole(self, value) for value in operands]
            if results is None:
                results = found(self, op, operands)
        except Refusal as refusal:
            raise self.located(op, refusal) from None
        finally:
            self.line, self.splits = outside
        results = results if isinstance(results, list) else [results]
        self.known.update(zip(op.results, results))

    def sharded(self, op):
        """The operands of an operation, of which devices may have parts."""
        return [self.known[value] for value in op.operands]

    def result_type(self, op):
        """The type and shape of an operation's first result, on this device."""
        type, shape = attributes.type_of(op.results[0])
        split = self.splits[0] if self.splits else None
        return type, shape if split is None else split.local(shape)

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


#: Scopes that JAX makes of control flow.
CONTROL = ("while", "body", "cond", "closed_call")


def line_of(op):
    """The file and line of an operation in the user's program, with the innermost scope, which may be a layer of Keras,
    and whether it is a part of a gradient: "program.py:9, dense, gradient". Empty if the line is not known."""
    text = str(op.location)
    found = re.search(r'"([^"]+\.py)":(\d+)', text)
    if not found:
        return ""
    path = re.search(r'"(jit\([^"]*)"', text)
    scopes = path[1].split("/")[1:-1] if path else []
    names = [re.sub(r"\w+\(|\)", "", scope) for scope in scopes]  # jvp(dense) is dense
    names = [name for name in names if name and name not in CONTROL][-1:]
    gradient = ["gradient"] if any("transpose(" in scope for scope in scopes) else []
    return ", ".join(["%s:%s" % (found[1].rsplit("/", 1)[-1], found[2]), *names, *gradient])


def donated(function):
    """The arguments that the caller gives away."""
    numbers = []
    for number, argument in enumerate(function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else []):
        names = [named.name for named in ir.DictAttr(argument)]
        if "tf.aliasing_output" in names or "jax.buffer_donor" in names:
            numbers.append(number)
    return numbers


def whole(t, value):
    return value.all(t) if isinstance(value, Sharded) else value


def devices_of(options):
    """The numbers of the devices that a program is compiled for, in the order of its partitions."""
    parsed = _jax.CompileOptions.ParseFromString(options)
    if parsed.num_replicas > 1:
        raise Refusal("systole: a program with replicas; use jax.shard_map, or jax.pmap of a later JAX")
    assignment = parsed.device_assignment
    if assignment is None:
        return list(range(parsed.num_partitions))
    # DeviceAssignmentProto: two numbers, and then {3: {1: number}} for each device.
    data, devices = assignment.serialize(), []
    for tag, value in fields_of(data):
        if tag == 3:
            devices += [
                number[0] if isinstance(number, list) else number for _, number in fields_of(value, packed=True)
            ]
    return devices


def fields_of(data, packed=False):
    """The numbers and texts of a message of protobuf, with their tags. A packed field holds one number here."""
    at = 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            text, at = data[at : at + value], at + value
            value = [item for item in varints(text)] if packed else text
        yield key >> 3, value


def varints(data):
    value, shift = 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0


def translate(code, options):
    """The routine of a module in StableHLO's portable form."""
    context = ir.Context()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    with context:
        return translate_module(stablehlo.deserialize_portable_artifact(context, bytes(code)), devices_of(options))


def argument_split(function, number, meshes, what="arg_attrs"):
    """The split that an argument or result has, None if none is given."""
    if what not in function.attributes:
        return None
    named = {item.name: item.attr for item in ir.DictAttr(function.attributes[what][number])}
    splits = splits_of(str(named["sdy.sharding"]), meshes) if "sdy.sharding" in named else []
    return splits[0] if splits and not splits[0].is_whole else None


def translate_module(module, devices):
    functions, meshes = {}, {}
    for operation in module.body.operations:
        op = operation.operation
        if op.name == "func.func":
            functions[ir.StringAttr(op.attributes["sym_name"]).value] = op
        elif op.name == "sdy.mesh":
            meshes[ir.StringAttr(op.attributes["sym_name"]).value] = Mesh(str(op.attributes["mesh"]))
    attributes_of_module = module.operation.attributes
    name = ir.StringAttr(attributes_of_module["sym_name"]).value if "sym_name" in attributes_of_module else "main"
    main = functions["main"]
    block = main.regions[0].blocks[0]
    routine = Routine(name)
    translation = Translation(functions, routine, settings.exact(), meshes, len(devices))
    arguments = []
    for number, value in enumerate(block.arguments):
        try:
            type, shape = attributes.type_of(value)
        except Refusal as refusal:
            line = line_of(block.operations[0].operation)
            place = "argument %d of %s%s" % (number, name, " (%s)" % line if line else "")
            raise Refusal("systole: %s: %s. %s" % (place, refusal.args[0], REMEDY)) from None
        split = argument_split(main, number, meshes) if len(devices) > 1 else None
        if split is None:
            arguments.append(routine.input(type, shape))
        else:
            arguments.append(Sharded(routine.input(type, split.local(shape)), split, shape))
    if len(devices) > 1:
        translation.device = routine.input("int32", ())
    results, texts = [], []
    types = list(main.regions[0].blocks[0].operations[len(block.operations) - 1].operands)
    for number, value in enumerate(translation.block(block, arguments)):
        split = argument_split(main, number, meshes, "res_attrs") if len(devices) > 1 else None
        if isinstance(value, Sharded) and split is not None and value.split == split:
            value = value.part
        elif split is not None:
            value = own_part(translation, whole(translation, value), split)
        results.append(translation.o.dense(whole(translation, value)))
        texts.append((str(types[number].type), split.text() if split is not None else "{replicated}"))
    routine.results(results)
    outputs = [(value.type, list(value.shape)) for value in results]
    given = [
        (str(value.type), argument.split.text() if isinstance(argument, Sharded) else "{replicated}")
        for value, argument in zip(block.arguments, arguments)
    ]
    shardings = signature(name, len(devices), given, texts)
    return JaxTranslation(name, outputs, donated(main), devices, shardings, routine.finish(not translation.exact))
