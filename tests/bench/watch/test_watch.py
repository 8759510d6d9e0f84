#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/watch: test_watch.py BUILD_DIR [TESTCLASS]. BUILD_DIR is a Ninja build tree of this source tree, wholly
built."""
import io
import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/release").resolve()
ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/loop"))
import baseline
import rounds
import screen
from graph import Graph

FOLDERS = (
    "rtl",
    "include",
    "scripts",
    "sim",
    "tests/support",
    "tests/rtl/clock_gate",
    "tests/bench/baseline.json",
)


def watch(root, *arguments):
    return subprocess.run([root / "scripts/watch", *map(str, arguments)], capture_output=True, text=True)


def commands(target):
    return subprocess.run(
        ["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True
    ).stdout.splitlines()


class Text(unittest.TestCase):
    """What a round says, without running one."""

    def round(self):
        return rounds.Round(["rtl/a.sv"], "commit 1234567", [rounds.Block("rtl_a", build_seconds=2.5, run_seconds=0.3)])

    def system(self, *workloads):
        return rounds.System("default", workloads=[rounds.workload(*pair) for pair in workloads])

    def test_pass(self):
        text = screen.Screen(io.StringIO()).round(self.round())
        self.assertIn("rtl/a.sv, against commit 1234567", text)
        self.assertRegex(text, r"rtl_a +pass +build 2.5 s, run 0.3 s")
        self.assertIn("all passed", text)

    def test_regression_and_improvement(self):
        row = baseline.Row(1564, 0.6547)
        run = {"name": "matmul_64", "cycles": 1570, "utilization": 0.6522, "bit_exact": True}
        result = self.round()
        result.system = self.system(
            (run, row), ({**run, "name": "x", "cycles": 1560}, row), ({**run, "name": "y", "cycles": 1564}, row)
        )
        text = screen.Screen(io.StringIO()).round(result)
        self.assertRegex(text, r"matmul_64 on default +1,564 -> 1,570 cycles \(\+0.4 %\) +65.5 -> 65.2 % +slower")
        self.assertRegex(text, r"x on default +1,564 -> 1,560 cycles \(-0.3 %\) .*faster")
        self.assertIn("1 other workloads: cycles as recorded", text)
        self.assertIn("FAILED: matmul_64 on default", text)
        self.assertEqual(result.bad(), ["matmul_64 on default"])

    def test_wrong_result_is_bad_whatever_its_cycles(self):
        result = self.round()
        result.system = self.system(
            ({"name": "x", "cycles": 5, "utilization": 0.5, "bit_exact": False}, baseline.Row(9, 0.1))
        )
        self.assertEqual(result.bad(), ["x on default"])
        self.assertIn("differs from the golden model", screen.Screen(io.StringIO()).round(result))

    def test_the_telling_lines_of_a_log(self):
        log = "%Error: a.sv:3:7: syntax error\n" + "noise\n" * 50
        self.assertEqual(rounds.telling(log), ["%Error: a.sv:3:7: syntax error"])
        self.assertEqual(rounds.telling("one\n\ntwo\n"), ["one", "two"])
        self.assertEqual(
            rounds.telling("noise\na_test.cpp:7: Failure\nExpected: x\nActual: y\nmore\n")[:3],
            ["a_test.cpp:7: Failure", "Expected: x", "Actual: y"],
        )


class Usage(unittest.TestCase):
    def test_wrong_use_is_told(self):
        for arguments, words in (
            (("--once", ROOT / "rtl/nothing.sv", "--build", BUILD), "there is no file"),
            (("--once", "/etc/passwd", "--build", BUILD), "is not in"),
            ((ROOT / "rtl/README.md",), "--once"),
        ):
            done = watch(ROOT, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)

    def test_a_file_that_nothing_is_made_from(self):
        done = watch(ROOT, "--once", ROOT / "rtl/README.md", "--build", BUILD)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is made from it", done.stdout)

    def test_interrupt_ends_it_and_its_children(self):
        process = subprocess.Popen(
            [ROOT / "scripts/watch", "--build", BUILD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out + errors)
        self.assertNotIn("Traceback", errors)


class Touched(unittest.TestCase):
    """The build's own dependencies, for a few files."""

    @classmethod
    def setUpClass(cls):
        subprocess.run(
            ["ninja", "-C", BUILD, "test_axi_memory"], check=True, capture_output=True
        )  # headers are known of what is built
        cls.graph = Graph(BUILD, rounds.LABELS)

    def touched(self, name):
        tests, system = self.graph.touched([ROOT / name])
        return [test.name for test in tests], system

    def test_rtl_of_one_block(self):
        tests, system = self.touched("rtl/array/tpu_array_row.sv")
        self.assertTrue(system)
        self.assertEqual(tests[0], "rtl_array")  # the smallest model first
        self.assertIn("rtl_mxu", tests)
        self.assertNotIn("rtl_fifo", tests)
        self.assertNotIn("rtl_vpu", tests)

    def test_rtl_that_many_blocks_have(self):
        tests, system = self.touched("rtl/common/tpu_fifo.sv")
        self.assertTrue(system)
        self.assertEqual(tests[0], "rtl_fifo")
        self.assertLessEqual({"rtl_command", "rtl_axi_guard"}, set(tests))
        self.assertNotIn("rtl_array", tests)

    def test_sources_and_headers_in_cpp(self):
        tests, system = self.touched("driver/compiler/cost/instruction_cost.cpp")
        self.assertTrue(system)
        compiles = {"rtl_backend", "rtl_processor"}  # these run what the compiler makes
        self.assertFalse([name for name in tests if name.startswith("rtl_") and name not in compiles])
        tests, system = self.touched("tests/rtl/fifo/test_fifo.cpp")
        self.assertEqual((tests, system), (["rtl_fifo"], False))
        tests, system = self.touched("sim/memory/axi_memory.hpp")
        self.assertIn("axi_memory", tests)
        self.assertTrue(system)

    def test_text(self):
        self.assertEqual(self.touched("rtl/README.md"), ([], False))


class EditedTree(unittest.TestCase):
    """Rounds in a copy of the tree, whose build takes all but block test and core from the build under test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="systole-watch-")
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name).resolve() / "tree"
        built = baseline.cores(BUILD / "bin/systole")
        self.core = next(name for name in ("tiny", "small", "default", "large") if name in built)
        for name in FOLDERS:
            source, copy = ROOT / name, self.tree / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy)
        shutil.copy(Path(__file__).parent / "edited_tree.cmake", self.tree / "CMakeLists.txt")
        self.build = self.tree / "build"
        done = subprocess.run(
            [
                "cmake",
                "-G",
                "Ninja",
                "-S",
                self.tree,
                "-B",
                self.build,
                "-DSYSTOLE_MODEL_OPT=-O1",
                f"-DSYSTOLE_CORES={self.core}",
                f"-DLINK_COMMAND={self.link_command()}",
                f"-DBUILT={BUILD}",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def link_command(self):
        """How the build under test links systole, with the core of the copy."""
        words = shlex.split(next(line for line in reversed(commands("bin/systole")) if "-o bin/systole" in line))
        first = next(i for i, word in enumerate(words) if "++" in Path(word).name)
        words = words[first : words.index("&&", first)] if "&&" in words[first:] else words[first:]
        changed = []
        for word in words:
            if "verilated/tpu_core_" in word:
                if f"verilated/tpu_core_{self.core}/" not in word:
                    continue
                word = str(self.build / word[word.index("verilated/") :])
            elif word.startswith("sim/verilated/libsystole_core"):
                if not word.endswith(("_cores.a", f"_core_{self.core}.a")):
                    continue
                word = str(self.build / word)
            elif word == "bin/systole":
                word = str(self.build / "bin/systole")
            elif not word.startswith(("-", "/")) and (BUILD / word).exists():
                word = str(BUILD / word)
            changed.append(word)
        return shlex.join(changed)

    def edit(self, name, old, new):
        path = self.tree / name
        text = path.read_text()
        self.assertEqual(text.count(old), 1, f"{name} holds {old} {text.count(old)} times")
        path.write_text(text.replace(old, new))
        return path

    def once(self, path, *arguments):
        done = watch(self.tree, "--once", path, "--build", self.build, "--json", *arguments)
        self.assertTrue(done.stdout, done.stderr)
        return done, json.loads(done.stdout)


class BrokenBlock(EditedTree):
    def test_fails_by_name_until_it_is_right_again(self):
        path = self.edit("rtl/common/tpu_clock_gate.sv", "linger_q <= 6'(Linger)", "linger_q <= 6'(Linger + 1)")
        done, result = self.once(path, "--blocks")
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(b["name"], b["result"]) for b in result["blocks"]], [("rtl_clock_gate", "fail")])
        self.assertTrue(any("Failure" in line for line in result["blocks"][0]["lines"]), result)
        self.assertFalse(result["ok"])

        self.edit("rtl/common/tpu_clock_gate.sv", "linger_q <= 6'(Linger + 1)", "linger_q <= 6'(Linger + )")
        done, result = self.once(path, "--blocks")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(result["blocks"][0]["result"], "does not build")
        self.assertTrue(any("tpu_clock_gate.sv" in line for line in result["blocks"][0]["lines"]), result)

        self.edit("rtl/common/tpu_clock_gate.sv", "linger_q <= 6'(Linger + )", "linger_q <= 6'(Linger)")
        done, result = self.once(path, "--blocks")
        self.assertEqual(done.returncode, 0, result)
        self.assertTrue(result["ok"])


class SlowerCore(EditedTree):
    def test_regression_is_reported_by_name(self):
        path = self.edit(
            "rtl/dma/tpu_load_source.sv",
            "Full = tpu_pkg::LINE_BUFFER_BEATS - tpu_axi_pkg::MAX_BEATS",
            "Full = tpu_pkg::LINE_BUFFER_BEATS / 4 - tpu_axi_pkg::MAX_BEATS",
        )
        done, result = self.once(path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(result["system"]["result"], "pass", result)
        slower = {w["name"]: w for w in result["system"]["workloads"] if w["result"] == "slower"}
        self.assertIn("matmul_64", slower, result)
        self.assertGreater(slower["matmul_64"]["cycles"], slower["matmul_64"]["recorded"])
        self.assertEqual(result["system"]["config"], self.core)
        text = screen.Screen(io.StringIO()).round(
            rounds.Round(
                result["files"],
                result["against"],
                [],
                rounds.System(self.core, workloads=[rounds.Workload(**w) for w in slower.values()]),
            )
        )
        self.assertRegex(text, f"matmul_64 on {self.core} +[0-9,]+ -> [0-9,]+ cycles")


if __name__ == "__main__":
    unittest.main()
