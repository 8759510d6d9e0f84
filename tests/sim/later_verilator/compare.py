#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py BUILD: builds the program with the smallest core by a later Verilator and compares what both compute and
count: results, cycles, where they went. Prints what a simulated cycle costs either of them.

Exit code 1 when something differs, 77 when the later Verilator cannot be installed here."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LATER = ROOT / "build/later_verilator"
SKIPPED = 77  # exit code, also of scripts/setup without the index
WORK = (
    ("matmul", "--m", "256", "--n", "256", "--k", "256"),
    ("bench", "--networks", "--only", "resnet8", "--check"),
)
# What depends on the machine.
TIMES = ("simulation_seconds", "sim_hz", "macs_per_second")


def lasting(value):
    """A report without what depends on the machine."""
    if isinstance(value, dict):
        return {key: lasting(inner) for key, inner in value.items() if key not in TIMES}
    return [lasting(inner) for inner in value] if isinstance(value, list) else value


def differences(one, other, path=""):
    """Places where two reports differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [text for key in one for text in differences(one[key], other[key], f"{path}/{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [text for n, pair in enumerate(zip(one, other)) for text in differences(*pair, f"{path}/{n}")]
    return [] if one == other else [f"{path}: {one} and {other}"]


def report(build, words):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        command = [build / "bin/systole", *words, "--config", "tiny", "--device", "rtl", "--json", file]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return lasting(json.loads(file.read_text()))


def exact(found):
    """Whether every result in a report is that of the golden model or of the host."""
    runs = found.get("results", [found])
    return bool(runs) and all(run["bit_exact"] for run in runs)


def cost(build):
    done = subprocess.run(
        [ROOT / "scripts/simcost", "--build", build, "--config", "tiny"], text=True, capture_output=True
    )
    print(f"{build}:\n{done.stdout}{done.stderr}", flush=True)


def main(build):
    setup = subprocess.run([ROOT / "scripts/setup", "verilator"])
    if setup.returncode == SKIPPED:
        print("skipped: scripts/setup cannot install the later Verilator here")
        return SKIPPED
    setup.check_returncode()
    subprocess.run(["cmake", "--preset", "later_verilator"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", LATER, "--target", "systole"], check=True)
    wrong = []
    for words in WORK:
        one, other = report(build, words), report(LATER, words)
        cycles = sum(run["cycles"] for run in one.get("results", [one]))
        print(f"{' '.join(words)}: {cycles:,} cycles", flush=True)
        wrong += [f"{words[0]}{text}" for text in differences(one, other)]
        wrong += [f"{words[0]}: a result is wrong" for found in (one, other) if not exact(found)]
    for each in (build, LATER):
        cost(each)
    print("\n".join(wrong) or "no difference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
