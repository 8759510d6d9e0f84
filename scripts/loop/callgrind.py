# SPDX-License-Identifier: Apache-2.0
"""Reads what `valgrind --tool=callgrind --dump-instr=yes` wrote, and the statement that each instruction was made
from."""
import collections
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

MODEL = re.compile(r"(.*/verilated/tpu_core_\w+/\S+\.(?:cpp|h)):(\d+)")


@dataclass(frozen=True)
class Place:
    function: str
    statement: str  # of a Verilated model, where the program has line numbers; otherwise empty


def places(profile, program):
    """A place and its instructions, for each address."""
    costs = addresses(profile, program)
    lines = lines_of(program, sorted({address for _, address in costs if address}))
    for (function, address), count in costs.items():
        yield Place(function, statement(lines.get(address, ()))), count


def addresses(profile, program):
    """Instructions by function and by address in the program; in libraries by function alone."""
    names, costs = {}, collections.Counter()
    function = where = None
    last, inclusive = 0, False
    for line in profile.open():
        named = re.match(r"(ob|fn|cob|cfn)=\((\d+)\)(?: (.*))?$", line)
        if named:
            kind = named[1][-2:]
            if named[3]:
                names[kind, named[2]] = named[3]
            if named[1] == "ob":
                where = names[kind, named[2]]
            elif named[1] == "fn":
                function = names[kind, named[2]]
        elif line.startswith("calls="):
            inclusive = True  # the next line is what the function called cost
        elif line[0] in "0123456789+-*":
            word, _, count = line.split()
            last = last if word == "*" else last + int(word, 0) if word[0] in "+-" else int(word, 0)
            if not inclusive:
                costs[function, last if Path(where).name == program.name else 0] += int(count)
            inclusive = False
    return costs


def lines_of(program, wanted):
    """Address to the chain of files and lines, that of the innermost inlined function first."""
    asked = "\n".join(map(hex, wanted))
    told = subprocess.run(["addr2line", "-e", program, "-i", "-a"], input=asked, capture_output=True, text=True).stdout
    found, address = {}, None
    for line in told.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            address = int(line, 16)
            found[address] = []
        else:
            found[address].append(line)
    return found


def statement(chain):
    for place in chain:
        found = MODEL.match(place)
        if found:
            return statement_at(found[1], int(found[2]))
    return ""


@lru_cache(maxsize=None)
def statement_at(file, number):
    """The whole statement that has a part in this line."""
    lines = source(file)
    ends = re.compile(r"[;{}]\s*$")
    first = last = min(number, len(lines)) - 1
    while first > 0 and not ends.search(lines[first - 1]):
        first -= 1
    while 0 <= last < len(lines) - 1 and not ends.search(lines[last]):
        last += 1
    return " ".join(line.strip() for line in lines[max(first, 0) : last + 1])


@lru_cache(maxsize=None)
def source(file):
    try:
        return Path(file).read_text().split("\n")
    except OSError:
        return []
