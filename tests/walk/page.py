# SPDX-License-Identifier: Apache-2.0
"""The walk as the page has it: commands and what they print, comparison with what was really printed, new text of the
page.

In a fenced block a line `$ command` is a command (a backslash at its end continues it), the lines after it are what it
prints; `...` stands for any number of left-out lines. Figures with a unit of time or a rate may differ, all else is
exact: cycles, too. A command whose exit code is not zero is followed by `$ echo $?`. A block ```diff quotes lines of
the patch."""
import difflib
import re
from dataclasses import dataclass, field

HEADING = "## A first walk"
LEFT_OUT = "..."
TIMING = re.compile(r"\b\d[\d,.]* ?(s|ms|sec|[kM]?Hz|[kMG]?MAC/s)\b")


class BadPage(Exception):
    """The page is not written as the walk expects it."""


@dataclass
class Command:
    step: str
    line: int  # of the `$`, from 1
    text: str
    first: int = 0  # its output is lines[first:end] of the page, from 0
    end: int = 0
    expected: list = field(default_factory=list)
    asks_code: bool = False  # `$ echo $?` follows


def fences(lines):
    """(step, language, first, end) of each fenced block of the section: its contents are lines[first:end]."""
    if HEADING not in lines:
        raise BadPage(f"the page has no section `{HEADING}`")
    step, at = HEADING.lstrip("# "), lines.index(HEADING) + 1
    while at < len(lines) and not lines[at].startswith("## "):
        if lines[at].startswith("### "):
            step = lines[at].lstrip("# ")
        if lines[at].startswith("```"):
            first = at + 1
            at = first
            while at < len(lines) and lines[at] != "```":
                at += 1
            if at == len(lines):
                raise BadPage(f"line {first}: the block does not end")
            yield step, lines[first - 1][3:].strip(), first, at
        at += 1


def commands(text):
    """The commands of the walk in order."""
    lines, found = text.splitlines(), []
    for step, language, first, end in fences(lines):
        if language:
            continue
        if first == end or not lines[first].startswith("$ "):
            raise BadPage(f"line {first + 1}: a block of the walk begins with `$ command`")
        at, block = first, []
        while at < end:
            command = Command(step, at + 1, lines[at][2:])
            while command.text.endswith("\\") and at + 1 < end:
                at += 1
                command.text += "\n" + lines[at]
            command.first = at = at + 1
            while at < end and not lines[at].startswith("$ "):
                at += 1
            command.end, command.expected = at, lines[command.first : at]
            block.append(command)
        for command, following in zip(block, block[1:]):
            command.asks_code = following.text == "echo $?"
        found += block
    if not found:
        raise BadPage(f"the section `{HEADING}` has no commands")
    return found


def misquoted(text, patch):
    """Complaints about ```diff blocks whose lines do not follow each other in the patch."""
    lines, found = text.splitlines(), []
    for step, language, first, end in fences(lines):
        if language == "diff" and "\n".join(["", *lines[first:end], ""]) not in "\n" + patch:
            found.append(
                f"{step}, line {first}: these lines are not in the patch\n"
                + "".join(f"  {line}\n" for line in lines[first:end])
            )
    return found


def loose(line):
    """A line without what may differ: timings, and the width of the columns that they stand in."""
    return re.sub(r"\s+", " ", TIMING.sub("#", line)).rstrip()


def agrees(expected, actual):
    """Whether the printed lines are those of the page."""
    rows = {0}  # how many of the printed lines may be used up
    for line in expected:
        if line.strip() == LEFT_OUT:
            rows = set(range(min(rows), len(actual) + 1)) if rows else rows
        else:
            rows = {row + 1 for row in rows if row < len(actual) and loose(line) == loose(actual[row])}
    return len(actual) in rows


def difference(expected, actual):
    """The lines of a unified diff, page to reality."""
    shown = list(
        difflib.unified_diff(
            [loose(line) for line in expected], [loose(line) for line in actual], "page", "reality", lineterm="", n=2
        )
    )
    return "".join(f"  {line}\n" for line in shown)


def renewed(expected, actual):
    """What the page should say: each line by the most similar one, left-out lines as before; all of it where that
    fails."""
    kept, row = [], 0
    for line in expected:
        if line.strip() == LEFT_OUT:
            kept.append(line)
            continue
        ratios = [difflib.SequenceMatcher(None, loose(line), loose(other)).ratio() for other in actual[row:]]
        if not ratios or max(ratios) < 0.6:
            return list(actual)
        row += ratios.index(max(ratios))
        kept.append(actual[row])
        row += 1
    return kept if agrees(kept, actual) else list(actual)


def offered(lines):
    """The commands that printed lines end with, as `systole` offers them: `  command ; command`."""
    return [word.strip() for word in lines[-1].split(" ; ")] if lines else []


def updated(text, results):
    """The page with the outputs of (command, printed lines) that do not agree with it. A later command that was offered
    by such an output becomes what is offered now."""
    lines, better = text.splitlines(), {}
    for command, actual in results:
        if not agrees(command.expected, actual):
            better.update((f"$ {old}", f"$ {new}") for old, new in zip(offered(command.expected), offered(actual)))
    for command, actual in sorted(results, key=lambda result: -result[0].first):
        if not agrees(command.expected, actual):
            lines[command.first : command.end] = renewed(command.expected, actual)
    first = lines.index(HEADING)
    return "\n".join(lines[:first] + [better.get(line, line) for line in lines[first:]]) + "\n"
