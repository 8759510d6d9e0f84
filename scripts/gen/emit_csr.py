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
// wr_<register>_o is high when that register is written, bit i for register i of an array. Values to be read are
// <register>_i or <register>_<field>_i; of an array of registers with W bits each, register i is at [W*i +: W], unless
// its value comes from a memory that rd_word_i has already selected. A write-only register reads as zero.
//
// Parameters: none.
module tpu_csr_map (
"""


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
        self.many = self.count > 1 and not data.get("selected", False)  # values to choose from
        fields = data.get("fields") or [{"lsb": 0, "width": data.get("width", 32)}]
        self.inputs = [
            ("_".join([self.name, *([f["name"].lower()] if "name" in f else [])]), f["lsb"], f["width"]) for f in fields
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


def ports(registers):
    """Direction, width and name of each port, and the comments over groups of them."""
    out = ["// Write access.", ("input ", 1, "wr_valid_i"), ("input ", 10, "wr_word_i"), ("input ", 1, "busy_i")]
    out += [("output", 1, "wr_error_o"), ("output", 1, "wr_refused_o"), "// Registers written."]
    out += [("output", r.count, f"wr_{r.name}_o") for r in registers if r.written]
    out += ["// Read access.", ("input ", 1, "rd_valid_i"), ("input ", 10, "rd_word_i")]
    out += [("output", 32, "rd_data_o"), ("output", 1, "rd_error_o"), "// Values of the registers."]
    for r in registers:
        if r.read:
            out += [("input ", width * (r.count if r.many else 1), f"{name}_i") for name, _, width in r.inputs]
    return out


def port_lines(registers):
    found = ports(registers)
    column = max(len(logic(p[1])) for p in found if not isinstance(p, str))
    last = max(i for i, p in enumerate(found) if not isinstance(p, str))
    lines = []
    for i, p in enumerate(found):
        if isinstance(p, str):
            lines.append(f"  {p}")
        else:
            lines.append(f"  {p[0]} logic {logic(p[1]):<{column}} {p[2]}{',' if i != last else ''}")
    return lines


def aligned(indent, assignments):
    column = max(len(target) for target, _ in assignments)
    return [f"{indent}{target:<{column}} = {value};" for target, value in assignments]


def write_lines(registers):
    written = [r for r in registers if r.written]
    out = ["  always_comb begin"]
    out += aligned(
        "    ", [("wr_error_o", "1'b0"), ("wr_refused_o", "1'b0"), *((f"wr_{r.name}_o", "'0") for r in written)]
    )
    out += ["    if (wr_valid_i) begin", "      casez (wr_word_i)"]
    for r in written:
        target = f"wr_{r.name}_o" + (f"[{r.number('wr_word_i')}]" if r.count > 1 else "")
        if r.locked:
            out.append(f"        {r.label()}: begin{r.comment()}")
            out += aligned("          ", [(target, "!busy_i"), ("wr_refused_o", "busy_i")])
            out.append("        end")
        else:
            out.append(f"        {r.label()}: {target} = 1'b1;{r.comment()}")
    out += ["        default: wr_error_o = 1'b1;", "      endcase"]
    out += ["      if (wr_refused_o) wr_error_o = 1'b1;", "    end", "  end"]
    return out


def selected(r, name, width):
    return f"{name}_i[{width}*{r.number('rd_word_i')} +: {width}]" if r.many else f"{name}_i"


def read_lines(registers):
    out = ["  always_comb begin", "    rd_data_o  = '0;", "    rd_error_o = 1'b0;"]
    out += ["    if (rd_valid_i) begin", "      casez (rd_word_i)"]
    for r in registers:
        head = f"        {r.label()}:"
        if not r.read:
            out.append(f"{head} rd_data_o = '0;{r.comment()}")
        elif len(r.inputs) == 1:
            name, _, width = r.inputs[0]
            value = selected(r, name, width)
            out.append(f"{head} rd_data_o = {value if width == 32 else f'''32'({value})'''};{r.comment()}")
        else:
            out.append(f"{head} begin{r.comment()}")
            bits = [f"{lsb} +: {width}" if width > 1 else f"{lsb}" for _, lsb, width in r.inputs]
            values = [selected(r, name, width) for name, _, width in r.inputs]
            out += aligned("          ", [(f"rd_data_o[{b}]", v) for b, v in zip(bits, values)])
            out.append("        end")
    return out + ["        default: rd_error_o = 1'b1;", "      endcase", "    end", "  end"]


def register_map(spec):
    registers = [Register(r) for r in spec.registers]
    lines = port_lines(registers) + [");", *write_lines(registers), "", *read_lines(registers), "endmodule"]
    return HEAD.format(notice=notice("//")) + "\n".join(lines) + "\n"
