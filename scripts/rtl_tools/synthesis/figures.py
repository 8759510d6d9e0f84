# SPDX-License-Identifier: Apache-2.0
"""Figures of every module of a design on one target: area and longest paths."""
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from synthesis import elaborate, mapping, netlist, timing
from synthesis.technology import FILE as TECHNOLOGY


@dataclass(frozen=True)
class Figures:
    """One module with one set of parameters; counts exclude its submodules. Its paths may begin or end in
    submodules."""

    module: elaborate.Module
    instances: int
    counts: dict
    paths: list


def measure(modules, top, target, jobs, progress):
    """Figures of each module by its name, children first."""
    order, number = elaborate.children_first(modules, top), elaborate.instances(modules, top)
    mapping.synthesize_all(modules, order, target, jobs, progress)
    tables, models, keys, sources = {}, {}, {}, _sources()
    for module in order:
        below = [keys[name] for name in sorted(module.children)]
        keys[module.name] = mapping.digest(mapping.key(module, modules, target), module.name, *below, *sources)
        path = mapping.CACHE / target.name / f"{keys[module.name]}.timing.json.gz"
        result = mapping.load(path)
        if result is None:
            progress(f"{target.name}: timing of {module.variant}")
            result = _measure(module, modules, target, models)
            mapping.store(path, result)
        models[_type(module.name)] = result["model"]
        tables[module.name] = Figures(module, number[module.name], result["counts"], result["model"]["paths"])
    return tables


def _sources():
    """The tools that the figures of a netlist depend on."""
    here = Path(__file__).resolve().parent
    return [TECHNOLOGY.read_text(), *((here / name).read_text() for name in ("netlist.py", "timing.py", "figures.py"))]


def _type(name):
    """A module's name as the JSON of a netlist writes it."""
    return name.removeprefix("\\")


def _measure(module, modules, target, models):
    if module.ram_bits and not target.builds_ram:
        counts = {resource: 0 for resource in target.resources} | {"ram_bits": module.ram_bits}
        return {"counts": counts, "model": timing.ram_model(module, target)}
    mapped = mapping.synthesize(module, modules, target)
    children = {_type(name): models[_type(name)] for name in module.children}
    return {
        "counts": dict(netlist.counts(mapped, target, children)),
        "model": timing.model(netlist.graph(mapped, target, children)),
    }


def total(tables, resources):
    """Total cost of all instances."""
    return {name: sum(figures.instances * figures.counts[name] for figures in tables.values()) for name in resources}


def by_source(tables):
    """Figures per source file, with those of several sets of parameters combined."""
    groups = {}
    for figures in tables.values():
        groups.setdefault(figures.module.base, []).append(figures)
    return groups


def row(group, resources):
    """Instances, counts of all instances and the longest path of the modules of one source file."""
    counts = Counter({name: 0 for name in resources})
    for figures in group:
        counts.update({name: figures.instances * number for name, number in figures.counts.items()})
    paths = sorted((path for figures in group for path in figures.paths), key=lambda path: -path["delay"])
    return {"instances": sum(figures.instances for figures in group), **counts, "path": paths[0] if paths else None}


def longest(tables, modules, top, number):
    """The longest paths of the whole design; the names of registers begin at its top. One instance stands for all."""
    places = elaborate.instance_paths(modules, top)
    paths = [
        path | {"start": places[name] + path["start"], "end": places[name] + path["end"]}
        for name, figures in tables.items()
        for path in figures.paths
    ]
    return sorted(paths, key=lambda path: (-path["delay"], path["start"], path["end"]))[:number]
