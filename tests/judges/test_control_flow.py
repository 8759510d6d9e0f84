# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan whose conditions and numbers of iterations are constants: what Systole computes on the functional
model is what ONNX Runtime computes.

  tests/judges/run test_control_flow.py [--seed N]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import systole
from onnx import numpy_helper, parser

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/reference"))
from judges import onnx_outputs

HEADER = '<ir_version: 10, opset_import: ["" : 17]>\n'

# A file, the inputs that are given as constants, and the others with their shapes. `weights` are added as initializers.
CASES = {
    # The rate of the samples decides which of two networks runs, as in detectors of voices.
    **{
        f"rate {rate}": (
            """g (float[1,8] x, float[1,6] state, int64 sr) => (float[1,3] y, float[1,6] next)
            {
              high = Constant <value = int64 {16000}> ()
              is_high = Equal (sr, high)
              y, next = If (is_high) <
                then_branch = high_rate () => (float[1,3] a, float[1,6] b) {
                  h = MatMul (x, w8x6)
                  b = Tanh (h)
                  s = Add (b, state)
                  a = MatMul (s, w6x3)
                },
                else_branch = low_rate () => (float[1,3] a, float[1,6] b) {
                  two = Constant <value = int64 {2}> ()
                  shape = Shape (x)
                  columns = Gather <axis = 0> (shape, one)
                  half = Div (columns, two)
                  is_small = Less (half, sr)
                  h = If (is_small) <
                    then_branch = small () => (float[1,6] r) { r = MatMul (x, w8x6) },
                    else_branch = large () => (float[1,6] r) { r = Neg (state) }>
                  b = Sigmoid (h)
                  a = MatMul (b, w6x3)
                }>
            }""",
            {"sr": np.int64(rate)},
            {"x": (1, 8), "state": (1, 6)},
            {"w8x6": (8, 6), "w6x3": (6, 3), "one": np.int64(1)},
        )
        for rate in (8000, 16000)
    },
    "loop over the rows": (
        """g (float[5,4] x) => (float[4] last, float[N,4] all)
        {
          shape = Shape (x)
          rows = Gather <axis = 0> (shape, zero)
          last, all = Loop (rows, yes, start) <
            body = step (int64 i, bool on, float[4] state) => (bool go, float[4] next, float[4] shown) {
              go = Identity (on)
              row = Gather <axis = 0> (x, i)
              mixed = MatMul (state, w4x4)
              sum = Add (mixed, row)
              next = Tanh (sum)
              shown = Mul (next, row)
            }>
        }""",
        {},
        {"x": (5, 4)},
        {"zero": np.int64(0), "yes": np.bool_(True), "start": (4,), "w4x4": (4, 4)},
    ),
    "loop until a number": (
        """g (float[3] x) => (float[3] y, int64[N] counts)
        {
          steps, y, counts = Loop (none, yes, zero, x) <
            body = step (int64 i, bool on, int64 n, float[3] state)
                => (bool go, int64 more, float[3] next, int64 shown) {
              more = Add (n, two)
              shown = Mul (more, more)
              go = Less (more, seven)
              even = Mod (i, two)
              is_even = Equal (even, zero)
              next = If (is_even) <
                then_branch = a () => (float[3] r) { r = Add (state, x) },
                else_branch = b () => (float[3] r) { r = Mul (state, x) }>
            }>
        }""",
        {},
        {"x": (3,)},
        {
            "none": np.int64(2**40),
            "yes": np.bool_(True),
            "zero": np.int64(0),
            "two": np.int64(2),
            "seven": np.int64(7),
        },
    ),
    "scan": (
        """g (float[2,6] x, float[6,3] z) => (float[2] sum, float[3] low, float[2,6] all, float[6,3] lows)
        {
          sum, low, all, lows = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1],
                                      scan_output_axes = [-1, 0], scan_output_directions = [1, 0],
            body = step (float[2] s, float[3] m, float[2] p, float[3] q)
                => (float[2] s2, float[3] m2, float[2] shown, float[3] kept) {
              s2 = Add (s, p)
              m2 = Min (m, q)
              shown = Sigmoid (s2)
              kept = Sub (q, m2)
            }> (start2, start3, x, z)
        }""",
        {},
        {"x": (2, 6), "z": (6, 3)},
        {"start2": (2,), "start3": (3,)},
    ),
    "scan in a loop": (
        """g (float[4,3] x) => (float[3] y, float[N,4,3] all)
        {
          y, all = Loop (two, , start) <
            body = step (int64 i, bool on, float[3] state) => (bool on, float[3] next, float[4,3] rows) {
              next, rows = Scan <num_scan_inputs = 1,
                body = inner (float[3] s, float[3] p) => (float[3] s2, float[3] s3) {
                  s2 = Mul (s, p)
                  s3 = Add (s2, state)
                }> (state, x)
            }>
        }""",
        {},
        {"x": (4, 3)},
        {"two": np.int64(2), "start": (3,)},
    ),
}


def model_of(text, weights, random):
    model = parser.parse_model(HEADER + text)
    for name, value in weights.items():
        array = random.normal(size=value).astype(np.float32) if isinstance(value, tuple) else np.asarray(value)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model


def complaint(device, target, text, constants, shapes, weights, random):
    """Returns the first complaint about a file; an empty text if it is right."""
    model = model_of(text, weights, random)
    onnx.save(model, target)
    feeds = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    names = [i.name for i in model.graph.input]
    expected = onnx_outputs(model.SerializeToString(), [[np.asarray({**feeds, **constants}[n])] for n in names])
    try:
        loaded = device.load(target, constants=constants)
        seen = loaded.run(*[feeds[i.name] for i in loaded.inputs])
    except systole.Error as error:
        return str(error)
    seen = list(seen) if isinstance(seen, (list, tuple)) else [seen]
    for output, a, b in zip(model.graph.output, seen, expected, strict=True):
        b = b[0]
        if a.shape != b.shape or a.dtype != b.dtype or not np.allclose(a, b, 1e-5, 1e-6):
            return f"{output.name} is\n{a}\n{b} expected"
    return ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, default=1)
    seed = arguments.parse_args().seed
    device = systole.Device("default", "model")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="systole-control-flow-") as folder:
        for name, case in CASES.items():
            found = complaint(device, str(Path(folder) / "model.onnx"), *case, np.random.default_rng(seed))
            if found:
                wrong += 1
                print(f"{name}: {found}")
    print(f"seed {seed}: {len(CASES)} networks, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
