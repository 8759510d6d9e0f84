# SPDX-License-Identifier: Apache-2.0
"""The netlist of a module as Yosys writes it: its area, and a graph of delays."""
import functools
import re
from collections import Counter
from dataclasses import dataclass, field

# Pins of a register that are not its data: a path that ends there is marked.
PINS = {
    "CE": "enable",
    "E": "enable",
    "EN": "enable",
    "R": "reset",
    "S": "set",
    "LSR": "reset",
    "CLR": "reset",
    "WE": "write enable",
}


@dataclass
class Graph:
    """Delays between the bits of a module. A bit is a number, a constant has none."""

    edges: list = field(default_factory=list)  # (bit, bit, delay, levels)
    launches: dict = field(default_factory=dict)  # Bit: (delay, levels, register)
    captures: list = field(default_factory=list)  # (bit, delay, levels, register)
    inputs: dict = field(default_factory=dict)  # "port[i]": bit
    outputs: dict = field(default_factory=dict)

    def launch(self, bit, delay, levels, name):
        if isinstance(bit, int) and (bit not in self.launches or delay > self.launches[bit][0]):
            self.launches[bit] = (delay, levels, name)

    def capture(self, bit, delay, levels, name):
        if isinstance(bit, int):
            self.captures.append((bit, delay, levels, name))

    def edge(self, source, sink, delay, levels):
        if isinstance(source, int) and isinstance(sink, int):
            self.edges.append((source, sink, delay, levels))


def value(text):
    """A parameter of a cell as an integer where it is one."""
    return int(text, 2) if isinstance(text, str) and re.fullmatch("[01]+", text) else text


def names(netlist):
    """The name of each bit that has one in the source; of several names that of a register, then the shortest."""
    found = {}
    for name, net in netlist["netnames"].items():
        if net["hide_name"]:
            continue
        for index, bit in enumerate(net["bits"]):
            label = name if len(net["bits"]) == 1 else f"{name}[{index}]"
            if isinstance(bit, int) and (bit not in found or _plainness(label) < _plainness(found[bit])):
                found[bit] = label
    return found


def _plainness(label):
    return not re.search(r"_q\b", label), len(label), label


def counts(netlist, target, child_types):
    """The total of the cells of a netlist, without submodules."""
    total = Counter({resource: 0 for resource in target.resources})
    for cell in netlist["cells"].values():
        if cell["type"] not in child_types:
            total.update(_cell(target, cell).counts)
    return total


def _cell(target, cell):
    parameters = {name: value(text) for name, text in cell.get("parameters", {}).items()}
    return _lookup(
        target.name,
        cell["type"],
        tuple(sorted((k, v) for k, v in parameters.items() if k.endswith("REG"))),
        target.cell,
    )


@functools.cache
def _lookup(_target, type_, parameters, find):
    return find(type_, dict(parameters))


def pin(port):
    return f" ({PINS[port]})" if port in PINS else ""


def graph(netlist, target, models):
    """The graph of a netlist; `models` has the timing of each submodule by the name of its type."""
    result, label, clock = Graph(), names(netlist), re.compile(target.clock)
    for port, description in netlist["ports"].items():
        side = result.inputs if description["direction"] == "input" else result.outputs
        side.update({f"{port}[{index}]": bit for index, bit in enumerate(description["bits"])})
    for name, cell in netlist["cells"].items():
        if cell["type"] in models:
            _instance(result, name, cell["connections"], models[cell["type"]])
        else:
            _leaf(result, name, cell, _cell(target, cell), label, clock)
    return result


def _leaf(result, name, cell, kind, label, clock):
    outputs = [port for port, direction in cell["port_directions"].items() if direction == "output"]
    bits = [bit for port in outputs for bit in cell["connections"].get(port, ())]
    register = next((label[bit] for bit in bits if bit in label), None) or nameless(name, cell, label)
    if kind.launch is not None:
        for bit in bits:
            result.launch(bit, kind.launch, 0, label.get(bit, register))
    for port, sources in cell["connections"].items():
        if port in outputs or clock.fullmatch(port):
            continue
        setup = kind.setup(port)
        for output in outputs:
            delay = kind.arc(port, output)
            if delay:
                for source in set(sources):
                    for sink in cell["connections"].get(output, ()):
                        result.edge(source, sink, *delay)
        if setup is not None:
            for bit in set(sources):
                result.capture(bit, setup, 0, register + pin(port))


def nameless(name, cell, label):
    """A name for a cell whose outputs have no name in the source: its own, or that of an input."""
    if not name.startswith("$"):
        return name
    source = next(
        (label[bit] for port in ("A", "B", "D", "DI") for bit in cell["connections"].get(port, ()) if bit in label),
        None,
    )
    return f"{cell['type']} of {without_index(source)}" if source else cell["type"]


def without_index(name):
    """A register's name without the number of the bit."""
    return re.sub(r"\[\d+\](?=$| \()", "", name)


def _instance(result, name, connections, model):
    def bit(port):
        base, index = port[:-1].rsplit("[", 1)
        bits = connections.get(base, ())
        return bits[int(index)] if int(index) < len(bits) else None

    for port, (delay, levels, register) in model["launch"].items():
        result.launch(bit(port), delay, levels, f"{name}.{register}")
    for port, (delay, levels, register) in model["capture"].items():
        result.capture(bit(port), delay, levels, f"{name}.{register}")
    for port, sinks in model["arcs"].items():
        source = bit(port)
        for sink, (delay, levels) in sinks.items():
            result.edge(source, bit(sink), delay, levels)
