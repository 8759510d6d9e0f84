# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog outputs: the package of constants and the legality check of an instruction."""
from spec import notice

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def register_constants(spec):
    out = []
    for r in spec.registers:
        out.append(f"  localparam logic [11:0] REG_{r['name']} = 12'h{r['offset']:03x}; // {r['doc']}")
        for f in r.get("fields", []):
            name = f"REG_{r['name']}_{f['name']}"
            out.append(f"  localparam int {name}_LSB = {f['lsb']}, {name}_W = {f['width']};")
        if "reset" in r:
            out.append(f"  localparam logic [31:0] REG_{r['name']}_RESET = 32'h{r['reset']:08x};")
    return out


def used_halves(spec, engine):
    """Bit h is set if an instruction of the engine uses some of its bits 16h to 16h+15."""
    reserved = ~0
    for i in spec.instructions:
        if i.engine == engine:
            reserved &= i.reserved
    return sum(1 << h for h in range(32) if reserved >> 16 * h & 0xFFFF != 0xFFFF)


def package(spec):
    isa = spec.isa
    out = [LICENCE + notice("//"), "// Opcodes, fields, causes, error codes and registers.", "package tpu_pkg;"]
    out.append(f"  localparam logic [31:0] IDENTITY = 32'h{spec.identity:08x};")
    out.append(f"  localparam logic [31:0] ISA_VERSION = 32'h{spec.version():08x};")
    out.append(f"  localparam int INSTR_W = {8 * isa['instruction_bytes']};")
    out.append(f"  localparam int SEMAPHORES = {isa['semaphores']};")
    out.append(f"  localparam int SEMAPHORE_W = {isa['semaphore_bits']};")
    out.append(f"  localparam int WINDOWS = {isa['windows']};")
    out.append(f"  localparam int LINE_BUFFER_BEATS = {isa['line_buffer_beats']};")
    out.append(f"  localparam int WINDOW_PIECE_BEATS = {isa['window_piece_beats']};")
    out.append(f"  localparam int DEPTHWISE_COLUMNS = {isa['depthwise_columns']};")
    out.append(f"  localparam int WORK_LOG2 = {isa['work_log2']};")
    out.append(f"  localparam int QUEUE_DEPTH = {isa['queue_depth']};")
    out.append("\n  // Parts that a core may lack, by the bit of the register PARTS.")
    out.append(f"  localparam int PARTS = {len(spec.parts)};")
    for bit, part in enumerate(spec.parts):
        out.append(f"  localparam int PART_{part['name'].upper()} = {bit}; // {part['doc']}")
    out.append("\n  // Engines.")
    out.append(f"  localparam int ENGINES = {sum(e['name'] != 'COMMAND' for e in spec.engines)};")
    for e in spec.engines:
        out.append(f"  localparam int ENGINE_{e['name']} = {e['value']}; // {e['summary']}")
    for enum in spec.enums:
        width = 8 if enum["name"] == "ErrorCode" else max(1, max(v[1] for v in enum["values"]).bit_length())
        out.append(f"\n  // {enum['name']}: {enum['summary']}.")
        for v in enum["values"]:
            kind = "int" if enum["name"] == "Cause" else f"logic [{width - 1}:0]"
            value = v[1] if enum["name"] == "Cause" else f"{width}'d{v[1]}"
            out.append(f"  localparam {kind} {enum['prefix']}_{v[0]} = {value}; // {v[2]}")
        if enum["name"] == "Cause":
            out.append(f"  localparam int CAUSES = {len(enum['values'])};")
    out.append(f"\n  // {spec.permissions['name']}: {spec.permissions['summary']}. Bit positions.")
    for v in spec.permissions["values"]:
        out.append(f"  localparam int {spec.permissions['prefix']}_{v[0]} = {v[1]}; // {v[2]}")
    out.append("\n  // Header fields of every instruction.")
    for f in spec.header:
        out.append(f"  localparam int {f.name.upper()}_LSB = {f.lsb}, {f.name.upper()}_W = {f.width};")
    for i in spec.instructions:
        out.append(f"\n  // {i.name}: {i.summary}.")
        out.append(f"  localparam logic [7:0] OP_{i.name} = 8'h{i.opcode:02x};")
        out.append(f"  localparam logic [511:0] {i.name}_RESERVED = 512'h{i.reserved:0128x};")
        for f in i.fields:
            name = f"{i.name}_{f.name.upper()}"
            out.append(f"  localparam int {name}_LSB = {f.lsb}, {name}_W = {f.width};")
    engines = sorted((e for e in spec.engines if e["name"] != "COMMAND"), key=lambda e: -e["value"])
    syncs = ", ".join(f"OP_SYNC_{e['name']}" for e in engines)
    out.append("\n  // Opcode of the SYNC of engine e at [8*e +: 8].")
    out.append(f"  localparam logic [ENGINES-1:0][7:0] SYNC_OPCODES = {{{syncs}}};")
    out.append("\n  // Bit h of [32*e +: 32]: an instruction of engine e uses some of its bits [16*h +: 16].")
    halves = ", ".join(f"32'h{used_halves(spec, e['name']):08x}" for e in engines)
    out.append(f"  localparam logic [ENGINES-1:0][31:0] ENGINE_HALVES = {{{halves}}};")
    out.append("\n  // Registers, byte offsets.")
    out += register_constants(spec)
    out.append("endpackage")
    return "\n".join(out) + "\n"


INSTRUCTIONS = """\
// Instructions as packed structures: instr_t has the fields common to all instructions that an engine executes,
// <name>_instr_t those of one instruction. Unused bits are reserved_<number of the lowest bit>. Members are unsigned,
// because Icarus treats every member as unsigned: a signed field is read as $signed(instr.y0). A name that is a keyword
// ends in an underscore.
`ifndef TPU_INSTR_SVH
`define TPU_INSTR_SVH
"""


def member(field):
    """Name of the member of a field; one that is a keyword of the language has an underscore behind it."""
    return f"{field.name}_" if field.name in ("table",) else field.name


def _structure(name, fields, bits):
    """A packed structure, its members from the highest bit down, with what lies between them."""
    members, top = [], bits
    for f in sorted(fields, key=lambda f: -f.lsb):
        end = f.lsb + f.width
        if end < top:
            members.append((top - end, f"reserved_{end}"))
        members.append((f.width, member(f)))
        top = f.lsb
    if top:
        members.append((top, "reserved_0"))
    column = max(len(f"[{width - 1}:0]") for width, _ in members)
    lines = [f"  logic {f'[{width - 1}:0]' if width > 1 else '':<{column}} {member};" for width, member in members]
    return ["typedef struct packed {", *lines, f"}} {name};"]


def instructions(spec):
    """The include file of instructions as structures."""
    bits = 8 * spec.isa["instruction_bytes"]
    out = [LICENCE + notice("//"), INSTRUCTIONS.rstrip("\n"), ""]
    out += _structure("instr_t", spec.header, bits)
    for i in spec.instructions:
        header = [f for f in spec.header if not i.no_semaphores or f.name == "opcode"]
        out += ["", f"// {i.name}.", *_structure(f"{i.name.lower()}_instr_t", header + i.fields, bits)]
    out += ["", "`endif"]
    return "\n".join(out) + "\n"


def _select(field):
    text = f"instr_i[{field.lsb} +: {field.width}]"
    return f"$signed({text})" if field.signed else text


def _operand(instruction, name, signed):
    field = instruction.field(name)
    if field:
        return _select(field) if signed else f"32'({_select(field)})"
    if name.isdigit():
        return f"32'd{name}"
    symbol, _, share = name.partition("/")
    text = {
        "DIM": "Dim",
        "WINDOW_PIECE_BYTES": "tpu_pkg::WINDOW_PIECE_BEATS * Dim",
        "DEPTHWISE_COLUMNS": "tpu_pkg::DEPTHWISE_COLUMNS",
    }[symbol]
    return f"32'({text}{f' / {share}' if share else ''})"


def _bounded(instruction, rule):
    """The rule LOG2(A*B*...) <= WORK_LOG2 of up to four factors."""
    factors = rule["left"][5:-1].split("*")
    if (rule["op"], rule["right"]) != ("<=", "WORK_LOG2") or len(factors) > 4 or "when_left" in rule:
        raise SystemExit(f"{instruction.name}: no circuit for {rule}")
    values = [f"24'({_select(instruction.field(factor))})" for factor in factors]
    values += ["24'd1"] * (4 - len(values))
    return f"bounded({{{', '.join(values)}}})"


def _conditions(spec, i):
    conditions = []
    for f in i.fields:
        if f.min != f.type_min:
            conditions.append(
                (
                    f"{_select(f)} >= {f.min}" if f.min != 1 or f.signed else f"{_select(f)} != 0",
                    f"{f.name} below {f.min}",
                )
            )
        if f.max != f.type_max:
            conditions.append((f"{_select(f)} <= {f.width}'d{f.max}", f"{f.name} above {f.max}"))
        if f.align != 1:
            bits = f.align.bit_length() - 1
            conditions.append((f"instr_i[{f.lsb} +: {bits}] == 0", f"{f.name} is not a multiple of {f.align}"))
    for rule in i.rules:
        if rule["left"].startswith("LOG2("):
            conditions.append((_bounded(i, rule), rule["doc"]))
            continue
        left = i.field(rule["left"])
        signed = bool(left and left.signed)
        test = f"{_operand(i, rule['left'], signed)} {rule['op']} {_operand(i, rule['right'], signed)}"
        if "when_left" in rule:
            when = f"{_operand(i, rule['when_left'], False)} {rule['when_op']} {_operand(i, rule['when_right'], False)}"
            test = f"!({when}) || {test}"
        if "without" in rule:
            test = f"Parts[tpu_pkg::PART_{rule['without'].upper()}] || {test}"
        conditions.append((test, rule["doc"]))
    return conditions


def _ranges(bits):
    """A set of bit numbers as the part selects of instr_i, highest first."""
    selects = []
    for bit in sorted(bits, reverse=True):
        if selects and selects[-1][1] == bit + 1:
            selects[-1][1] = bit
        else:
            selects.append([bit, bit])
    return [f"instr_i[{high}:{low}]" if high > low else f"instr_i[{high}]" for high, low in selects]


def _reserved_groups(spec):
    """Bits that are reserved in the same instructions: lists of instructions and bits."""
    groups = {}
    for bit in range(8 * spec.isa["instruction_bytes"]):
        owners = tuple(i.name for i in spec.instructions if i.reserved >> bit & 1)
        if owners:
            groups.setdefault(owners, []).append(bit)
    return list(groups.items())


def _wrapped(items, indent, width=118):
    lines = [""]
    for n, item in enumerate(items):
        text = item + (", " if n + 1 < len(items) else "")
        if lines[-1] and len(indent + lines[-1] + text.rstrip()) > width:
            lines.append("")
        lines[-1] += text
    return f"\n{indent}".join(line.rstrip() for line in lines)


def legal(spec):
    groups = _reserved_groups(spec)
    out = [
        LICENCE + notice("//"),
        f"""// Decides whether an instruction is legal.
//
// Latency: combinational; costs nothing while valid_i is low. Rules are those of the reference pages (isa/spec/pages).
// Parameters: Dim, the array side (4, 8, 16 or 32); Parts, those that the core has, by tpu_pkg::PART_*.
module tpu_legal #(
  parameter int Dim = 16,
  parameter logic [tpu_pkg::PARTS-1:0] Parts = '1
) (
  input  logic         valid_i,
  input  logic [511:0] instr_i,
  output logic         legal_o
);
  // The place of the highest bit that is set, and above it whether others are: a tree over pairs of parts.
  function automatic logic [5:0] size(input logic [31:0] value);
    logic [31:0]      any, more;
    logic [31:0][4:0] place;
    any   = value;
    more  = '0;
    place = '0;
    for (int level = 0; level < 5; level++) begin
      for (int n = 0; n < 16 >> level; n++) begin
        more[n]         = more[2*n] || more[2*n+1] || (any[2*n] && any[2*n+1]);
        place[n]        = any[2*n+1] ? place[2*n+1] : place[2*n];
        place[n][level] = any[2*n+1];
        any[n]          = any[2*n] || any[2*n+1];
      end
    end
    return {{more[0], place[0]}};
  endfunction

  // Whether the product of four values, each rounded up to a power of two, is at most 2**WORK_LOG2.
  function automatic logic bounded(input logic [3:0][23:0] values);
    logic [3:0]      more;
    logic [3:0][4:0] place;
    logic [6:0]      first, second, third, last, bits, carries, sum;
    for (int n = 0; n < 4; n++) {{more[n], place[n]}} = size(32'(values[n]));
    {{first, second, third, last}} = {{7'(place[0]), 7'(place[1]), 7'(place[2]), 7'(place[3])}};
    // Three are made two, twice, and only two are added. The lowest bit of the carries is free.
    bits    = first ^ second ^ third;
    carries = {{6'((first & second) | (first & third) | (second & third)), more[0]}};
    first   = bits ^ carries ^ last;
    carries = {{6'((bits & carries) | (bits & last) | (carries & last)), more[1]}};
    sum     = first + carries + 7'(more[2]);
    return {{sum, more[3]}} <= {{7'(tpu_pkg::WORK_LOG2), 1'b0}};
  endfunction

  // Whether a bit is set of those that are reserved in the same instructions.
  logic [{len(groups) - 1}:0] set;
  // Waits, and signals, that name one semaphore twice.
  logic [1:0] twice;

  always_comb begin
    legal_o = 1'bx;
    set = '0;
    twice = '0;
    if (valid_i) begin""",
    ]
    for n, (_, bits) in enumerate(groups):
        out.append(f"      set[{n}] = |{{{_wrapped(_ranges(bits), ' ' * 8)}}};")
    for n, rule in enumerate(spec.header_rules):
        header = {f.name: _select(f) for f in spec.header}
        a, b = rule["both_nonzero"]
        c, d = rule["differ"]
        out.append(f"      twice[{n}] = {header[a]} != '0 && {header[b]} != '0 && {header[c]} == {header[d]};")
    out.append("      case (instr_i[tpu_pkg::OPCODE_LSB +: tpu_pkg::OPCODE_W])")
    for i in spec.instructions:
        out.append(f"        tpu_pkg::OP_{i.name}: begin")
        own = sum(1 << n for n, (names, _) in enumerate(groups) if i.name in names)
        tests = [(f"(set & {len(groups)}'h{own:x}) == '0", "a reserved bit is set")]
        if not i.no_semaphores:
            tests.append(("twice == '0", "both waits or both signals name the same semaphore"))
        if i.part:
            tests.append((f"Parts[tpu_pkg::PART_{i.part.upper()}]", f"this core has no {spec.part(i.part)['title']}"))
        tests += _conditions(spec, i)
        out.append("          legal_o = &{")
        for n, (test, why) in enumerate(tests):
            out.append(f"            ({test}){',' if n + 1 < len(tests) else ''} // else: {why}")
        out.append("          };")
        out.append("        end")
    out.append(
        """        default: begin
          legal_o = 1'b0;
        end
      endcase
    end
  end
endmodule"""
    )
    return "\n".join(out) + "\n"
