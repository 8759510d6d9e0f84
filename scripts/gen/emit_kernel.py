# SPDX-License-Identifier: Apache-2.0
"""The micro-instructions of the vector processor, from isa/spec/kernel.toml: the C++ header, the package of constants
and the reference page."""
import tomllib

from emit_cpp import HEAD, camel, enum
from emit_sv import LICENCE
from spec import SPEC, notice

GROUPS = {
    "control": "what the sequencer does next",
    "scalar_wide": "a scalar from a constant, and from another scalar",
    "scalar": "a scalar from two scalars",
    "vector1": "a strip from one source",
    "vector2": "a strip from two sources",
    "lanes": "a register from a register, over the lanes of each row; the result is not stored to memory",
}
SIZES = (
    "memory_words",
    "vectors",
    "strip_rows",
    "scalars",
    "arguments",
    "loop_depth",
    "table_words",
    "work_log2",
)


class Kernel:
    def __init__(self):
        data = tomllib.loads((SPEC / "kernel.toml").read_text())
        self.sizes = {name: data[name] for name in SIZES}
        self.word_bits = data["word_bits"]
        self.fields = [dict(zip(("name", "lsb", "width", "doc"), f)) for f in data["fields"]]
        self.enums = data["enum"]
        self.operations = [dict(zip(("name", "code", "group", "doc"), o)) for o in data["operations"]]
        self.notes = data["notes"].strip()
        self.check()

    def check(self):
        taken = 0
        for f in self.fields:
            mask = (1 << f["width"]) - 1 << f["lsb"]
            if mask >> self.word_bits or taken & mask and f["name"] != "wide":
                raise SystemExit(f"kernel.toml: field {f['name']} overlaps another or leaves the word")
            taken |= mask
        for key in ("name", "code"):
            if len({o[key] for o in self.operations}) != len(self.operations):
                raise SystemExit(f"kernel.toml: two operations share a {key}")
        op_width = next(f["width"] for f in self.fields if f["name"] == "op")
        for o in self.operations:
            if o["group"] not in GROUPS or not 0 <= o["code"] < 1 << op_width:
                raise SystemExit(f"kernel.toml: {o['name']}: group {o['group']}, code {o['code']}")


def operation_names(kernel):
    """GTKWave translate file: hexadecimal code, then name."""
    return "".join(f"{o['code']:02X} {o['name']}\n" for o in kernel.operations)


def header(kernel):
    out = [HEAD + "#include <cstdint>\n#include <iterator>\n#include <string_view>\n"]
    out.append("/// Micro-instructions of the vector processor. Page: isa/spec/pages/kernel.md")
    out.append("namespace systole::kernel {\n")
    out += [f"inline constexpr int {camel(name)} = {value};" for name, value in kernel.sizes.items()] + [""]
    for e in kernel.enums:
        out += enum(e["name"], e["summary"], e["values"])
    groups = [[name.upper(), i, text] for i, (name, text) in enumerate(GROUPS.items())]
    out += enum("Group", "groups of operations that use the same fields", groups)
    out += enum("Op", "operations", [[o["name"], o["code"], o["doc"]] for o in kernel.operations])
    out.append("struct OpInfo {\n  Op op;\n  std::string_view name;\n  Group group;\n};\n")
    out.append("inline constexpr OpInfo kOperations[] = {")
    out += [f"    {{Op::{camel(o['name'])}, \"{o['name']}\", Group::{camel(o['group'])}}}," for o in kernel.operations]
    out.append("};\n")
    out.append(
        "/// A field of the 64-bit word.\nstruct Field {\n  std::string_view name;\n  int lsb;\n  int width;\n};\n"
    )
    for f in kernel.fields:
        out.append(f"inline constexpr Field {camel(f['name'])}Field{{\"{f['name']}\", {f['lsb']}, {f['width']}}};")
    return "\n".join(out) + "\n\n}  // namespace systole::kernel\n"


def structure(kernel):
    """A word as a packed structure, from the highest bit down, without the fields that others lie in."""
    bits = {f["name"]: set(range(f["lsb"], f["lsb"] + f["width"])) for f in kernel.fields}
    alone = [f for f in kernel.fields if all(o == f["name"] or not bits[o] < bits[f["name"]] for o in bits)]
    members, top = [], kernel.word_bits
    for f in sorted(alone, key=lambda f: -f["lsb"]):
        end = f["lsb"] + f["width"]
        members += [(top - end, f"reserved_{end}")] if end < top else []
        members.append((f["width"], f["name"]))
        top = f["lsb"]
    ranges = [(f"[{width - 1}:0]" if width > 1 else "", name) for width, name in members]
    column = max(len(bits) for bits, _ in ranges)
    lines = [f"    logic {bits:<{column}} {name};" for bits, name in ranges]
    return ["  typedef struct packed {", *lines, "  } word_t;"]


def package(kernel):
    op_width = next(f["width"] for f in kernel.fields if f["name"] == "op")
    out = [LICENCE + notice("//"), "// Micro-instructions of the vector processor: sizes, fields, operations."]
    out.append("package tpu_kernel_pkg;")
    out.append(f"  localparam int WORD_W = {kernel.word_bits};")
    out += [f"  localparam int {name.upper()} = {value};" for name, value in kernel.sizes.items()]
    out.append("\n  // Fields of a word.")
    for f in kernel.fields:
        name = f["name"].upper()
        out.append(f"  localparam int {name}_LSB = {f['lsb']}, {name}_W = {f['width']}; // {f['doc']}")
    out.append("\n  // A word, without `wide`, whose bits are those of other fields.")
    out += structure(kernel)
    for e in kernel.enums:
        width = max(v[1] for v in e["values"]).bit_length()
        out.append(f"\n  // {e['name']}: {e['summary']}.")
        for name, value, doc in e["values"]:
            constant = f"{e['name'].upper()}_{name.upper()}"
            out.append(f"  localparam logic [{width - 1}:0] {constant} = {width}'d{value}; // {doc}")
    out.append("\n  // Operations.")
    for o in kernel.operations:
        constant = f"KOP_{o['name'].upper()}"
        out.append(f"  localparam logic [{op_width - 1}:0] {constant} = {op_width}'d{o['code']}; // {o['doc']}")
    out.append("\n  // Groups: the bit of an operation's code is set.")
    codes = 1 << op_width
    for name, doc in GROUPS.items():
        mask = sum(1 << o["code"] for o in kernel.operations if o["group"] == name)
        constant = f"GROUP_{name.upper()}"
        out.append(f"  localparam logic [{codes - 1}:0] {constant} = {codes}'h{mask:0{codes // 4}x}; // {doc}")
    out.append("endpackage")
    return "\n".join(out) + "\n"


ABOUT = """
A kernel is a program of at most {memory_words} micro-instructions of {word_bits} bits for the vector processor. A
sequencer runs scalar operations and loops itself, and hands vector operations to the lanes. A vector operation works on
a strip: up to {strip_rows} rows of DIM words of 32 bits, one row a cycle.

There are {vectors} vector registers of a strip each, {scalars} scalars of 32 bits, loops in up to {loop_depth} levels,
and a table of {table_words} words. The first {arguments} scalars hold the arguments of the kernel at its start, the
others 0. Strips have {strip_rows} rows until `rows` says otherwise.

Addresses and loop counts depend on arguments and constants only, not on data.

[LOAD](load.md) writes the kernel memory, [TABLE](table.md) the table, and [VECTOR](vector.md) runs a kernel. Vector
registers and table keep their values from one kernel to the next.

## Cycles

A vector operation takes {strip_rows} cycles, also on fewer rows. An operation over the lanes takes log2(DIM) times as
many. The sequencer executes a word in two cycles at the same time. A port that another engine uses adds the cycles in
which it is not granted.

The scratchpad serves the planes of a row together if their distance is odd, those of i16 also if it is 2 modulo 4.
Otherwise, and for rows of exponents, each row of an i16 operand in memory takes one cycle more and each of i32 three
more.

A row is written 10 cycles after its operation. A row that is loaded waits until all rows stored before are
written if it lies in the range that those on their way span, from the first row to the last, and so do blocks and rows
of exponents while blocks are on their way, and blocks while that range has rows of exponents.

## Errors

A kernel ends with the error KERNEL, whose address is the number of the word, at

- a word that is no legal micro-instruction,
- a word beyond the kernel memory,
- a `loop` within {loop_depth} others, and one whose body is empty or ends after the loop around it or beyond the
  kernel memory,
- an `end` within a loop,
- the word after 2^{work_log2} words that one VECTOR executed, `end` included.

A row beyond the scratchpad or the accumulators is SCRATCH_RANGE or ACC_RANGE with the row. What the words before it
have stored is stored.
"""


def page(kernel):
    out = [
        f"<!-- {notice('').strip()} -->",
        "# Kernels",
        ABOUT.format(**kernel.sizes, word_bits=kernel.word_bits),
        "## Format",
        "",
        "| bits | field | meaning |",
        "| --- | --- | --- |",
    ]
    out += [f"| {f['lsb'] + f['width'] - 1}:{f['lsb']} | `{f['name']}` | {f['doc']} |" for f in kernel.fields]
    out += ["", "What an operation does not use must be zero."]
    for e in kernel.enums:
        out += ["", f"## {e['name']}", "", f"{e['summary'][0].upper()}{e['summary'][1:]}.", ""]
        out += ["| value | name | meaning |", "| --- | --- | --- |"]
        out += [f"| {v[1]} | {v[0]} | {v[2]} |" for v in e["values"]]
    out += ["", "## Operations", "", "| code | operation | group | result |", "| --- | --- | --- | --- |"]
    out += [f"| {o['code']} | {o['name']} | {o['group']} | {o['doc']} |" for o in kernel.operations]
    out += ["", kernel.notes]
    return "\n".join(out) + "\n"
