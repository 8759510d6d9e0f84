#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shipped network and pictures; no torch, numpy only for the tests that say so.

    python3 scripts/digits/test_digits.py
With SYSTOLE_MNIST=DIR (folder of MNIST's gzip IDX files) and numpy, the stored accuracy is measured again too.
"""

import copy
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import evaluate
import fixed_point
import network
from idx import read_idx, write_idx

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipUnless(numpy, "numpy is not installed")


def read_pictures():
    """(labels, pictures), each picture 784 bytes."""
    shape, pixels = read_idx(network.DATA_DIR / network.PICTURES_NAME)
    _, labels = read_idx(network.DATA_DIR / network.LABELS_NAME)
    size = shape[1] * shape[2]
    return shape, list(labels), [pixels[i * size : (i + 1) * size] for i in range(shape[0])]


class FixedPoint(unittest.TestCase):
    def test_round_half_away(self):
        cases = [(0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (-2.5, -3), (2.49, 2), (0.0, 0)]
        for value, expected in cases:
            self.assertEqual(fixed_point.round_half_away(value), expected, value)

    def test_quantize_multiplier(self):
        cases = [
            (0.0, (0, 0)),
            (1.0, (2**30, 1)),
            (0.5, (2**30, 0)),
            (0.75, (3 * 2**29, 0)),
            (1 - 2.0**-40, (2**30, 1)),
            (2.0**-32, (2**30, -31)),
            (2.0**-33, (0, 0)),
        ]
        for real, expected in cases:
            self.assertEqual(fixed_point.quantize_multiplier(real), expected, real)

    def test_two_roundings_one_after_the_other(self):
        # Multiplier 2^30 halves (ties up), then shift -1 halves again (ties away): 1 -> 1 -> 1, though 1/4 is nearer 0.
        for acc, expected in [(1, 1), (-1, 0), (-2, -1), (-3, -1), (5, 2), (-6, -2)]:
            self.assertEqual(fixed_point.requantize(acc, 2**30, -1, 0, -128, 127), expected, acc)

    def test_extremes(self):
        low, high = fixed_point.INT32_MIN, fixed_point.INT32_MAX
        self.assertEqual(fixed_point.saturating_rounding_doubling_high_mul(low, low), high)
        self.assertEqual(fixed_point.requantize(high, 2**31 - 1, 30, 0, -128, 127), 127)
        self.assertEqual(fixed_point.requantize(low, 2**31 - 1, -31, 5, -128, 127), 4)
        self.assertEqual(fixed_point.requantize(low, 0, 0, -7, -128, 127), -7)


class Idx(unittest.TestCase):
    def test_round_trip_and_refusals(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x"
            write_idx(path, (2, 3), bytes(range(6)))
            self.assertEqual(read_idx(path), ((2, 3), bytes(range(6))))
            good = path.read_bytes()
            for bad in (good[:-1], good + b"\0", good[:6], b"\0\0\x0d" + good[3:], b""):
                path.write_bytes(bad)
                self.assertRaises(ValueError, read_idx, path)
            self.assertRaises(ValueError, write_idx, path, (2, 3), bytes(5))


class Description(unittest.TestCase):
    def setUp(self):
        self.net = network.load()

    def assert_found(self, fragment):
        found = network.problems(self.net)
        self.assertTrue(any(fragment in text for text in found), f"{fragment!r} not in {found}")

    def layer(self, name):
        return next(layer for layer in self.net["layers"] if layer["name"] == name)

    def test_shipped_network_has_no_problem(self):
        self.assertEqual(network.problems(self.net), [])
        self.assertEqual([layer["type"] for layer in self.net["layers"]], ["conv", "maxpool"] * 2 + ["dense"] * 2)
        self.assertGreaterEqual(self.net["test_accuracy"], 0.983)

    def test_sections_fill_the_blob_and_survive_repacking(self):
        blob = (network.DATA_DIR / self.net["blob"]).read_bytes()
        self.assertEqual(len(blob), self.net["blob_bytes"])
        self.assertEqual(network.pack_blob(copy.deepcopy(self.net["layers"])), blob)

    def test_each_damage_is_found(self):
        damages = [
            ("format", lambda: self.net.update(version=99)),
            ("sha256", lambda: self.net["sha256"].update({network.BLOB_NAME: "0" * 64})),
            ("differs from its producer's", lambda: self.layer("conv2").update(input_zero_point=3)),
            ("outside -128..127", lambda: self.layer("dense2").update(output_zero_point=128)),
            ("are not both positive", lambda: self.layer("dense2").update(output_scale=0.0)),
            ("is not a range", lambda: self.layer("dense1").update(clamp_min=127)),
            ("its fields imply", lambda: self.layer("conv1").update(padding=[0, 0, 0, 0])),
            ("cannot change the quantization", lambda: self.layer("pool1").update(output_zero_point=0)),
            ("the input needs", lambda: self.layer("conv2").update(input_shape=[14, 14, 8])),
            ("weight scales for", lambda: self.layer("dense2")["weight_scale"].pop()),
            ("weight -128", lambda: self.layer("conv1")["weights"].__setitem__(0, -128)),
            ("the scales give", lambda: self.layer("dense1")["shift"].__setitem__(5, 0)),
            ("beyond int32", lambda: self.layer("dense1")["bias"].__setitem__(0, 2**31 - 1)),
        ]
        for fragment, damage in damages:
            with self.subTest(fragment):
                self.net = network.load()
                damage()
                self.assert_found(fragment)

    def test_truncated_blob_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (network.JSON_NAME, network.BLOB_NAME):
                shutil.copy(network.DATA_DIR / name, folder)
            blob = Path(folder) / network.BLOB_NAME
            blob.write_bytes(blob.read_bytes()[:-16])
            self.assertRaisesRegex(ValueError, "do not fit the blob", network.load, folder)


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = network.load()
        cls.shape, cls.labels, cls.pictures = read_pictures()
        cls.logits = [evaluate.logits(cls.net, picture) for picture in cls.pictures]

    def test_two_of_each_digit(self):
        self.assertEqual(self.shape, (20, 28, 28))
        self.assertEqual(sorted(self.labels), sorted(list(range(10)) * 2))
        self.assertEqual(len(set(self.pictures)), 20)

    def test_drawn_as_mnist_is(self):
        for label, picture in zip(self.labels, self.pictures):
            total = sum(picture)
            x = sum(value * (i % 28) for i, value in enumerate(picture)) / total
            y = sum(value * (i // 28) for i, value in enumerate(picture)) / total
            ink = [(i % 28, i // 28) for i, value in enumerate(picture) if value >= 128]
            extents = [max(axis) - min(axis) + 1 for axis in zip(*ink)]
            with self.subTest(label):
                self.assertLess(max(abs(x - 13.5), abs(y - 13.5)), 1.0)
                self.assertIn(max(extents), (19, 20, 21))
                self.assertEqual(max(picture), 255)

    def test_answers_are_the_expected_ones(self):
        answers = [outputs.index(max(outputs)) for outputs in self.logits]
        self.assertEqual(answers, self.net["expected_pictures"])
        self.assertGreaterEqual(sum(map(int.__eq__, answers, self.labels)), 18)

    def test_a_damaged_network_answers_otherwise(self):
        net = copy.deepcopy(self.net)
        net["layers"][2]["weights"] = [-weight for weight in net["layers"][2]["weights"]]
        answers = [evaluate.classify(net, picture) for picture in self.pictures[::5]]
        self.assertNotEqual(answers, self.net["expected_pictures"][::5])

    @needs_numpy
    def test_both_evaluations_agree(self):
        pictures = numpy.frombuffer(b"".join(self.pictures), numpy.uint8).reshape(self.shape)
        self.assertEqual(evaluate.logits_many(self.net, pictures).tolist(), self.logits)

    @needs_numpy
    def test_strokes_draw_the_shipped_pictures(self):
        import draw

        drawn = draw.draw_all(draw.SEED).astype(int).reshape(20, -1)
        shipped = numpy.array([list(picture) for picture in self.pictures])
        self.assertLessEqual(abs(drawn - shipped).max(), 1)  # one grey level for another numpy's rounding

    @needs_numpy
    @unittest.skipUnless("SYSTOLE_MNIST" in os.environ, "SYSTOLE_MNIST is not set")
    def test_accuracy_is_the_stored_one(self):
        folder = Path(os.environ["SYSTOLE_MNIST"])
        shape, pixels = read_idx(folder / "t10k-images-idx3-ubyte.gz")
        _, labels = read_idx(folder / "t10k-labels-idx1-ubyte.gz")
        answers = evaluate.classify_many(self.net, numpy.frombuffer(pixels, numpy.uint8).reshape(shape))
        self.assertEqual(sum(map(int.__eq__, answers, labels)) / len(labels), self.net["test_accuracy"])


if __name__ == "__main__":
    unittest.main()
