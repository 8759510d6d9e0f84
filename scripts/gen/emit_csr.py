# SPDX-License-Identifier: Apache-2.0
"""The register map in SystemVerilog: which access is legal, which register it writes, what it reads."""
from spec import notice

HEAD = """// SPDX-License-Identifier: Apache-2.0
{notice}
// Register map: decodes register accesses, checks that they are legal, and selects the value of a read. The functions
// of the registers are in tpu_csr.
//
// Latency: combinational. Throughput: one write and one read per cycle. Back-pressure: none. A cycle without access
// costs a simulation nothing.
//
// Ports: wr_valid_i and rd_valid_i mark an access to a word address. wr_error_o, rd_error_o: no register has this
// address, or a write is to a read-only register, or to a locked register while busy_i is high (wr_refused_o, too).
// written_o tells which register is written, bit i of a member for register i of an array. Values to be read are
// members <register> or <register>_<field> of values_i; of an array of registers with W bits each, register i is at
// [W*i +: W], unless its value comes from a memory that rd_word_i has already selected. A write-only register reads as
// zero. While rd_valid_i is low, and where no register is, rd_data_o is undefined and values_i may be.
//
// Parameters: values of the registers that are constant.
module tpu_csr_map
  import tpu_csr_map_pkg::*;
#(
"""

PACKAGE = """// SPDX-License-Identifier: Apache-2.0
{notice}
// Types of the ports between tpu_csr and its register map: the registers that are written, and the values to be read.
package tpu_csr_map_pkg;
"""


# A class of the language.
RENAMED = {"semaphore": "semaphores"}


class Register:
    def __init__(self, data):
        self.name = data["name"].lower()
        self.word = data["offset"] // 4
        self.count = data.get("count", 1)
        self.shift = (data.get("stride", 4) // 4).bit_length() - 1  # of its number in the word
        self.index_bits = (self.count - 1).bit_length()
        self.constant = f"tpu_pkg::REG_{data['name']}[11:2]"
        self.written = data["access"] in ("rw", "wo", "w1c")
        self.read = data["access"] != "wo"
        self.locked = data.get("locked", False)
        self.selected = data.get("selected", False)
        self.many = self.count > 1 and not self.selected  # values to choose from
        self.parameter = data["name"].title().replace("_", "") if data.get("constant") else None
        low = data.get("aligned", 1).bit_length() - 1
        fields = data.get("fields") or [{"lsb": low, "width": data.get("width", 32 - low)}]
        name = RENAMED.get(self.name, self.name)
        self.inputs = [
            ("_".join([name, *([f["name"].lower()] if "name" in f else [])]), f["lsb"], f["width"]) for f in fields
        ]
        mask = (self.count - 1) << self.shift
        if 1 << self.index_bits != self.count or self.word & mask:
            raise SystemExit(f"register {data['name']}: a decoder needs a power of two of them, aligned to their size")

    def label(self):
        """The words that are this register: a constant of the package, or a pattern with its name behind it."""
        if self.count == 1:
            return self.constant
        bits = list(f"{self.word:010b}")
        for bit in range(self.shift, self.shift + self.index_bits):
            bits[9 - bit] = "?"
        text = "".join(bits)
        return f"10'b{text[:2]}_{text[2:6]}_{text[6:]}"

    def number(self, word):
        """Which of several registers a word is."""
        return f"{word}[{self.shift + self.index_bits - 1}:{self.shift}]"

    def comment(self):
        return f" // {self.name.upper()}" if self.count > 1 else ""


def logic(width):
    return f"[{width - 1}:0]" if width > 1 else ""


def structure(name, members):
    """A packed structure of members, each a width and a name."""
    column = max(len(logic(width)) for width, _ in members)
    lines = [f"    logic {logic(width):<{column}} {member};" for width, member in members]
    return ["  typedef struct packed {", *lines, f"  }} {name};"]


def package(spec):
    registers = [Register(r) for r in spec.registers]
    written = [(r.count, r.name) for r in registers if r.written]
    values = []
    for r in registers:
        if r.read and not r.parameter:
            values += [(width * (r.count if r.many else 1), name) for name, _, width in r.inputs]
    lines = [*structure("written_t", written), "", *structure("values_t", values), "endpackage"]
    return PACKAGE.format(notice=notice("//")) + "\n".join(lines) + "\n"


PORTS = """\
  // Write access.
  input  logic        wr_valid_i,
  input  logic [9:0]  wr_word_i,
  input  logic        busy_i,
  output logic        wr_error_o,
  output logic        wr_refused_o,
  output written_t    written_o,
  // Read access.
  input  logic        rd_valid_i,
  input  logic [9:0]  rd_word_i,
  output logic [31:0] rd_data_o,
  output logic        rd_error_o,
  input  values_t     values_i"""


def aligned(indent, assignments):
    column = max(len(target) for target, _ in assignments)
    return [f"{indent}{target:<{column}} = {value};" for target, value in assignments]


def write_lines(registers):
    written = [r for r in registers if r.written]
    out = ["  always_comb begin"]
    out += aligned("    ", [("wr_error_o", "1'b0"), ("wr_refused_o", "1'b0"), ("written_o", "'0")])
    out += ["    if (wr_valid_i) begin", "      casez (wr_word_i)"]
    for r in written:
        target = f"written_o.{r.name}" + (f"[{r.number('wr_word_i')}]" if r.count > 1 else "")
        if r.locked:
            out.append(f"        {r.label()}: begin{r.comment()}")
            out += aligned("          ", [(target, "!busy_i"), ("wr_refused_o", "busy_i")])
            out.append("        end")
        else:
            out.append(f"        {r.label()}: {target} = 1'b1;{r.comment()}")
    out += ["        default: wr_error_o = 1'b1;", "      endcase"]
    out += ["      if (wr_refused_o) wr_error_o = 1'b1;", "    end", "  end"]
    return out


def words(r):
    """The words that are this register, in order."""
    return [r.word + (i << r.shift) for i in range(r.count)]


def value(r, i):
    """Assignments of the bits of one of several registers, as targets behind its word, and their values."""
    if not r.read:
        return [("", "'0")]
    if r.parameter:
        return [("", r.parameter)]
    out = [] if sum(width for _, _, width in r.inputs) == 32 else [("", "'0")]
    for name, lsb, width in r.inputs:
        bits = "" if width == 32 else f"[{lsb} +: {width}]" if width > 1 else f"[{lsb}]"
        out.append((bits, f"values_i.{name}[{width}*{i} +: {width}]" if r.many else f"values_i.{name}"))
    return out


def read_lines(registers):
    """A table that the low bits of the word select from, and behind it the registers that are selected already. A
    selection by all bits has one multiplexer for each value; one by comparisons has two gates."""
    table = [r for r in registers if not r.selected]
    near = [r for r in registers if r.selected and r.word < max(map(max, map(words, table)))]
    far = [r for r in registers if r.selected and r not in near]
    bits = max(max(words(r)) for r in table + near).bit_length()
    exists = sum(1 << word for r in table + near for word in words(r))
    out = ["  // Words that are registers.", f"  localparam logic [{2**bits - 1}:0] Exists = {2**bits}'h{exists:x};"]
    out += ["", "  // A function, because a simulator then fills the table only for a read."]
    out += [f"  function automatic logic [31:0] selected(input logic [{bits - 1}:0] number);"]
    out += [f"    logic [{2**bits - 1}:0][31:0] word;", "    word = 'x;"]
    for r in sorted(table + near, key=lambda r: r.word):
        out += aligned("    ", [(f"word[{w}]{b}", v) for i, w in enumerate(words(r)) for b, v in value(r, i)])
    out += ["    return word[number];", "  endfunction", "", "  always_comb begin"]
    out += aligned("    ", [("rd_data_o", "'x"), ("rd_error_o", "1'b0")])
    out += ["    if (rd_valid_i) begin", f"      rd_data_o  = selected(rd_word_i[{bits - 1}:0]);"]
    out += [f"      rd_error_o = rd_word_i[9:{bits}] != '0 || !Exists[rd_word_i[{bits - 1}:0]];"]
    for r in far:
        ((name, _, _),) = r.inputs
        out += [f"      if (rd_word_i ==? {r.label()}) begin{r.comment()}"]
        out += aligned("        ", [("rd_data_o", f"values_i.{name}"), ("rd_error_o", "1'b0")])
        out += ["      end"]
    return out + ["    end", "  end"]


def register_map(spec):
    registers = [Register(r) for r in spec.registers]
    constants = [r.parameter for r in registers if r.parameter]
    lines = [f"  parameter int {name} = 0{',' if name != constants[-1] else ''}" for name in constants]
    lines += [") (", PORTS, ");", *write_lines(registers), "", *read_lines(registers), "endmodule"]
    return HEAD.format(notice=notice("//")) + "\n".join(lines) + "\n"
