# SPDX-License-Identifier: Apache-2.0
"""Rules for single RTL files. Every function returns the violations of one file."""
import re

MAX_LINES = 400
SPDX = "// SPDX-License-Identifier: Apache-2.0"


def generated(text):
    return "// Generated from isa/spec" in text


def length(path, text):
    lines = text.count("\n")
    if lines > MAX_LINES and not generated(text):
        yield f"{path}: {lines} lines, more than {MAX_LINES}"


def header(path, text):
    lines = text.split("\n")
    if lines[0] != SPDX:
        yield f"{path}:1: the first line is not '{SPDX}'"
    if len(lines) < 2 or not re.match(r"// \w", lines[1]):
        yield f"{path}:2: no header comment after the license line"


def names(path, text):
    declared = re.findall(r"^(?:module|package)\s+(\w+)", text, re.M)
    if path.suffix == ".sv" and declared != [path.stem]:
        yield f"{path}: declares {', '.join(declared) or 'nothing'} instead of {path.stem} alone"


def generate_blocks(path, text):
    """Verilator 5.006 accepts a generate block without a name, later ones do not."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(end )?(else )?((if|for) \(.*\)|else) (assign|always\w*|for \(genvar)\b", line):
            yield f"{path}:{number}: a generate block without a name; write begin : gen_..."


RULES = (length, header, names, generate_blocks)


def check(path, text):
    return [complaint for rule in RULES for complaint in rule(path, text)]
