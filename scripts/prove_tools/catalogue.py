# SPDX-License-Identifier: Apache-2.0
"""The proofs as data: every formal/*/*.toml, read and checked (formal/README.md describes the keys)."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORMAL = ROOT / "formal"
METHODS = {
    "induction": "holds in the first `depth` cycles after a reset, and after any `depth` cycles in which it held",
    "bounded": "holds in the first `depth` cycles after a reset",
    "combinational": "holds for all inputs of a module without registers",
    "rests": "no register changes in a cycle in which each of `event` is low",
}
HARNESS = "_properties"


class CatalogueError(Exception):
    """A file of proofs that says something wrong."""


@dataclass(frozen=True)
class Size:
    name: str
    parameters: dict


@dataclass(frozen=True)
class Bug:
    property: str
    file: str
    old: str
    new: str
    depth: int
    size: str


@dataclass(frozen=True)
class Subject:
    """What one file of proofs says: the properties of one module."""

    name: str
    path: Path
    module: str
    method: str
    depth: int
    cover: int
    properties: dict
    sizes: list
    bugs: list
    event: list = field(default_factory=list)
    assume: list = field(default_factory=list)
    invariants: list = field(default_factory=list)
    unless: dict = field(default_factory=dict)
    simulated: list = field(default_factory=list)
    free_memories: bool = False

    @property
    def harness(self):
        return self.path.with_suffix(".sv")

    @property
    def top(self):
        return self.module if self.method == "rests" else self.path.stem

    @property
    def block(self):
        return self.path.parent.name


KEYS = {
    "module": str,
    "method": str,
    "depth": int,
    "cover": int,
    "event": list,
    "assume": list,
    "invariants": list,
    "unless": dict,
    "simulated": list,
    "free_memories": bool,
    "properties": dict,
    "size": list,
    "bug": list,
}
BUG_KEYS = {"property": str, "file": str, "old": str, "new": str, "depth": int, "size": str}


def demand(condition, path, text):
    if not condition:
        raise CatalogueError(f"{path}: {text}")


def check_keys(path, given, known, required):
    for key, value in given.items():
        demand(key in known, path, f"unknown key {key}; there are {', '.join(known)}")
        demand(type(value) is known[key], path, f"{key} is {value!r}, not of type {known[key].__name__}")
    for key in required:
        demand(key in given, path, f"{key} is missing")


def expanded(size):
    """One size for each value of a parameter that is given as a range, "0..31"."""
    for key, value in size.items():
        if key != "name" and type(value) is str and (found := re.fullmatch(r"(\d+)\.\.(\d+)", value)):
            numbers = range(int(found[1]), int(found[2]) + 1)
            return [size | {"name": f"{size.get('name', '')}{number}", key: number} for number in numbers]
    return [size]


def sizes_of(path, data):
    """The parameters of each size; a module without parameters has one size without a name."""
    given = [dict(size) for one in data.get("size", [{"name": ""}]) for size in expanded(one)]
    names = [size.pop("name", None) for size in given]
    demand(None not in names and len(set(names)) == len(names), path, "each size has a name of its own")
    demand(all(re.fullmatch(r"[\w.-]*", name) for name in names), path, "a size's name has letters, digits, - and .")
    for size in given:
        demand(all(type(value) is int for value in size.values()), path, f"parameters are numbers: {size}")
    return [Size(name, parameters) for name, parameters in zip(names, given)]


def bugs_of(path, data, sizes):
    result = []
    for given in data.get("bug", []):
        check_keys(path, given, BUG_KEYS, ("property", "file", "old", "new"))
        bug = Bug(**{"depth": data.get("cover", 10), "size": sizes[0].name} | given)
        demand(bug.property in data["properties"], path, f"bug: there is no property {bug.property}")
        demand(bug.size in {size.name for size in sizes}, path, f"bug of {bug.property}: there is no size {bug.size}")
        result.append(bug)
    for name in data["properties"]:
        demand(name in {bug.property for bug in result}, path, f"no [[bug]] makes the property {name} fail")
    return result


def read_file(path):
    try:
        data = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{path}: {error}") from error
    check_keys(path, data, KEYS, ("module", "method", "properties", "bug"))
    method = data["method"]
    demand(method in METHODS, path, f"method is {method!r}, not one of {', '.join(METHODS)}")
    demand(
        method in ("combinational", "rests") or data.get("depth", 0) >= 1,
        path,
        "depth is a number of cycles, 1 or more",
    )
    demand((method == "rests") == ("event" in data), path, "event belongs to the method rests, and to no other")
    demand(path.stem.endswith(HARNESS), path, f"the name does not end in {HARNESS}.toml")
    demand(method == "rests" or path.with_suffix(".sv").exists(), path, f"there is no {path.stem}.sv beside it")
    for name, text in data["properties"].items():
        demand(re.fullmatch(r"[A-Z]\w*", name) and type(text) is str, path, f'property {name}: NAME = "what it says"')
    sizes = sizes_of(path, data)
    return Subject(
        name=path.stem.removesuffix(HARNESS),
        path=path,
        module=data["module"],
        method=method,
        depth=data.get("depth", 1),
        cover=data.get("cover", 10),
        properties=data["properties"],
        sizes=sizes,
        bugs=bugs_of(path, data, sizes),
        event=data.get("event", []),
        assume=data.get("assume", []),
        invariants=data.get("invariants", []),
        unless=data.get("unless", {}),
        simulated=data.get("simulated", []),
        free_memories=data.get("free_memories", False),
    )


def read(folder=FORMAL):
    """All files of proofs by their names."""
    subjects = {}
    for path in sorted(folder.resolve().glob("*/*.toml")):
        subject = read_file(path)
        demand(subject.name not in subjects, path, f"{subject.name} is the name of another file, too")
        subjects[subject.name] = subject
    return subjects
