# SPDX-License-Identifier: Apache-2.0
"""Outputs of the kinds of operators: structures, rules, names, files' schema with reader and writer, declarations."""
import textwrap

from kinds import ELEMENTS, Kinds, camel, notice

HEAD = "// SPDX-License-Identifier: Apache-2.0\n" + notice("//") + "\n"
END = "\n}  // namespace systole::graph\n"


def comment(text):
    return textwrap.wrap(text, 120, initial_indent="/// ", subsequent_indent="/// ")


def source(includes, body, header=False, namespace="systole::graph"):
    """A file that no tool lays out again."""
    lines = [HEAD + "// clang-format off"] + (["#pragma once"] if header else []) + [""]
    lines += [f"#include {name}" for name in includes] + ["", f"namespace {namespace} {{", ""]
    return "\n".join(lines + body) + f"\n\n}}  // namespace {namespace}\n"


def listed(items, indent):
    """The items, separated by commas, on as many lines as they need."""
    text = textwrap.fill(", ".join(item.replace(" ", "\0") for item in items), 118 - indent, break_long_words=False)
    return " " * indent + text.replace("\0", " ").replace("\n", "\n" + " " * indent)


def quoted(text):
    return "nullptr" if text is None else '"' + text + '"'


def structures(spec):
    out = []
    for enum in spec.enums:
        out.append(f"enum class {enum.name} {{")
        out += [f"  k{value.cpp}," + (f"  ///< {value.doc}" if value.doc else "") for value in enum.values]
        out += ["};", f"const char* name_of({enum.name} value);  ///< in words, as in listings", ""]
    for kind in spec.kinds:
        operands = ", ".join(operand.doc() for operand in kind.operands)
        results = "; ".join(f"{result.doc()}" for result in kind.results if result.brackets or result.words)
        out += comment(f"{operands}{' -> ' + results if results else ''}. {kind.doc}")
        if not kind.attributes and len(kind.operands) < 4:
            out += [f"struct {kind.name} {{}};", ""]
            continue
        out.append(f"struct {kind.name} {{")
        for a in kind.attributes:
            if a.enum and a.type.startswith(kind.name) and a.type != kind.name + "Kind":
                out.append(f"  using {a.type.removeprefix(kind.name)} = {a.type};")
            initial = f" = {a.default}" if a.default else ""
            note = "; ".join(([f"at least {a.least}"] if a.least is not None else []) + ([a.doc] if a.doc else []))
            out.append(f"  {a.cpp_type} {a.name}{initial};" + (f"  ///< {note}" if note else ""))
        if len(kind.operands) > 3:
            places, place = [], 0
            for operand in kind.operands:
                places += [f"k{camel(operand.name)} = {place}"] if place else []
                place += operand.count
            out.append(f"  static constexpr std::size_t {', '.join(places + [f'kInputs = {place}'])};")
        out += ["};", ""]
    out += [
        "using OperatorKind = std::variant<",
        listed([kind.name for kind in spec.kinds], 4) + ">;",
        "const char* name_of(const OperatorKind& kind);",
    ]
    includes = ["<cstddef>", "<cstdint>", "<variant>", "<vector>", "", '"systole/operator_types.hpp"']
    text = source([name for name in includes if name], out, header=True)
    return text.replace(
        "// clang-format off\n", "// The kinds of operators. Comments list the operands with their shapes.\n"
    )


def rule_rows(operands):
    for o in operands:
        elements = "Elements::k" + camel(o.elements or "any")
        row = f"{{{quoted(o.name.replace('_', ' '))}, {elements}, {o.same}, {quoted(o.shape)}, "
        yield from [row + f"{str(o.optional).lower()}, {str(o.many).lower()}}}"] * o.count


def rules(spec):
    """The table of rules."""
    out = ["namespace {", ""]
    for kind in spec.kinds:
        for what in ("operands", "results"):
            out.append(f"constexpr OperandRule k{kind.name}{camel(what)}[] = {{")
            out += [f"    {row}," for row in rule_rows(getattr(kind, what))] + ["};"]
    out += ["", "constexpr KindRules kRules[] = {"]
    for k in spec.kinds:
        out.append(f'    {{"{k.name}", k{k.name}Operands, k{k.name}Results, Batch::k{camel(k.batch)}}},')
    out += ["};", "", "}  // namespace", ""]
    out += ["const KindRules& rules_of(const OperatorKind& kind) { return kRules[kind.index()]; }", ""]
    out.append("const char* name_of(const OperatorKind& kind) { return rules_of(kind).name; }")
    for enum in spec.enums:
        out += [f"const char* name_of({enum.name} value) {{", "  static constexpr const char* kNames[] = {"]
        out += [
            listed([quoted(value.text) for value in enum.values], 6) + "};",
            "  return kNames[static_cast<std::size_t>(value)];",
            "}",
        ]
    out += ["", "void check_attributes(const OperatorKind& kind, const Shape& first) {", "  switch (kind.index()) {"]
    for number, kind in enumerate(spec.kinds):
        checks = [
            f'require_at_least("{a.name}", op.{a.name}, {a.least});' for a in kind.attributes if a.least is not None
        ]
        checks += [f"axis_of(op.{a.name}, first.size());" for a in kind.attributes if a.type == "axis"]
        if checks:
            out += [f"    case {number}: {{", f"      const auto& op = std::get<{kind.name}>(kind);"]
            out += [f"      {check}" for check in checks] + ["      break;", "    }"]
    out += ["    default: break;", "  }", "}"]
    return source(['"infer.hpp"', '"kind_rules.hpp"'], out)


def words_of(a):
    """The expression of an attribute in a listing; none if it is not listed."""
    value, other = f"op.{a.name}", f"op.{a.name} == {a.default}"
    if a.type in ("Window", "Activation") or a.enum:
        return f"listed({value})"
    if a.text is None:
        return None
    if a.type == "bool":
        if isinstance(a.text, list):
            return f"{value} ? {quoted(a.text[0])} : {quoted(a.text[1])}"
        return f'{other} ? "" : {quoted(a.text)}'
    words = f"fmt::format({quoted(a.text)}, {'to_string' if a.type == 'shape' else 'listed'}({value}))"
    condition = f"!({a.shown})" if a.shown else other if a.omitted else None
    return f'{condition} ? "" : {words}' if condition else words


def listings(spec):
    out = ["namespace {", ""]
    for kind in spec.kinds:
        words = [text for text in map(words_of, kind.attributes) if text]
        adds = "".join(f".add({text})" for text in words)
        out.append(f"std::string text(const {kind.name}&{' op' if words else ''}) {{ return Words(){adds}.text(); }}")
    out += ["", "}  // namespace", "", "std::string attributes(const OperatorKind& kind) {"]
    out += ["  return std::visit([](const auto& op) { return text(op); }, kind);", "}"]
    return source(['"attributes.hpp"', '"attribute_words.hpp"', '"function_names.hpp"'], out)


def number(value):
    infinity = "std::numeric_limits<float>::infinity()"
    return {float("inf"): infinity, float("-inf"): "-" + infinity}.get(value, f"{value}F")


def function_names(spec):
    unary = spec.enum("UnaryKind")
    enums = [unary, spec.enum("BinaryKind"), spec.enum("ReduceKind")]
    out = []
    for enum in enums:
        named = enum.name.removesuffix("Kind")
        result = named if enum is unary else enum.name
        for form in ("onnx", "tflite"):
            out.append(f"std::optional<{result}> {named.lower()}_of_{form}(std::string_view name) {{")
            for v in enum.values:
                value = ", ".join([f"{enum.name}::k{v.cpp}", *map(number, v.parameters)])
                names = v.onnx if form == "onnx" else [v.tflite] if v.tflite else []
                out += [f'  if (name == "{name}") return {result}{{{value}}};' for name in names]
            out += ["  return std::nullopt;", "}"]
        out += [f"const char* onnx_name_of({enum.name} kind) {{", "  switch (kind) {"]
        out += [f'    case {enum.name}::k{v.cpp}: return "{v.onnx[0]}";' for v in enum.values if v.onnx]
        out += ["    default: return nullptr;", "  }", "}"]
        out += [f"std::optional<{enum.name}> {named.lower()}_in_words(std::string_view words) {{"]
        out += [f'  if (words == "{v.text}") return {enum.name}::k{v.cpp};' for v in enum.values]
        out += ["  return std::nullopt;", "}"]
        near = [f"kind == {enum.name}::k{v.cpp}" for v in enum.values if v.near]
        out += [f"bool has_near_formula({enum.name} kind) {{ return {' || '.join(near)}; }}"] if near else []
    out += ["int parameters_of(UnaryKind kind) {", "  switch (kind) {"]
    out += [f"    case UnaryKind::k{v.cpp}: return {len(v.parameters)};" for v in unary.values if v.parameters]
    out += ["    default: return 0;", "  }", "}"]
    return source(['"function_names.hpp"', "<limits>"], out)


def functions(spec, headers):
    """Formulas in binary32, and functions in double."""
    out = []
    for name, operands in (("Unary", "x, alpha, beta"), ("Binary", "a, b")):
        enum = spec.enum(name + "Kind")
        parameters = lambda word, names: ", ".join(f"[[maybe_unused]] {word} {p}" for p in names.split(", "))
        out += ["/// The function of words F, as those of sim/golden/functions; nothing if it has no formula."]
        for prefix, values in (("", operands), ("near_", operands.removesuffix(", alpha, beta"))):
            out += ["template <class F>"]
            out += [f"std::optional<F> {prefix}formula_of({enum.name} kind, {parameters('const F&', values)}) {{"]
            out += ["  using namespace golden::functions;", "  switch (kind) {"]
            formulas = [(v.cpp, v.near if prefix else v.formula) for v in enum.values]
            out += [f"    case {enum.name}::k{cpp}: return {formula};" for cpp, formula in formulas if formula]
            out += ["    default: return std::nullopt;", "  }", "}", ""]
        out += ["/// The function of real numbers."]
        out += [
            f"inline double real_function({enum.name} kind, {parameters('double', operands)}) {{",
            "  switch (kind) {",
        ]
        for v in enum.values:
            real = v.real or (f"std::{v.name}(x)" if name == "Unary" else None)
            out += [f"    case {enum.name}::k{v.cpp}: return {real};"] if real else []
        out += ["    default: return std::numeric_limits<double>::quiet_NaN();", "  }", "}", ""]
    includes = ["<algorithm>", "<cmath>", "<limits>", "<numbers>", "<optional>", '"extremes.hpp"']
    includes += ['"special_functions.hpp"'] + [f'"functions/{header}"' for header in headers] + ['"systole/graph.hpp"']
    return source(includes, out[:-1], header=True)


def shape_rules(spec):
    out = [
        f"Shapes infer(const {k.name}& op, const Shapes& inputs, const Shapes& given);"
        for k in spec.kinds
        if not k.inferred
    ]
    head = [
        "/// Shapes of the results of kinds whose row does not say them. Operands are as the row says.",
        "using Shapes = std::vector<Shape>;",
        "",
    ]
    return source(["<vector>", '"systole/graph.hpp"'], head + out, header=True)


def host_functions(spec):
    out = ["struct Call;", ""]
    for kind in spec.kinds:
        result = "Value" if len(kind.results) == 1 and not kind.results[0].many else "std::vector<Value>"
        names = ("run_plain", "run_quantized", "run_int16", "run_onnx") if kind.by_type else ("run",)
        out += [f"{result} {name}(const Call& call, const {kind.name}& op);" for name in names]
    return source(["<vector>", '"systole/execute.hpp"'], out, header=True)


def schema(spec):
    out = [HEAD + 'include "attributes.fbs";', "", "namespace systole.container.format;", ""]
    for enum in spec.enums:
        out += [f"enum {enum.name} : ubyte {{", listed([v.cpp for v in enum.values], 2), "}"]
    out.append("")
    for kind in spec.kinds:
        fields = []
        for a in kind.attributes:
            rest = " (required)" if a.type == "Window" else f" = {a.least}" if a.least is not None else ""
            fields.append(f"{a.name}: {a.file_type}{rest};")
        out.append(f"table {kind.name} {{{' ' + ' '.join(fields) + ' ' if fields else ''}}}")
    return "\n".join(out + ["", "union Kind {", listed([kind.name for kind in spec.kinds], 2), "}"]) + "\n"


def reader(spec):
    out = ["graph::OperatorKind read_kind(const format::Operator& op, Reader& reader) {", "  switch (op.kind_type()) {"]
    for kind in spec.kinds:
        out.append(f"    case format::Kind::{kind.name}: {{")
        if kind.attributes:
            out.append(f"      const format::{kind.name}& from = *op.kind_as_{kind.name}();")
        out.append(f"      graph::{kind.name} to;")
        out += [f'      read_attribute(from.{a.name}(), to.{a.name}, "{a.name}", reader);' for a in kind.attributes]
        out += ["      return to;", "    }"]
    out += ["    case format::Kind::NONE: break;", "  }", "  refuse_kind(op.kind_type());", "}"]
    return source(['"attribute_fields.hpp"'], out, namespace="systole::container")


def writer(spec):
    out = ["// The file has the numbers of the enumerations."]
    for enum in spec.enums:
        last = enum.values[-1].cpp
        out.append(f"static_assert(ends_alike(format::{enum.name}::MAX, graph::{enum.name}::k{last}));")
    out += ["", "namespace {", ""]
    for kind in spec.kinds:
        out.append(
            "Offset<void> write([[maybe_unused]] FlatBufferBuilder& b, "
            f"const graph::{kind.name}&{' op' if kind.attributes else ''}) {{"
        )
        out += [f"  const auto {a.name} = stored(b, op.{a.name});" for a in kind.attributes]
        values = "".join(f", {'&' if a.type == 'Window' else ''}{a.name}" for a in kind.attributes)
        out += [f"  return format::Create{kind.name}(b{values}).Union();", "}"]
    out += [
        "",
        "}  // namespace",
        "",
        "Offset<void> write_kind(FlatBufferBuilder& b, const graph::OperatorKind& kind) {",
    ]
    out += ["  return std::visit([&](const auto& op) { return write(b, op); }, kind);", "}"]
    return source(['"attribute_fields.hpp"', '"writer.hpp"'], out, namespace="systole::container")


def onnx(spec):
    """Translations of operators of ONNX that are a kind as it is."""
    out = ["Handler kind_handler(std::string_view type) {"]
    for kind in spec.kinds:
        if kind.onnx:
            reads = "".join(f' read_attribute(t, "{a.onnx}", op.{a.name});' for a in kind.attributes if a.onnx)
            out.append(
                f'  if (type == "{kind.onnx}") return [](Translation& t) {{ {kind.name} op;{reads} add_kind(t, op); }};'
            )
    out += ["  return nullptr;", "}"]
    return source(['"onnx_kind.hpp"'], out, namespace="systole::graph::onnx_file")


def page(spec):
    def shown(operands):
        marks = [f"`{o.name}{'?' * o.optional}{'*' * o.many}{' ' * bool(o.brackets)}{o.brackets}`" for o in operands]
        return ", ".join(mark + (f" ({o.words})" if o.words else "") for mark, o in zip(marks, operands))

    out = [f"<!-- {notice('').strip()} -->", "# Kinds of operators", ""]
    out += ["An operator of a graph is of one of these kinds. An operand with `?` may be absent, `*` is any number. A"]
    out += ["letter is the same size wherever it occurs in a row.", ""]
    out += ["| kind | operands | results | attributes | meaning |", "| --- | --- | --- | --- | --- |"]
    for k in spec.kinds:
        attributes = ", ".join(f"`{a.name}`" + (f" ({a.doc})" if a.doc else "") for a in k.attributes)
        out.append(f"| {k.name} | {shown(k.operands)} | {shown(k.results)} | {attributes} | {k.doc} |")
    for name, title in (("Unary", "Functions of one operand"), ("Binary", "Functions of two operands")):
        out += [
            "",
            f"## {title}",
            "",
            f"`kind` of {name}. A function with a formula is a kernel of the vector processor in float32.",
            "",
        ]
        out += ["| function | ONNX | TensorFlow Lite | formula | meaning |", "| --- | --- | --- | --- | --- |"]
        for v in spec.enum(name + "Kind").values:
            formula = f"`{v.formula}`" if v.formula else ""
            out.append(f"| {v.text} | {', '.join(v.onnx)} | {v.tflite or ''} | {formula} | {v.doc or ''} |")
    return "\n".join(out) + "\n"


def outputs(root):
    spec = Kinds(root)
    headers = sorted(path.name for path in (root / "sim/golden/functions").glob("*.hpp"))
    graph, container = "driver/compiler/graph/", "driver/runtime/container/"
    return {
        "include/systole/generated/operator_kinds.hpp": structures(spec),
        graph + "kind_rules.cpp": rules(spec),
        graph + "attribute_listings.cpp": listings(spec),
        graph + "function_names.cpp": function_names(spec),
        graph + "infer_kinds.hpp": shape_rules(spec),
        graph + "kinds.md": page(spec),
        "driver/compiler/host/element_functions.hpp": functions(spec, headers),
        "driver/compiler/host/kind_functions.hpp": host_functions(spec),
        "driver/compiler/frontends/onnx/onnx_named_kinds.cpp": onnx(spec),
        container + "kinds.fbs": schema(spec),
        container + "read_kinds.cpp": reader(spec),
        container + "write_kinds.cpp": writer(spec),
    }
