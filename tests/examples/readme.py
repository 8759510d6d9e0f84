#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The outputs on the examples' page are those of the programs: readme.py BUILD [--update]

Every block of the page that begins with `$ build/release/...` is a command of the build directory and what it
prints."""
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "examples/README.md"
BLOCK = re.compile(r"(?<=^```\n)\$ build/release/(.*)\n((?:(?!```).*\n)*)(?=```$)", re.MULTILINE)


def main():
    build, update = Path(sys.argv[1]), "--update" in sys.argv[2:]
    page = PAGE.read_text()
    outputs = []

    def run(block):
        command = block.group(1).split()
        result = subprocess.run([build / command[0], *command[1:]], capture_output=True, text=True)
        outputs.append((block.group(1), block.group(2), result.stdout + result.stderr))
        return f"$ build/release/{block.group(1)}\n{result.stdout}{result.stderr}"

    updated = BLOCK.sub(run, page)
    if update:
        PAGE.write_text(updated)
        return 0
    for command, expected, actual in outputs:
        if expected != actual:
            print(f"{PAGE}: $ {command}\nthe page says\n{expected}the program says\n{actual}")
    if not outputs:
        print(f"{PAGE}: no command; a block of one begins with `$ build/release/`")
    return 0 if outputs and updated == page else 1


if __name__ == "__main__":
    sys.exit(main())
