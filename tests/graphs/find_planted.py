#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs that were there once, one after another, in copies of the sources, and demands that random graphs find
each within 20,000.

A bug is a patch of planted/, whose files alone are compiled anew, by the commands of the build tree, which must use
Ninja and hold the Python package.

  find_planted.py BUILD_DIR [NAME...]      all of them, or some by name
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
GRAPHS = 20000
MODULE = "python/systole/_systole"


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise Failure(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def patched(patch, work):
    """Copies of the files of a patch, with it; the paths of the originals."""
    text = patch.read_text()
    names = re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE)
    for name in names:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, work / name)
    run(["patch", "-p1", "--no-backup-if-mismatch", "-d", str(work), "-i", str(patch)])
    return names


def compile_command(commands, name, work, output):
    """The command that compiles a source, for its copy."""
    for line in commands:
        if f" -c {ROOT / name}" not in line:
            continue
        words = shlex.split(line)
        words[words.index("-o") + 1] = str(output)
        words[words.index("-MF") + 1] = f"{output}.d"
        return [str(work / name) if word == str(ROOT / name) else word for word in words]
    raise Failure(f"no command compiles {name}; a planted bug is in a source of the Python package")


def build(tree, patch, work):
    """The Python package with the bug; the folder to import it from."""
    commands = run(["ninja", "-C", str(tree), "-t", "commands", "systole_python_module"]).splitlines()
    objects = []
    for i, name in enumerate(patched(patch, work)):
        objects.append(str(work / f"planted{i}.o"))
        run(compile_command(commands, name, work, objects[-1]), cwd=tree)
    package = work / "python"
    shutil.copytree(tree / "python" / "systole", package / "systole")
    line = next(line for line in reversed(commands) if f"-o {MODULE}" in line)
    words = shlex.split(line)
    first = next(i for i, word in enumerate(words) if "++" in word)
    last = next((i for i in range(first, len(words)) if words[i] == "&&"), len(words))
    words = words[first:last]
    place = words.index("-o") + 1
    words[place] = str(package / "systole" / pathlib.Path(words[place]).name)
    words[place + 1 : place + 1] = objects  # ahead of the libraries that hold those that they stand for
    run(words, cwd=tree)
    return package


def found(bug, package):
    """The number of the first graph that finds the bug and what it finds, or nothing."""
    command = [sys.executable, "-B", str(HERE / "fuzz.py"), "--seed", "1", "--count", str(GRAPHS)]
    done = subprocess.run(
        [*command, *bug.get("options", [])],
        env={**os.environ, "PYTHONPATH": str(package)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    finding = re.search(r"^graph (\d+): (.*)$", done.stdout, re.MULTILINE)
    if not finding or int(finding[1]) >= GRAPHS or not re.search(bug["finds"], finding[2]):
        raise Failure(f"{bug['name']} was not found: {finding[0] if finding else done.stdout[-2000:]}")
    return finding[1], finding[2]


def main(arguments):
    tree = pathlib.Path(arguments[0]).resolve()
    bugs = tomllib.loads((HERE / "planted" / "planted_bugs.toml").read_text())["planted"]
    names = arguments[1:] or [bug["name"] for bug in bugs]
    if unknown := set(names) - {bug["name"] for bug in bugs}:
        raise Failure(f"no such bug: {' '.join(sorted(unknown))}")
    for bug in bugs:
        if bug["name"] in names:
            with tempfile.TemporaryDirectory(prefix="systole-planted-") as folder:
                package = build(tree, HERE / "planted" / f"{bug['name']}.patch", pathlib.Path(folder))
                number, kind = found(bug, package)
            print(f"{bug['name']}: graph {number}, {kind}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failure as failure:
        sys.exit(f"planted: {failure}")
