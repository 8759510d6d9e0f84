# SPDX-License-Identifier: Apache-2.0
"""Rules for every text file of the project. Each function yields the violations in its arguments."""
import re
import subprocess
from collections import defaultdict
from pathlib import Path

MAX_COLUMNS = 120
CODE = {".cpp", ".hpp", ".h", ".S", ".sv", ".svh", ".vlt", ".py", ".cmake", ".toml", ".js", ".css", ".html", ".fbs"}
# Files whose name says what they are to a tool or a reader, in whichever folder they lie.
CONVENTIONAL = {"CMakeLists.txt", "README.md", "__init__.py"}


def tracked(root):
    """Path, relative to the root, of each file that belongs to the project."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
        text=True,
    )
    return sorted({path for path in listed.stdout.split("\0") if path and (root / path).is_file()})


def is_code(path, text):
    return Path(path).suffix in CODE or Path(path).name == "CMakeLists.txt" or text.startswith("#!")


def is_python(path):
    """A Python script without a suffix."""
    if path.suffix:
        return False
    with path.open("rb") as file:
        return b"python" in file.readline() if file.read(2) == b"#!" else False


def is_generated(text):
    return re.search(r"Generated |Written by `test_", "".join(text.splitlines(keepends=True)[:3])) is not None


def long_lines(path, text):
    """Lines of more than 120 columns, in code and in the running text of Markdown; not in tables, code blocks and
    unbreakable links."""
    markdown = path.endswith(".md")
    if not (markdown or is_code(path, text)) or is_generated(text):
        return
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if markdown and line.lstrip().startswith("```"):
            fenced = not fenced
        exempt = markdown and (fenced or line.startswith("|")) or " " not in line.strip()
        if len(line) > MAX_COLUMNS and not exempt:
            yield f"{path}:{number}: {len(line)} columns, more than {MAX_COLUMNS}"


def repeated_names(paths):
    """Sources of the same name in different folders, which would be ambiguous."""
    places = defaultdict(list)
    for path in paths:
        name = Path(path).name
        if name not in CONVENTIONAL and Path(path).suffix in CODE:
            places[name].append(path)
    for name, found in sorted(places.items()):
        if len(found) > 1:
            yield f"{found[1]}: there is {', '.join(found[:1] + found[2:])} of the same name; call one by what it does"


def broken_links(path, text, exists):
    """Broken relative links of a Markdown file. `exists` tells whether a path from the root exists."""
    if not path.endswith(".md"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", re.sub(r"`[^`]*`", "", line)):
            if not re.match(r"\w+:", target) and not exists(normal(Path(path).parent / target)):
                yield f"{path}:{number}: the link to {target} leads nowhere"


def normal(path):
    """A path without `..`."""
    parts = []
    for part in path.parts:
        parts = parts[:-1] if part == ".." else parts + [part]
    return "/".join(parts)


def named_files(path, text, files):
    """File names in backticks that are neither a file nor the end of its path. Patterns are fine if they match one."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r"`([\w./*-]+\.(?:cpp|hpp|py|sv|toml|md|svg))`", line):
            pattern = re.compile(r"(?:.*/)?" + re.escape(name).replace(r"\*", "[^/]*"))
            if not any(pattern.fullmatch(file) for file in files):
                yield f"{path}:{number}: there is no file {name}"
