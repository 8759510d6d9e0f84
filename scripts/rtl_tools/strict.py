# SPDX-License-Identifier: Apache-2.0
"""Checks a module with slang, a strict SystemVerilog front end that shares no code with Verilator and Yosys. Runs in
the environment that `scripts/setup yosys` makes: strict.py TOP INCLUDE-FOLDER NAME=VALUE... FILE... Exit code 1, with
its messages, if it complains."""
import sys

import pyslang

# useless-cast: a cast that one size of the machine does not need, another does.
# sign-conversion: the blocks give vectors of bits their sign by assigning them.
# packed-array-conv: a row is an array of lanes in one module and a vector in another; the widths must agree.
ALLOWED = ["-Wno-sign-conversion", "-Wno-useless-cast", "-Wno-packed-array-conv"]
WARNINGS = ["-Wextra", "-Wpedantic", "-Wconversion", *ALLOWED, "-Werror"]


def main(top, include, *words):
    driver = pyslang.driver.Driver()
    driver.addStandardArgs()
    words = [word for given in words for word in (["-G", given] if "=" in given else [given])]
    line = " ".join(["slang", *WARNINGS, "--top", top, "-DSYNTHESIS", f"-I{include}", *words])
    if not driver.parseCommandLine(line) or not driver.processOptions() or not driver.parseAllSources():
        return 1
    return 0 if driver.runFullCompilation(quiet=True) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
