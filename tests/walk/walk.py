#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of "A first walk" in examples/tutorial.md, exactly as written, in a copy of the source, and
compares what they print with the page; exit code 1 and a diff where page and reality differ.

The copy has the files that git tracks (and new ones that it does not ignore) in a repository of its own, so that the
walk can apply and undo changes, and in build/release the programs of the build that the test belongs to. Instead of
gtkwave runs a check that the waveform and the view exist and that the waveform has the view's signals.

  walk.py BUILD_DIR              in BUILD_DIR/walk, removed when all agrees
  walk.py BUILD_DIR --keep       not removed
  walk.py BUILD_DIR --update     writes the outputs into the page instead of complaining about them"""
import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import page as pages

ROOT = HERE.parents[1]
PATCH = HERE / "instruction.patch"
SKIPPED = 77


def git(folder, *words):
    return subprocess.run(
        [
            "git",
            "-C",
            str(folder),
            "-c",
            "user.name=walk",
            "-c",
            "user.email=walk@localhost",
            "-c",
            "commit.gpgsign=false",
            *words,
        ],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def copy_source(tree):
    for name in git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "as it was")


def environment(build, programs):
    """That of the caller without what changes a run; in front of the path, the stand-ins for programs with windows."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SYSTOLE_", "GTEST_", "CTEST_", "GIT_"))
    }
    clean.update(PATH=f"{programs}:{clean.get('PATH', '/usr/bin:/bin')}", LC_ALL="C.UTF-8", WALK_BUILD=str(build))
    clean.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(min(2, os.cpu_count() or 1)))
    return clean


def run(tree, commands, env=None, patience=False):
    """Runs commands one after another. Returns (command, printed lines) and complaints; stops at a wrong exit code."""
    results, complaints, code = [], [], 0
    for command in commands:
        begin = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", f"(exit {code})\n{command.text}"],
            cwd=tree,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        code = done.returncode
        actual = done.stdout.splitlines()
        results.append((command, actual))
        if patience:
            print(f"{time.monotonic() - begin:6.1f} s  {command.text}", flush=True)
        where = f"{command.step}, line {command.line}: $ {command.text}\n"
        if not pages.agrees(command.expected, actual):
            complaints.append(where + pages.difference(command.expected, actual))
        if code != 0 and not command.asks_code:
            complaints.append(
                where
                + f"  exit code {code}, of which the page says nothing: no `$ echo $?` follows\n"
                + "".join(f"  {line}\n" for line in actual[-30:])
            )
            break
    return results, complaints


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, metavar="BUILD_DIR")
    parser.add_argument("--page", type=Path, default=ROOT / "examples/tutorial.md")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args(arguments)
    text = args.page.read_text()
    commands = pages.commands(text)
    complaints = pages.misquoted(text, PATCH.read_text())
    try:
        git(ROOT, "rev-parse", "--is-inside-work-tree")
    except (OSError, subprocess.CalledProcessError):
        print("walk: skipped, the source is not in a git repository")
        return SKIPPED
    build = args.build.resolve()
    folder = build / "walk"
    shutil.rmtree(folder, ignore_errors=True)
    tree = folder / "tree"
    tree.mkdir(parents=True)
    copy_source(tree)
    (tree / "build/release").mkdir(parents=True)
    (tree / "build/release/bin").symlink_to(build / "bin")
    results, found = run(tree, commands, environment(build, HERE / "stand_in"), patience=True)
    complaints += found
    if args.update:
        args.page.write_text(pages.updated(text, results))
        complaints = [
            complaint for complaint in complaints if "exit code" in complaint or "not in the patch" in complaint
        ]
    print("".join("\n" + complaint for complaint in complaints), end="")
    if complaints:
        print(
            f"\nwalk: {len(complaints)} complaints about {args.page}; "
            f"`{sys.argv[0]} {args.build} --update` writes new outputs; the tree is {tree}"
        )
        return 1
    if not args.keep:
        shutil.rmtree(folder)
    print(f"walk: {len(commands)} commands do what the page says")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except pages.BadPage as error:
        sys.exit(f"walk: {error}")
