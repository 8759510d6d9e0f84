# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: which combinations of operator, shape class, stalls and error the tests have run on the RTL.

Tests report them (tests/support/functional_coverage.hpp), a line each: operation, shape class, "stalled" or "free",
error code. tests/coverage/functional.toml says which combinations there are, and which of them cannot be."""
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TIMINGS = ("free", "stalled")


class SpaceError(Exception):
    pass


@dataclass(frozen=True)
class Space:
    """A table: its rows and columns; each cell must be run free and stalled."""

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    impossible: dict[tuple[str, str], str]  # with reason

    def key(self, row: str, column: str, timing: str) -> tuple[str, str, str, str]:
        """In the format in which tests report it."""
        return (column, "-", timing, row) if self.name == "errors" else (row, column, timing, "NONE")


def spaces(path: Path) -> list[Space]:
    data = tomllib.loads(path.read_text())
    found = []
    for name, table in data.items():
        rows, columns = tuple(table["rows"]), tuple(table["columns"])
        impossible = {}
        for entry in table.get("impossible", []):
            for row in entry["rows"]:
                for column in entry["columns"]:
                    if row not in rows or column not in columns or not entry["reason"].strip():
                        raise SpaceError(
                            f"{path}: {name}: impossible cell {row}, {column}: not in the table, or without reason"
                        )
                    impossible[row, column] = entry["reason"]
        found.append(Space(name, rows, columns, impossible))
    return found


def read(files: Iterable[Path]) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            words = tuple(line.split("\t"))
            if len(words) != 4 or words[2] not in TIMINGS:
                raise SpaceError(f"{path}:{number}: not operation, shape, {' or '.join(TIMINGS)}, error: {line!r}")
            counts[words] += 1
    return counts


def outside(counts: Counter[tuple[str, ...]], tables: list[Space]) -> list[tuple[str, ...]]:
    """Reports that are in no table: the table is out of date, or an impossible combination occurred."""
    known = {
        space.key(row, column, timing)
        for space in tables
        for row in space.rows
        for column in space.columns
        if (row, column) not in space.impossible
        for timing in TIMINGS
    }
    return sorted(set(counts) - known)


def empty_text(cells: list[tuple[str, str, str]]) -> list[str]:
    """A line per row of the table: the missing runs."""
    lacking: dict[str, dict[str, list[str]]] = {}
    for row, column, timing in cells:
        lacking.setdefault(row, {}).setdefault(column, []).append(timing)
    return [
        f"{row}: "
        + ", ".join(
            column if len(timings) == len(TIMINGS) else f"{column} {timings[0]}" for column, timings in columns.items()
        )
        for row, columns in lacking.items()
    ]


def empty(counts: Counter[tuple[str, ...]], space: Space) -> list[tuple[str, str, str]]:
    """Cells that are possible but were not run: row, column, timing."""
    return [
        (row, column, timing)
        for row in space.rows
        for column in space.columns
        if (row, column) not in space.impossible
        for timing in TIMINGS
        if not counts[space.key(row, column, timing)]
    ]


def table(counts: Counter[tuple[str, ...]], space: Space) -> str:
    """Runs free/stalled per cell; '-' for an impossible combination."""

    def cell(row: str, column: str) -> str:
        if (row, column) in space.impossible:
            return "-"
        return "/".join(str(counts[space.key(row, column, timing)]) for timing in TIMINGS)

    rows = [[""] + list(space.columns)] + [
        [row] + [cell(row, column) for column in space.columns] for row in space.rows
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(row, widths))
        )
        for row in rows
    )
