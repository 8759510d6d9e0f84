# SPDX-License-Identifier: Apache-2.0
"""Longest paths. The external timing of a module (registers to outputs, inputs to registers, inputs to outputs)
represents it where it is instantiated, so paths across modules are found without flattening."""
import re
from collections import defaultdict

from synthesis import netlist

PATHS = 8  # Kept of each module.


def order(graph):
    """The bits in topological order, and the number of loops that were cut for it."""
    successors, missing = defaultdict(list), defaultdict(int)
    bits = set(graph.launches) | {bit for bit in graph.inputs.values() if isinstance(bit, int)}
    for source, sink, delay, levels in graph.edges:
        successors[source].append((sink, delay, levels))
        missing[sink] += 1
        bits.update((source, sink))
    ready = sorted(bit for bit in bits if not missing[bit])
    waiting = {bit for bit in bits if missing[bit]}
    sequence, loops = [], 0
    while ready or waiting:
        if not ready:
            ready.append(min(waiting))
            waiting.remove(ready[0])
            loops += 1
        bit = ready.pop()
        sequence.append(bit)
        for sink, _, _ in successors[bit]:
            missing[sink] -= 1
            if missing[sink] == 0 and sink in waiting:
                waiting.remove(sink)
                ready.append(sink)
    return sequence, successors, loops


def propagate(start, sequence, successors):
    """Latest arrival at each bit: `start` and the result are {bit: (delay, levels, origin)}."""
    arrival = dict(start)
    for bit in sequence:
        if bit in arrival:
            delay, levels, origin = arrival[bit]
            for sink, more, level in successors[bit]:
                known = arrival.get(sink)
                if known is None or delay + more > known[0]:
                    arrival[sink] = (delay + more, levels + level, origin)
    return arrival


def reached(bit, successors, wanted):
    """The bits of `wanted` that depend on one bit, including itself."""
    found, stack = {bit}, [bit]
    while stack:
        for sink, _, _ in successors[stack.pop()]:
            if sink in wanted and sink not in found:
                found.add(sink)
                stack.append(sink)
    return found


def through(graph, sequence, successors):
    """Combinational delays from inputs to outputs."""
    outputs = defaultdict(list)
    for port, bit in graph.outputs.items():
        outputs[bit].append(port)
    leads = set()  # Bits that an output depends on.
    for bit in reversed(sequence):
        if bit in outputs or any(sink in leads for sink, _, _ in successors[bit]):
            leads.add(bit)
    place = {bit: index for index, bit in enumerate(sequence)}
    arcs = {}
    for port, bit in graph.inputs.items():
        if bit in leads:
            cone = sorted(reached(bit, successors, leads), key=place.get)
            arrival = propagate({bit: (0, 0, None)}, cone, successors)
            sinks = {name: arrival[end][:2] for end in cone if end in outputs for name in outputs[end]}
            if sinks:
                arcs[port] = sinks
    return arcs


def to_registers(graph, sequence, successors):
    """Longest delay from each bit to a register: {bit: (delay, levels, register)}."""
    ends = {}
    for bit, delay, levels, register in graph.captures:
        if bit not in ends or delay > ends[bit][0]:
            ends[bit] = (delay, levels, register)
    for bit in reversed(sequence):
        for sink, more, level in successors[bit]:
            if sink in ends:
                delay, levels, register = ends[sink]
                if bit not in ends or delay + more > ends[bit][0]:
                    ends[bit] = (delay + more, levels + level, register)
    return ends


def longest(graph, arrival):
    """The longest paths between registers; one per pair of registers, whatever the bits."""
    paths, seen = [], set()
    found = [
        (arrival[bit][0] + delay, arrival[bit][1] + levels, arrival[bit][2], register)
        for bit, delay, levels, register in graph.captures
        if bit in arrival
    ]
    for delay, levels, start, end in sorted(found, key=lambda path: (-path[0], path[2:])):
        ends = netlist.without_index(start), netlist.without_index(end)
        if ends not in seen:
            seen.add(ends)
            paths.append({"delay": round(delay, 3), "levels": levels, "start": start, "end": end})
            if len(paths) == PATHS:
                break
    return paths


def rounded(table):
    return {name: [round(entry[0], 3), *entry[1:]] for name, entry in table.items()}


def model(graph):
    """The external timing of a module from its graph."""
    sequence, successors, loops = order(graph)
    arrival = propagate(graph.launches, sequence, successors)
    ends = to_registers(graph, sequence, successors)
    return {
        "paths": longest(graph, arrival),
        "loops": loops,
        "launch": rounded({port: arrival[bit] for port, bit in graph.outputs.items() if bit in arrival}),
        "capture": rounded({port: ends[bit] for port, bit in graph.inputs.items() if bit in ends}),
        "arcs": {port: rounded(sinks) for port, sinks in through(graph, sequence, successors).items()},
    }


def ram_model(module, target):
    """A RAM that the target does not build: registers at both sides."""
    ports = re.findall(r"^  wire (?:width (\d+) )?(input|output) \d+ \\(\w+)$", module.text, re.M)
    bits = [
        (direction, f"{name}[{index}]")
        for width, direction, name in ports
        if not re.fullmatch(target.clock, name)
        for index in range(int(width or 1))
    ]
    return {
        "paths": [],
        "loops": 0,
        "arcs": {},
        "launch": {port: [target.ram["launch"], 0, "mem"] for direction, port in bits if direction == "output"},
        "capture": {port: [target.ram["capture"], 0, "mem"] for direction, port in bits if direction == "input"},
    }
