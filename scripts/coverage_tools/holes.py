# SPDX-License-Identifier: Apache-2.0
"""Coverage holes, and the list of accepted holes, each with its reason (tests/coverage/holes.toml)."""
import fnmatch
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from coverage_tools import source
from coverage_tools.points import KINDS, Point


@dataclass(frozen=True)
class Hole:
    """An uncovered branch or line, or the uncovered bits of one signal."""

    file: str
    line: int
    kind: str
    what: str  # toggle: the signal; else the text of the line
    detail: str = ""  # toggle: its bits; branch: if, else, case, ...
    points: int = 1

    def text(self) -> str:
        detail = (
            f"[{self.detail}]" if self.kind == "toggle" and self.detail else f" ({self.detail})" if self.detail else ""
        )
        return f"{self.file}:{self.line}: {self.kind} {self.what}{detail}"


@dataclass
class Accepted:
    """An entry of the list."""

    file: str
    kind: str
    what: str
    reason: str
    detail: str = ""
    impossible: bool = False  # no test can reach it: a constant, a value that cannot be
    used: int = field(default=0, compare=False)

    def explains(self, hole: Hole) -> bool:
        return (
            fnmatch.fnmatchcase(hole.file, self.file)
            and hole.kind == self.kind
            and (self.what == hole.what or hole.kind == "toggle" and fnmatch.fnmatchcase(hole.what, self.what))
            and (hole.kind == "toggle" or self.detail in ("", hole.detail))
        )


class ListError(Exception):
    pass


def read(path: Path) -> list[Accepted]:
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ListError(f"{path}: {error}") from None
    accepted = []
    for number, entry in enumerate(data.get("hole", []), 1):
        missing = [key for key in ("file", "kind", "what", "reason") if not str(entry.get(key, "")).strip()]
        unknown = set(entry) - {"file", "kind", "what", "reason", "detail", "impossible"}
        if missing or unknown:
            raise ListError(
                f"{path}: hole {number} ({entry.get('what', 'no name')}): "
                + "; ".join(
                    [f"{key} is missing" for key in missing] + [f"there is no key {key}" for key in sorted(unknown)]
                )
            )
        if entry["kind"] not in KINDS:
            raise ListError(f"{path}: hole {number}: kind {entry['kind']!r} is not one of {', '.join(KINDS)}")
        accepted.append(Accepted(**entry))
    return accepted


def bits_text(bits: Iterable[int]) -> str:
    """7:5,2"""
    runs: list[list[int]] = []
    for bit in sorted(bits, reverse=True):
        if runs and runs[-1][1] == bit + 1:
            runs[-1][1] = bit
        else:
            runs.append([bit, bit])
    return ",".join(f"{high}:{low}" if high != low else str(high) for high, low in runs)


def bits_of(text: str) -> set[int]:
    """The inverse of bits_text()."""
    bits: set[int] = set()
    for part in filter(None, text.split(",")):
        high, _, low = part.partition(":")
        bits.update(range(int(low or high), int(high) + 1))
    return bits


def find(counts: dict[Point, int], root: Path) -> list[Hole]:
    """The holes, sorted: bits of a signal together; a branch or block that did not run."""
    holes: list[Hole] = []
    signals: dict[tuple[str, int, str], list[int]] = {}
    for point, count in counts.items():
        if count > 0:
            continue
        if point.kind == "toggle":
            name, bracket, bit = point.name.rpartition("[")
            key = (point.file, point.line, name if bracket else point.name)
            signals.setdefault(key, []).extend([int(bit.rstrip("]"))] if bracket else [])
        else:
            holes.append(
                Hole(
                    point.file,
                    point.line,
                    point.kind,
                    source.text(root / point.file, point.line),
                    point.name if point.kind == "branch" else "",
                )
            )
    holes += [
        Hole(file, line, "toggle", name, bits_text(set(bits)), max(1, len(set(bits))))
        for (file, line, name), bits in signals.items()
    ]
    return sorted(set(holes), key=lambda hole: (hole.file, hole.line, hole.kind, hole.what, hole.detail))


def reachable(counts: dict[Point, int], accepted: list[Accepted], root: Path) -> dict[Point, int]:
    """The points without those that the list declares impossible."""
    impossible = [entry for entry in accepted if entry.impossible]

    def excluded(point: Point) -> bool:
        hole = find({point: 0}, root)[0]
        return any(
            entry.explains(hole)
            and (hole.kind != "toggle" or not entry.detail or bits_of(hole.detail) <= bits_of(entry.detail))
            for entry in impossible
        )

    return {point: count for point, count in counts.items() if count > 0 or not excluded(point)}


def unexplained(holes: Iterable[Hole], accepted: list[Accepted]) -> list[Hole]:
    """Holes that no entry explains, with the remaining bits of a signal. Counts how many holes each entry explains."""
    left = []
    for hole in holes:
        bits = bits_of(hole.detail) if hole.kind == "toggle" else set()
        explained = False
        for entry in (entry for entry in accepted if entry.explains(hole)):
            named = bits_of(entry.detail) if hole.kind == "toggle" else set()
            explained = not named or bits <= named
            if not named or bits & named:
                entry.used += 1
                bits -= named
            if explained:
                break
        if not explained:
            left.append(
                replace(hole, detail=bits_text(bits), points=max(1, len(bits))) if hole.kind == "toggle" else hole
            )
    return left
