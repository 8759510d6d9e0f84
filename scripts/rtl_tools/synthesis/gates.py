# SPDX-License-Identifier: Apache-2.0
"""A block in the gates of a library: area, and the clock by static timing analysis with OpenSTA. Before layout: no
wires, no clock tree, every gate of the size that logic synthesis chose. Memories (tpu_ram) are left out, their bits are
counted: a path ends at their pins and none begins there. Hierarchy is kept, as scripts/synth does everywhere.

  scripts/synth sta --liberty cells.lib                    the array of configuration tiny
  scripts/synth sta --liberty cells.lib tiny --top tpu_mxu --paths 20
  scripts/synth sta --liberty cells.lib --estimate         without OpenSTA: longest delay inside each module, by ABC
  scripts/synth sta --liberty cells.lib --json -           machine-readable on standard output

Exit codes: 0 good, 2 wrong use, or a tool failed."""
import argparse
import json
import re
import shutil
import tempfile
from pathlib import Path

import design
from synthesis import elaborate, mapping, netlist, listing, tools

PERIOD = 1000  # ns, of the clock that is given to the analysis: long enough for any path.
# Mapping to gates, buffers and sizes, then the longest delay.
ABC = "strash\nifraig\nscorr\ndc2\ndretime\nstrash\n&get -n\n&nf\n&put\nbuffer\nupsize\ndnsize\nstime -p\n"


def safe_names(modules):
    """Names for the modules that every tool accepts."""
    numbered = sorted(modules, key=lambda name: (modules[name].base, modules[name].variant, name))
    return {name: f"\\{modules[name].base}__{index}" for index, name in enumerate(numbered)}


def rtlil(modules, names):
    """All modules as one text, memories without contents."""
    text = "".join(module.black_box if module.ram_bits else module.text for module in modules.values())
    return re.sub(r"(?<=^module )\S+|(?<=^  cell )\S+", lambda match: names.get(match[0], match[0]), text, flags=re.M)


def synthesize(modules, top, liberty, folder):
    """Writes the netlist in Verilog and JSON; the log of ABC and the area."""
    names = safe_names(modules)
    (folder / "in.il").write_text(rtlil(modules, names))
    (folder / "abc.script").write_text(ABC)
    log = tools.run(
        [
            "yosys",
            "-p",
            f"read_rtlil {folder}/in.il; hierarchy -top {names[top]}; synth -noabc -run coarse:check; "
            f"dfflibmap -liberty {liberty}; abc -liberty {liberty} -script {folder}/abc.script; "
            "opt_clean; rename -enumerate; "
            f"stat -liberty {liberty} -top {names[top]}; write_verilog -noattr -noexpr {folder}/netlist.v; "
            f"write_json {folder}/netlist.json",
        ],
        f"{modules[top].base} does not synthesize with {liberty}",
    )
    area = re.findall(r"Chip area for (?:top )?module '\S+': ([\d.]+)", log)
    if not area:
        raise tools.ToolError(f"{liberty} has no areas, or no gate of it was used")
    return log, float(area[-1]), names[top].removeprefix("\\")


def leaves(cells, top):
    """Gates and flip-flops at and below a module of the netlist."""
    total = {"cells": 0, "flip_flops": 0}
    for cell in cells[top]["cells"].values():
        if cell["type"] in cells and cells[cell["type"]]["cells"]:
            below = leaves(cells, cell["type"])
            total = {name: total[name] + below[name] for name in total}
        elif cell["type"] not in cells:
            total["cells"] += 1
            total["flip_flops"] += "Q" in cell["connections"]
    return total


def label(cells, top, pin):
    """A pin, named after its register in the source; pins of memories after the memory."""
    *instances, cell, port = pin.replace("\\", "").split("/")
    module, prefix = top, ""
    for instance in instances:
        module, prefix = cells[module]["cells"][instance]["type"], f"{prefix}{instance}."
    found = cells[module]["cells"].get(cell)
    if found is None or found["type"] in cells:
        return f"{prefix}{cell}.{port}"
    names = netlist.names(cells[module])
    bits = [bit for bits in found["connections"].values() for bit in bits if bit in names]
    own = [names[bit] for name in ("Q", "QN") for bit in found["connections"].get(name, ()) if bit in names]
    return prefix + (own or [names[bit] for bit in bits] or [cell])[0]


def analyze(cells, top, liberty, folder, number):
    """Longest paths between registers by OpenSTA."""
    clocks = [
        name
        for name, port in cells[top]["ports"].items()
        if port["direction"] == "input" and re.fullmatch(r"\w*clk\w*_i", name)
    ]
    (folder / "run.tcl").write_text(
        f"""read_liberty {liberty}
read_verilog {folder}/netlist.v
link_design {top}
set_cmd_units -time ns
create_clock -name clock -period {PERIOD} [get_ports {{{' '.join(clocks)}}}]
foreach path [find_timing_paths -path_delay max -group_count {number * 64} -endpoint_count 1 -sort_by_slack] {{
  puts "PATH [get_property $path slack] [get_full_name [get_property $path startpoint]] \
[get_full_name [get_property $path endpoint]]"
}}
exit
"""
    )
    log = tools.run(["sta", "-no_splash", "-exit", folder / "run.tcl"], "static timing analysis failed")
    found = re.findall(r"^PATH (\S+) (\S+) (\S+)$", log, re.M)
    if not found:
        raise tools.ToolError(f"{log.strip()[-2000:]}\nstatic timing analysis found no path between registers")
    paths, seen = [], set()
    for slack, start, end in found:
        ends = label(cells, top, start), label(cells, top, end)
        group = tuple(map(netlist.without_index, ends))
        if group not in seen:
            seen.add(group)
            paths.append({"delay": round(PERIOD - float(slack), 3), "start": ends[0], "end": ends[1]})
    return paths[:number]


def estimate(log, number):
    """Longest combinational delays inside the modules, as ABC prints them in ps, excluding flip-flops."""
    delays = []
    for block in re.split(r"Extracting gate netlist of module ", log)[1:]:
        module = re.match(r"`\\?(\w+?)(?:__\d+)?'", block).group(1)
        delay = re.search(r"Delay =\s*([\d.]+) ps", block)
        if delay:
            delays.append(
                {
                    "delay": round(float(delay[1]) / 1000, 3),
                    "start": f"{module}, any input or register",
                    "end": "any output or register",
                }
            )
    return sorted(delays, key=lambda path: -path["delay"])[:number]


def measure(configuration, top, liberty, number, estimated):
    """Area and longest paths of a block."""
    values = design.parameters(top, design.configurations()[configuration] | {"ClockGating": 0})
    modules, name = elaborate.elaborate(top, values)
    texts = [module.text for module in elaborate.children_first(modules, name)]
    key = mapping.digest(
        tools.yosys_version(), Path(__file__).read_text(), liberty.read_text(), str((number, estimated)), *texts
    )
    path = mapping.CACHE / "gates" / f"{key}.json.gz"
    result = mapping.load(path)
    if result is None:
        listing.progress(f"{top}: synthesis and timing with {liberty.name}")
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            log, area, root = synthesize(modules, name, liberty, folder)
            cells = json.loads((folder / "netlist.json").read_text())["modules"]
            paths = estimate(log, number) if estimated else analyze(cells, root, liberty, folder, number)
            result = {"area": area, **leaves(cells, root), "paths": paths}
        listing.progress("")
        mapping.store(path, result)
    number_of = elaborate.instances(modules, name)
    bits = sum(number_of[module] * modules[module].ram_bits for module in number_of)
    delay = result["paths"][0]["delay"] if result["paths"] else 0
    return {
        "top": top,
        "configuration": configuration,
        "parameters": values,
        "liberty": str(liberty),
        "estimated": estimated,
        "ram_bits": bits,
        "ns": delay,
        "mhz": round(1000 / delay, 1) if delay else None,
        **result,
    }


def show(result):
    how = "estimate by ABC, flip-flops not included" if result["estimated"] else "OpenSTA, registers to registers"
    print(
        f"{result['configuration']}: {result['top']} " + " ".join(f"{k}={v}" for k, v in result["parameters"].items())
    )
    print(
        f"  library {result['liberty']}: {result['cells']} cells, "
        f"of them {result['flip_flops']} flip-flops, area {result['area']:g}; "
        f"{result['ram_bits']} bits of RAM beside"
    )
    print(f"  {result['ns']:g} ns, {result['mhz']} MHz before layout ({how}); longest paths:")
    for path in result["paths"]:
        print(f"    {path['delay']:g} ns: {path['start']} -> {path['end']}")


def main(argv):
    known = design.configurations()
    parser = argparse.ArgumentParser(
        prog="scripts/synth sta", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("configuration", nargs="?", default="tiny", choices=list(known), help="default: tiny")
    parser.add_argument("--liberty", type=Path, required=True, metavar="FILE", help="library of gates and flip-flops")
    parser.add_argument("--top", default="tpu_array", metavar="MODULE", help="default: tpu_array")
    parser.add_argument("--paths", type=int, default=8, metavar="N", help="longest paths to list (default: 8)")
    parser.add_argument("--estimate", action="store_true", help="delays by ABC instead of OpenSTA")
    parser.add_argument(
        "--json", metavar="FILE", help="write the figures as JSON, too; - is standard output, without the table"
    )
    args = parser.parse_args(argv)
    if not args.liberty.is_file():
        parser.error(f"--liberty {args.liberty}: no such file; give the library of your technology (.lib)")
    if not args.estimate and not shutil.which("sta"):
        raise tools.ToolError(
            "OpenSTA (sta) is not installed: run `scripts/setup synth`, or add --estimate for the delays that ABC tells"
        )
    result = measure(args.configuration, args.top, args.liberty.resolve(), args.paths, args.estimate)
    if args.json == "-":
        print(json.dumps(result, indent=2))
    else:
        show(result)
    if args.json not in (None, "-"):
        Path(args.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0
