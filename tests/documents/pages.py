#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the documents say that the programs print and count is what they print and count.

  pages.py outputs BUILD PAGE...             every block that begins with `$ ` holds commands and what they print
  pages.py outputs BUILD PAGE... --update    writes what they print into the pages
  pages.py figures BUILD PAGE...             the cycles in tables whose last column is a `systole bench` command, which
                                             runs once, in however many pages it is

Commands are programs of the build: `systole`, `examples/NAME`. A line `...` stands for any lines. A block behind
`<!-- not run: REASON -->` is left alone; one behind `<!-- files: FOLDER NAME=FILE ... -->` runs with these files of
../shared/models/FOLDER, or where --shared says, and is skipped without. Exit code 77 when something was skipped."""
import argparse
import functools
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?P<note><!-- [^\n]* -->\n)?(?P<open>```\n)(?P<body>\$ (?:(?!```).*\n)*)```\n", re.MULTILINE)
ROW = re.compile(r"^\|.*?\| ([\d,]+) \|.*\| `(systole bench [^`]*)` \|$", re.MULTILINE)
SKIPPED = 77


def program(build, name):
    """Path of a program by its name in a document; none for what is not of the build."""
    for prefix in ("", "build/release/bin/", "build/release/"):
        path = build / "bin" / name.removeprefix(prefix)
        if name.startswith(prefix) and path.is_file():
            return path
    return None


def commands(body):
    """Pairs of a command line and the text below it."""
    for part in re.split(r"(?m)^\$ ", body)[1:]:
        lines = part.split("\n")
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        yield "\n".join(lines[:count]), "\n".join(lines[count:])


def fits(expected, actual):
    """Whether the text of a page is what was printed; a line `...` stands for any lines."""
    pieces = re.split(r"(?m)^[ ]*\.\.\.\n", expected)
    pattern = r"(?:.*\n)*?".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, actual) is not None


def printed(build, line, folder):
    words = shlex.split(line.replace("\\\n", " "), comments=True)
    path = program(build, words[0])
    if path is None:
        raise SystemExit(f"`{words[0]}` is no program of {build}; mark the block with <!-- not run: REASON -->")
    result = subprocess.run([path, *words[1:]], capture_output=True, text=True, cwd=folder)
    text = result.stdout + result.stderr
    return "\n".join(piece.rstrip() for piece in text.split("\n"))


@functools.lru_cache(maxsize=None)
def counted(build, line):
    """The cycles of a `systole bench` command as a page writes them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bench.json")
        words = shlex.split(line)
        subprocess.run([program(build, words[0]), *words[1:], "--json", file], check=True, capture_output=True)
        return ", ".join(f"{work['cycles']:,}" for work in json.loads(file.read_text())["results"])


class Page:
    def __init__(self, path, build, shared, update):
        self.path, self.build, self.shared, self.update = path, build, shared, update
        self.run, self.complaints, self.skipped = 0, [], []

    def files(self, note, folder):
        """Brings the files that a block needs; false where they are not there."""
        where, *names = note.removeprefix("<!-- files: ").removesuffix(" -->\n").split()
        for name in names:
            to, _, original = name.partition("=")
            source = self.shared / "models" / where / original
            if not source.is_file():
                self.skipped.append(f"{self.path}: {source} is missing")
                return False
            shutil.copyfile(source, Path(folder, to))
        return True

    def block(self, found):
        note = found["note"] or ""
        with tempfile.TemporaryDirectory() as folder:
            if note.startswith("<!-- not run: ") or note.startswith("<!-- files: ") and not self.files(note, folder):
                return found[0]
            body = ""
            for line, expected in commands(found["body"]):
                self.run += 1
                actual = printed(self.build, line, folder)
                if fits(expected, actual):
                    actual = expected
                else:
                    self.complaints.append(
                        f"{self.path}: $ {line}\nthe page says\n{expected}\nthe program says\n{actual}"
                    )
                body += f"$ {line}\n{actual}"
        return f"{note}```\n{body}```\n"

    def outputs(self):
        text = self.path.read_text()
        updated = BLOCK.sub(self.block, text)
        if self.update and updated != text:
            self.path.write_text(updated)
            self.complaints = []

    def figures(self):
        for cycles, line in ROW.findall(self.path.read_text()):
            self.run += 1
            actual = counted(self.build, line)
            if actual != cycles:
                self.complaints.append(f"{self.path}: `{line}` takes {actual} cycles, not {cycles}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["outputs", "figures"])
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("pages", type=Path, nargs="+")
    parser.add_argument("--update", action="store_true", help="write what the programs print into the pages")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared", help="models (default: ../shared)")
    args = parser.parse_args(arguments)
    pages = [Page(path, args.build, args.shared, args.update) for path in args.pages]
    for page in pages:
        getattr(page, args.what)()
        if page.run == 0 and not page.skipped:
            page.complaints.append(f"{page.path}: nothing to compare")
        print(f"{page.path}: {page.run} compared, {len(page.complaints)} differ")
        print("".join(f"{complaint}\n" for complaint in page.complaints + page.skipped), end="")
    if any(page.complaints for page in pages):
        return 1
    return SKIPPED if any(page.skipped for page in pages) else 0


if __name__ == "__main__":
    sys.exit(main())
