# SPDX-License-Identifier: Apache-2.0
"""The modules of a design after elaboration: Yosys resolves the parameters and writes every distinct module as text."""
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import design
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


def normalized(text):
    """RTLIL of a module without source positions; numbers that Yosys makes names with count from 1 in every module."""
    text = re.sub(r"^\s*attribute \\src .*\n", "", text, flags=re.M)
    text = re.sub(r"/[^\s$]*/(\w+\.svh?):[\d.\-]+", r"\1", text)
    numbers = {}
    return re.sub(r"\$(\d+)(?=[_.\s\[$])", lambda match: f"${numbers.setdefault(match[1], len(numbers) + 1)}", text)


def base_name(name):
    """Module name without the parameters that Yosys adds."""
    return re.search(r"\\(\w+)", name).group(1)


def parse(rtlil):
    """Modules by name."""
    blocks = re.findall(r"^module (\S+)\n(.*?)^end$", rtlil, re.M | re.S)
    names = {name for name, _ in blocks}
    modules = {}
    for name, body in blocks:
        cells = re.findall(r"^  cell (\S+) \\(\S+)$", body, re.M)
        parameters = {
            key: int(value) if value.isdigit() else value
            for key, value in re.findall(r"^  parameter \\(\w+) (\S+)$", body, re.M)
        }
        modules[name] = Module(
            name,
            base_name(name),
            parameters,
            normalized(f"module {name}\n{body}end\n"),
            {instance: cell for cell, instance in cells if cell in names},
        )
    return modules


def elaborate(top, values):
    """The modules at and below `top` with the given parameter values, and the name of the top."""
    # Not `hierarchy -chparam`, which fails in Yosys 0.23 where another module has an instance of the top, too.
    chparam = f"chparam {' '.join(f'-set {name} {value}' for name, value in values.items())} {top}; " if values else ""
    files = " ".join(str(path) for path in design.sources())
    rtlil = tools.yosys(
        f"read_verilog -sv -DSYNTHESIS -I{design.INCLUDE} {files}; {chparam}hierarchy -check -top {top}; "
        "write_rtlil {out}",
        f"{top} does not elaborate",
    )
    return parse(rtlil), re.search(r"^attribute \\top 1\n(?:attribute .*\n)*module (\S+)", rtlil, re.M).group(1)


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
        for instance, child in modules[name].cells.items():
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
