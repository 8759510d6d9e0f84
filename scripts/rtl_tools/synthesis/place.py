# SPDX-License-Identifier: Apache-2.0
"""Place and route on an FPGA, of blocks or of the whole core, between shift registers so that their ports need no pins:
logic cells, multipliers, block RAMs and the clock after routing. Open tools alone: Yosys, nextpnr, icepack.

  scripts/synth place                                     the array of 2 x 4 on an UltraPlus 5K, registers, LOAD, STORE
  scripts/synth place array --seed 3                      one of them, another placement
  scripts/synth place --top tpu_burst_split --device up5k any block, with the parameters of a configuration
  scripts/synth place --top tpu_core --device 85k         all of tiny on an ECP5, an hour
  scripts/synth place --top tpu_core --configuration nano --device 45k --speed 8 --seed 2
                                                          nano on the fastest grade of a smaller one
  scripts/synth place --json -                            machine-readable on standard output

A line on standard error names the file in which nextpnr tells how far it has come.
Exit codes: 0 good, 2 wrong use, or a tool failed: a block does not fit."""
import argparse
import json
import sys
import tempfile
import tomllib
from pathlib import Path

import design
import reader
from synthesis import elaborate, families, mapping, tools, wrapper

BLOCKS = Path(__file__).resolve().parent / "place.toml"


def parameters(block):
    known = design.configurations()
    values = design.parameters(block["top"], known[block["configuration"]] | {"ClockGating": 0})
    return values | block.get("parameters", {})


def place(block, seed, speed):
    """Figures of one block after routing, from the cache when nothing that they depend on has changed."""
    values = parameters(block)
    family = families.OF_DEVICE[block["device"]]
    defines = family.defines()
    speed = speed or "".join(family.speeds[:1])
    modules, top = elaborate.elaborate(block["top"], values, defines)
    port_list = wrapper.ports(modules[top].black_box)
    source = wrapper.verilog(block["top"], values, port_list)
    texts = [module.text for module in elaborate.children_first(modules, top)]
    flow = [path.read_text() for path in (Path(families.__file__), *sorted(mapping.MAPS.glob("*.v")))]
    on = (block["device"], speed, str(seed))
    key = mapping.digest(tools.yosys_version(), family.version(), source, *on, *flow, *texts)
    path = mapping.CACHE / family.name / f"{key}.json.gz"
    result = mapping.load(path)
    if result is None:
        log = mapping.CACHE / family.name / f"{block['name']}_{block['device']}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        print(f"{block['name']}: synthesis, placement, routing on {block['device']}: {log}", file=sys.stderr)
        result = route(block, source, seed, speed, log)
        # Yosys has read the files a second time: what was saved in between must not be kept under the first reading's
        # key.
        again, again_top = elaborate.elaborate(block["top"], values, defines)
        if [module.text for module in elaborate.children_first(again, again_top)] != texts:
            raise tools.ToolError(f"the RTL of {block['top']} changed during the run: run it again")
        mapping.store(path, result)
    return {
        "top": block["top"],
        "parameters": values,
        "device": block["device"],
        "speed": speed,
        "seed": seed,
        "wrapper_flip_flops": wrapper.cost(port_list),
        **result,
    }


def route(block, source, seed, speed, log):
    family = families.OF_DEVICE[block["device"]]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "wrapper.sv").write_text(source)
        files = [*design.sources(), folder / "wrapper.sv"]
        (folder / "wrapper.il").write_text(elaborate.rtlil("wrapper", {}, files, family.defines()))
        script = families.synthesis(family, block["device"], folder / "wrapper.il", "wrapper", folder / "netlist.json")
        tools.run(["yosys", "-q", "-p", script], f"{block['name']} does not synthesize")
        mapped = json.loads((folder / "netlist.json").read_text())["modules"]["wrapper"]
        purpose = f"{block['name']} does not fit on {block['device']}"
        report = families.route(family, block["device"], speed, folder, seed, log, purpose)
        return summarize(report, mapped, family)


def summarize(routed, mapped, family):
    """Cells, clock and longest path from nextpnr's report."""
    used = {
        name: routed["utilization"].get(cell, {"used": 0, "available": 0}) for cell, name in family.resources.items()
    }
    clock = min(routed["fmax"].values(), key=lambda entry: entry["achieved"])["achieved"]
    path = next(
        path["path"]
        for path in routed["critical_paths"]
        if path["from"] == path["to"] and path["from"].startswith("posedge")
    )
    label = families.registers(mapped)
    ends = [step["to"]["cell"] for step in path if step["type"] in ("clk-to-q", "setup")]
    return {
        "used": {name: entry["used"] for name, entry in used.items()},
        "available": {name: entry["available"] for name, entry in used.items()},
        "mhz": round(clock, 1),
        "ns": round(sum(step["delay"] for step in path), 2),
        "levels": sum(step["type"] == "logic" for step in path),
        "start": label.get(families.plain(ends[0]), ends[0]),
        "end": label.get(families.plain(ends[-1]), ends[-1]),
    }


def show(results):
    print("blocks placed and routed, each between shift registers, which are counted apart and belong to no block")
    print(f"{'block':10}{'device':8}{'cells':>7}{'wrapper':>9}{'DSPs':>6}{'RAMs':>6}{'MHz':>8}  longest path")
    for name, result in results.items():
        used = result["used"]
        device = "-".join(filter(None, (result["device"], result["speed"])))
        print(
            f"{name:10}{device:8}{used['cells']:>7}{result['wrapper_flip_flops']:>9}"
            f"{used['dsps']:>6}{used['block_rams']:>6}"
            f"{result['mhz']:>8}  {result['ns']} ns, {result['levels']} cells: {result['start']} -> {result['end']}"
        )


def arguments(argv, blocks):
    parser = argparse.ArgumentParser(
        prog="scripts/synth place", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("block", nargs="*", help=f"of {', '.join(blocks)}; default: all")
    parser.add_argument("--top", metavar="MODULE", help="another block")
    parser.add_argument(
        "--configuration",
        default="tiny",
        choices=list(design.configurations()),
        help="parameters of --top (default: tiny)",
    )
    parser.add_argument(
        "--device", choices=list(families.OF_DEVICE), help="default: the one of the block; up5k for --top"
    )
    parser.add_argument("--speed", choices=families.ECP5.speeds, help="speed grade of an ECP5 (default: the slowest)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the placement (default: 1)")
    parser.add_argument(
        "--json", metavar="FILE", help="write the figures as JSON, too; - is standard output, without the table"
    )
    args = parser.parse_args(argv)
    unknown = set(args.block) - set(blocks)
    if unknown:
        parser.error(f"no block {', '.join(sorted(unknown))}; there are {', '.join(blocks)}; --top takes any module")
    if args.speed and any(not families.OF_DEVICE[block["device"]].speeds for block in chosen(args, blocks)):
        parser.error("--speed: only devices of ECP5 have grades; give --device 25k, 45k or 85k")
    return args


def chosen(args, blocks):
    names = args.block or ([] if args.top else list(blocks))
    picked = [dict(blocks[name]) for name in names]
    if args.top:
        picked.append(
            {
                "name": args.top.removeprefix("tpu_"),
                "top": args.top,
                "configuration": args.configuration,
                "device": "up5k",
            }
        )
    return [block | ({"device": args.device} if args.device else {}) for block in picked]


def main(argv):
    blocks = {block["name"]: block for block in tomllib.loads(BLOCKS.read_text())["block"]}
    args = arguments(argv, blocks)
    results = {block["name"]: place(block, args.seed, args.speed) for block in chosen(args, blocks)}
    if args.json == "-":
        print(json.dumps(results, indent=2))
    else:
        show(results)
    if args.json not in (None, "-"):
        Path(args.json).write_text(json.dumps(results, indent=2) + "\n")
    return 0
