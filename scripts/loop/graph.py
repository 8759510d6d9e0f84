# SPDX-License-Identifier: Apache-2.0
"""Finds the programs affected by an edit from the build system: Ninja's graph lists the RTL files of every Verilated
model, Ninja's log of compiler dependencies the headers of every object, CTest the program of every test."""
import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from baseline import Failure

SYSTEM = "systole"  # the program that runs the workloads


@dataclass(frozen=True)
class Test:
    name: str
    target: str  # for Ninja, relative to the build tree
    inputs: frozenset = field(repr=False)


def tool(build, *words):
    done = subprocess.run(["ninja", "-C", str(build), *words], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"ninja {' '.join(words)} in {build}: {(done.stdout + done.stderr).strip()}")
    return [line for line in done.stdout.splitlines() if not line.startswith("ninja: Entering")]


def header_map(build):
    """Object file to the files that the compiler read for it; only for objects that have been built."""
    headers, files = {}, []
    for line in tool(build, "-t", "deps"):
        if line.startswith(" "):
            files.append(line.strip())
        elif ": #deps" in line:
            files = headers[line.split(": #deps")[0]] = []
    return headers


def programs(build):
    """Test name to the program that CTest starts for it. CTest does not list programs that are not built yet."""
    found = {}
    nested = [
        path.parent for path in build.rglob("CMakeCache.txt") if path.parent != build
    ]  # build trees that tests make
    for path in build.rglob("CTestTestfile.cmake"):
        if any(path.is_relative_to(tree) for tree in nested):
            continue
        found.update(re.findall(r'^add_test\(\[=\[(.+?)\]=\] "([^"]+)"', path.read_text(), re.M))
    return found


def registered_tests(build, labels):
    """Name and program of the CTest tests with one of the labels whose program belongs to this build, not one that a
    test has installed or built inside it."""
    done = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"ctest in {build}: {done.stderr.strip()}")
    started = programs(build)
    made = {line.rpartition(": ")[0] for line in tool(build, "-t", "targets", "all")}
    for test in json.loads(done.stdout)["tests"]:
        own = {label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]}
        program = started.get(test["name"])
        target = program and os.path.relpath(program, build)
        if own & set(labels) and target in made:
            yield test["name"], target


class Graph:
    """The graph of one configured build tree, read at construction."""

    def __init__(self, build, labels):
        self.build = build.resolve()
        self._headers = header_map(build)
        self.tests = [
            Test(name, target, self._inputs(target)) for name, target in sorted(registered_tests(self.build, labels))
        ]
        self.system = Test(SYSTEM, f"bin/{SYSTEM}", self._inputs(f"bin/{SYSTEM}"))

    def _inputs(self, target):
        """Absolute paths of all files that the program is built from."""
        found = set()
        for path in tool(self.build, "-t", "inputs", target):
            for name in (path, *self._headers.get(path, ())):
                found.add(os.path.normpath(self.build / name))
        return frozenset(found)

    def touched(self, files):
        """Tests whose program depends on one of the files, the smallest models first, and whether the system does."""
        changed = {str(Path(file).resolve()) for file in files}
        tests = [test for test in self.tests if test.inputs & changed]
        return sorted(tests, key=lambda test: (rtl_files(test), test.name)), bool(self.system.inputs & changed)


def rtl_files(test):
    return sum(path.endswith(".sv") for path in test.inputs)
