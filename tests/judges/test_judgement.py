# SPDX-License-Identifier: Apache-2.0
"""The checks of this folder see what they are made for: one wrong value, a refused network, an operator without a
judge."""

import unittest

import numpy as np
import systole

import disagreements
from judgement import complaints, difference
from operator_kinds import all_kinds
from test_operators import case_complaints
from test_quantization import difference as quantized_difference
from test_quantization import neighbours

VALUES = np.array([[1, 2, 3]], np.int8)


def answers(*outputs):
    return lambda model, inputs: list(outputs)


def refuses(model, inputs):
    raise RuntimeError("no such operator")


class Judgement(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(complaints("ADD int8", [VALUES], {"LiteRT": answers(VALUES)}, b"", []), [])

    def test_one_wrong_value(self):
        other = VALUES + np.array([0, 0, 1], np.int8)
        found = complaints("ADD int8", [VALUES], {"LiteRT": answers(other), "TFLM": answers(VALUES)}, b"", [])
        self.assertEqual(found, ["not as LiteRT: output 0: 1 of 3 values, [2] is 3, 4 expected"])

    def test_type_and_count(self):
        self.assertIn("int16", difference([VALUES], [VALUES.astype(np.int16)]))
        self.assertIn("outputs", difference([VALUES], [VALUES, VALUES]))

    def test_reals(self):
        one = np.array([1.0, np.nan], np.float32)
        self.assertEqual(difference([one], [one * np.float32(1 + 1e-6)]), "")
        self.assertIn("1 of 2", difference([one], [one + np.float32(1e-3)]))
        self.assertIn("1 of 2", difference([one], [np.ones(2, np.float32)]))

    def test_without_a_judge(self):
        self.assertEqual(complaints("ADD int8", [VALUES], {"LiteRT": refuses}, b"", []), ["no judge knows it"])
        self.assertEqual(complaints("SUM int8", [VALUES], {"LiteRT": answers(VALUES)}, b"", []), ["no judge knows it"])

    def test_refused_by_systole(self):
        def refused(model, inputs):
            raise systole.ModelError("operator 0 (ADD) is not supported")

        judges = {"LiteRT": answers(VALUES), "Systole": refused}
        self.assertEqual(
            complaints("ADD int8", [VALUES], judges, b"", []),
            ["refused by Systole: operator 0 (ADD) is not supported"],
        )

    def test_disagreement_within_one(self):
        judges = {"LiteRT": answers(VALUES + np.int8(1))}
        self.assertEqual(complaints("SOFTMAX int16", [VALUES], judges, b"", []), [])
        self.assertNotEqual(complaints("SOFTMAX int16", [VALUES + np.int8(3)], judges, b"", []), [])

    def test_disagreements_are_of_known_kinds(self):
        names = {name for name, *_ in all_kinds()} | {"UNIDIRECTIONAL_SEQUENCE_LSTM int8"}
        for kinds in disagreements.DISAGREEMENTS.values():
            self.assertLessEqual(set(kinds), names)

    def test_refused_network(self):
        kind = next(all_kinds())
        self.assertEqual(case_complaints(*kind, [1, 0], refuses, {}), ["no such operator"])

    def test_quantized_results(self):
        seen = np.array([1.0, 2.0, 3.0], np.float32)
        self.assertEqual(quantized_difference(seen, seen + np.float32(0.5), 0.5), "")
        self.assertEqual(neighbours(seen, seen + np.array([0, 0.5, 0], np.float32), 0.5), 1)
        self.assertIn("1 of 3", quantized_difference(seen, seen + np.array([0, 1, 0], np.float32), 0.5))
        self.assertIn("1 of 3", quantized_difference(seen, seen + np.array([0, 1e-4, 0], np.float32), 0))
        self.assertIn("1 of 3", quantized_difference(np.array([1, np.nan, 3], np.float32), seen, 0.5))
        self.assertIn("expected", quantized_difference(seen[:2], seen, 0.5))


if __name__ == "__main__":
    unittest.main()
