# SPDX-License-Identifier: Apache-2.0
"""The view of a block: its ports in the groups of its port list, then its submodules, each collapsed. Everything is
read from the RTL, so new ports appear in the view."""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl_tools"))
import design
import modules

DECIMAL = 0x24
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


def show_per_engine(view, spec, alias, path, stride, count, enum):
    """The lowest bits of each engine's part of a vector, engine e at [stride*e +: stride]."""
    for e in spec.engines[:4]:
        view.bits(f"{e['name']}_{alias}", path, 4 * stride, e["value"] * stride, count, enum=enum)


def show_port(view, spec, prefix, port, widths):
    base, path = re.sub(r"_n?[io]$", "", port.name), prefix + port.name
    causes = next(len(e["values"]) for e in spec.enums if e["name"] == "Cause")
    if base.endswith("instr") and widths == [8 * spec.isa["instruction_bytes"]]:
        view.instruction(path)
    elif base.endswith("cause") and widths == [causes]:
        view.signal(path, causes, enum="cause")
    elif base.endswith("cause") and widths == [4 * causes]:
        show_per_engine(view, spec, "cause", path, causes, causes, "cause")
    elif base.endswith("instr") and widths == [4 * 8 * spec.isa["instruction_bytes"]]:
        show_per_engine(view, spec, "opcode", path, 8 * spec.isa["instruction_bytes"], 8, "opcode")
    elif base.endswith("fault_code") and widths == [4 * 8]:
        show_per_engine(view, spec, "fault_code", path, 8, 8, "errorcode")
    else:
        enum = next(
            (ENUMS[name, widths[0]] for name, width in ENUMS if base.endswith(name) and widths == [width]), None
        )
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
        if path in BLOCKS.values() or not any(port.output for port in part.ports):  # the latter only assert
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
