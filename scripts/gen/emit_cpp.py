# SPDX-License-Identifier: Apache-2.0
"""C++ outputs: instructions with encode and decode, tables for checker and disassembler, registers, configurations."""
from spec import legal_text, notice

HEAD = "// SPDX-License-Identifier: Apache-2.0\n" + notice("//") + "\n#pragma once\n\n"


def camel(name):
    return "k" + "".join(p.capitalize() for p in name.split("_"))


def enum(name, summary, values, header=None):
    """The definition of an enum and of its to_string(). With `header`, C++ defines it there, and the values are
    compared."""
    if header:
        out = [f"/// {summary[0].upper()}{summary[1:]}.", f"using systole::{name};"]
        out += [f"static_assert(static_cast<int>({name}::{camel(v[0])}) == {v[1]});" for v in values] + [""]
    else:
        out = [f"/// {summary[0].upper()}{summary[1:]}.", f"enum class {name} : std::uint8_t {{"]
        out += [f"  {camel(v[0])} = {v[1]},  ///< {v[2]}" for v in values]
        out.append("};\n")
    out.append(
        '/// Name of a value in the specification, or "?".\n'
        f"constexpr const char* to_string({name} value) {{\n  switch (value) {{"
    )
    out += [f'    case {name}::{camel(v[0])}: return "{v[0]}";' for v in values]
    out.append('  }\n  return "?";\n}\n')
    return out


def isa(spec):
    headers = sorted({"systole/bits.hpp"} | {e["cpp_header"] for e in spec.enums if "cpp_header" in e})
    out = [HEAD + "#include <array>\n#include <cstdint>\n"]
    out += [f'#include "{header}"' for header in headers]
    out.append("\nnamespace systole::isa {\n")
    c = spec.isa
    out.append(f"inline constexpr std::uint32_t kIsaVersion = 0x{spec.version():08x};  ///< major in the high half")
    out.append(f"inline constexpr std::uint32_t kIdentity = 0x{spec.identity:08x};")
    for name in (
        "instruction_bytes",
        "semaphores",
        "windows",
        "line_buffer_beats",
        "window_piece_beats",
        "depthwise_columns",
        "work_log2",
        "queue_depth",
    ):
        out.append(f"inline constexpr int {camel(name)} = {c[name]};")
    out.append(f"inline constexpr int kSemaphoreMax = {(1 << c['semaphore_bits']) - 1};\n")
    out += enum(
        "Engine",
        "parts of the core that run instructions",
        [[e["name"], e["value"], e["summary"]] for e in spec.engines],
    )
    for e in spec.enums:
        out += enum(e["name"], e["summary"], e["values"], e.get("cpp_header"))
    errors = next(e for e in spec.enums if e["name"] == "ErrorCode")
    out.append(
        "/// What a user does about an error.\nconstexpr const char* remedy(ErrorCode code) {\n  switch (code) {"
    )
    out += [f'    case ErrorCode::{camel(v[0])}: return "{v[3]}";' for v in errors["values"]]
    out.append('  }\n  return "?";\n}\n')
    p = spec.permissions
    out.append(f"/// {p['summary'].capitalize()}; values to be or-ed.")
    out += [
        f"inline constexpr std::uint32_t kPermission{v[0].capitalize()} = {1 << v[1]};  ///< {v[2]}"
        for v in p["values"]
    ]
    out.append("")
    out += enum("Opcode", "operations", [[i.name, f"0x{i.opcode:02x}", i.summary] for i in spec.instructions])
    out.append("/// Waits and signals that every engine instruction carries.\nstruct Semaphores {")
    for f in spec.header[1:]:
        out.append(f"  {f.cpp_type()} {f.name} = 0;  ///< {f.doc}")
    out.append("};\n")
    out.append("inline void encode(const Semaphores& s, Instruction& i) {")
    out += [f"  put(i, {f.lsb}, {f.width}, s.{f.name});" for f in spec.header[1:]]
    out.append("}\n\ninline Semaphores decode_semaphores(const Instruction& i) {\n  Semaphores s;")
    out += [f"  s.{f.name} = static_cast<{f.cpp_type()}>(get(i, {f.lsb}, {f.width}));" for f in spec.header[1:]]
    out.append("  return s;\n}\n")
    for i in spec.instructions:
        out.append(f"/// {i.summary[0].upper()}{i.summary[1:]}. Page: isa/spec/pages/{i.name.lower()}.md")
        out.append(f"struct {i.cpp_name()} {{")
        out.append(f"  static constexpr Opcode kOpcode = Opcode::{camel(i.name)};")
        out.append(f"  static constexpr Engine kEngine = Engine::{camel(i.engine)};")
        if not i.no_semaphores:
            out.append("  Semaphores sem;")
        for f in i.fields:
            default = max(f.min, 0) if f.min > 0 else 0
            out.append(f"  {f.cpp_type()} {f.name} = {default};  ///< {f.doc}")
        out.append(
            "\n  /// Throws OutOfRange when a value does not fit its field.\n"
            "  Instruction encode() const {\n    Instruction i;"
        )
        out.append("    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));")
        if not i.no_semaphores:
            out.append("    isa::encode(sem, i);")
        for f in i.fields:
            out.append(f"    {'put_signed' if f.signed else 'put'}(i, {f.lsb}, {f.width}, {f.name});")
        out.append("    return i;\n  }\n")
        out.append(f"  static {i.cpp_name()} decode(const Instruction& i) {{\n    {i.cpp_name()} d;")
        if not i.no_semaphores:
            out.append("    d.sem = decode_semaphores(i);")
        for f in i.fields:
            out.append(
                f"    d.{f.name} = "
                f"static_cast<{f.cpp_type()}>({'get_signed' if f.signed else 'get'}(i, {f.lsb}, {f.width}));"
            )
        if i.no_semaphores and not i.fields:
            out.append("    (void)i;")
        out.append("    return d;\n  }\n};\n")
    out.append("}  // namespace systole::isa")
    return "\n".join(out) + "\n"


def table(spec):
    """Data for the generic legality check, disassembler and random generator."""
    q = lambda s: '"' + s.replace('"', '\\"') + '"'
    out = [
        HEAD
        + '#include <cstdint>\n\n#include "systole/generated/isa.hpp"\n#include "systole/isa_table.hpp"\n\n'
        + "namespace systole::isa::table {\n"
    ]

    def fields(name, items):
        out.append(f"inline constexpr FieldInfo k{name}Fields[] = {{")
        for f in items:
            out.append(
                f"    {{{q(f.name)}, {f.lsb}, {f.width}, {str(f.signed).lower()}, "
                f"{f.min}LL, {f.max}LL, {f.align}, {q(f.enum or '')}, {q(f.doc)}}},"
            )
        out.append("};")

    fields("Header", spec.header)
    out.append("inline constexpr HeaderRule kHeaderRules[] = {")
    for r in spec.header_rules:
        out.append("    {" + ", ".join(q(x) for x in r["both_nonzero"] + r["differ"] + [r["doc"]]) + "},")
    out.append("};")
    for i in spec.instructions:
        if i.fields:
            fields(i.cpp_name(), i.fields)
        if i.rules:
            out.append(f"inline constexpr Rule k{i.cpp_name()}Rules[] = {{")
            for r in i.rules:
                values = [
                    r["left"],
                    r["op"],
                    r["right"],
                    r.get("when_left", ""),
                    r.get("when_op", ""),
                    r.get("when_right", ""),
                    r["doc"],
                ]
                without = part_number(spec, r.get("without"))
                out.append("    {" + ", ".join(q(v) for v in values) + f", {without}}},")
            out.append("};")
    out.append("inline constexpr InstructionInfo kInstructions[] = {")
    for i in spec.instructions:
        f = f"k{i.cpp_name()}Fields, {len(i.fields)}" if i.fields else "nullptr, 0"
        r = f"k{i.cpp_name()}Rules, {len(i.rules)}" if i.rules else "nullptr, 0"
        out.append(
            f"    {{{q(i.name)}, Opcode::{camel(i.name)}, Engine::{camel(i.engine)}, "
            f"{str(not i.no_semaphores).lower()}, {f}, {r}, {part_number(spec, i.part)}}},"
        )
    out.append("};\n\n}  // namespace systole::isa::table")
    return "\n".join(out) + "\n"


def part_number(spec, name):
    """The number of a part, -1 for none."""
    return next((number for number, part in enumerate(spec.parts) if part["name"] == name), -1)


def parts(spec):
    out = [HEAD + "#include <array>\n#include <cstdint>\n#include <string_view>\n\nnamespace systole {\n"]
    out.append(
        "/// A unit of the core that a configuration may leave out; also the number of its bit in the register PARTS.\n"
        "enum class Part : std::uint8_t {"
    )
    out += [f"  {camel(p['name'])} = {number},  ///< {p['doc']}" for number, p in enumerate(spec.parts)]
    out.append("};\n")
    out.append(
        "/// A part as the specification calls it, and as a text does.\n"
        "struct PartInfo {\n  Part part;\n  std::string_view name, title;\n};"
    )
    out.append(f"inline constexpr std::array<PartInfo, {len(spec.parts)}> kParts = {{{{")
    out += [f"    {{Part::{camel(p['name'])}, \"{p['name']}\", \"{p['title']}\"}}," for p in spec.parts]
    out.append("}};\n")
    out.append("/// Parts of a core, by their numbers.\nusing PartSet = std::uint32_t;")
    out.append("constexpr PartSet bit(Part part) { return PartSet{1} << static_cast<unsigned>(part); }")
    out.append(f"inline constexpr PartSet kAllParts = (PartSet{{1}} << {len(spec.parts)}) - 1;")
    out.append("\n}  // namespace systole")
    return "\n".join(out) + "\n"


def registers(spec):
    out = [
        HEAD
        + "#include <cstdint>\n\n"
        + "/// Control and status registers: byte offsets and fields. Page: isa/spec/pages/registers.md\n"
        + "namespace systole::reg {\n"
    ]
    for r in spec.registers:
        out.append(f"inline constexpr std::uint32_t {camel(r['name'])} = 0x{r['offset']:03x};  ///< {r['doc']}")
        if "count" in r:
            out.append(f"inline constexpr int {camel(r['name'])}Count = {r['count']};")
            out.append(f"inline constexpr std::uint32_t {camel(r['name'])}Stride = {r.get('stride', 4)};  ///< bytes")
        for f in r.get("fields", []):
            out.append(f"inline constexpr int {camel(r['name'] + '_' + f['name'])}Lsb = {f['lsb']};  ///< {f['doc']}")
            if f["width"] == 1:
                out.append(f"inline constexpr std::uint32_t {camel(r['name'] + '_' + f['name'])} = 1u << {f['lsb']};")
            else:
                out.append(f"inline constexpr int {camel(r['name'] + '_' + f['name'])}Width = {f['width']};")
        if "reset" in r:
            out.append(f"inline constexpr std::uint32_t {camel(r['name'])}Reset = 0x{r['reset']:x};")
    out.append("\n}  // namespace systole::reg")
    return "\n".join(out) + "\n"


def configurations(spec):
    out = [
        HEAD
        + """#include <array>
#include <cstdint>
#include <string_view>

#include "systole/generated/parts.hpp"

namespace systole {

/// Sizes and parts of a named configuration of the core. A row is `dim` bytes; an accumulator row is `dim` int32.
struct Configuration {
  std::string_view name;
  int dim;           ///< array side; the AXI data are 8*dim bits
  int scratch_rows;  ///< scratchpad rows
  int weight_rows;   ///< weight ring rows
  int acc_rows;      ///< accumulator rows
  int param_rows;    ///< parameter rows
  PartSet parts = kAllParts;
  int windows = 4;  ///< address windows

  constexpr bool has(Part part) const { return (parts & bit(part)) != 0; }
  /// Channels of a scratchpad row that belong to one block of block floating point; a block has 16.
  constexpr int block_lanes() const { return dim < 16 ? dim : 16; }
  /// The row with the exponents of a scratchpad row. Exponents lie behind the scratchpad's rows, one byte for each
  /// block_lanes() of it, in order.
  constexpr int exponent_row(int row) const { return scratch_rows + row / block_lanes(); }
  /// Rows of exponents.
  constexpr int exponent_rows() const { return has(Part::kBlockFloat) ? scratch_rows / block_lanes() : 0; }
  /// The first row that is neither of the scratchpad nor of its exponents.
  constexpr int scratch_end() const { return scratch_rows + exponent_rows(); }
};
"""
    ]
    out.append(f"inline constexpr std::array<Configuration, {len(spec.configurations)}> kConfigurations = {{{{")
    out += [f"    {initializer(c, spec.parts)}," for c in spec.configurations]
    out.append("}};\n\n}  // namespace systole")
    return "\n".join(out) + "\n"


def configuration_sizes(spec):
    out = [
        HEAD
        + """#include <array>
#include <string_view>

#include "systole/generated/configuration.hpp"

namespace systole {

/// The legal values of one size: a number of `times` (0 is none), doubled any number of times, from `min` to `max`.
struct ConfigurationSize {
  std::string_view name;
  int Configuration::*member;
  std::array<int, 2> times;
  int min, max;
  std::string_view legal;  ///< in words
};
"""
    ]
    out.append(f"inline constexpr std::array<ConfigurationSize, {len(spec.sizes)}> kConfigurationSizes = {{{{")
    for s in spec.sizes:
        times = (s["times"] + [0])[:2]
        out.append(
            f"    {{\"{s['name']}\", &Configuration::{s['name']}, "
            f"{{{times[0]}, {times[1]}}}, {s['min']}, {s['max']}, \"{legal_text(s)}\"}},"
        )
    out.append("}};\n\n}  // namespace systole")
    return "\n".join(out) + "\n"


def initializer(c, parts):
    there = sum(1 << number for number, part in enumerate(parts) if part["name"] not in c.get("without", []))
    sizes = ", ".join(str(c[name]) for name in ("dim", "scratch_rows", "weight_rows", "acc_rows", "param_rows"))
    return f"{{\"{c['name']}\", {sizes}, {there:#x}, {c['windows']}}}"


def cmake(spec):
    out = [
        "# SPDX-License-Identifier: Apache-2.0",
        notice("#"),
        "# Parameters of each named configuration for Verilator.",
        "set(SYSTOLE_CONFIGURATIONS " + " ".join(c["name"] for c in spec.configurations) + ")",
    ]
    return "\n".join(out + cmake_values(spec.configurations, spec)) + "\n"


def cmake_values(configurations, spec):
    out = []
    for c in configurations:
        values = {s["parameter"]: c[s["name"]] for s in spec.sizes}
        values |= {p["parameter"]: int(p["name"] not in c.get("without", [])) for p in spec.parts}
        parameters = " ".join(f"-G{name}={value}" for name, value in values.items())
        out += [f"set(SYSTOLE_PARAMS_{c['name']} {parameters})", f"set(SYSTOLE_DIM_{c['name']} {c['dim']})"]
    return out


def custom(configurations, spec):
    """Files for a build with additional configurations: for CMake and for C++."""
    head = notice("#").replace("isa/spec", "SYSTOLE_CONFIGURATIONS_FILE")
    names = " ".join(c["name"] for c in configurations)
    return {
        "custom_configurations.cmake": "\n".join(
            [head, f"set(SYSTOLE_CUSTOM_CONFIGURATIONS {names})"] + cmake_values(configurations, spec)
        )
        + "\n",
        "custom_configurations.inc": "".join(f"{initializer(c, spec.parts)},\n" for c in configurations),
    }
