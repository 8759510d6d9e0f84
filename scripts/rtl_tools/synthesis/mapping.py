# SPDX-License-Identifier: Apache-2.0
"""Synthesis of one module for one target, with the modules it contains as black boxes. Netlists are kept compressed in
build/synth under the hash of everything they depend on: the module, the ports of its children, the commands, Yosys."""
import gzip
import hashlib
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import design
from synthesis import tools

CACHE = design.ROOT / "build/synth"
MAPS = Path(__file__).resolve().parent / "maps"


def digest(*texts):
    state = hashlib.sha256()
    for text in texts:
        state.update(text.encode() + b"\0")
    return state.hexdigest()[:32]


def store(path, value):
    """Writes a JSON value atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=3, mtime=0) as file:
        file.write(json.dumps(value, separators=(",", ":")).encode())
    os.replace(temporary, path)


def load(path):
    """The stored value; None if it is missing or damaged."""
    try:
        with gzip.open(path) as file:
            return json.load(file)
    except (OSError, EOFError, ValueError):
        return None


def maps(target):
    """The files of `maps` that a target's commands read, by name."""
    found = {path.stem: path for path in sorted(MAPS.glob("*.v"))}
    return {name: path.read_text() for name, path in found.items() if f"{{{name}}}" in target.script}


def key(module, modules, target):
    black_boxes = "".join(modules[name].black_box for name in sorted(module.children))
    return digest(tools.yosys_version(), target.script, *maps(target).values(), module.text, black_boxes)


def path_of(target, name):
    return CACHE / target.name / f"{name}.json.gz"


def synthesize(module, modules, target):
    """The netlist of a module as Yosys writes it, from the cache if it is there."""
    path = path_of(target, key(module, modules, target))
    netlist = load(path)
    if netlist is None:
        black_boxes = "".join(modules[name].black_box for name in sorted(module.children))
        text = tools.yosys(
            target.script,
            f"{module.variant} does not synthesize for {target.name}",
            {
                "module": module.text.replace(f"module {module.name}\n", "module \\unit\n", 1),
                "black_boxes": black_boxes,
                **maps(target),
            },
        )
        netlist = json.loads(text)["modules"]["unit"]
        for kind in ("cells", "netnames"):
            for thing in netlist[kind].values():
                thing.pop("attributes", None)
        store(path, netlist)
    return netlist


def missing(modules, order, target):
    return [
        module
        for module in order
        if not module.ram_bits or target.builds_ram
        if not path_of(target, key(module, modules, target)).exists()
    ]


def synthesize_all(modules, order, target, jobs, progress):
    """Fills the cache with the netlists of all modules, the largest first, for the best load balance."""
    todo = sorted(missing(modules, order, target), key=lambda module: -len(module.text))
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = {pool.submit(synthesize, module, modules, target): module for module in todo}
        try:
            for number, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(f"{target.name}: {number} of {len(todo)} modules synthesized, {futures[future].variant}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
