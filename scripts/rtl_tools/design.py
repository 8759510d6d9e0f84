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
# Module parameters and the keys of isa/spec/configurations.toml that set them.
PARAMETERS = {
    "Dim": "dim",
    "ScratchRows": "scratch_rows",
    "WeightRows": "weight_rows",
    "AccRows": "acc_rows",
    "ParamRows": "param_rows",
}


def sources():
    """All RTL files, packages first, since every other file may name their constants."""
    files = sorted(RTL.glob("*/*.sv"))
    return sorted(files, key=lambda path: not re.search(r"^package ", path.read_text(), re.M))


def parts():
    """The parameter of each part that a configuration may leave out, by the part's name."""
    return {part["name"]: part["parameter"] for part in tomllib.loads(CONFIGURATIONS.read_text())["part"]}


def configurations(path=CONFIGURATIONS):
    """Name of each configuration and the value of each parameter in it."""
    found = {}
    for c in tomllib.loads(path.read_text()).get("configuration", []):
        there = {parameter: int(part not in c.get("without", [])) for part, parameter in parts().items()}
        found[c["name"]] = {p: c[key] for p, key in PARAMETERS.items()} | there
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
