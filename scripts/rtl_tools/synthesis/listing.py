# SPDX-License-Identifier: Apache-2.0
"""The figures as tables and as data."""
import os
import sys

import design
from synthesis import growth, figures

HEADINGS = {
    "cells": "cells",
    "flip_flops": "flip-flops",
    "ram_bits": "RAM bits",
    "luts": "LUTs",
    "dsps": "DSPs",
    "block_rams": "block RAMs",
}


def colour(text, growth, stream=sys.stdout):
    """Red for growth, green for shrinking, on a terminal."""
    if not growth or not stream.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{31 if growth > 0 else 32}m{text}\x1b[0m"


def progress(text):
    """A line that the next one overwrites; only on a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}"[:160])
        sys.stderr.flush()


def number(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def data(target, values, top, tables, modules, old, paths):
    """All figures of one run, for --json and for the tables."""
    total = figures.total(tables, target.resources)
    rows = {}
    for name, group in figures.by_source(tables).items():
        rows[name] = figures.row(group, target.resources) | {"growth": _growth(group, target, old)}
    worst = figures.longest(tables, modules, top, paths)
    delay = max((path["delay"] for path in worst), default=0)
    return {
        "top": modules[top].base,
        "parameters": values,
        "title": target.title,
        "unit": target.unit,
        "area": target.area,
        "modules": rows,
        "total": total,
        "paths": worst,
        "delay": delay,
        "mhz": round(frequency, 1) if (frequency := target.frequency(delay)) else None,
    }


def _growth(group, target, old):
    """Area and longest path relative to the recorded ones; empty for a module that is not recorded."""
    known = [growth.recorded(old, target, figures_) for figures_ in group]
    if None in known:
        return None
    new = [growth.entry(figures_) for figures_ in group]
    area = sum(f.instances * (a[target.area] - b[target.area]) for f, a, b in zip(group, new, known))
    return {target.area: area, "delay": round(max(a["delay"] for a in new) - max(b["delay"] for b in known), 3)}


def show(configuration, target, result):
    """The table of one configuration on one target, and its longest paths."""
    area, resources = target.area, target.resources
    print(
        f"{configuration} on {target.name}: {result['top']} "
        + " ".join(f"{k}={v}" for k, v in result["parameters"].items())
    )
    print(f"{target.title}; paths in {target.unit}")
    print(
        f"  {'module':34}{'instances':>9}"
        + "".join(f"{HEADINGS[name]:>11}" for name in resources)
        + f"{'share':>7}{'growth':>8}{'path':>8}{'growth':>8}"
    )
    for name, row in sorted(result["modules"].items(), key=lambda item: (-item[1][area], item[0])):
        path = f"{design.module_file(name).parent.name}/{name}"
        share = 100 * row[area] / max(result["total"][area], 1)
        delay = number(row["path"]["delay"]) if row["path"] else "-"
        grown = row["growth"]
        changes = [
            colour(f"{grown[key]:>+8g}" if grown[key] else f"{'=':>8}", grown[key]) if grown else f"{'new':>8}"
            for key in (area, "delay")
        ]
        print(
            f"  {path:34}{row['instances']:>9}"
            + "".join(f"{number(row[key]):>11}" for key in resources)
            + f"{share:>6.1f}%{changes[0]}{delay:>8}{changes[1]}"
        )
    print(f"  {'total':34}{'':>9}" + "".join(f"{number(result['total'][key]):>11}" for key in resources))
    clock = f", estimated clock {result['mhz']:g} MHz" if result["mhz"] else ""
    print(f"  longest paths between registers{clock}:")
    for path in result["paths"]:
        levels = f", {path['levels']} levels" if target.unit != "levels" else ""
        print(f"    {number(path['delay'])} {target.unit}{levels}: {path['start']} -> {path['end']}")
    print(flush=True)


def summary(results):
    """One line for each configuration and target."""
    columns = list(HEADINGS)
    print(
        f"{'configuration':15}{'target':10}"
        + "".join(f"{HEADINGS[key]:>12}" for key in columns)
        + f"{'longest path':>16}{'MHz':>7}"
    )
    for configuration, targets in results.items():
        for name, result in targets.items():
            cells = "".join(f"{number(result['total'].get(key, '')):>12}" for key in columns)
            print(
                f"{configuration:15}{name:10}{cells}"
                f"{number(result['delay']) + ' ' + result['unit']:>16}{number(result['mhz'] or ''):>7}"
            )
