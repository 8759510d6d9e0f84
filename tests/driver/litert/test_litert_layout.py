# SPDX-License-Identifier: Apache-2.0
"""Compares the delegate's declarations of TensorFlow Lite's C API (driver/litert/litert_api.hpp) with LiteRT, which
comes without a header: a delegate that is compiled with them writes the graph that it sees, and that is the file which
LiteRT has read: operators, their operands and options, tensors, scales and constants. The files are random networks of
one operator each. Then once more with fields in another order, which must not go unseen.

  tests/judges/run ../driver/litert/test_litert_layout.py COMPILER [--seed N] [--cases N] [--only KIND]
"""
import argparse
import os
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/judges"))
from delegated import interpreter_of, load_delegate
from operator_case import OperatorCase
from operator_kinds import all_kinds

DECLARATIONS = ROOT / "driver/litert/litert_api.hpp"
SOURCES = [ROOT / "driver/litert/context_model.cpp", ROOT / "driver/litert/node_options.cpp", HERE / "layout_probe.cpp"]
FORMAT = ROOT / "driver/compiler/frontends/tflite/format.fbs"
#: Options that the importer does not read.
UNREAD = {"asymmetricQuantizeInputs", "potScaleInt16", "quantizedBiasType"}
#: Fields in another order, and an operator whose file shows it.
PLANTED = {
    "MAX_POOL_2D int8": ("filter_width, filter_height", "filter_height, filter_width"),
    "GATHER int8": ("axis, batch_dims", "batch_dims, axis"),
    "ADD int8": (
        "const Array<float>* scale;\n    const Indices* zero_point",
        "const Indices* zero_point;\n    const Array<float>* scale",
    ),
    "RELU int8": ("const char* name;\n  struct Delegate* delegate", "struct Delegate* delegate;\n  const char* name"),
}


def compiled(compiler, folder, declarations):
    """The probe with these declarations."""
    folder.mkdir()
    (folder / "litert_api.hpp").write_text(declarations)
    generate = ["flatc", "--cpp", "--cpp-std", "c++17", "--scoped-enums", "-o", folder, FORMAT]
    subprocess.run(generate, check=True)
    sources = []
    for source in SOURCES:  # copied, so that they include the declarations beside them
        copy = folder / source.name
        copy.write_text(source.read_text())
        sources.append(copy)
    for header in ("context_model.hpp", "node_options.hpp"):
        (folder / header).write_text((DECLARATIONS.parent / header).read_text())
    command = [compiler, "-std=c++20", "-O0", "-w", "-shared", "-fPIC", "-DFMT_HEADER_ONLY", "-I", ROOT / "include"]
    library = folder / "libprobe.so"
    subprocess.run([*command, *sources, "-o", library], check=True)
    return library


def text(value):
    return value.decode() if isinstance(value, bytes) else value or ""


def quantization(tensor):
    scales = tensor.quantization
    if scales is None or scales.scale is None or not len(scales.scale):
        return None
    return [list(map(float, scales.scale)), list(map(int, scales.zeroPoint)), scales.quantizedDimension]


def options_of(operator):
    options = operator.builtinOptions
    if options is None:
        return None
    return type(options).__name__, {name: value for name, value in vars(options).items() if name not in UNREAD}


def described(model):
    """What the importer reads of a file, as text by name."""
    file = schema.ModelT.InitFromPackedBuf(model, 0)
    (graph,) = file.subgraphs
    seen = {"inputs": sorted(graph.inputs), "outputs": sorted(graph.outputs)}
    for index, tensor in enumerate(graph.tensors):
        data = file.buffers[tensor.buffer].data
        seen[f"tensor {index}"] = [
            text(tensor.name),
            list(tensor.shape if tensor.shape is not None else []),
            tensor.type,
            tensor.isVariable,
            quantization(tensor),
            None if data is None else bytes(bytearray(data)),
        ]
    for index, operator in enumerate(graph.operators):
        code = file.operatorCodes[operator.opcodeIndex]
        seen[f"operator {index}"] = [
            code.builtinCode,
            list(operator.inputs),
            list(operator.outputs),
            options_of(operator),
        ]
    return seen


def differences(original, written):
    """In words. Tables of options that the importer does not read are not written; tensors that kernels have added are
    behind those of the file."""
    a, b = described(original), described(written)
    found = [f"{name} is not seen" for name in a.keys() - b.keys()]
    for name in a.keys() & b.keys():
        first, second = a[name], b[name]
        if name.startswith("operator") and second[3] is None:
            first = [*first[:3], None]
        if first != second:
            found.append(f"{name}: {second} seen, {first} expected")
    return found


def seen_by(probe, model, folder):
    """The file that the probe writes."""
    path = os.path.join(folder, "seen.tflite")
    interpreter_of(model, load_delegate(str(probe), {"file": path}))
    return Path(path).read_bytes()


def cases(arguments, only):
    for name, kind, dtype, build in all_kinds():
        for number in range(arguments.cases):
            if only in name:
                seed = [arguments.seed, number, zlib.crc32(name.encode())]
                model, _ = build(OperatorCase(np.random.default_rng(seed), kind, dtype))
                try:
                    interpreter_of(model)
                except (RuntimeError, ValueError):
                    continue  # a form of the operator that LiteRT does not have
                yield f"{name}, case {number}", model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--probe", help="a compiled probe, instead of a compiler")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="systole-litert-") as folder:
        text = DECLARATIONS.read_text()
        probe = arguments.probe or compiled(arguments.compiler, Path(folder) / "good", text)
        total = wrong = 0
        options = set()
        for name, model in cases(arguments, arguments.only):
            written = seen_by(probe, model, folder)
            total += 1
            options.add((described(written)["operator 0"][3] or [None])[0])
            for difference in differences(model, written):
                wrong += 1
                print(f"{name}: {difference}")
        print(f"seed {arguments.seed}: {total} networks, {len(options)} kinds of options, {wrong} differences")
        if arguments.probe:
            return 1 if wrong else 0
        for kind, (fields, others) in PLANTED.items():
            planted = text.replace(fields, others)
            assert planted != text, f"{fields!r} is not in {DECLARATIONS}"
            other = compiled(arguments.compiler, Path(folder) / kind, planted)
            # In a process of its own, because it reads what is not there.
            command = [sys.executable, "-B", __file__, "--probe", other, "--only", kind, "--cases", "8"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                print(f"{others!r} is not seen to be wrong")
                wrong += 1
    return 1 if wrong or not total else 0


if __name__ == "__main__":
    sys.exit(main())
