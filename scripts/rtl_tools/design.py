# SPDX-License-Identifier: Apache-2.0
"""The RTL's files in reading order, its configurations, and the parameters of a module."""
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
RAM = RTL / "common/tpu_ram.sv"
INCLUDE = RTL / "common"
WAIVERS = RTL / "lint/waivers.vlt"
CONFIGURATIONS = ROOT / "isa/spec/configurations.toml"


def sources():
    """All RTL files, packages first, since every other file may name their constants."""
    files = sorted(RTL.glob("*/*.sv"))
    return sorted(files, key=lambda path: not re.search(r"^package ", path.read_text(), re.M))


def parts():
    """The parameter of each part that a configuration may leave out, by the part's name."""
    return {part["name"]: part["parameter"] for part in tomllib.loads(CONFIGURATIONS.read_text())["part"]}


def configurations(path=CONFIGURATIONS):
    """Name of each configuration and the value of each parameter in it."""
    sizes = tomllib.loads(CONFIGURATIONS.read_text())["size"]
    found = {}
    for c in tomllib.loads(path.read_text()).get("configuration", []):
        there = {parameter: int(part not in c.get("without", [])) for part, parameter in parts().items()}
        rows = {size["parameter"]: c.get(size["name"], size.get("default")) for size in sizes}
        found[c["name"]] = rows | there
    return found


def whole():
    """The named configurations that have every part."""
    return {n: values for n, values in configurations().items() if all(values[p] for p in parts().values())}


def module_file(module):
    found = list(RTL.glob(f"*/{module}.sv"))
    if not found:
        raise SystemExit(f"no module {module} under rtl/")
    return found[0]


def parameters(module, configuration):
    """The values of a configuration for the parameters of this module."""
    declared = set(re.findall(r"parameter int (\w+)", module_file(module).read_text()))
    values = dict(configuration)
    if module == "tpu_scratchpad":
        values["Rows"] = configuration["ScratchRows"]
    return {name: value for name, value in values.items() if name in declared}
