#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`systole sweep` on cores: test_sweep.py BUILD_DIR [TESTCLASS]. The build has the core `tiny`."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release").resolve()
ROOT = Path(__file__).resolve().parents[4]


def sweep(*arguments, base="tiny"):
    return subprocess.run(
        [BUILD / "bin/systole", "sweep", "--config", base, *map(str, arguments)], capture_output=True, text=True
    )


class Signals(unittest.TestCase):
    """A sweep of minutes is stopped: its children and its temporary folder go with it."""

    LONG = ("--config", "tiny", "--config-grid", "latency=20,200", "--workload", "matmul:1024x1024x1024")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.temporary = Path(folder.name)
        self.sweep = subprocess.Popen(
            [BUILD / "bin/systole", "sweep", *self.LONG, "--jobs", "2"],
            env={**os.environ, "TMPDIR": folder.name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(self.sweep.stderr.close)
        self.children = self.wait_for(lambda: len(self.running()) == 2 and self.running())

    def wait_for(self, condition):
        for _ in range(600):
            if result := condition():
                return result
            time.sleep(0.05)
        self.fail("waited for too long")

    def running(self):
        """The processes below the sweep that compute."""
        listing = Path(f"/proc/{self.sweep.pid}/task/{self.sweep.pid}/children")
        return [int(pid) for pid in listing.read_text().split()] if listing.exists() else []

    def all_ended(self):
        return not any(Path(f"/proc/{pid}/exe").exists() for pid in self.children)

    def check_that_it_ends_all(self, stop):
        self.sweep.send_signal(stop)
        self.assertEqual(self.sweep.wait(), 128 + stop)
        self.assertIn(b"stopped", self.sweep.stderr.read())
        self.assertTrue(self.all_ended())
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_sigterm_ends_all(self):
        self.check_that_it_ends_all(signal.SIGTERM)

    def test_ctrl_c_ends_all(self):
        self.check_that_it_ends_all(signal.SIGINT)

    def test_a_closed_terminal_ends_all(self):
        self.check_that_it_ends_all(signal.SIGHUP)

    def test_children_do_not_outlive_a_killed_parent(self):
        self.sweep.kill()
        self.sweep.wait()
        self.wait_for(self.all_ended)


class Timings(unittest.TestCase):
    GRID = (
        "--config-grid",
        "latency=20,200",
        "read_interval=1,2",
        "--workload",
        "matmul:12x8x20",
        "--workload",
        "conv:6x6x4-8:pad=1",
    )

    def test_the_same_with_any_number_of_jobs(self):
        one, two = (sweep(*self.GRID, "--json", "-", "--jobs", jobs) for jobs in (1, 2))
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(one.stdout, two.stdout)
        points = json.loads(one.stdout)["points"]
        self.assertEqual([(p["latency"], p["read_interval"]) for p in points], [(20, 1), (20, 2), (200, 1), (200, 2)])
        cycles = [p["cycles"] for p in points]
        self.assertLess(cycles[0], cycles[1])
        self.assertLess(cycles[0], cycles[2])
        self.assertLess(cycles[2], cycles[3])
        self.assertTrue(all(p["front"] for p in points))  # each alone in its timing

    def test_a_point_is_a_command(self):
        point = json.loads(sweep(*self.GRID[:2], *self.GRID[3:5], "--json", "-").stdout)["points"][1]
        run = subprocess.run(
            [
                BUILD / "bin/systole",
                "matmul",
                "--m",
                "12",
                "--n",
                "8",
                "--k",
                "20",
                "--config",
                "tiny",
                "--latency",
                "200",
                "--json",
                "-",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(json.loads(run.stdout)["cycles"], point["cycles"])

    def test_text_and_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("svg", "html"):
                path = Path(folder) / f"sweep.{kind}"
                done = sweep(*self.GRID, "-o", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("read interval", done.stdout)
                self.assertEqual(path.read_text().count("<circle"), 4)

    def test_what_a_core_cannot_do_is_told_and_the_rest_is_measured(self):
        done = sweep("--config-grid", "latency=20", "--workload", "matmul:8x8x8", "--workload", "conv:2x2x4-4:kernel=5")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("conv:2x2x4-4:kernel=5: error:", done.stdout)

    def test_wrong_use_is_told_before_anything_runs(self):
        for arguments, words in (
            (("--config-grid", "dim=5", *self.GRID[3:]), "dim is 5 at dim=5; legal is 4*2^k, from 4 to 32"),
            (("--config-grid", "latency=20", "--workload", "matmul:8"), "matmul:8"),
            (("--config-grid", "latency=20", *self.GRID[3:], "-o", "x.png"), "x.png"),
            (self.GRID[3:], "--config-grid"),
        ):
            done = sweep(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("unknown name 'huge'; available: tiny,", sweep(*self.GRID, base="huge").stderr)


class OnDemand(unittest.TestCase):
    def test_a_core_that_no_build_has(self):
        done = sweep(
            "--config-grid",
            "scratch=384,768",
            "--workload",
            "matmul:12x8x20",
            "--cache",
            BUILD / "sweep_test",
            "--json",
            "-",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        small, tiny = json.loads(done.stdout)["points"]
        self.assertEqual((small["core"], small["scratch_rows"], tiny["core"]), ("dim4_s384_w256_a64_p256", 384, "tiny"))
        self.assertGreater(small["cycles"], 0)
        self.assertEqual(
            tiny["cycles"],
            json.loads(sweep("--config-grid", "latency=100", "--workload", "matmul:12x8x20", "--json", "-").stdout)[
                "points"
            ][0]["cycles"],
        )


class OwnConfiguration(unittest.TestCase):
    """CMake's side of configurations that are not in the specification: the file, refused or taken."""

    def generate(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "own.toml"
            path.write_text(text)
            done = subprocess.run(
                [ROOT / "scripts/gen/generate", "--custom", path, "--into", folder], capture_output=True, text=True
            )
            return done, {p.name: p.read_text() for p in Path(folder).glob("custom_*")}

    def table(self, **values):
        return "[[configuration]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in values.items())

    SIZES = {"dim": 4, "scratch_rows": 384, "weight_rows": 128, "acc_rows": 32, "param_rows": 256}

    def test_taken(self):
        done, files = self.generate(self.table(name="mine", without=["depthwise"], **self.SIZES))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(
            "set(SYSTOLE_PARAMS_mine -GDim=4 -GScratchRows=384 -GWeightRows=128 -GAccRows=32 -GParamRows=256 "
            "-GWindows=4 -GVectorProcessor=1 -GBlockFloat=1 -GDepthwise=0 -GTurningLoads=1 -GCauseCounters=1)",
            files["custom_configurations.cmake"],
        )
        self.assertEqual(files["custom_configurations.inc"], '{"mine", 4, 384, 128, 32, 256, 0x1b, 4},\n')

    def test_refused(self):
        for text, words in (
            (
                self.table(name="mine", **{**self.SIZES, "acc_rows": 33}),
                "mine: acc_rows is 33; legal is 2^k, from 32 to 65536",
            ),
            (
                self.table(name="mine", without=["wheels"], **self.SIZES),
                "mine: without is wheels; there are vector_proc",
            ),
            (
                self.table(name="mine", without=["vector_processor"], **self.SIZES),
                "mine: block_float needs vector_processor, which is in without",
            ),
            (self.table(name="tiny", **self.SIZES), "two configurations 'tiny'"),
            (self.table(name="Not a name", **self.SIZES), "name is 'Not a name'"),
            (self.table(name="mine", dim=4), "scratch_rows is None"),
            ("not toml", "own.toml"),
        ):
            done, _ = self.generate(text)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
