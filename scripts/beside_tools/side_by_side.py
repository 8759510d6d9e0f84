# SPDX-License-Identifier: Apache-2.0
"""The works, the rows of the table, and the table as text and as data."""
import re
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 64  # pictures in a training step


class Missing(Exception):
    """Why something cannot be measured here, in words."""


@dataclass(frozen=True)
class Work:
    title: str
    macs: int  # useful multiply-accumulates, the same for everyone


def cnn_macs():
    """Of a picture: two convolutions of 3 x 3 without padding, two dense layers (`systole train --network cnn`)."""
    first = 26 * 26 * 32 * 9
    return first, first + 11 * 11 * 64 * 9 * 32 + 5 * 5 * 64 * 128 + 128 * 10


def step_macs():
    """Forward, gradients of the weights, and of the inputs but for the pictures'."""
    first, all_layers = cnn_macs()
    return BATCH * (3 * all_layers - first)


WORKS = {
    "resnet50": Work("ResNet-50, 224 x 224", 4_089_184_256),
    "mobilenetv2": Work("MobileNetV2, 224 x 224", 300_774_272),
    "bert_base_128": Work("BERT encoder, 128 tokens", 11_173_625_856),
    "cnn": Work("MNIST CNN, a picture", cnn_macs()[1]),
    "cnn_step": Work(f"MNIST CNN, a training step of {BATCH}", step_macs()),
}


@dataclass(frozen=True)
class Settings:
    threads: int
    seconds: float  # of repeating
    clock: float | None  # of the CPU, GHz


@dataclass(frozen=True)
class Row:
    work: str
    by: str
    arithmetic: str
    seconds: float
    macs: int
    clock: float | None = None  # GHz
    cycles: int | None = None  # where they are counted, not derived from a time

    def macs_per_second(self):
        return self.macs / self.seconds

    def macs_per_cycle(self):
        if self.cycles is not None:
            return self.macs / self.cycles
        return None if self.clock is None else self.macs_per_second() / (self.clock * 1e9)


def core_row(work, run, clock):
    """A run on the core, at a clock of so many GHz."""
    cycles = run["cycles"]
    return Row(work, "systole", run["arithmetic"], cycles / (clock * 1e9), WORKS[work].macs, clock, cycles)


def timed(call, seconds):
    """The median time of a call, after two calls that are not measured."""
    for _ in range(2):
        call()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def cpu_clock(path="/proc/cpuinfo"):
    """What the system says that the CPU runs at, in GHz: nominal on most virtual machines. None if it does not say."""
    try:
        found = re.findall(r"^cpu MHz\s*:\s*([\d.]+)", Path(path).read_text(), re.M)
    except OSError:
        return None
    return max(map(float, found)) / 1000 if found else None


def duration(seconds):
    """Three significant digits in a unit that fits: "16.4 ms"."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            value = seconds / size
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {unit}"


def rate(per_second):
    return f"{per_second / 1e9:,.1f} G"


def synthesis_period(page=ROOT / "rtl/synthesis.md"):
    """The longest path of the core on an ECP5, ns, as the page has it: what it could be clocked at without other
    work on its paths."""
    found = re.search(r"^\| tiny \| ECP5 \|.*\| ([\d.]+) ns", Path(page).read_text(), re.M)
    if found is None:
        raise Missing(f"{page}: has no longest path of tiny on an ECP5")
    return float(found.group(1))


def columns():
    clock = f"time at {1e3 / synthesis_period():.1f} MHz"
    return "work", "by", "arithmetic", "cycles", "time", clock, "MACs/s", "MACs/cycle"


def cells(row):
    per_cycle = row.macs_per_cycle()
    return (
        WORKS[row.work].title,
        row.by,
        row.arithmetic,
        "-" if row.cycles is None else f"{row.cycles:,}",
        duration(row.seconds),
        "-" if row.cycles is None else duration(row.cycles * synthesis_period() * 1e-9),
        rate(row.macs_per_second()),
        "-" if per_cycle is None else f"{per_cycle:,.1f}",
    )


def table(rows):
    """A work's name stands in its first line only."""
    lines, before = [columns()], None
    for row in rows:
        line = cells(row)
        lines.append(("", *line[1:]) if row.work == before else line)
        before = row.work
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = []
    for line in lines:
        words = (word.ljust(width) if i < 3 else word.rjust(width) for i, (word, width) in enumerate(zip(line, widths)))
        text.append("  ".join(words).rstrip())
    return "\n".join(text)


def notes(rows, clock, threads, given_cpu_clock):
    lines = []
    if any(row.cycles is not None for row in rows):
        lines.append(
            f"core     cycles of the simulated RTL, the same everywhere; its time is that of a {clock:g} GHz clock, "
            f"and of one of {1e3 / synthesis_period():.1f} MHz, which synthesis for an FPGA supports (rtl/synthesis.md)"
        )
    clocks = {row.clock for row in rows if row.cycles is None and row.by.endswith("CPU") and row.clock}
    if clocks:
        source = "as given" if given_cpu_clock else "as /proc/cpuinfo has it, nominal on most virtual machines"
        lines.append(f"CPU      {threads} threads together; MACs/cycle from the time and {max(clocks):g} GHz, {source}")
    lines.append("MACs     useful ones of the published shapes; times of CPU and GPU are medians, and of this machine")
    return "\n".join(lines)


def document(rows, skipped, clock):
    """The table for programs."""
    return {
        "core_clock_ghz": clock,
        "synthesis_clock_ghz": 1 / synthesis_period(),
        "rows": [
            {**asdict(row), "macs_per_second": row.macs_per_second(), "macs_per_cycle": row.macs_per_cycle()}
            for row in rows
        ],
        "skipped": skipped,
    }
