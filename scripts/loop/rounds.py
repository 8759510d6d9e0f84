# SPDX-License-Identifier: Apache-2.0
"""One round of the edit loop: build and run what an edit affects, block tests first, then the system, and compare
cycles with those recorded in the last commit."""
import json
import re
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

import baseline
from graph import SYSTEM, Graph

LABELS = ("rtl", "unit")
HEADLINES = ("matmul_64", "conv3x3_16x16x64")  # shown even when nothing changed
TELLING = re.compile(
    r"%Error|error:|undefined reference|Failure|\[  FAILED  \] [^\d]|Assertion|differ|mismatch|terminate called", re.I
)


@dataclass
class Block:
    name: str
    result: str = "pass"  # pass, fail, does not build
    build_seconds: float = 0
    run_seconds: float = 0
    log: str = ""
    lines: list = field(default_factory=list)


@dataclass
class Workload:
    name: str
    result: str  # same, slower, faster, new, different (from the golden model)
    cycles: int
    recorded: int | None
    utilization: float
    recorded_utilization: float | None


@dataclass
class System:
    config: str
    result: str = "pass"  # pass, fail, does not build
    build_seconds: float = 0
    run_seconds: float = 0
    log: str = ""
    lines: list = field(default_factory=list)
    workloads: list = field(default_factory=list)


@dataclass
class Round:
    files: list
    against: str
    blocks: list = field(default_factory=list)
    system: System | None = None
    user_seconds: float = 0

    def bad(self):
        """Names of failed and slower items."""
        names = [block.name for block in self.blocks if block.result != "pass"]
        if self.system:
            names += [SYSTEM] if self.system.result != "pass" else []
            names += [
                f"{w.name} on {self.system.config}"
                for w in self.system.workloads
                if w.result in ("slower", "different")
            ]
        return names

    def as_json(self):
        return {**asdict(self), "ok": not self.bad()}


def recorded(root):
    """The baseline of the last commit, and its name."""
    name = baseline.FILE.relative_to(baseline.ROOT)
    show = subprocess.run(["git", "-C", str(root), "show", f"HEAD:./{name}"], capture_output=True, text=True)
    if show.returncode == 0:
        commit = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        )
        return baseline.parse(show.stdout, f"{name} of the last commit"), f"commit {commit.stdout.strip()}"
    return baseline.read(root / name), f"{name}, which is in no commit"


def telling(output, most=8):
    """The error lines of a log, or its end if there are none."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    found = []
    for i, line in enumerate(lines):
        if TELLING.search(line) and line not in found:
            found += [line] + [after for after in lines[i + 1 : i + 3] if line.endswith("Failure")]
    return (found or lines[-most:])[:most]


class Loop:
    """Rounds over one build tree. Failed tests are run again in every round until they pass."""

    def __init__(self, root, build, runner, shown=lambda round_: None, system=True):
        self.root, self.build, self.runner, self.shown, self.system = root, build, runner, shown, system
        self.failing = set()
        self._graph = None

    def graph(self):
        """The graph of the current tree: Ninja configures again first if a list of files has changed."""
        self._ninja("build.ninja", "configuring")
        stamp = tuple(
            (self.build / name).stat().st_mtime_ns if (self.build / name).exists() else 0
            for name in ("build.ninja", ".ninja_deps")
        )
        if self._graph is None or self._graph[0] != stamp:
            self._graph = stamp, Graph(self.build, LABELS)
        return self._graph[1]

    def _ninja(self, target, label):
        log = self.build / "watch" / f"build_{Path(target).name}.log"
        done = self.runner.run(["ninja", "-C", self.build, *target.split()], log, label)
        if target == "build.ninja" and done.code:
            raise baseline.Failure(f"{self.build} cannot be configured:\n" + "\n".join(telling(done.output, 20)))
        return done, log

    def build_all(self):
        """Builds everything that a round may need, so that later rounds are quick."""
        graph = self.graph()
        targets = " ".join([*(test.target for test in graph.tests), *([graph.system.target] if self.system else [])])
        log = self.build / "watch" / "build_all.log"
        self.runner.run(
            ["ninja", "-C", self.build, "-k", "0", *targets.split()], log, "first build; later rounds take seconds "
        )

    def round(self, files):
        table, against = recorded(self.root)
        result = Round([str(Path(file).resolve().relative_to(self.root)) for file in files], against)
        graph = self.graph()
        tests, system = graph.touched(files)
        again = [test for test in graph.tests if test.name in self.failing and test not in tests]
        for test in again + tests:
            self._block(result, test)
            self.shown(result)
        if self.system and (system or SYSTEM in self.failing):
            self._system(result, table)
        self.failing = set(result.bad()) & {SYSTEM, *(test.name for test in graph.tests)}
        return result

    def _block(self, result, test):
        block = Block(test.name)
        result.blocks.append(block)
        self.shown(result)
        done, log = self._ninja(test.target, f"building {test.name}")
        block.build_seconds, block.log = round(done.seconds, 1), str(log)
        result.user_seconds += done.user
        if done.code:
            block.result = "does not build"
        else:
            log = self.build / "watch" / f"{test.name}.log"
            words = [
                "ctest",
                "--test-dir",
                self.build,
                "-R",
                f"^{re.escape(test.name)}$",
                "--output-on-failure",
                "--no-tests=error",
            ]
            done = self.runner.run(words, log, f"running {test.name}")
            block.run_seconds, block.log = round(done.seconds, 1), str(log)
            result.user_seconds += done.user
            block.result = "fail" if done.code else "pass"
        block.lines = telling(done.output) if block.result != "pass" else []

    def _system(self, result, table):
        done, log = self._ninja(f"bin/{SYSTEM}", f"building {SYSTEM}")
        result.user_seconds += done.user
        system = result.system = System("", build_seconds=round(done.seconds, 1), log=str(log))
        if done.code:
            system.result, system.lines = "does not build", telling(done.output)
            return
        program = self.build / "bin" / SYSTEM
        cores = baseline.cores(program)
        if not cores:
            raise baseline.Failure(f"{self.build} has no Verilated core: SYSTOLE_CORES names none")
        system.config = "default" if "default" in cores else cores[0]
        log, report = self.build / "watch" / "bench.log", self.build / "watch" / "bench.json"
        report.unlink(missing_ok=True)
        done = self.runner.run(
            [program, "bench", "--quick", "--small", "--config", system.config, "--json", report],
            log,
            f"running {SYSTEM}",
        )
        result.user_seconds += done.user
        system.run_seconds, system.log = round(done.seconds, 1), str(log)
        if done.code:
            system.result, system.lines = "fail", telling(done.output)
        if report.exists():
            rows = table.get(system.config, {})
            system.workloads = [
                workload(run, rows.get(run["name"])) for run in json.loads(report.read_text())["results"]
            ]


def workload(run, known):
    if not run["bit_exact"]:
        result = "different"
    elif known is None:
        result = "new"
    else:
        result = "same" if run["cycles"] == known.cycles else "slower" if run["cycles"] > known.cycles else "faster"
    return Workload(
        run["name"],
        result,
        run["cycles"],
        known and known.cycles,
        round(run["utilization"], 4),
        known and known.utilization,
    )
