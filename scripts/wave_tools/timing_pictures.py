# SPDX-License-Identifier: Apache-2.0
"""The timing diagrams of rtl/timing: each is drawn from a run of the RTL described in pictures.toml, so it always shows
the actual behaviour."""
import re
import sys
import tempfile
import tomllib
from pathlib import Path
from subprocess import run as run_process

from common import PERIOD, ROOT, Refused, build_folder, program, wave_values
from waveform import draw

FOLDER = ROOT / "rtl/timing"


class Recording:
    """Value of each signal in each cycle, as sampled by the clock edge at its end."""

    def __init__(self, build, fst):
        self.build, self.fst = build, fst
        known = wave_values(build, fst)
        self.signals = set(known["signals"])
        self.cycles = range(known["first_time"] // PERIOD, known["last_time"] // PERIOD + 1)
        self.read = {}

    def full_name(self, signal):
        """The signal's name in the file; its range may be left out."""
        name = f"TOP.tpu_core.{signal}"
        found = [n for n in self.signals if n == name or re.fullmatch(re.escape(name) + r"\[\d+:\d+\]", n)]
        if found:
            return found[0]
        raise Refused(f"pictures.toml: there is no signal {signal} in the core")

    def load(self, signals):
        names = {signal: self.full_name(signal) for signal in signals}
        values = wave_values(self.build, self.fst, *names.values())
        for signal, name in names.items():
            changes, at, current, per_cycle = values[name], 0, None, {}
            for cycle in self.cycles:
                while at < len(changes) and changes[at][0] <= cycle * PERIOD:
                    current = changes[at][1]
                    at += 1
                per_cycle[cycle] = int(current, 2)
            self.read[signal] = per_cycle

    def value(self, signal, cycle):
        return self.read[signal][cycle]


def record(build, arguments, folder):
    fst = Path(folder) / "picture.fst"
    done = run_process([program(build, "systole"), *arguments, "--trace", str(fst)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Refused(f"systole {' '.join(arguments)}: {done.stderr.strip()}")
    return fst


def rises(recording, wanted, cycles):
    """The cycles in which the signals get the wanted values."""
    holds = lambda cycle: all(recording.value(signal, cycle) == value for signal, value in wanted.items())
    return (cycle for cycle in cycles if holds(cycle) and not holds(cycle - 1))


def anchor(picture, recording):
    """The cycle of the diagram: the nth one in which its condition becomes true. Before the reset has arrived,
    registers have any value, so a condition that is not about the reset itself counts from the first doorbell on."""
    condition = picture["anchor"]
    wanted = {signal: value for signal, value in condition.items() if signal != "nth"}
    recording.load([*wanted, "doorbell"])
    cycles = recording.cycles[1:]
    if "rst_ni" not in wanted:
        begin = next(rises(recording, {"doorbell": 1}, cycles), None)
        if begin is None:
            raise Refused(f"picture {picture['name']}: no doorbell is written in the run")
        cycles = range(begin, cycles[-1] + 1)
    seen = 0
    for cycle in rises(recording, wanted, cycles):
        seen += 1
        if seen == condition.get("nth", 1):
            return cycle
    raise Refused(f"picture {picture['name']}: {wanted} holds {seen} times, not {condition.get('nth', 1)}")


def enum_names(name):
    """Value to name, of a translate file."""
    lines = (ROOT / "waves/enums" / f"{name}.txt").read_text().splitlines()
    return {int(value, 16): text for value, text in (line.split(" ", 1) for line in lines)}


def text_of(row, value):
    if "enum" in row:
        return enum_names(row["enum"]).get(value, hex(value))
    form = row.get("form", "dec")
    if form == "int" and value >> row["bits"] - 1:
        value -= 1 << row["bits"]
    return f"{value:x}" if form == "hex" else str(value)


def read_row(row, recording, cycles):
    """Values of a row: a number per cycle, and for a vector the displayed text; None where it is meaningless."""
    low, width = row.get("low", 0), row.get("bits")
    result = []
    for cycle in cycles:
        value = recording.value(row["signal"], cycle) >> low
        value = value & (1 << width) - 1 if width else value
        valid = "when" not in row or recording.value(row["when"], cycle) == 1
        result.append(value if valid else None)
    return result


def make(picture, recording):
    at = anchor(picture, recording)
    cycles = range(at - picture["before"], at + picture["after"] + 1)
    if cycles[0] < recording.cycles[0] or cycles[-1] > recording.cycles[-1]:
        raise Refused(f"picture {picture['name']}: cycles {cycles[0]} to {cycles[-1]} are not all in the run")
    rows = [row for row in picture["row"] if "signal" in row]
    recording.load([row["signal"] for row in rows] + [row["when"] for row in rows if "when" in row])
    drawn = []
    for row in picture["row"]:
        if "signal" not in row:
            drawn.append({"title": row["title"]})
            continue
        values = read_row(row, recording, cycles)
        vector = "bits" in row and row["bits"] > 1 or "form" in row or "enum" in row
        texts = [None if v is None else text_of(row, v) for v in values]
        drawn.append({"label": row["label"], "vector": vector, "values": values, "texts": texts})
    return draw(picture["title"], drawn, -picture["before"], picture.get("marks", []), picture.get("cell", 30))


def pictures(build):
    """File name and text of every picture."""
    described = tomllib.loads((FOLDER / "pictures.toml").read_text())
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        recordings = {}
        for picture in described["picture"]:
            key = tuple(picture.get("run", described["run"]))
            if key not in recordings:
                place = Path(folder) / str(len(recordings))
                place.mkdir()
                recordings[key] = Recording(build, record(build, key, place))
            result[f"{picture['name']}.svg"] = make(picture, recordings[key])
    return result


def main(options):
    build = build_folder(options.build)
    stale = []
    for name, text in pictures(build).items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if not options.check:
                path.write_text(text)
    if options.check and stale:
        print(
            f"not what the RTL does any more: {', '.join(stale)}; look at what changed after scripts/waves --pictures",
            file=sys.stderr,
        )
        return 1
    print("up to date" if options.check else f"written: {', '.join(stale) or 'nothing new'}")
    return 0
