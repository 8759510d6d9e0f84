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


def concatenated_casts(path, text):
    """Yosys 0.23 takes `{a, N'(x) | y}` as wider than it is when x is wider than N: an operator on a size cast inside
    braces has the width of the cast's operand there, so everything to its left moves. A variable of the right width in
    between is safe. Casts to 32 bits are taken to widen."""
    text = re.sub(r"//[^\n]*", lambda match: " " * len(match.group()), text)
    for start in (match.start() for match in re.finditer(r"\{", text)):
        for at, element in elements(text, start):
            bare = outside_brackets(element)
            if any(size != "32" for size in re.findall(r"(\w+)'\x00", bare)) and re.search(
                r"[\w\x00]\s*(?:[-+*|&^]|<<|>>)\s*[\w(\x00~]", bare
            ):
                yield f"{path}:{text.count(chr(10), 0, at) + 1}: operator on a size cast inside {{}}: {element.strip()}"


def used_before_declared(path, text):
    """A name that the module declares further down: accepted by Verilator and Yosys, but forbidden by the standard and
    refused by strict tools. Checks declarations at module level, that is, indented by two."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)
    # The members of a structure are no declarations of the module. Neither a member, nor the port's name in a
    # connection, nor a package's constant is a use.
    text = re.sub(r"\bstruct packed \{.*?\}", lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)
    uses = re.sub(r"\.\w+(?=\s*\()|(?<=\w)\.\w+|\w+::\w+", lambda match: " " * len(match.group()), text)
    for declaration in re.finditer(r"^  (?:logic|localparam)\b[^;]*;", text, re.M):
        plain = re.sub(r"=[^,;]*", "", outside_brackets(declaration.group()))
        for name in re.findall(r"\w+(?=\s*(?:\x00\s*)?[,;])", plain):
            first = re.search(rf"\b{name}\b", uses)
            if first.start() < declaration.start():
                line = 1 + text.count("\n", 0, first.start())
                declared = 1 + text.count("\n", 0, declaration.start())
                yield f"{path}:{line}: {name} is used before its declaration in line {declared}"


def elements(text, start):
    """Position and text of each element of the concatenation that opens at `start`."""
    depth, first = 0, start + 1
    for at in range(start, len(text)):
        if text[at] in "({[":
            depth += 1
        elif text[at] in ")}]":
            depth -= 1
        if (depth == 1 and text[at] == ",") or depth == 0:
            yield first, text[first:at]
            first = at + 1
        if depth == 0:
            return


def outside_brackets(text):
    """The text with the contents of all brackets replaced by a placeholder."""
    depth, result = 0, ""
    for char in text:
        if char in "({[":
            depth += 1
            if depth == 1:
                result += "\x00"
        elif char in ")}]":
            depth -= 1
        elif depth == 0:
            result += char
    return result


RULES = (length, header, names, concatenated_casts, used_before_declared)


def check(path, text):
    return [complaint for rule in RULES for complaint in rule(path, text)]
