# SPDX-License-Identifier: Apache-2.0
"""The targets, read from technology.toml."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import reader
from synthesis import tools

FILE = Path(__file__).resolve().parent / "technology.toml"


@dataclass(frozen=True)
class Cell:
    """Area and delay of one kind of cell."""

    type: str
    when: dict = field(default_factory=dict)
    counts: dict = field(default_factory=dict)
    arcs: tuple = ()
    launch: float | None = None
    capture: tuple = ()

    def fits(self, type_, parameters):
        return re.fullmatch(self.type, type_) and all(
            parameters.get(name) == value for name, value in self.when.items()
        )

    def arc(self, source, sink):
        """Delay and levels of a combinational path between two ports; None if there is none."""
        return next(
            (
                (arc["delay"], arc["level"])
                for arc in self.arcs
                if re.fullmatch(arc["from"], source) and re.fullmatch(arc["to"], sink)
            ),
            None,
        )

    def setup(self, port):
        return next((entry["delay"] for entry in self.capture if re.fullmatch(entry["port"], port)), None)


@dataclass(frozen=True)
class Target:
    name: str
    title: str
    resources: list
    area: str
    unit: str
    clock_gating: int
    multipliers: bool
    builds_ram: bool
    clock: str
    script: str
    cells: tuple
    ram: dict = field(default_factory=dict)

    @property
    def defines(self):
        return reader.MULTIPLIERS if self.multipliers else reader.SYNTHESIS

    def cell(self, type_, parameters):
        found = next((cell for cell in self.cells if cell.fits(type_, parameters)), None)
        if found is None:
            raise tools.ToolError(f"{FILE.name} has no entry for the cell {type_} of {self.name}: add one there")
        return found

    def frequency(self, delay):
        """Clock in MHz for a path of `delay`; None if delays are not times."""
        return 1000 / delay if self.unit == "ns" and delay else None


def targets():
    """The targets by name."""

    def target(name, table):
        cells = tuple(Cell(**cell) for cell in table.pop("cell"))
        return Target(name=name, cells=cells, **table)

    return {name: target(name, table) for name, table in tomllib.loads(FILE.read_text()).items()}
