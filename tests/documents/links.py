#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The links between the documents: none leads nowhere, and every page is found.

  links.py           checks the Markdown files of the project
  links.py FOLDER    the same for the git repository FOLDER

- A relative link names a file or a folder of the project, and what follows `#` names a heading of that page.
- Every page is reached from README.md by links.
- README.md of a folder is linked from the nearest page above it: README.md of a folder around it, or ARCHITECTURE.md.
- Every room of scripts/house/rooms.toml has a README.md, or the nearest page above it links to its folder.

Exit code 1 and a line for each violation; 77 outside of a git repository."""
import re
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
START = "README.md"
MAP = "ARCHITECTURE.md"
SKIPPED = 77
ROOMS = "scripts/house/rooms.toml"
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"(?m)^#{1,6} +(.+?)(?: +#+)? *$")
FENCE = re.compile(r"(?ms)^ *(```+|~~~+).*?^ *\1[^\n]*$")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)


def tracked(root):
    """Paths of the project's files."""
    words = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, capture_output=True, check=True, text=True).stdout.split("\0")
    return {path for path in listed if path and (root / path).is_file()}


def normal(path):
    """A path without `..`; None if it leaves the project."""
    names = []
    for name in PurePosixPath(path).parts:
        if name == ".." and not names:
            return None
        names = names[:-1] if name == ".." else [*names, name]
    return "/".join(names) or "."


def without_fences(text):
    """The text with empty lines in place of its fenced blocks, so that line numbers stay."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def links(text):
    """(line, target) of each relative link."""
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), without_fences(text))
    for found in LINK.finditer(text):
        if not re.match(r"[a-z][a-z0-9+.-]*:", found[1], re.IGNORECASE):
            yield text.count("\n", 0, found.start()) + 1, found[1]


def anchors(text):
    """The names that headings have in links, as GitHub makes them."""
    names, counts = set(), {}
    for heading in HEADING.findall(without_fences(text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        counts[name] = counts.get(name, -1) + 1
        names.add(f"{name}-{counts[name]}" if counts[name] else name)
    return names


class Documents:
    def __init__(self, root):
        self.files = tracked(root)
        self.folders = {str(folder) for path in self.files for folder in PurePosixPath(path).parents}
        self.texts = {path: (root / path).read_text() for path in sorted(self.files) if path.endswith(".md")}
        self.anchors = {path: anchors(text) for path, text in self.texts.items()}
        self.rooms = tomllib.loads((root / ROOMS).read_text())["room"] if ROOMS in self.files else []
        self.linked = {path: set() for path in self.texts}

    def page(self, path):
        """The page that a reader sees at a file or folder."""
        return f"{path}/{START}" if f"{path}/{START}" in self.texts else path

    def broken(self):
        for path, text in self.texts.items():
            for line, target in links(text):
                name, _, anchor = target.partition("#")
                place = normal(str(PurePosixPath(path).parent / name)) if name else path
                if place not in self.files | self.folders:
                    yield f"{path}:{line}: the link to {target} leads nowhere"
                    continue
                self.linked[path] |= {place, self.page(place)}
                if anchor and anchor not in self.anchors.get(self.page(place), {anchor}):
                    yield f"{path}:{line}: the link to {target} names no heading of {self.page(place)}"

    def lost(self):
        """Pages that no chain of links reaches."""
        reached, ahead = set(), [START]
        while ahead:
            page = ahead.pop()
            if page in self.texts and page not in reached:
                reached.add(page)
                ahead += self.linked[page]
        for path in sorted(self.texts.keys() - reached):
            yield f"{path}: no links lead here from {START}"

    def above(self, folder):
        """The nearest pages above a folder."""
        for parent in PurePosixPath(folder).parents:
            page = str(parent / START)
            if page in self.texts:
                return [START, MAP] if page == START else [page]
        return []

    def unlinked(self):
        pages = {str(PurePosixPath(path).parent) for path in self.texts if path.endswith(f"/{START}")}
        rooms = {room["folder"] for room in self.rooms if "folder" in room}
        for folder in sorted(pages | rooms):
            above = self.above(folder)
            if not any(self.page(folder) in self.linked.get(page, ()) for page in above):
                yield f"{self.page(folder)}: not linked from {' or '.join(above)}"

    def complaints(self):
        yield from self.broken()
        yield from self.lost()
        yield from self.unlinked()


def main(arguments):
    try:
        documents = Documents(Path(arguments[0]) if arguments else ROOT)
    except (OSError, subprocess.CalledProcessError):
        print("links: skipped, the source is not in a git repository")
        return SKIPPED
    found = list(documents.complaints())
    print("".join(f"{complaint}\n" for complaint in found), end="")
    print(f"{len(documents.texts)} pages, {sum(map(len, documents.linked.values()))} links, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
