# SPDX-License-Identifier: Apache-2.0
"""Cycles of the works on the core, from the commands of `systole`, and a file that keeps them."""
import json
import random
import struct
import subprocess
import tempfile
from pathlib import Path

from side_by_side import BATCH, WORKS, Missing

ROOT = Path(__file__).resolve().parents[2]
SIDE = 28
BLOCKS = "int8 in blocks"
IN_BLOCKS = {"resnet50": "resnet50_mx"}  # networks of `systole bench` that have the work's shapes


class Failure(Exception):
    """A command that did not run, or a file that could not be read; the text says why."""


def report(program, *arguments):
    """The JSON of a `systole` command."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        words = [str(program), *map(str, arguments), "--json", str(file)]
        try:
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        except OSError as error:
            raise Failure(f"cannot run {program}: {error.strerror}; scripts/build makes it") from error
        if done.returncode:
            raise Failure(f"{' '.join(words)}\n{done.stderr.strip() or f'exit code {done.returncode}'}")
        return json.loads(file.read_text())


def run_of(work, arithmetic, report):
    """What a network's run on the core took, if all of it ran there."""
    on_host = report["operators"]["host"]
    if on_host:
        raise Missing(f"core, {WORKS[work].title}: {on_host} operators ran on the host, whose time no cycle counts")
    return {"arithmetic": arithmetic, "cycles": report["cycles"]}


def pictures(folder):
    """Files of random pictures and labels, as MNIST's."""
    random.seed(0)
    images, labels = Path(folder) / "images", Path(folder) / "labels"
    images.write_bytes(struct.pack(">4I", 2051, BATCH, SIDE, SIDE) + random.randbytes(BATCH * SIDE * SIDE))
    labels.write_bytes(struct.pack(">2I", 2049, BATCH) + bytes(random.randrange(10) for _ in range(BATCH)))
    return "--images", images, "--labels", labels


def cnn(program):
    """An inference of the CNN, in both arithmetics: untrained, since cycles do not depend on weights."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cnn.onnx"
        images = pictures(folder)
        report(program, "train", "--network", "cnn", "--epochs", 0, *images, "-o", file)
        run = ("run", file, "--device", "rtl", "--count", 1)
        return [
            run_of("cnn", "int8", report(program, *run, "--calibrate", images[1])),
            run_of("cnn", BLOCKS, report(program, *run, "--precision", "mx")),
        ]


def cnn_step(program):
    """A training step with momentum, as the other judges take it."""
    with tempfile.TemporaryDirectory() as folder:
        train = ("train", "--network", "cnn", "--epochs", 1, "--batch", BATCH, "--optimizer", "momentum")
        told = report(program, *train, *pictures(folder), "--precision", "mx", "--device", "rtl")
    if "device_step" not in told:
        raise Missing(f"core, {WORKS['cnn_step'].title}: `systole train` of this build does not tell its cycles")
    return [run_of("cnn_step", BLOCKS, told["device_step"])]


def measure(program, work):
    """Runs of a work on the RTL, each its arithmetic and cycles."""
    if work == "cnn":
        return cnn(program)
    if work == "cnn_step":
        return cnn_step(program)
    networks = {"int8": work} | ({BLOCKS: IN_BLOCKS[work]} if work in IN_BLOCKS else {})
    bench = ("bench", "--networks", "--device", "rtl", "--only")
    return [run_of(work, kind, report(program, *bench, name)["results"][0]) for kind, name in networks.items()]


def text_of(runs):
    """The file that keeps them."""
    return json.dumps({"about": "Cycles of scripts/beside on the core.", "works": runs}, indent=2) + "\n"


def read(path, works):
    try:
        runs = json.loads(Path(path).read_text())["works"]
        return {
            work: [{"arithmetic": run["arithmetic"], "cycles": int(run["cycles"])} for run in runs[work]]
            for work in works
            if work in runs
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(
            f"{path}: no cycles of scripts/beside: {error!r}; without the file it is written again"
        ) from error
