# SPDX-License-Identifier: Apache-2.0
"""Makes tests/vectors/networks; see README.md. `make` in this folder runs it in the required environment."""

import argparse
import filecmp
import sys
import tempfile
from pathlib import Path

import numpy as np

import export_onnx
import export_tflite
import networks
import onnx_operators
from judges import onnx_outputs, tflite_outputs
from operators import MODELS
from digit_pictures import SIDE, random_pictures
from quantized_network import activation_scales, quantized

COMMITTED = Path(__file__).resolve().parent.parent.parent / "tests" / "vectors" / "networks"
TRAINING, CALIBRATION, TEST, SAMPLES = 4000, 200, 1000, 16


def save(folder, form, model, inputs, outputs):
    """Writes a model, its inputs, one file each, and its outputs, all in one file, as bytes if their types differ. The
    first axis is the sample."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"model.{form}").write_bytes(model)
    for index, array in enumerate(inputs):
        np.save(folder / f"{form}_input{index}.npy", array)
    rows = [array.reshape(len(array), -1) for array in outputs]
    if len({array.dtype for array in rows}) > 1:
        rows = [np.ascontiguousarray(array).view(np.uint8) for array in rows]
    np.save(folder / f"{form}_outputs.npy", np.concatenate(rows, axis=1))


def right(outputs, digits):
    return f"{100 * np.mean(outputs.reshape(len(digits), -1).argmax(axis=1) == digits):.1f} %"


def make_networks(target):
    pictures, digits = random_pictures(TRAINING, seed=1)
    test, test_digits = random_pictures(TEST, seed=2)
    for name, layers in (("residual", networks.residual()), ("dense", networks.dense())):
        print(name, flush=True)
        networks.train(layers, pictures, digits)
        scales = activation_scales(layers, pictures[:CALIBRATION])
        tflite = export_tflite.export(layers, scales, SIDE)
        onnx = export_onnx.export(layers, scales, SIDE)
        bytes_ = [quantized(test, scales["input"].scale, scales["input"].zero_point).reshape(TEST, 1, SIDE, SIDE, 1)]
        reals = [test.reshape(TEST, 1, 1, SIDE, SIDE)]
        from_tflite, from_onnx = tflite_outputs(tflite, bytes_), onnx_outputs(onnx, reals)
        print(
            f"  right of {TEST}: TensorFlow Lite {right(from_tflite[0], test_digits)}, "
            f"ONNX Runtime {right(from_onnx[0], test_digits)}"
        )
        few = slice(0, SAMPLES)
        save(target / name, "tflite", tflite, [a[few] for a in bytes_], [a[few] for a in from_tflite])
        save(target / name, "onnx", onnx, [a[few] for a in reals], [a[few] for a in from_onnx])


def make_operators(target):
    for name, build in MODELS.items():
        model, inputs = build(np.random.default_rng(3))
        outputs = tflite_outputs(model, inputs)
        print(f"{name}: {len(outputs)} outputs, {sum(output.size for output in outputs)} values")
        save(target / name, "tflite", model, inputs, outputs)
    for name, build in onnx_operators.MODELS.items():
        model, inputs, outputs = build()
        print(f"{name}: {len(outputs)} outputs, {sum(output.size for output in outputs)} values")
        save(target / name, "onnx", model, inputs, outputs)


def differences(made, committed):
    """Names of files that differ."""
    names = {path.relative_to(root) for root in (made, committed) for path in root.rglob("*") if path.is_file()}
    return sorted(
        str(name)
        for name in names
        if not (
            (made / name).exists() and (committed / name).exists() and filecmp.cmp(made / name, committed / name, False)
        )
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split(";")[0], usage="scripts/reference/make [--check] [--operators]"
    )
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing them")
    parser.add_argument("--operators", action="store_true", help="the files of operators alone, without training")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) if args.check else COMMITTED
        make_operators(target)
        if not args.operators:
            make_networks(target)
        if args.check:
            differ = [
                name
                for name in differences(target, COMMITTED)
                if not args.operators or Path(name).parts[0] in {**MODELS, **onnx_operators.MODELS}
            ]
            for name in differ:
                print(f"differs: {name}", file=sys.stderr)
            return 1 if differ else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
