# SPDX-License-Identifier: Apache-2.0
"""The view of a block: its ports in the groups of its port list, then its submodules, each collapsed. Everything is
read from the RTL, so new ports appear in the view."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl_tools"))
import bus_fields
import design
import modules

CORE = "TOP.tpu_core."
HEX, DECIMAL = 0x22, 0x24
# View to instance of the core; what has a view of its own is left out of the view around it.
BLOCKS = {
    "command": "u_command",
    "csr": "u_csr",
    "load": "u_load",
    "store": "u_store",
    "axi_guard": "u_guard",
    "scratchpad": "u_scratchpad",
    "mxu": "u_mxu",
    "depthwise": "u_mxu.u_depthwise",
    "array": "u_mxu.u_array",
    "accumulator": "u_accumulator",
    "vector": "u_vpu",
    "memories": "",
}
# Ends of names, without _i and _o, of signals that are counted and not looked up in hexadecimal.
COUNTED = ("row", "rows", "index", "count", "level", "beats", "len", "head", "tail", "tag", "tiles", "commands", "log2")
# Name and width to translate file.
ENUMS = {
    ("fault_code", 8): "errorcode",
    ("error_code", 8): "errorcode",
    ("error_engine", 3): "engine",
    ("wr_space", 2): "space",
    ("code", 8): "errorcode",
    ("space", 2): "space",
    ("turn", 2): "turn",
    ("rounding", 2): "rounding",
    ("opcode", 8): "opcode",
    ("engine", 2): "engine",
    ("op", 6): "operation",
}


class Design:
    """Port widths of every instance in every configuration."""

    def __init__(self):
        self.modules = modules.modules()
        self.evaluator = modules.Evaluator()
        self.configurations = list(design.configurations().values())

    def find(self, path):
        """Module and parameter values, per configuration, of an instance of the core."""
        module, values = self.modules["tpu_core"], self.configurations
        for name in path.split(".") if path else []:
            instance = next(i for i in module.instances if i.name == name)
            module, values = self.inside(module, values, instance)
        return module, values

    def inside(self, module, values, instance):
        overrides = [self.evaluator.instance(instance, self.evaluator.parameters(module, v)) for v in values]
        return self.modules[instance.module], overrides

    def widths(self, module, values, port):
        """Different widths of a port, the smallest first."""
        if not port.range:
            return [1]
        return sorted({self.evaluator.value(port.range, self.evaluator.parameters(module, v)) + 1 for v in values})


def named(base, end):
    return base == end or base.endswith(f"_{end}")


def show_fields(view, path, width, fields):
    """The fields of a bus under their own names; many of them in a group that starts closed."""
    many = len(fields) > 4
    if many:
        view.group(path, closed=True)
    for field in fields:
        form = DECIMAL if field.decimal else HEX
        view.bits(field.alias, path, width, field.low, field.bits, form, field.enum or None)
    if many:
        view.end(path)


def show_port(view, spec, prefix, port, widths):
    base, path = re.sub(r"_n?[io]$", "", port.name), prefix + port.name
    instruction = 8 * spec.isa["instruction_bytes"]
    causes = next(len(e["values"]) for e in spec.enums if e["name"] == "Cause")
    fields = bus_fields.of_port(bus_fields.fields(spec), base, widths)
    if base.endswith("instr") and widths == [instruction]:
        view.bits(f"{base}_opcode", path, instruction, 0, 8, enum="opcode")
        view.instruction(path)
    elif base.endswith("cause") and widths == [causes]:
        view.signal(path, causes, enum="cause")
    elif fields:
        show_fields(view, path, widths[0], fields)
    else:
        enum = next((ENUMS[name, widths[0]] for name, width in ENUMS if named(base, name) and widths == [width]), None)
        form = DECIMAL if base.split("_")[-1] in COUNTED and enum is None and widths[0] > 1 else None
        for width in widths:
            view.signal(path, width, form, enum, vector=bool(port.range))


def title(heading):
    """The first part of a comment over ports: what they are, without their protocol."""
    return re.split(r"[:;.]", heading)[0]


def show_ports(view, spec, design_, module, values, prefix, closed):
    """Ports without a heading first, then a group per heading."""
    group = ""
    for port in module.ports:
        if port.group != group:
            if group:
                view.end(title(group))
            group = port.group
            view.group(title(group), closed)
        show_port(view, spec, prefix, port, design_.widths(module, values, port))
    if group:
        view.end(title(group))


def show_parts(view, spec, design_, module, values, prefix):
    for instance in module.instances:
        if instance.optional:  # the views are those of every configuration
            continue
        path = prefix + instance.name
        part, part_values = design_.inside(module, values, instance)
        elsewhere = view.root == CORE and path in BLOCKS.values()
        if elsewhere or not any(port.output for port in part.ports):  # the latter only assert
            continue
        # Of a loop the first, of one over the engines all.
        names = {instance.name: part.name}
        if instance.loop == "Engines":
            names = {
                instance.name.replace("[0]", f"[{e['value']}]"): f"{part.name} of {e['name']}" for e in spec.engines[:4]
            }
        for each, what in names.items():
            name = f"{each} ({what})"
            view.group(name, closed=True)
            show_ports(view, spec, design_, part, part_values, f"{prefix}{each}.", closed=False)
            show_parts(view, spec, design_, part, part_values, f"{prefix}{each}.")
            view.end(name)


def block(view, spec, path):
    """Text of the view of one block, or for the path "" of the core's own memories and clocks."""
    design_ = Design()
    module, values = design_.find(path)
    prefix = path + "." if path else ""
    if path:
        show_ports(view, spec, design_, module, values, prefix, closed=False)
    show_parts(view, spec, design_, module, values, prefix)
    return view.text()
