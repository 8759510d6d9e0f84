# SPDX-License-Identifier: Apache-2.0
"""`mpirun -n N systole` with work that ranks divide among themselves: what is printed and written is that of one
process. test_shared_work.py PROGRAM [tiny]: with `tiny` if the build has that core."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "support"))
from mpi_launch import call, ranks, skip_without_mpi

PROGRAM = sys.argv.pop(1)
HAS_TINY = len(sys.argv) > 1 and sys.argv.pop(1) == "tiny"
MODEL = Path(__file__).resolve().parents[3] / "vectors/networks/residual/model.tflite"
FIGURES = ("samples", "values_compared", "bit_exact", "cycles", "macs", "layers", "causes", "operators")


class SharedWork(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.json = Path(self.room.name) / "r.json"

    def tearDown(self):
        self.room.cleanup()

    def report(self, launch, *options):
        self.json.unlink(missing_ok=True)
        result = call([*launch, PROGRAM, *options, "--json", self.json])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(self.json.read_text()), result.stdout

    def test_networks(self):
        names = ["resnet8", "kws", "ad"]
        bench = ["bench", "--networks", "--device", "model", "--config", "small", "--only", ",".join(names)]
        alone, text = self.report([], *bench)
        shared, shared_text = self.report(ranks(2), *bench)
        self.assertEqual([result["name"] for result in shared["results"]], names)
        for one, other in zip(alone["results"], shared["results"], strict=True):
            for key in ("macs", "bit_exact", "layers"):
                self.assertEqual(one[key], other[key])
        for name in names:
            self.assertEqual(shared_text.count(name + " "), text.count(name + " "))

    def samples(self, launch, *options, count=5):
        """Figures and outputs of some samples."""
        output = Path(self.room.name) / "y.npy"
        output.unlink(missing_ok=True)
        report, text = self.report(launch, "run", MODEL, "--count", count, "--output", output, *options)
        figures = {key: value for key, value in report.items() if key in FIGURES}
        self.assertEqual(len(figures), len(FIGURES))
        self.assertEqual(text.count(f"{count} samples"), 1, text)
        return figures, output.read_bytes()

    def test_samples(self):
        for device in ("host", "model"):
            options = ["--config", "small", "--device", device]
            self.assertEqual(self.samples([], *options), self.samples(ranks(2), *options))

    @unittest.skipUnless(HAS_TINY, "the build has no core tiny")
    def test_samples_with_cycles(self):
        options = ["--config", "tiny", "--device", "rtl"]
        # In a fourth sample of one process the ring of 1,024 instructions ends, which changes what is waited for.
        alone = self.samples([], *options, count=3)
        self.assertGreater(alone[0]["cycles"], 0)
        self.assertEqual(alone, self.samples(ranks(2), *options, count=3))

    @unittest.skipUnless(HAS_TINY, "the build has no core tiny")
    def test_sweep(self):
        grid = ["sweep", "--config", "tiny", "--config-grid", "latency=20,200", "read_interval=1,2"]
        work = ["--workload", "matmul:12x8x20", "--workload", "conv:6x6x4-8:pad=1"]
        self.assertEqual(self.report([], *grid, *work), self.report(ranks(3), *grid, *work))

    def test_what_is_not_shared(self):
        result = call([*ranks(2), PROGRAM, "bench", "--small", "--device", "model"])
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("systole bench runs in one process"), 1, result.stderr)


if __name__ == "__main__":
    skip_without_mpi(PROGRAM)
    unittest.main()
