# SPDX-License-Identifier: Apache-2.0
"""Checks a module with slang, a strict SystemVerilog front end that shares no code with Verilator and Yosys:
strict.py TOP INCLUDE-FOLDER NAME=VALUE... FILE... Exit code 1, with its messages, if it complains."""
import sys

import front_end

# useless-cast: a cast that one size of the machine does not need, another does.
# sign-conversion: the blocks give vectors of bits their sign by assigning them.
WARNINGS = ["-Wextra", "-Wpedantic", "-Wconversion", "-Wno-sign-conversion", "-Wno-useless-cast", "-Werror"]


def main(top, include, *words):
    driver = front_end.driver(top, include, words, WARNINGS)
    return 0 if driver and driver.runFullCompilation(quiet=True) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
