#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts wrong lines into copies of a block's RTL and demands that the block's tests notice.

The build tree must use Ninja and hold the block's test program: the Verilator command is read from the files that
Verilator left there, the link command from Ninja, so that a copy is built exactly as the original is. Only the one
Verilated library is built again, without optimization.

  mutate.py BUILD_DIR BLOCK [MUTATION]      all mutations of a block in mutations.toml, or one by name
  mutate.py --list                          the mutations
"""

import pathlib
import shlex
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TEST_TIMEOUT = 300  # seconds; a mutated block may hang


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options
    )
    if done.returncode != 0:
        raise Failure(f"{shlex.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def absolute(word):
    """A file or an include folder of the repository, which Verilator was given relative to it, as an absolute path."""
    option, path = (word[:2], word[2:]) if word.startswith("-I") else ("", word)
    return option + str(ROOT / path) if not path.startswith(("-", "/")) and (ROOT / path).exists() else word


def verilator_command(build, library):
    """The arguments with which Verilator made the library."""
    record = build / "verilated" / library / f"V{library}__verFiles.dat"
    for line in record.read_text().splitlines():
        if line.startswith('C "'):
            words = line[3:].rstrip().removesuffix('"').split()  # as they were, without quotes
            return [absolute(word) for word in words]
    raise Failure(f"no command in {record}")


def link_command(build, program):
    """The words of the last command that makes the test program."""
    commands = run(["ninja", "-C", str(build), "-t", "commands", program]).splitlines()
    for line in reversed(commands):
        if f"-o bin/{program}" in line:
            words = shlex.split(line)
            first = next(i for i, word in enumerate(words) if "++" in word)
            last = next((i for i in range(first, len(words)) if words[i] == "&&"), len(words))
            return words[first:last]
    raise Failure(f"no link command for {program}")


def compile_model(folder, name):
    """The archive of a model that Verilator has written into the folder, without optimization, in two units: most time
    goes into headers."""
    run(["cmake", f"-DMODEL={folder / name}", "-P", str(ROOT / "scripts/cmake/Units.cmake")])
    archive = folder / f"{name}__ALL.a"
    levels = [f"OPT_{kind}=-O0" for kind in ("FAST", "SLOW", "GLOBAL")]
    units = [f"VM_CLASSES_FAST={name}__fast", f"VM_CLASSES_SLOW={name}__slow", "VM_SUPPORT_SLOW="]
    run(["make", "-s", "-j2", "-C", str(folder), "-f", f"{name}.mk", *levels, *units, archive.name])
    return archive


def build_copy(build, mutation, work, change=None):
    """Builds the test program with a copy of one library; `change` is (file name, old text, new text)."""
    library = mutation["library"]
    program = mutation.get("program", "test_rtl_" + mutation["block"])
    arguments = verilator_command(build, library)
    model = work / "model"
    model.mkdir()
    for i, argument in enumerate(arguments):
        if arguments[i - 1] == "--Mdir":
            arguments[i] = str(model)
        elif change and argument.endswith("/" + change[0]):
            text = pathlib.Path(argument).read_text()
            if text.count(change[1]) != 1:
                raise Failure(f"{change[0]} holds {text.count(change[1])} times: {change[1]}")
            copy = work / change[0]
            copy.write_text(text.replace(change[1], change[2]))
            arguments[i] = str(copy)
            change = None
    if change:
        raise Failure(f"{change[0]} is not a source of {library}")
    run(["verilator", *arguments, "-Wno-fatal"])
    archive = compile_model(model, f"V{library}")
    link = link_command(build, program)
    copy = work / "test"
    link[link.index("-o") + 1] = str(copy)
    if not any(word.endswith(f"/{archive.name}") for word in link):
        raise Failure(f"{program} does not link {archive.name}")
    link = [str(archive) if word.endswith(f"/{archive.name}") else word for word in link]
    run(link, cwd=build)
    return copy


def test(program, filter_):
    """Whether the tests of the filter pass. They must exist, and fail only by an expectation or a time limit."""
    try:
        done = subprocess.run(
            [program, f"--gtest_filter={filter_}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TEST_TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return False, "time limit"
    if "[ RUN      ]" not in done.stdout:
        raise Failure(f"no test matches {filter_}")
    failed = [line for line in done.stdout.splitlines() if "Failure" in line or "%Error" in line]
    return done.returncode == 0, failed[0] if failed else f"exit status {done.returncode}"


def main(arguments):
    mutations = tomllib.loads((HERE / "mutations.toml").read_text())["mutation"]
    if arguments == ["--list"]:
        for m in mutations:
            print(f"{m['block']:12} {m['name']:28} {m['file']:24} {m['test']}")
        return 0
    build, block = pathlib.Path(arguments[0]).resolve(), arguments[1]
    chosen = [m for m in mutations if m["block"] == block and m["name"] in (arguments[2:] or [m["name"]])]
    if not chosen:
        raise Failure(f"no such mutation: {' '.join(arguments[1:])}")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="systole-mutation-") as scratch:
        for library, first in {m["library"]: m for m in reversed(chosen)}.items():
            work = pathlib.Path(scratch) / library
            work.mkdir()
            filters = {m["test"]: None for m in chosen if m["library"] == library}
            good, why = test(build_copy(build, first, work), ":".join(filters))
            if not good:
                raise Failure(f"the unmutated copy of {library} fails: {why}")
            print(f"{library}: unmutated copy passes")
        for m in chosen:
            work = pathlib.Path(scratch) / m["name"]
            work.mkdir()
            program = build_copy(build, m, work, (m["file"], m["old"], m["new"]))
            good, why = test(program, m["test"])
            expected = m.get("survives", False)
            print(
                f"{m['name']}: "
                + (f"survived {m['test']}" if good else f"caught by {m['test']} ({why})")
                + ("" if good == expected else " - WRONG")
            )
            wrong += good != expected
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"mutate: {failure}")
