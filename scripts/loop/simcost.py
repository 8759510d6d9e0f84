# SPDX-License-Identifier: Apache-2.0
"""What a simulated cycle costs: host instructions, counted by valgrind in the clock loop, by block of the core and part
of the simulator. Instructions are the same in every run; another compiler or processor makes others, so a record says
what it was made with."""
import collections
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import callgrind

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests/bench/simcost.json"
RECORD = "scripts/simcost --record"
ABOUT = f"Host instructions per simulated cycle of WORK on `default`. Written by {RECORD}; do not edit."
WORK = ["matmul", "--m", "256", "--n", "256", "--k", "256"]
LOOP = "*VerilatedCore*::loop*"
ALLOWED = 0.03  # of the recorded total

# Instances of tpu_core by their path, the longest that fits: the folder of rtl/ that their modules are in.
BLOCKS = {
    "u_mxu.u_array": "array",
    "u_mxu.u_depthwise": "depthwise",
    "u_mxu": "mxu",
    "u_load": "dma",
    "u_store": "dma",
    "u_guard": "dma",
    "u_command": "command",
    "u_csr": "csr",
    "u_vpu": "vector",
    "u_accumulator": "accumulator",
    "u_scratchpad": "scratchpad",
    "u_weights": "memories",
    "u_params": "memories",
    "": "top",
}
# Functions that are not made from RTL: what is in their names.
PARTS = {
    "check::": "checkers",
    "AxiMemory": "device memory",
    "CoreWatch": "observers",
    "LiteMaster": "register bus",
    "VerilatedCore": "clock loop",
}
EVALUATION = "evaluation"  # Verilator's own: triggers, calls of the parts of a model
OTHER = "other"


class Failure(Exception):
    """What could not be run, read or written, in words."""


class Skipped(Exception):
    """Why the figure cannot be compared here, in words."""


@dataclass(frozen=True)
class Cost:
    cycles: int
    instructions: int
    blocks: dict  # name: instructions
    made_with: dict

    def total(self):
        return self.instructions / self.cycles

    def per_cycle(self):
        """Blocks and their instructions per cycle, the dearest first."""
        rows = {name: count / self.cycles for name, count in self.blocks.items()}
        return dict(sorted(rows.items(), key=lambda row: -row[1]))


def output(command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def made_with(build):
    """Compiler, options and instruction set: what the number of instructions depends on beside the sources."""
    try:
        cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M))
        flags = set(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)[1].split())
    except (OSError, TypeError) as error:
        raise Failure(f"{build} is no build tree on a machine that tells its processor's flags: {error}") from error
    return {
        "compiler": output([cache["CMAKE_CXX_COMPILER"], "--version"]).split("\n")[0],
        "verilator": " ".join(output([cache["VERILATOR_BIN"], "--version"]).split()[:2]),
        "options": cache["SYSTOLE_MODEL_OPT"],
        "vectors": "avx2" if {"avx2", "bmi2"} <= flags else "sse2",
    }


def measure(build, keep=None, configuration="default"):
    """Runs WORK under valgrind: about ten seconds. `keep`: where to leave valgrind's file."""
    program = build / "bin/systole"
    if not program.exists():
        raise Failure(f"{program} is not there; scripts/build makes it")
    with tempfile.TemporaryDirectory() as folder:
        profile = keep or Path(folder) / "callgrind.out"
        report = Path(folder) / "run.json"
        try:
            output(
                ["valgrind", "--tool=callgrind", "--dump-instr=yes", "--collect-atstart=no"]
                + [f"--toggle-collect={LOOP}", f"--callgrind-out-file={profile}"]
                + [program, *WORK, "--config", configuration, "--json", report]
            )
        except Failure as error:
            raise Skipped("valgrind is missing; scripts/setup simcost installs it") if "cannot run" in str(
                error
            ) else error
        return cost_of(profile, program, json.loads(report.read_text())["cycles"], made_with(build))


def cost_of(profile, program, cycles, tools):
    blocks = collections.Counter()
    for place, count in callgrind.places(profile, program):
        blocks[block_of(place)] += count
    return Cost(cycles, sum(blocks.values()), dict(blocks), tools)


def block_of(place):
    for words, name in PARTS.items():
        if words in place.function:
            return name
    if "Vtpu_core" not in place.function and "Verilated" not in place.function:
        return OTHER
    # The class of a module that is not inlined has its instance in the names of its functions.
    kept = re.search(r"TOP__tpu_core__DOT__(\w+?)__\d+\(", place.function)
    path = instance(f"tpu_core__DOT__{nested(kept[1])}__DOT__x" if kept else place.statement)
    if path is None:
        return EVALUATION
    while path not in BLOCKS:
        path = path.rpartition(".")[0]
    return BLOCKS[path]


def nested(name):
    """Path in names of functions: a module that is not inlined is joined to one that is not by less than the others."""
    return re.sub("(?<!DOT)__(u|gen)_", r"__DOT__\1_", name)


def instance(statement):
    """Path of the instance whose variable a line of a model's C++ is about: the first that it names."""
    found = re.search(r"tpu_core__DOT__(\w+)", statement)
    if not found:
        return None
    names = found[1].replace("____Vcell", "__DOT____Vcell").split("__DOT__")[:-1]
    return ".".join(name for name in names if name.startswith("u_"))


def text_of(cost):
    data = {
        "about": ABOUT.replace("WORK", f"`systole {' '.join(WORK)}`"),
        "made_with": cost.made_with,
        "cycles": cost.cycles,
        "instructions": cost.instructions,
        "per_cycle": round(cost.total(), 1),
        "blocks": dict(sorted(cost.blocks.items(), key=lambda row: -row[1])),
    }
    return json.dumps(data, indent=2) + "\n"


def read(path):
    try:
        data = json.loads(path.read_text())
        return Cost(data["cycles"], data["instructions"], data["blocks"], data["made_with"])
    except OSError as error:
        raise Failure(f"{path}: cannot be read ({error.strerror}); write it with {RECORD}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f"{path}: no record ({type(error).__name__}: {error}); write it with {RECORD}") from error


def comparable(recorded, measured):
    """Raises Skipped when other tools than the recorded ones made the program."""
    for name, value in recorded.made_with.items():
        if measured.made_with.get(name) != value:
            raise Skipped(f"{name}: recorded with '{value}', here '{measured.made_with.get(name)}'")


def complaint(recorded, measured):
    """What differs by more than ALLOWED, in words, or nothing."""
    old, new = recorded.total(), measured.total()
    change = new / old - 1
    if abs(change) <= ALLOWED:
        return ""
    before, after = recorded.per_cycle(), measured.per_cycle()
    grown = {name: after.get(name, 0) - before.get(name, 0) for name in {*before, *after}}
    sign = 1 if change > 0 else -1
    rows = sorted((row for row in grown.items() if sign * row[1] >= 1), key=lambda row: -sign * row[1])
    lines = [f"a cycle costs {new:,.0f} instructions, recorded are {old:,.0f} ({100 * change:+.1f} %)"]
    lines += [f"  {name}: {before.get(name, 0):,.0f} -> {after.get(name, 0):,.0f}" for name, _ in rows]
    return "\n".join(lines + [f"What is meant to be: {RECORD}, then commit"])
