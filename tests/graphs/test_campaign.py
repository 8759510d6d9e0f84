# SPDX-License-Identifier: Apache-2.0
"""A campaign: what it counts, when it fails, and that it outlives a process that ends."""
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import campaign
import campaign_text

OPTIONS = {"seed": 1, "config": "tiny", "rtl": False, "without": []}


class Campaign(unittest.TestCase):
    def test_counts_and_stops(self):
        totals = campaign.run(OPTIONS, 0, 60, lambda totals: False)
        self.assertEqual(totals.graphs + totals.empty, 60)
        self.assertGreater(totals.counted, 40)
        self.assertGreater(len(totals.operators), 20)
        self.assertIn("reshapes", totals.transformations)

    def test_a_process_that_ends_is_a_finding_of_its_graph(self):
        totals = campaign.run({**OPTIONS, "config": "of no such name"}, 3, 5, lambda totals: False)
        self.assertEqual([number for number, _, _ in totals.findings], [3, 4])
        self.assertIn("exit status 1", totals.findings[0][1])

    def test_a_process_that_is_ended_leaves_no_folder(self):
        with tempfile.TemporaryDirectory() as room, mock.patch.dict(os.environ, {"TMPDIR": room}):
            with mock.patch.object(tempfile, "tempdir", room):
                campaign.run(OPTIONS, 0, 10**6, lambda totals: True)  # ended from outside
            self.assertEqual(list(pathlib.Path(room).glob("systole-*")), [])

    def test_too_few_graphs_on_the_device_fail_it(self):
        totals = campaign.Totals(graphs=400, counted=99)
        self.assertEqual(campaign_text.complaints(totals, 0, 99), [])
        self.assertEqual(len(campaign_text.complaints(totals, 0, 100)), 1)

    def test_refusals_and_transformations_that_hardly_fired_fail_it(self):
        totals = campaign.Totals(graphs=100, refusals=15)
        totals.transformations.update({"parts": 7, "tables": 0})
        self.assertEqual(len(campaign_text.complaints(totals, 0)), 0)
        self.assertEqual(len(campaign_text.complaints(totals, 7)), 1)
        totals.refusals = 16
        self.assertEqual(len(campaign_text.complaints(totals, 8)), 3)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
