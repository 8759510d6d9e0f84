# SPDX-License-Identifier: Apache-2.0
"""Ports, parameters and instances of the RTL's modules, as far as the coding rules make them easy to read: one port per
line, `tpu_name #(...) u_name (...)` for an instance, `for (genvar i ...) begin : gen_name` for a repeated one."""
import re
from dataclasses import dataclass, field
from pathlib import Path

from design import RTL


@dataclass
class Port:
    name: str
    output: bool
    range: str  # "" for one bit, else the text of the most significant bit's number
    group: str  # the comment that heads it


@dataclass
class Instance:
    module: str
    name: str  # with the first index of the generate loop around it, if there is one
    overrides: dict = field(default_factory=dict)
    loop: str = ""  # how often that loop runs, as text
    optional: bool = False  # whether it depends on the parameters of the module


@dataclass
class Module:
    name: str
    folder: str
    parameters: dict  # name to text of the default value; local ones too, in the order of the file
    ports: list
    instances: list


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def balanced(text, start):
    """The text between the bracket at `start` and its partner, and the index after it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at], at + 1
    raise SystemExit("unbalanced brackets")


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return parts + [text[start:]]


DIMENSIONS = r"((?:\s*\[[^\]]+:0\])*)"


def type_widths():
    """Bits of every type of the include files and packages."""
    widths, evaluator = {}, Evaluator()
    for path in sorted([*RTL.glob("*/*.svh"), *RTL.glob("*/*_pkg.sv")], key=lambda path: path.name != "tpu_pkg.sv"):
        text = without_comments(path.read_text())
        names = evaluator.known(re.findall(r"localparam int (?:unsigned )?(\w+) = ([^;]+);", text))

        def bits(base, dimensions):
            total = 1 if base == "logic" else widths[base.split("::")[-1]]
            for high in re.findall(r"\[([^\]]+):0\]", dimensions):
                total *= evaluator.value(high, names) + 1
            return total

        plain = rf"typedef (?:enum )?([\w:]+){DIMENSIONS}\s*(?:\{{[^}}]*\}})?\s*(\w+);"
        for base, dimensions, name, body, structure in re.findall(
            rf"{plain}|typedef struct packed \{{(.*?)\}} (\w+);", text, re.S
        ):
            members = [(base, dimensions)]
            if structure:
                members = re.findall(rf"^\s*([\w:]+){DIMENSIONS}\s+\w+;", body, re.M)
            widths[structure or name] = sum(bits(*member) for member in members)
    return widths


def read_ports(text):
    """Port list of a module. A comment line applies to the ports below it."""
    ports, group, fresh, widths = [], "", True, type_widths()
    for line in text.split("\n"):
        comment = re.match(r"\s*//\s?(.*)", line)
        if comment:
            group = comment[1] if fresh else f"{group} {comment[1]}"
            fresh = False
            continue
        fresh = True
        port = re.match(r"\s*(input|output)\s+(logic|(?:\w+::)?\w+_t)\s*((?:\[[^\]]+:0\])*)\s*(\w+)", line)
        if port:
            sizes = re.findall(r"\[([^\]]+):0\]", port[3])
            if port[2] != "logic":
                sizes.append(str(widths[port[2].split("::")[-1]] - 1))
            high = sizes[0] if len(sizes) == 1 else " * ".join(f"({size} + 1)" for size in sizes) + " - 1" * bool(sizes)
            ports.append(Port(port[4], port[1] == "output", high.strip(), group.rstrip(".")))
    return ports


def loop_around(text, at):
    """Name and end of the generate loop around the position, found by indentation; "" if there is none."""
    line_start = text.rfind("\n", 0, at) + 1
    indent = at - line_start
    if indent <= 2:
        return "", ""
    loops = re.findall(r"^ {2}for \(genvar[^;]*;[^;<]*< ([^;]+);[^\n]*begin : (\w+)", text[:at], re.M)
    return (f"{loops[-1][1]}[0].", loops[-1][0]) if loops else ("", "")


def read_instances(text):
    instances = []
    for match in re.finditer(r"^( +)(tpu_\w+)\s+(#\()?", text, re.M):
        at = match.end()
        overrides = {}
        if match[3]:
            inner, at = balanced(text, at - 1)
            for part in split_arguments(inner):
                name, value = re.fullmatch(r"\s*\.(\w+)\((.*)\)\s*", part, re.S).groups()
                overrides[name] = value
        name = re.match(r"\s*(u_\w+)\s*\(", text[at:])
        if name:
            prefix, loop = loop_around(text, match.start(2))
            # The construct of the module that it is in: the last line with the module's own indentation.
            around = next((l for l in reversed(text[: match.start()].splitlines()) if re.match(r"  \S", l)), "")
            optional = match[1] != "  " and around.startswith("  if (")
            instances.append(Instance(match[2], prefix + name[1], overrides, loop, optional))
    return instances


def simulated(text):
    """As the simulator sees it: not SYNTHESIS."""
    return re.sub(r"`ifdef SYNTHESIS.*?`else(.*?)`endif", r"\1", text, flags=re.S)


def read_module(path):
    text = path.read_text()
    start = text.index(f"module {path.stem}")
    head = text[start : text.index("\n);", start)]
    parameters_text = re.search(r"#\(\n(.*?)\n\) \(", head, re.S)
    ports_text = head[head.rindex("(\n") :]
    body = simulated(without_comments(text[start:]))
    parameters = {}
    visible = simulated(without_comments(parameters_text[1] if parameters_text else ""))
    for name, value in re.findall(r"(?:parameter|localparam) int (\w+) = ([^\n]+?),?\s*$", visible, re.M):
        parameters[name] = value
    for name, value in re.findall(r"localparam int (\w+) = ([^;]+);", without_comments(text[start + len(head) :])):
        parameters[name] = value
    return Module(path.stem, path.parent.name, parameters, read_ports(ports_text), read_instances(body))


def modules():
    """Every module of the RTL by name."""
    files = [path for path in sorted(RTL.glob("*/*.sv")) if re.search(r"^module ", path.read_text(), re.M)]
    return {path.stem: read_module(path) for path in files}


def package_constants():
    """Integer constants of the generated packages, as `package::name`."""
    return {
        f"{path.stem}::{name}": int(value)
        for path in sorted((RTL / "pkg").glob("*_pkg.sv"))
        for name, value in re.findall(r"localparam int (\w+) = (\d+);", path.read_text())
    }


class Evaluator:
    """Values of parameter expressions: integer arithmetic, `$clog2`, comparisons, `?:`, constants of the packages."""

    def __init__(self):
        self.constants = package_constants()

    def value(self, text, names):
        code = re.sub(r"tpu_(?:kernel_)?pkg::\w+", lambda m: self._constant(m[0]), text).replace("$clog2", "clog2")
        code = re.sub(r"(?<!/)/(?!/)", "//", code)
        code = re.sub(r"\d+'[bd](\d+)", r"\1", code).replace("&&", " and ").replace("||", " or ")
        code = re.sub(r"\(([^()]*\?[^()]*)\)", lambda m: str(self.value(m[1], names)), code)
        choice = re.fullmatch(r"(.+?)\?(.+?):(.+)", code, re.S)
        if choice:
            condition, yes, no = (part.strip() for part in choice.groups())
            return self.value(yes if self.value(condition, names) else no, names)
        return eval(
            code, {"__builtins__": {}}, {"clog2": lambda n: (n - 1).bit_length(), **names}
        )  # text of our own RTL

    def _constant(self, name):
        return str(self.constants.get(name, 0))

    def parameters(self, module, overrides):
        """Values of all parameters of a module, given some of them."""
        return self.known(module.parameters.items(), overrides)

    def known(self, parameters, overrides=()):
        """Values of parameters that may depend on those before them."""
        values = dict(overrides)
        for name, text in parameters:
            if name not in values:
                try:
                    values[name] = self.value(text, values)
                except (NameError, SyntaxError, TypeError):
                    pass  # not a number; whoever needs it is told
        return values

    def instance(self, instance, values):
        """Values of the parameters that an instance sets, those that a loop's index decides left out."""
        return {
            name: self.value(text, values)
            for name, text in instance.overrides.items()
            if not re.search(r"\[.*\]", text)
        }
