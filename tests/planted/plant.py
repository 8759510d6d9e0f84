#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Adds a kind of operator and an element-wise function to a copy of the source, as CONTRIBUTING.md has it, and counts
the files that are written by hand: those of planted.patch. All other files that change are generated.

  plant.py            counts, and checks the C++ of the graph and the host without making code
  plant.py --run      builds test_planted in the copy, too, and runs it: minutes"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "walk"))
import walk

PATCH = HERE / "planted.patch"
KINDS = "driver/compiler/graph/kinds.toml"
BY_HAND = {
    "the kind": [KINDS, "driver/compiler/host/extra/execute_trace.cpp"],
    "the function": [KINDS, "sim/golden/functions/nonlinearities.hpp"],
}
ROOMS = ["include", "driver/compiler/graph", "driver/compiler/host", "sim/golden"]
UNITS = [
    "driver/compiler/graph/kind_rules.cpp",
    "driver/compiler/graph/attribute_listings.cpp",
    "driver/compiler/graph/function_names.cpp",
    "driver/compiler/graph/type_checks.cpp",
    "driver/compiler/host/execute.cpp",
    "driver/compiler/host/execute_binary32_elements.cpp",
    "driver/compiler/host/extra/execute_trace.cpp",
]


def run(*words, cwd):
    """Ends with the output of a command that fails."""
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def changed(tree):
    return [line[3:] for line in walk.git(tree, "status", "--porcelain", "-uall").splitlines()]


def complaints(tree):
    written = {
        path for path in re.findall(r"^\+\+\+ b/(\S+)", PATCH.read_text(), re.M) if not path.startswith("tests/")
    }
    expected = {path for paths in BY_HAND.values() for path in paths}
    if written != expected:
        yield f"the patch changes {', '.join(sorted(written))}; expected {', '.join(sorted(expected))}"
    walk.git(tree, "apply", str(PATCH))
    by_patch = set(changed(tree))
    run("scripts/gen/generate", cwd=tree)
    for path in sorted(set(changed(tree)) - by_patch):
        if "Generated from" not in "".join((tree / path).read_text().splitlines(keepends=True)[:3]):
            yield f"{path} changed and is not generated"
    run("scripts/gen/generate", "--check", cwd=tree)


def build(tree):
    """Builds and runs the test that the patch brings along."""
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DSYSTOLE_RTL=OFF"]
    run("cmake", "-S", tree, "-B", tree / "build", *options, cwd=tree)
    run("cmake", "--build", tree / "build", "--target", "test_planted", "-j", min(2, os.cpu_count() or 1), cwd=tree)
    print(run(tree / "build/bin/test_planted", "--gtest_brief=1", cwd=tree), end="")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true")
    args = parser.parse_args(arguments)
    try:
        walk.git(ROOT, "rev-parse", "--is-inside-work-tree")
    except (OSError, subprocess.CalledProcessError):
        print("planted kind: skipped, the source is not in a git repository")
        return walk.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        walk.copy_source(tree)
        found = list(complaints(tree))
        print("".join(f"{complaint}\n" for complaint in found), end="")
        if args.run:
            build(tree)
        else:
            for unit in UNITS:
                includes = [f"-I{room}" for room in ROOMS]
                run("c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *includes, unit, cwd=tree)
    for what, paths in BY_HAND.items():
        print(f"{what}: {len(paths)} files, {', '.join(paths)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
