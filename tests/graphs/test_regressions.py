# SPDX-License-Identifier: Apache-2.0
"""Graphs that went wrong once: one folder each of regressions, with what is right.

regressions/NAME holds model.onnx or model.tflite, inN.npy and expectedN.npy. A file `precision` has the option of that
name, such as mx; what is expected is then the result in that precision.
"""
import pathlib
import sys
import unittest

import numpy as np

import systole

FOLDER = pathlib.Path(__file__).resolve().parent / "regressions"


class Regressions(unittest.TestCase):
    @staticmethod
    def _run(model, config, device, precision, inputs):
        return systole.Network.load(model, config=config, device=device, precision=precision).run(*inputs)

    def test_all(self):
        folders = sorted(folder for folder in FOLDER.iterdir() if folder.is_dir())
        self.assertTrue(folders)
        for folder in folders:
            model = next(path for path in folder.iterdir() if path.stem == "model")
            inputs = [np.load(path) for path in sorted(folder.glob("in*.npy"))]
            precision = folder / "precision"
            option = precision.read_text().strip() if precision.exists() else None
            expected = [np.load(path) for path in sorted(folder.glob("expected*.npy"))]
            for device in ("host", "model"):
                for config in ("tiny", "default") if device == "model" else ("default",):
                    with self.subTest(graph=folder.name, device=device, config=config):
                        results = self._run(model, config, device, option, inputs)
                        results = results if isinstance(results, list) else [results]
                        self.assertEqual(len(results), len(expected))
                        for result, right in zip(results, expected):
                            self.assertEqual((result.dtype, result.shape), (right.dtype, right.shape))
                            if right.dtype.kind == "f":
                                np.testing.assert_allclose(result, right, rtol=1e-5, atol=1e-6)
                            else:
                                np.testing.assert_array_equal(result, right)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
