# SPDX-License-Identifier: Apache-2.0
"""Which lines of the RTL are design and which are checks."""
import re
from functools import cache
from pathlib import Path


@cache
def lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text().splitlines())


def text(path: Path, line: int) -> str:
    """The line without comment and indentation: it identifies a place in the file while lines above it move."""
    return re.sub(r"\s*//.*", "", lines(path)[line - 1]).strip()


@cache
def checking_lines(path: Path) -> frozenset[int]:
    """Lines that only simulations read: files that say so in their header, `ifndef SYNTHESIS, and assertions, whose
    branches a correct design never takes. They have tests of their own, which inject the errors that they detect."""
    source = lines(path)
    header = source[: next((i for i, line in enumerate(source) if line.startswith("module ")), 0)]
    if any("Simulation only" in line for line in header):
        return frozenset(range(1, len(source) + 1))
    found: set[int] = set()
    conditions: list[
        bool | None
    ] = []  # of the open `ifs: true where only simulations read, none where it is about something else
    depth = 0  # of the brackets of an assertion
    for number, line in enumerate(source, 1):
        words = line.split()
        if words and words[0] in ("`ifdef", "`ifndef"):
            conditions.append(words[0] == "`ifndef" if words[1] == "SYNTHESIS" else None)
        elif words and words[0] == "`else" and conditions[-1] is not None:
            conditions[-1] = not conditions[-1]
        elif words and words[0] == "`endif":
            conditions.pop()
        if any(conditions) or depth > 0 or words and words[0].startswith("`TPU_ASSERT"):
            found.add(number)
        if depth > 0 or words and words[0].startswith("`TPU_ASSERT"):
            code = text(path, number)
            depth += code.count("(") - code.count(")")
    return frozenset(found)
