# SPDX-License-Identifier: Apache-2.0
"""The recorded figures, and the growth since. For one version of Yosys figures are the same on every machine, so the
version is recorded with them, and figures of other versions are not compared."""
import json
from pathlib import Path

from synthesis import tools

FILE = Path(__file__).resolve().parent / "baseline.json"
BOUND = 5  # Per cent that a module may grow.
# What a small module may grow all the same: a few cells are noise of logic minimization.
ALLOWANCE = {"cells": 16, "luts": 8, "flip_flops": 8, "ram_bits": 0, "dsps": 0, "block_rams": 0}
PATH_ALLOWANCE = {"levels": 2, "ns": 0.8}


def read(path):
    """The figures recorded for this version of Yosys; empty if there is no file."""
    if not path.exists():
        return {"yosys": tools.yosys_version(), "targets": {}}
    data = json.loads(path.read_text())
    if data["yosys"] != tools.yosys_version():
        raise tools.ToolError(
            f"{path} was recorded with {data['yosys']}, this is {tools.yosys_version()}, whose figures differ "
            "without any change of the RTL: record it again with --record, or name another file with --baseline"
        )
    return data


def entry(figures):
    """The recorded form of one instance of a module."""
    return figures.counts | {"delay": figures.paths[0]["delay"] if figures.paths else 0}


def record(data, target, configuration, tables, total):
    """Merges the figures of one run into the recorded ones. The totals of a configuration are those of its whole
    core."""
    place = data["targets"].setdefault(target.name, {"modules": {}, "totals": {}})
    place["modules"].update({figures.module.variant: entry(figures) for figures in tables.values()})
    if total is not None:
        place["totals"][configuration] = total


def write(path, data):
    """Sorted, one module per line, so that a change of the RTL changes only the lines of its modules."""
    lines = [f'{{"yosys": {json.dumps(data["yosys"])}, "targets": {{']
    for index, (name, place) in enumerate(sorted(data["targets"].items())):
        lines.append(f"{json.dumps(name)}: {{")
        for kind, end in (("totals", ","), ("modules", "")):
            rows = [f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(place[kind].items())]
            lines.append(f'  "{kind}": {{\n' + ",\n".join(rows) + f"\n  }}{end}")
        lines.append("}" + ("," if index + 1 < len(data["targets"]) else ""))
    path.write_text("\n".join(lines) + "\n}}\n")


def recorded(data, target, figures):
    return data["targets"].get(target.name, {}).get("modules", {}).get(figures.module.variant)


def complaints(data, target, tables, bound):
    """A line for every module that grew more than `bound` per cent, or is not recorded."""
    for figures in tables.values():
        old = recorded(data, target, figures)
        if old is None:
            yield f"{figures.module.variant} on {target.name}: not in the baseline; see its figures and run --record"
            continue
        new = entry(figures)
        for name, value in new.items():
            allowance = PATH_ALLOWANCE[target.unit] if name == "delay" else ALLOWANCE[name]
            if value - old[name] > max(allowance, old[name] * bound / 100):
                what = f"longest path, {target.unit}," if name == "delay" else name
                share = (
                    f"{100 * (value - old[name]) / old[name]:.0f} %, bound {bound:g} %" if old[name] else "from nothing"
                )
                growth = f"{what} grew from {old[name]:g} to {value:g} ({share})"
                yield f"{figures.module.variant} on {target.name}: {growth}"
