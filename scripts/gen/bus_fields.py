# SPDX-License-Identifier: Apache-2.0
"""Fields of the buses that carry several values side by side, for the views: which bits of a port are what."""
from dataclasses import dataclass


@dataclass
class Field:
    alias: str
    low: int
    bits: int
    enum: str = ""  # translate file
    decimal: bool = False


def of_engines(spec, alias, stride, fields):
    """The same fields for each engine, engine e at [stride*e +: stride]."""
    return [
        Field(f"{e['name']}_{alias or f.alias}", stride * e["value"] + f.low, f.bits, f.enum, f.decimal)
        for e in spec.engines[:4]
        for f in fields
    ]


def pairs(spec):
    """The waits or the signals of each engine: two semaphores with their amounts."""
    fields = []
    for k in range(2):
        fields += [Field(f"semaphore{k}", 13 * k, 5, decimal=True), Field(f"amount{k}", 13 * k + 5, 8, decimal=True)]
    return of_engines(spec, "", 26, fields)


def numbered(alias, count, bits, enum="", decimal=False):
    return [Field(f"{alias}{n}", bits * n, bits, enum, decimal) for n in range(count)]


def fields(spec):
    """Name of a port without _i and _o, or its end, and the port's width, to its fields."""
    instruction = 8 * spec.isa["instruction_bytes"]
    causes = next(len(e["values"]) for e in spec.enums if e["name"] == "Cause")
    semaphores, bits = spec.isa["semaphores"], spec.isa["semaphore_bits"]
    waiting = of_engines(spec, "", 8, [Field("waits", 7, 1), Field("waits_for", 0, 5, decimal=True)])
    values = numbered("semaphore_", semaphores, bits, decimal=True)
    rows = numbered("row", 4, 16, decimal=True)
    return {
        ("cause", 4 * causes): of_engines(spec, "cause", causes, [Field("", 0, causes, "cause")]),
        ("instr", 4 * instruction): of_engines(spec, "opcode", instruction, [Field("", 0, 8, "opcode")]),
        ("fault_code", 4 * 8): of_engines(spec, "fault_code", 8, [Field("", 0, 8, "errorcode")]),
        ("fault_addr", 4 * 32): of_engines(spec, "fault_addr", 32, [Field("", 0, 32)]),
        ("retire_index", 4 * 32): of_engines(spec, "retired", 32, [Field("", 0, 32, decimal=True)]),
        ("oldest_index", 4 * 32): of_engines(spec, "oldest", 32, [Field("", 0, 32, decimal=True)]),
        ("overflow_semaphore", 4 * 5): of_engines(spec, "overflow_semaphore", 5, [Field("", 0, 5, decimal=True)]),
        ("wait", 4 * 26): pairs(spec),
        ("signal", 4 * 26): pairs(spec),
        ("waiting", 4 * 8): waiting,
        ("waiting_semaphores", 4 * 8): waiting,
        ("semaphore", semaphores * bits): values,
        ("count", semaphores * bits): values,
        ("rd_rows", 4 * 16): rows,
        ("wr_rows", 4 * 16): rows,
        ("start_args", 12 * 32): numbered("argument", 12, 32),
    }


def of_port(table, base, widths):
    """The fields of a port that has this width in every configuration."""
    if len(widths) != 1:
        return []
    names = [name for name, width in table if width == widths[0] and (base == name or base.endswith(f"_{name}"))]
    return table[max(names, key=len), widths[0]] if names else []
