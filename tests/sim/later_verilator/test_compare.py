#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The comparison with a later Verilator sees differences; nothing is built here."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare

RUN = {"cycles": 5, "bit_exact": True, "sim_hz": 1.5, "layers": [{"cycles": 3}, {"cycles": 2, "macs_per_second": 9}]}


class Differences(unittest.TestCase):
    def test_times_do_not_count(self):
        other = {**RUN, "sim_hz": 2.5}
        self.assertEqual(compare.differences(compare.lasting(RUN), compare.lasting(other)), [])
        self.assertEqual(compare.lasting(RUN)["layers"], [{"cycles": 3}, {"cycles": 2}])

    def test_a_number_of_a_layer_counts(self):
        other = {**RUN, "layers": [{"cycles": 3}, {"cycles": 1}]}
        found = compare.differences(compare.lasting(RUN), compare.lasting(other))
        self.assertEqual(found, ["/layers/1/cycles: 2 and 1"])

    def test_a_missing_figure_counts(self):
        self.assertEqual(len(compare.differences({"a": 1}, {})), 1)
        self.assertEqual(len(compare.differences([1], [1, 2])), 1)

    def test_a_wrong_result_is_seen(self):
        self.assertTrue(compare.exact(RUN))
        self.assertFalse(compare.exact({"results": [RUN, {**RUN, "bit_exact": False}]}))
        self.assertFalse(compare.exact({"results": []}))


if __name__ == "__main__":
    unittest.main()
