# SPDX-License-Identifier: Apache-2.0
"""The view of a block: its ports in the groups of its port list, then its submodules, each collapsed. Everything is
read from the RTL by slang, so new ports appear in the view, and members of structures under their names."""
import functools
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rtl_tools"))
import bus_fields
import design
import reader

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
    "depthwise": "u_mxu.gen_depthwise.u_depthwise",
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
    ("engine", 3): "engine",
    ("wr_space", 2): "space",
    ("code", 8): "errorcode",
    ("space", 2): "space",
    ("turn", 2): "turn",
    ("rounding", 2): "rounding",
    ("opcode", 8): "opcode",
    ("engine", 2): "engine",
    ("op", 6): "operation",
}


@dataclass
class Block:
    """A module in several configurations: the description of its instance at one path in each."""

    path: str
    found: list  # as scripts/rtl_tools/instances.py describes it, of each configuration
    inside: dict  # blocks by the name of the instance, in the order of the source

    @property
    def module(self):
        return self.found[0]["module"]

    def ports(self):
        """Name, leaves of each configuration, and the comment that heads it, of every port."""
        heads = headings(self.found[0]["file"])
        for number, port in enumerate(self.found[0]["ports"]):
            yield port["name"], [each["ports"][number]["leaves"] for each in self.found], heads[port["line"]]

    def has_outputs(self):
        return any(port["output"] for port in self.found[0]["ports"])


@functools.cache
def headings(file):
    """The comment over each line of a file, up to the next comment."""
    heads, head, fresh = {}, "", True
    for number, line in enumerate(Path(file).read_text().split("\n"), 1):
        comment = re.match(r"\s*//\s?(.*)", line)
        if comment:
            head = comment[1] if fresh else f"{head} {comment[1]}"
        elif line.startswith("module "):
            head = ""
        fresh = not comment
        heads[number] = head.rstrip(".")
    return heads


def tree(variants):
    """The block at the top of a design, and those in it, by path, as far as every configuration has them: of the
    instances of a generate loop the first, of one over the engines all."""
    made = {}
    for path in dict.fromkeys(path for each in variants for path in each):
        later = any(number != "0" for number in re.findall(r"(?<!gen_engine)\[(\d+)\]", path))
        if later or any(path not in each for each in variants):
            continue
        made[path] = Block(path, [each[path] for each in variants], {})
        parent = path
        while "." in parent:
            parent = parent.rsplit(".", 1)[0]
            if parent in made:
                made[parent].inside[path[len(parent) + 1 :]] = made[path]
                break
    return made


def read(designs, files):
    """The tree of each of `designs`, lists of pairs of a top and the values of its parameters."""
    found = iter(reader.instances([each for variants in designs for each in variants], files, ()))
    return [tree([next(found) for _ in variants]) for variants in designs]


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


def show_leaf(view, spec, path, base, widths, vector):
    """A vector, in the widths that it has in the configurations."""
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
            view.signal(path, width, form, enum, vector=vector)


def show_port(view, spec, path, variants):
    """A port; many members of one in a group that starts closed. `variants`: its leaves in each configuration."""
    leaves = {}
    for suffix, width, vector in (leaf for variant in variants for leaf in variant):
        widths, _ = leaves.setdefault(suffix, (set(), vector))
        widths.add(width)
    if len(leaves) > 4:
        view.group(path, closed=True)
    for suffix, (widths, vector) in leaves.items():
        member = re.sub(r"\[\d+\]", "", suffix).rsplit(".", 1)[-1]
        base = member or re.sub(r"_n?[io]$", "", path.rsplit(".", 1)[-1])
        show_leaf(view, spec, path + suffix, base, sorted(widths), vector)
    if len(leaves) > 4:
        view.end(path)


def title(heading):
    """The first part of a comment over ports: what they are, without their protocol."""
    return re.split(r"[:;.]", heading)[0]


def show_ports(view, spec, block, prefix, closed):
    """Ports without a heading first, then a group per heading."""
    group = ""
    for name, variants, heading in block.ports():
        if heading != group:
            if group:
                view.end(title(group))
            group = heading
            view.group(title(group), closed)
        show_port(view, spec, prefix + name, variants)
    if group:
        view.end(title(group))


def show_parts(view, spec, block, prefix):
    for name, part in block.inside.items():
        path = prefix + name
        elsewhere = view.root == CORE and path in BLOCKS.values()
        if elsewhere or not part.has_outputs():  # the latter only assert
            continue
        engine = re.match(r"gen_engine\[(\d)\]", name)
        of = f" of {spec.engines[int(engine[1])]['name']}" if engine else ""
        group = f"{path} ({part.module}{of})"
        view.group(group, closed=True)
        show_ports(view, spec, part, f"{path}.", closed=False)
        show_parts(view, spec, part, f"{path}.")
        view.end(group)


def core():
    """The blocks of the core by path, in the configurations that leave out no part."""
    variants = [("tpu_core", values) for values in design.whole().values()]
    return read([variants], design.sources())[0]


def view(view, spec, core, path):
    """Files of the view of one block, or for the path "" of the core's own memories and clocks."""
    prefix = path + "." if path else ""
    block = core[f"tpu_core.{path}" if path else "tpu_core"]
    if path:
        show_ports(view, spec, block, prefix, closed=False)
    show_parts(view, spec, block, prefix)
    return view.files()
