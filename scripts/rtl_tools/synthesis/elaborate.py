# SPDX-License-Identifier: Apache-2.0
"""The modules of a design after elaboration: slang resolves the parameters, and Yosys writes every distinct module as
text."""
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import design
import reader
from synthesis import tools


@dataclass(frozen=True, eq=False)
class Module:
    """One source module with one set of parameters."""

    name: str  # As Yosys calls it, unique in the design.
    base: str  # As the source calls it.
    parameters: dict
    text: str  # RTLIL without anything that depends on the place of the sources or on other modules.
    cells: dict  # Name of each instance of a module of the design, and the name of that module.

    @cached_property
    def children(self):
        """Instances by name of the module."""
        return Counter(self.cells.values())

    @property
    def variant(self):
        """Name and parameters, for people and for the baseline."""
        return " ".join([self.base, *(f"{name}={value}" for name, value in self.parameters.items())])

    @cached_property
    def ram_bits(self):
        """Bits of the memory of a tpu_ram, 0 for any other module."""
        if self.base != "tpu_ram":
            return 0
        return sum(
            int(width) * int(size) for width, size in re.findall(r"^  memory width (\d+) size (\d+)", self.text, re.M)
        )

    @cached_property
    def black_box(self):
        """Only the ports, as a black box."""
        ports = re.findall(r"^  wire .*?(?:input|output) \d+ .*$", self.text, re.M)
        return "\n".join(["attribute \\blackbox 1", f"module {self.name}", *ports, "end", ""])


def normalized(body):
    """RTLIL of a module without what depends on the other modules: positions in the source, numbers in the names that
    Yosys makes, and the order of what they name, which is that of the source instead."""
    parts = re.findall(r"(?:^  attribute .*\n)*^  (?:(?:cell|process) .*\n(?:.*\n)*?^  end\n|.*\n)", body, re.M)
    kinds = {kind: [part for part in parts if _kind(part) == kind] for kind in ("wire", "cell", "other")}
    text = "".join([*kinds["other"], *sorted(kinds["cell"], key=_position)])
    numbers = {}

    def number(text):
        return re.sub(r"\$(\d+)(?=[_.\s\[$])", lambda match: f"${numbers.setdefault(match[1], len(numbers) + 1)}", text)

    text = number(text)
    return re.sub(r"^\s*attribute \\(?:src|hdlname) .*\n", "", "".join(map(number, kinds["wire"])) + text, flags=re.M)


def _kind(part):
    word = re.search(r"^  (?!attribute)(\w+)", part, re.M)[1]
    return word if word in ("wire", "cell") else "other"


def _position(cell):
    """Where a cell stands in the source."""
    found = re.search(r"attribute \\src \"(.*?)\"", cell)
    return [int(number) for number in re.findall(r"(?<=[:.|\-])\d+", found[1])] if found else []


def parse(rtlil, described):
    """The name of the top and the modules by name. Of the modules that slang makes, one for each instance, those of one
    source and one set of parameters become one. `described` has source and parameters by the path of the instance."""
    blocks = dict(re.findall(r"^module \\(\S+)\n(.*?)^end$", rtlil, re.M | re.S))
    kinds = {name: described[name.split("$", 1)[-1]] for name in blocks}
    names = {name: _variant(*kind) for name, kind in kinds.items()}
    modules = {}
    for name, body in blocks.items():
        base, parameters = kinds[name]
        if names[name] in modules:
            continue
        body = re.sub(r"(?<=^  cell )\\(\S+)", lambda match: names.get(match[1], match[0]), body, flags=re.M)
        cells = re.findall(r"^  cell (\S+) \\(\S+)$", body, re.M)
        modules[names[name]] = Module(
            names[name],
            base,
            {key: int(value) if value.isdigit() else value for key, value in parameters.items()},
            f"module {names[name]}\n{normalized(body)}end\n",
            {instance: cell for cell, instance in cells if cell in names.values()},
        )
    return modules, names[re.search(r"^attribute \\top 1\n(?:attribute .*\n)*module \\(\S+)", rtlil, re.M)[1]]


def _variant(base, parameters):
    """The name of a module with these parameters in RTLIL."""
    return f"\\{base}" + "".join(f"${name}={value}" for name, value in parameters.items())


def rtlil(top, values, files, defines):
    """A design as text."""
    try:
        return reader.rtlil(top, values, files, defines)
    except reader.Missing as error:
        raise tools.Missing(str(error)) from error
    except reader.Failed as error:
        raise tools.ToolError(f"{top} does not elaborate: {error}") from error


def elaborate(top, values, defines=reader.SYNTHESIS):
    """The modules at and below `top` with the given parameter values, and the name of the top."""
    files = design.sources()
    text = rtlil(top, values, files, defines)
    described = reader.instances([(top, values)], files, defines)[0]
    return parse(text, {path: (each["module"], each["parameters"]) for path, each in described.items()})


def instances(modules, top):
    """Number of instances of each module at and below `top`."""
    total = Counter()

    def visit(name, times):
        total[name] += times
        for child, number in modules[name].children.items():
            visit(child, times * number)

    visit(top, 1)
    return total


def instance_paths(modules, top):
    """The path of one instance of each module from the top, the first by name."""
    paths, queue = {top: ""}, [top]
    for name in queue:
        for instance, child in sorted(modules[name].cells.items()):
            if child not in paths:
                paths[child] = f"{paths[name]}{instance}."
                queue.append(child)
    return paths


def children_first(modules, top):
    """The modules in topological order, submodules first."""
    order = {}

    def visit(name):
        if name not in order:
            for child in sorted(modules[name].children):
                visit(child)
            order[name] = modules[name]

    visit(top)
    return list(order.values())
