# SPDX-License-Identifier: Apache-2.0
"""Reads isa/spec/*.toml into plain objects and checks that the specification itself is consistent."""
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "isa" / "spec"


class Field:
    def __init__(self, data):
        self.name = data["name"]
        self.lsb = data["lsb"]
        self.width = data["width"]
        self.signed = data.get("signed", False)
        self.enum = data.get("enum")
        self.align = data.get("align", 1)
        self.doc = data["doc"]
        low = -(1 << (self.width - 1)) if self.signed else 0
        high = (1 << (self.width - 1 if self.signed else self.width)) - 1
        self.type_min, self.type_max = low, high
        self.min = data.get("min", low)
        self.max = data.get("max", high)
        if not low <= self.min <= self.max <= high:
            raise SystemExit(f"field {self.name}: range {self.min}..{self.max} does not fit {self.width} bits")

    def cpp_type(self):
        size = 8 if self.width <= 8 else 16 if self.width <= 16 else 32
        return f"std::{'' if self.signed else 'u'}int{size}_t"


class Instruction:
    def __init__(self, data, header, isa):
        self.name = data["name"]
        self.opcode = data["opcode"]
        self.engine = data["engine"]
        self.summary = data["summary"]
        self.no_semaphores = data.get("no_semaphores", False)
        self.fields = [Field(f) for f in data["fields"]]
        self.rules = data.get("rules", [])
        self.part = data.get("part")
        self.note = data.get("note", "").strip()
        used = [f for f in header if not (self.no_semaphores and f.name != "opcode")]
        taken = 0
        for field in used + self.fields:
            mask = ((1 << field.width) - 1) << field.lsb
            if taken & mask:
                raise SystemExit(f"{self.name}.{field.name} overlaps another field")
            taken |= mask
        self.reserved = ((1 << (8 * isa["instruction_bytes"])) - 1) & ~taken

    def cpp_name(self):
        return "".join(part.capitalize() for part in self.name.split("_"))

    def field(self, name):
        for field in self.fields:
            if field.name == name:
                return field
        return None


def legal_text(size):
    """The legal values of a size in words: "8*2^k or 24*2^k, from 192 to 49152"."""
    forms = " or ".join(f"{n}*2^k" if n > 1 else "2^k" for n in size["times"])
    return f"{forms}, from {size['min']} to {size['max']}"


def is_legal(value, size):
    whole = isinstance(value, int) and size["min"] <= value <= size["max"]
    return whole and any(value % n == 0 and (value // n).bit_count() == 1 for n in size["times"])


def check_configurations(configurations, sizes, parts):
    needs = {part["name"]: part.get("needs") for part in parts}
    for c in configurations:
        without = c.get("without", [])
        for name in without:
            if name not in needs:
                raise SystemExit(f"configuration {c.get('name')}: without is {name}; there are {', '.join(needs)}")
        for name, need in needs.items():
            if need in without and name not in without:
                raise SystemExit(f"configuration {c.get('name')}: {name} needs {need}, which is in without")
        for size in sizes:
            value = c.setdefault(size["name"], size["default"]) if "default" in size else c.get(size["name"])
            if not is_legal(value, size):
                raise SystemExit(
                    f"configuration {c.get('name')}: {size['name']} is {value}; legal is {legal_text(size)}"
                )


class Spec:
    def __init__(self):
        read = lambda name: tomllib.loads((SPEC / name).read_text())
        self.isa = read("isa.toml")
        self.sizes = read("configurations.toml")["size"]
        self.parts = read("configurations.toml")["part"]
        self.configurations = read("configurations.toml")["configuration"]
        check_configurations(self.configurations, self.sizes, self.parts)
        registers = read("registers.toml")
        self.identity = registers["identity"]
        self.registers = registers["register"]
        for register in self.registers:
            if register.get("fields") == "parts":
                register["fields"] = [
                    {"name": part["name"].upper(), "lsb": bit, "width": 1, "doc": part["title"]}
                    for bit, part in enumerate(self.parts)
                ]
        self.register_notes = registers["note"]
        self.header = [Field(f) for f in self.isa["header"]]
        self.header_rules = self.isa["header_rule"]
        self.engines = self.isa["engine"]
        self.enums = self.isa["enum"]
        self.permissions = self.isa["flags"][0]
        self.instructions = [Instruction(i, self.header, self.isa) for i in self.isa["instruction"]]
        known = {part["name"] for part in self.parts}
        for instruction in self.instructions:
            named = {instruction.part, *(rule.get("without") for rule in instruction.rules)} - {None}
            if not named <= known:
                raise SystemExit(f"{instruction.name}: no part {', '.join(sorted(named - known))}")
        opcodes = [i.opcode for i in self.instructions]
        if len(set(opcodes)) != len(opcodes):
            raise SystemExit("two instructions share an opcode")

    def part(self, name):
        return next(part for part in self.parts if part["name"] == name)

    def version(self):
        return self.isa["version_major"] << 16 | self.isa["version_minor"]


def notice(comment):
    return f"{comment} Generated from isa/spec by scripts/gen/generate. Do not edit."
