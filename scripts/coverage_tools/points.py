# SPDX-License-Identifier: Apache-2.0
"""Coverage points: read from the files that models leave, and summed over instances, parameters and tests.

A point is a place in the source. What a `generate` repeats, and what several instances or parameters of a module share,
is one point, covered where any of them is. Its kinds:

  line    statements that run together
  branch  one way of an if, an else (also one that is not written), a case item
  toggle  one bit of a signal of at most 8 bits, which rose and fell in one model"""
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("line", "branch", "toggle")


class DataError(Exception):
    pass


@dataclass(frozen=True, order=True)
class Point:
    file: str  # under the repository: rtl/common/tpu_fifo.sv
    line: int
    column: int
    kind: str  # of KINDS
    name: str  # toggle: the bit; branch: if, else, elsif, case; line: block
    lines: str = ""  # of its statements: "54-56,60"

    def block(self) -> str:
        return self.file.split("/")[1]

    def statements(self) -> Iterator[int]:
        for part in filter(None, self.lines.split(",")):
            first, _, last = part.partition("-")
            yield from range(int(first), int(last or first) + 1)


def parse(line: str, root: Path) -> tuple[Point, int] | None:
    """A line of a coverage file as point and count, or None for points outside rtl/."""
    match = re.fullmatch(r"C '(.*)' (\d+)", line)
    if not match:
        raise DataError(f"not a coverage point: {line!r}")
    fields = dict(part.split("\2", 1) for part in match[1].split("\1") if part)
    try:
        path = Path(fields["f"])
        file = path.relative_to(root).as_posix() if path.is_absolute() else path.as_posix()
    except ValueError:
        return None
    if not file.startswith("rtl/"):
        return None
    try:
        page, name = fields["page"].split("/")[0], fields["o"]
        kind = "toggle" if page == "v_toggle" else "line" if name == "block" else "branch"
        return Point(file, int(fields["l"]), int(fields["n"]), kind, name, fields.get("S", "")), int(match[2])
    except (KeyError, ValueError) as error:
        raise DataError(f"a coverage point without {error}: {line!r}") from None


def read(files: Iterable[Path], root: Path) -> dict[Point, int]:
    """The points of all files with the sums of their counts."""
    counts: dict[Point, int] = {}
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("#"):
                continue
            try:
                found = parse(line, root)
            except DataError as error:
                raise DataError(f"{path}:{number}: {error}") from None
            if found:
                counts[found[0]] = counts.get(found[0], 0) + found[1]
    return counts


def executed_lines(counts: dict[Point, int]) -> dict[tuple[str, int], bool]:
    """For every line with a statement: whether a point that names it was covered."""
    ran: dict[tuple[str, int], bool] = {}
    for point, count in counts.items():
        if point.kind == "toggle":
            continue
        for line in point.statements():
            ran[point.file, line] = ran.get((point.file, line), False) or count > 0
    return ran
