#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The core as synthesis reads it, in a four-state simulator, where what reset leaves alone is X: see README.md.

  run.py WRITER WORK_DIR                     all runs below, as CTest does
  run.py WRITER WORK_DIR --only plain        one of them
  run.py WRITER WORK_DIR --seed 7            other stalls; SYSTOLE_SEED=n for other operands
WRITER is the program write_fourstate_script of a build."""
import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts/rtl_tools"))
import design
import reader

CONFIGURATION = "tiny"
SKIPPED = 77
# What must be noticed: file below rtl/, a text in it, what stands there instead.
PLANTS = {
    "fetch without reset": (
        "command/tpu_fetch.sv",
        "if (!rst_ni) beat_q <=",
        "if (1'b0) beat_q <=",
    ),
}


class Wrong(Exception):
    pass


def run(command):
    if not shutil.which(command[0]):
        raise Wrong(f"{command[0]} is not there; scripts/setup installs it")
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Wrong(f"{command[0]} fails:\n{done.stdout[-4000:]}")
    return done.stdout


def planted(path, plant, work):
    """A copy of the file with the plant in it, or the file itself."""
    if not plant or str(path.relative_to(design.RTL)) != plant[0]:
        return path
    text = path.read_text()
    if text.count(plant[1]) != 1:
        raise Wrong(f"'{plant[1]}' is not once in {path}: PLANTS in {__file__} is out of date")
    copy = work / path.name
    copy.write_text(text.replace(plant[1], plant[2]))
    return copy


def netlist(work, name, plant=None):
    """Processes resolved to multiplexers and flip-flops, so that an X at a condition goes on as X, as it would not
    through `if`; nothing optimized that would decide an X. tpu_ram stays a module of its own."""
    files = [planted(path, plant, work) for path in design.sources()]
    values = design.configurations()[CONFIGURATION]
    text = reader.yosys(
        f"{reader.read('tpu_core', values, files)}; hierarchy -check -top tpu_core; bwmuxmap; memory_collect; "
        "opt_clean; write_verilog -noattr {out}"
    )
    rams = {
        path: f"tpu_ram #({', '.join(f'.{key}({value})' for key, value in each['parameters'].items())})"
        for path, each in reader.instances([("tpu_core", values)], files)[0].items()
        if each["module"] == "tpu_ram"
    }
    # slang has made a module of every RAM; instances of the one in the source replace them.
    text = re.sub(r"^module \\tpu_ram\$.*?^endmodule\n", "", text, flags=re.M | re.S)
    text = re.sub(r"\\tpu_ram\$(\S+)", lambda match: rams[match[1]], text)
    output = work / f"{name}.v"
    output.write_text(text)
    return output


def simulate(work, core, ram, script, seed):
    program = work / f"{core.stem}_{ram.stem}.vvp"
    dim = design.configurations()[CONFIGURATION]["Dim"]
    run(
        [
            "iverilog",
            "-g2012",
            f"-I{design.INCLUDE}",
            "-s",
            "bench",
            f"-Pbench.Dim={dim}",
            "-o",
            program,
            core,
            ram,
            HERE / "memory.sv",
            HERE / "bench.sv",
        ]
    )
    output = run(["vvp", "-n", program, f"+script={script}", f"+seed={seed}"])
    verdicts = [line for line in output.splitlines() if line.startswith(("PASS", "FAIL"))]
    if not verdicts:
        raise Wrong(f"the simulation ended without a verdict:\n{output}")
    collisions = sum(line.startswith("COLLISION") for line in output.splitlines())
    return verdicts[0] + (f", {collisions:,} collisions" if collisions else "")


def expect(name, verdict, word):
    print(f"{name}: {verdict}", flush=True)
    if not verdict.startswith(word):
        raise Wrong(f"{name}: expected {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("writer", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--only", choices=["plain", "collision", *PLANTS])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    script = options.work / "script.txt"
    print(f"seed {options.seed} (--seed {options.seed} repeats this run)")

    def chosen(name):
        return options.only in (None, name)

    try:
        run([options.writer, script])
        core = netlist(options.work, "core")
        if chosen("plain"):
            expect("plain", simulate(options.work, core, design.RAM, script, options.seed), "PASS")
        if chosen("collision"):
            verdict = simulate(options.work, core, HERE / "ram_collision.sv", script, options.seed)
            expect("collision", verdict, "PASS")
            if "collisions" not in verdict:
                raise Wrong("collision: no word was read while it was written, so the run shows nothing")
        for name, plant in PLANTS.items():
            if chosen(name):
                core = netlist(options.work, name.replace(" ", "_"), plant)
                expect(name, simulate(options.work, core, design.RAM, script, options.seed), "FAIL")
    except reader.Missing as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except (Wrong, reader.Failed) as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
