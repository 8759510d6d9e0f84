# SPDX-License-Identifier: Apache-2.0
"""Recorded cycle counts: reading and writing tests/bench/baseline.json, running the workloads, comparing in words.

A table maps a configuration to its rows, a row name to a Row. Cycle counts do not depend on the machine nor on the
run."""
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests/bench/baseline.json"
RECORD = "scripts/baseline --record"
ABOUT = f"Cycles from doorbell to interrupt at the default memory timing. Written by {RECORD}; do not edit."


class Failure(Exception):
    """A workload or file that could not be run, read or written; the text says why."""


@dataclass(frozen=True)
class Row:
    cycles: int
    utilization: float


@dataclass(frozen=True)
class Difference:
    kind: str  # slower, faster, new, gone
    name: str
    configuration: str
    recorded: int | None
    measured: int | None

    def text(self):
        where = f"{self.name} on {self.configuration}"
        if self.kind == "new":
            return f"{where}: {self.measured:,} cycles, not recorded"
        if self.kind == "gone":
            return f"{where}: recorded with {self.recorded:,} cycles, but there is no such workload any more"
        return f"{where}: {self.recorded:,} -> {self.measured:,} cycles ({change(self.recorded, self.measured)})"


def change(old, new):
    """The change in percent: "+0.4 %"."""
    return f"{100 * (new - old) / old:+.1f} %"


def parse(text, name):
    """Parses the table in a baseline file."""
    try:
        data = json.loads(text)
        return {
            configuration: {row: Row(values["cycles"], values["utilization"]) for row, values in rows.items()}
            for configuration, rows in data["rows"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{name}: no baseline ({type(error).__name__}: {error}); write it again with {RECORD}") from error


def read(path=FILE):
    try:
        return parse(Path(path).read_text(), path)
    except OSError as error:
        raise Failure(f"cannot read the baseline: {error}; {RECORD} writes it") from error


def text_of(table):
    """Formats the file: one line per row, so that differences between versions are readable."""
    blocks = []
    for configuration, rows in table.items():
        lines = [
            f'      {json.dumps(name)}: {{"cycles": {row.cycles}, "utilization": {row.utilization:.4f}}}'
            for name, row in rows.items()
        ]
        blocks.append(f"    {json.dumps(configuration)}: {{\n" + ",\n".join(lines) + "\n    }")
    return f'{{\n  "about": {json.dumps(ABOUT)},\n  "rows": {{\n' + ",\n".join(blocks) + "\n  }\n}\n"


def compare(recorded, measured, complete):
    """Differences of one configuration's rows; `complete` if `measured` has all rows."""
    found = []

    def add(kind, name, configuration):
        old, new = recorded.get(configuration, {}).get(name), measured[configuration].get(name)
        found.append(Difference(kind, name, configuration, old and old.cycles, new and new.cycles))

    for configuration, rows in measured.items():
        known = recorded.get(configuration, {})
        for name, row in rows.items():
            if name not in known:
                add("new", name, configuration)
            elif row.cycles != known[name].cycles:
                add("slower" if row.cycles > known[name].cycles else "faster", name, configuration)
        for name in known if complete else ():
            if name not in rows:
                add("gone", name, configuration)
    return found


def report(program, *arguments):
    """The JSON of a `systole` command."""
    words = [str(program), *arguments, "--json", "-"]
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failure(f"cannot run {program}: {error}; scripts/build makes it") from error
    if done.returncode:
        raise Failure(f"{' '.join(words)}\n{done.stderr.strip() or f'exit code {done.returncode}'}")
    return json.loads(done.stdout)


def cores(program):
    """The configurations with a Verilated core in this build."""
    return report(program, "info", "--device", "model")["cores"]


def rows_of(results):
    return {run["name"]: Row(run["cycles"], round(run["utilization"], 4)) for run in results}


def measure(program, configuration, everything):
    """Rows of a configuration: the small workloads and the layers of the digits network, or all rows."""
    shared = ("--config", configuration, "--device", "rtl")
    rows = rows_of(report(program, "bench", "--all" if everything else "--small", *shared)["results"])
    for layer in report(program, "digits", "--count", "1", *shared)["layers"]:
        rows[f"digits_{layer['name']}"] = Row(layer["cycles"], round(layer["utilization"], 4))
    return rows
