#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program `systole` as a user calls it: test_program.py PROGRAM [TESTCLASS]."""
import gzip
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "systole"
COMMANDS = (
    "info",
    "matmul",
    "conv",
    "bench",
    "digits",
    "disasm",
    "report",
    "compile",
    "run",
    "inspect",
    "kernel",
    "generate",
)
ENGINES = {"LOAD", "MXU", "VPU", "STORE"}


def systole(*arguments, stdin=b"", environment=None):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, env={**os.environ, **(environment or {})}
    )
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


class Case(unittest.TestCase):
    def run_json(self, *arguments):
        done = systole(*arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_run(self, run, timed):
        types = {
            "name": str,
            "config": str,
            "device": str,
            "cycles": int,
            "macs": int,
            "utilization": float,
            "bit_exact": bool,
            "sim_hz": float,
            "macs_per_second": float,
            "simulation_seconds": float,
            "causes": dict,
        }
        for field, kind in types.items():
            self.assertIsInstance(run[field], kind, field)
        self.assertTrue(run["bit_exact"])
        self.assertGreater(run["macs_per_second"], 0)
        self.assertEqual(set(run["causes"]), ENGINES)
        for engine, causes in run["causes"].items():
            self.assertIn("WORKING", causes)
            self.assertEqual(sum(causes.values()), run["cycles"], engine)
        self.check_accounting(run)
        self.assertEqual(run["cycles"] > 0, timed)
        self.assertEqual(run["sim_hz"] > 0, timed)

    def check_accounting(self, figures):
        """Of a run or a layer: each wait has a semaphore, and each slot of the array is used once."""
        self.assertEqual(set(figures["semaphore_waits"]), ENGINES)
        for engine, waits in figures["semaphore_waits"].items():
            # A core without cause counters counts WORKING alone.
            self.assertEqual(sum(waits.values()), figures["causes"][engine].get("SEMAPHORE", 0), engine)
            self.assertTrue(all(0 <= int(number) < 32 and cycles > 0 for number, cycles in waits.items()), waits)
        working = figures["causes"]["MXU"]["WORKING"]
        if working:
            self.assertEqual(figures["macs_rounded"] % working, 0)
            self.assertGreaterEqual(figures["macs_rounded"], figures["macs"])
        self.assertGreaterEqual(figures["macs_rounded"], figures["macs_padded"])


class Usage(Case):
    def test_help_has_examples(self):
        for command in COMMANDS:
            done = systole(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Examples:", done.stdout)
            self.assertIn(f"systole {command}", done.stdout)
        done = systole("--help")
        self.assertEqual(done.returncode, 0)
        for command in COMMANDS:
            self.assertIn(command, done.stdout)
        self.assertIn("Exit codes:", done.stdout)

    def test_wrong_usage_names_what_is_wrong(self):
        wrong = [
            ([], "subcommand"),
            (["frobnicate"], "frobnicate"),
            (["matmul", "--frobnicate"], "--frobnicate"),
            (["matmul", "--m", "0"], "--m"),
            (["matmul", "--m", "many"], "--m"),
            (["matmul", "--config", "huge"], "--config"),
            (["matmul", "--device", "fpga"], "--device"),
            (["matmul", "--latency", "0"], "--latency"),
            (["matmul", "--stall", "96"], "--stall"),
            (["matmul", "--order", "none"], "--order"),
            (["matmul", "--device", "model", "--trace", "x.fst"], "--trace"),
            (["matmul", "--device", "model", "--timeline", "x.json"], "--timeline"),
            (["matmul", "--device", "model", "--timeline", "x.json"], "use --device rtl"),
            (["conv", "--kernel", "3y3"], "--kernel: '3y3'"),
            (["conv", "--stride", "0"], "--stride: '0'"),
            (["conv", "--pad", "1,2,3"], "--pad: '1,2,3'"),
            (["conv", "--groups", "3"], "--groups: 3"),
            (["conv", "--height", "2", "--device", "model"], "height"),
            (["matmul", "--m", 65536, "--n", 65536, "--device", "model"], "device memory"),
            (["bench", "--only", "matmul_63"], "matmul_63"),
            (["bench", "--quick", "--trace", "x.fst"], "--only NAME"),
            (["digits", "--labels", "x"], "--labels"),
            (["digits", "--images", "/nowhere"], "/nowhere"),
            (["disasm"], "file"),
            (["disasm", "/nowhere"], "/nowhere"),
            (["matmul", "--m", "4", "--device", "model", "--json", "/nowhere/a.json"], "/nowhere/a.json"),
            (["matmul", "--memory-plan"], "--json"),
            (["matmul", "--memory-plan", "--json", "-", "--device", "model"], "--memory-plan: the functional model"),
            (["report"], "run"),
            (["kernel"], "file"),
            (["kernel", "/nowhere.tpuk"], "/nowhere.tpuk: No such file"),
            (["kernel", "/"], "/: is a folder"),
            (["inspect"], "model"),
            (["inspect", "/nowhere.tflite"], "/nowhere.tflite: No such file"),
            (["inspect", "/etc/passwd"], "/etc/passwd: not a known model format"),
            (["inspect", "/"], "is a folder"),
            (["report", "/nowhere/run.json"], "/nowhere/run.json: No such file"),
            (["report", "-", "--against", "-"], "--against"),
            (["report", "-"], "standard input: line 1, column 1: expected JSON"),
        ]
        for arguments, name in wrong:
            done = systole(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stdout, done.stderr))
            self.assertIn(name, done.stderr, arguments)


def instruction(*words):
    return struct.pack("<16I", *words, *[0] * (16 - len(words)))


class FailureJson(Case):
    def test_failures_are_json_too(self):
        done = systole("matmul", "--device", "model", "--trace", "x.fst", "--json", "-")
        self.assertEqual(done.returncode, 2)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["exit_code"], 2)
        self.assertIn("--trace", error["text"])
        self.assertIn(error["text"], done.stderr)
        self.assertIsNone(error["hang"])
        with tempfile.TemporaryDirectory() as folder:
            done = systole("matmul", "--device", "model", "--trace", "x.fst", "--json", folder)  # cannot be written
            self.assertEqual((done.returncode, done.stdout), (2, ""))


class Disassembly(Case):
    END = instruction(0x01)

    def test_listing(self):
        done = systole("disasm", "-", stdin=self.END + self.END)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[:2] for line in done.stdout.splitlines()], [["0", "END"], ["1", "END"]])

    def test_illegal_instructions_are_marked_with_the_reason(self):
        unknown, reserved = instruction(0xEE), instruction(0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80000000)
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.END + unknown + reserved)
            file.flush()
            done = systole("disasm", file.name)
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split()[:2], ["0", "END"])
        self.assertIn("UNKNOWN", lines[1])
        self.assertIn("illegal: ", lines[2])
        self.assertIn("reserved", lines[4])
        self.assertIn("2 of 3 instructions are illegal", done.stderr)

    def test_what_is_no_program(self):
        for contents in (b"", b"abc", self.END + b"x"):
            done = systole("disasm", "-", stdin=contents)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{len(contents)} bytes", done.stderr)
        for words in ([], ["--words"]):
            for path, reason in (("/", "is a folder"), ("/dev/null", "is no regular file")):
                done = systole("disasm", *words, path)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{path}: {reason}", done.stderr)

    def test_words_of_a_waveform_are_answered_one_by_one(self):
        words = self.END[::-1].hex()  # as a waveform has it, the most significant digit first
        program = subprocess.Popen(
            [PROGRAM, "disasm", "--words", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for question, answer in (
            (words, "END"),
            (words.upper(), "END"),
            ("x" * 128, "no instruction: xx"),
            (words, "END"),
        ):
            program.stdin.write(question + "\n")
            program.stdin.flush()
            self.assertTrue(program.stdout.readline().startswith(answer))
        program.stdin.close()
        program.stdout.close()
        self.assertEqual(program.wait(), 1)
        self.assertEqual(systole("disasm", "--words", "/nowhere").returncode, 2)


class Reports(Case):
    def test_json_goes_where_it_is_sent(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            done = systole("matmul", "--device", "model", "--m", 8, "--json", path)
            self.assertEqual(done.returncode, 0)
            self.assertIn("bit-exact", done.stdout)
            self.check_run(json.loads(path.read_text()), timed=False)

    def test_same_seed_same_numbers(self):
        runs = [self.run_json("conv", "--device", "model", "--seed", 3) for _ in range(2)]
        for run in runs:
            del run["simulation_seconds"], run["macs_per_second"]
        self.assertEqual(*runs)

    def test_no_colour_and_no_progress_outside_a_terminal(self):
        done = systole("matmul", "--device", "model")
        self.assertNotIn("\033", done.stdout + done.stderr)

    def on_terminal(self, environment):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal here: {error}")
        process = subprocess.Popen(
            [PROGRAM, "matmul", "--device", "model"],
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm", **environment},
        )
        os.close(slave)
        text = b""
        try:
            while block := os.read(master, 65536):
                text += block
        except OSError:
            pass  # the terminal closed
        os.close(master)
        self.assertEqual(process.wait(), 0)
        return text.decode()

    def test_colour_on_a_terminal_unless_refused(self):
        unset = {"NO_COLOR": ""}
        self.assertIn("\033[32m", self.on_terminal(unset))
        self.assertNotIn("\033[", self.on_terminal({"NO_COLOR": "1"}))
        self.assertNotIn("\033[", self.on_terminal({**unset, "TERM": "dumb"}))

    def test_info(self):
        info = self.run_json("info", "--config", "small", "--device", "model")
        parts = {c["name"]: c["without"] for c in info["configurations"]}
        self.assertEqual(list(parts), ["tiny", "small", "default", "large", "nano", "default_int8"])
        self.assertEqual(parts["default"], [])
        self.assertEqual(parts["default_int8"], ["vector processor", "block floating point"])
        self.assertEqual(info["registers"]["IDENTITY"], int.from_bytes(b"SYST", "big"))
        self.assertEqual(info["registers"]["DIM"], 8)
        self.assertRegex(info["isa_version"], r"^\d+\.\d+$")
        self.assertIn("SCRATCH_ROWS", systole("info", "--device", "model").stdout)


class Model(Case):
    def test_operators(self):
        for config in ("tiny", "small", "default", "large", "nano", "default_int8"):
            for arguments in (
                ["matmul", "--m", 33, "--n", 17, "--k", 65],
                ["matmul", "--raw"],
                ["conv", "--cin", 5, "--cout", 9, "--pad", "1,0,2,1", "--stride", "2x1", "--dilation", "1x2"],
                ["conv", "--cin", 8, "--cout", 8, "--groups", 8, "--raw", "--kernel", "5x1"],
            ):
                run = self.run_json(*arguments, "--config", config, "--device", "model", "--check")
                self.check_run(run, timed=False)

    def test_names_that_are_mistyped(self):
        for words, text in (
            (["train", "--learnin-rate", 3], "no option --learnin-rate; did you mean --learning-rate?\nsystole train"),
            (["matmul", "--jsn=x"], "no option --jsn; did you mean --json?\nsystole matmul --help lists the options"),
            (["matmul", "--nothing-like-it"], "no option --nothing-like-it\nsystole matmul --help lists the options"),
            (["trian", "--x"], "no command trian; did you mean train?\nsystole --help lists the commands"),
            (["matmul", "--m", "x"], "--m: Value x not in range 1 to 65536\nsystole matmul --help lists"),
        ):
            done = systole(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("error: " + text), done.stderr)

    def test_without_transformations(self):
        model = Path(__file__).parents[3] / "vectors" / "networks" / "residual" / "model.tflite"
        arguments = ["run", model, "--device", "model"]
        run = self.run_json(*arguments, "--without", "additions", "--without", "scratchpad")
        self.assertTrue(run["bit_exact"])
        for command in (["run", model], ["inspect", model], ["compile", model, "-o", "x"], ["bench", "--networks"]):
            done = systole(*command, "--without", "addition")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("--without: 'addition' is not a transformation; they are move_transposes, ", done.stderr)
            self.assertIn(", additions, ", done.stderr)
        with tempfile.TemporaryDirectory() as folder:
            compiled = Path(folder) / "model.systole"
            self.assertEqual(systole("compile", model, "-o", compiled, "--without", "parts").returncode, 0)
            done = systole("run", compiled, "--device", "model", "--without", "parts")
            self.assertEqual(done.returncode, 2)
            self.assertIn("has programs; give it when the file is compiled", done.stderr)
        self.assertEqual(systole("bench", "--quick", "--without", "parts").returncode, 2)

    def test_bench(self):
        bench = self.run_json("bench", "--device", "model")
        self.assertEqual(
            [run["name"] for run in bench["results"]],
            [
                "matmul_64",
                "matmul_256",
                "matmul_512",
                "conv3x3_28x28x128",
                "conv3x3_32x32x64",
                "conv3x3_16x16x64",
                "conv1x1_56x56x64",
                "conv7x7s2_224x224x3",
            ],
        )
        macs = [
            64**3,
            256**3,
            512**3,
            28**2 * 9 * 128**2,
            32**2 * 9 * 64**2,
            16**2 * 9 * 64**2,
            56**2 * 64**2,
            112**2 * 49 * 3 * 64,
        ]
        for run, expected in zip(bench["results"], macs):
            self.check_run(run, timed=False)
            self.assertEqual(run["macs"], expected, run["name"])
        self.assertIsInstance(bench["model_macs_per_second"], float)

    def test_digits(self):
        digits = self.run_json("digits", "--device", "model")
        self.assertEqual(digits["images"], 20)
        self.assertTrue(digits["bit_exact"])
        self.assertGreaterEqual(digits["accuracy"], 0.9)
        self.assertEqual(
            [layer["name"] for layer in digits["layers"]], ["conv1", "pool1", "conv2", "pool2", "dense1", "dense2"]
        )
        for layer in digits["layers"]:
            self.check_accounting(layer)
            for field, kind in {"macs": int, "cycles": int, "utilization": float, "bit_exact": bool}.items():
                self.assertIsInstance(layer[field], kind)
        self.assertEqual(sum(layer["macs"] for layer in digits["layers"]), digits["macs"])

    def write_pictures(self, folder, opener):
        data = bytes(28 * 28 * 3)
        images, labels = Path(folder) / "images", Path(folder) / "labels"
        with opener(images, "wb") as file:
            file.write(struct.pack(">4I", 0x803, 3, 28, 28) + data)
        with opener(labels, "wb") as file:
            file.write(struct.pack(">2I", 0x801, 3) + bytes([1, 2, 3]))
        return images, labels

    def test_digits_from_files(self):
        for opener in (open, gzip.open):
            with tempfile.TemporaryDirectory() as folder:
                images, labels = self.write_pictures(folder, opener)
                digits = self.run_json(
                    "digits", "--device", "model", "--images", images, "--labels", labels, "--count", 2
                )
                self.assertEqual(digits["images"], 2)
                self.assertIsInstance(digits["accuracy"], float)
                self.assertIsNone(self.run_json("digits", "--device", "model", "--images", images)["accuracy"])
                swapped = systole("digits", "--device", "model", "--images", labels, "--labels", images)
                self.assertEqual(swapped.returncode, 2)
                self.assertIn(str(labels), swapped.stderr)

    def test_digits_with_a_label_that_is_no_digit(self):
        with tempfile.TemporaryDirectory() as folder:
            images, labels = self.write_pictures(folder, open)
            labels.write_bytes(labels.read_bytes()[:-1] + bytes([10]))
            files = ("digits", "--device", "model", "--images", images, "--labels", labels)
            done = systole(*files)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{labels}: label 2 is 10, beyond 0 to 9", done.stderr)
            self.assertEqual(systole(*files, "--count", 2).returncode, 0)

    def test_digits_text_follows_the_terminal(self):
        for width in (20, 80, 200):
            done = systole("digits", "--device", "model", environment={"COLUMNS": str(width)})
            pictures = done.stdout.split("digits  20 pictures")[0].splitlines()
            self.assertLessEqual(max(map(len, pictures)), max(width, 24))
        self.assertIn("accuracy     20 of 20", done.stdout)

    def test_bench_runs_what_is_named(self):
        bench = self.run_json("bench", "--only", "matmul_16,conv5x5_20x20x3", "--quick", "--device", "model")
        self.assertEqual([run["name"] for run in bench["results"]], ["matmul_16", "conv5x5_20x20x3"])


class Rtl(Case):
    def test_operators(self):
        for arguments in (
            ["matmul", "--m", 20, "--n", 9, "--k", 13],
            ["matmul", "--m", 16, "--n", 16, "--k", 16, "--raw"],
            [
                "conv",
                "--height",
                9,
                "--width",
                7,
                "--cin",
                6,
                "--cout",
                5,
                "--pad",
                1,
                "--stall",
                20,
                "--order",
                "random",
            ],
        ):
            run = self.run_json(*arguments, "--config", "tiny", "--device", "rtl", "--check")
            self.check_run(run, timed=True)
            self.assertGreater(run["utilization"], 0)

    def test_latency_costs_cycles(self):
        fast, slow = (
            self.run_json("matmul", "--config", "tiny", "--latency", latency)["cycles"] for latency in (10, 400)
        )
        self.assertGreater(slow, fast + 1000)

    def test_memory_plan(self):
        run = self.run_json("matmul", "--m", 20, "--n", 9, "--k", 13, "--config", "tiny", "--memory-plan")
        plan = run["memory_plan"]
        self.assertEqual(plan["cycles"], run["cycles"])
        self.assertEqual(
            {o["memory"] for o in plan["occupied"]}, {"scratchpad", "weights", "parameters", "accumulators"}
        )
        self.assertEqual(
            run["cycles"], self.run_json("matmul", "--m", 20, "--n", 9, "--k", 13, "--config", "tiny")["cycles"]
        )
        bench = self.run_json(
            "bench", "--only", "matmul_512", "--config", "default", "--memory-plan"
        )  # runs the model as well
        self.assertIn("memory_plan", bench["results"][0])

    def test_network_in_parts(self):
        arguments = ["bench", "--networks", "--only", "kws,ad", "--config", "tiny", "--check"]
        parted = self.run_json(*arguments, "--jobs", 3)["results"]
        for run, whole in zip(parted, self.run_json(*arguments)["results"]):
            self.assertEqual((run["name"], run["macs"], run["bit_exact"]), (whole["name"], whole["macs"], True))
            self.assertEqual(len(run["parts"]), 3)
            self.assertTrue(all(part["cycles"] > 0 and part["bit_exact"] for part in run["parts"]))
        self.assertEqual(systole("bench", "--jobs", 2).returncode, 2)
        self.assertEqual(systole(*arguments, "--jobs", 2, "--timeline", "t.json").returncode, 2)

    def test_slow_memory_is_no_hang(self):
        self.check_run(
            self.run_json("matmul", "--m", 4, "--n", 4, "--k", 4, "--config", "tiny", "--latency", 60000), timed=True
        )

    def test_waveform(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "run.fst"
            done = systole("matmul", "--m", 4, "--n", 4, "--k", 4, "--config", "tiny", "--trace", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(path.stat().st_size, 1000)
            self.assertEqual(systole("matmul", "--config", "tiny", "--trace", folder).returncode, 2)

    def test_part_of_a_waveform(self):
        small = ["matmul", "--m", 8, "--n", 8, "--k", 8, "--config", "tiny"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.fst"
            sizes, cycles = [], set()
            for part in ([], ["--trace-scope", "tpu_core.u_mxu"], ["--trace-from", 300, "--trace-to", 350]):
                cycles.add(self.run_json(*small, "--trace", path, *part)["cycles"])
                sizes.append(path.stat().st_size)
            self.assertEqual(max(sizes), sizes[0])  # the whole run, then a part of the core, then a part of the time
            self.assertEqual(len(set(sizes)), 3)
            self.assertEqual(cycles, {self.run_json(*small)["cycles"]})
            before, unneeded = path.read_bytes(), Path(folder) / "unneeded.fst"
            for file in (path, unneeded):
                self.run_json(*small, "--trace", file, "--trace-on-error")
            self.assertFalse(unneeded.exists())  # nothing failed
            self.assertEqual(path.read_bytes(), before)

    def test_a_waveform_that_makes_no_sense(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = ["matmul", "--m", 4, "--n", 4, "--k", 4, "--config", "tiny", "--trace", Path(folder) / "run.fst"]
            for arguments, text in (
                (["--trace-from", 5, "--trace-to", 4], "--trace-from: 5 is after --trace-to, 4"),
                (["--trace-scope", "tpu_core.u_nothing"], "tpu_core.u_mxu"),
                (["--trace-layer", "conv1"], "--trace-layer: no run 'conv1'; available: matmul"),
                (["--trace-from", 10_000_000], "no cycle was recorded"),
                (["--trace-on-error", 0], "--trace-on-error"),
                (["--trace-on-error", 9, "--trace-to", 5], "--trace-to"),
                (["--trace-on-error", 9, "--trace-layer", "matmul"], "--trace-layer"),
            ):
                done = systole(*trace, *arguments)
                self.assertEqual(done.returncode, 2, arguments)
                self.assertIn(text, done.stderr)
            self.assertEqual(systole("matmul", "--trace-from", 5).returncode, 2)

    def test_timeline(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, packed = Path(folder) / "new" / "run.json", Path(folder) / "run.json.gz"
            for command, path in (
                (["matmul", "--m", 20, "--n", 9, "--k", 13, "--config", "tiny"], plain),
                (["conv", "--height", 6, "--width", 6, "--pad", 1, "--config", "tiny"], packed),
                (["digits", "--count", 1, "--config", "tiny"], packed),
            ):
                run = self.run_json(*command, "--timeline", path)
                data = path.read_bytes()
                trace = json.loads(gzip.decompress(data) if path == packed else data)["traceEvents"]
                groups = {event["pid"]: event["args"]["name"] for event in trace if event["name"] == "process_name"}
                events = [event for event in trace if event["ph"] == "X"]
                shown = {engine: dict.fromkeys(run["causes"][engine], 0) for engine in ENGINES}
                for event in events:
                    if event["name"] in shown.get(groups[event["pid"]], {}):
                        shown[groups[event["pid"]]][event["name"]] += event["dur"]
                if "layers" not in run:  # of one run: IDLE is a gap, the rest of its cycles
                    for engine in ENGINES:
                        shown[engine]["IDLE"] = run["cycles"] - sum(shown[engine].values())
                else:
                    for engine in ENGINES:
                        shown[engine]["IDLE"] = run["causes"][engine]["IDLE"]
                self.assertEqual(shown, run["causes"])
                layers = {event["args"]["layer"] for event in events if "layer" in event.get("args", {})}
                self.assertEqual(layers, {layer["name"] for layer in run.get("layers", [{"name": run["name"]}])})
            for unwritable in (folder, "/dev/null/x.json", "/dev/full"):
                done = systole("matmul", "--config", "tiny", "--timeline", unwritable)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"cannot write {unwritable}: ", done.stderr)

    def test_digits_agree_with_the_model(self):
        rtl, model = (self.run_json("digits", "--count", 2, "--device", device) for device in ("rtl", "model"))
        self.assertTrue(rtl["bit_exact"])
        self.assertEqual(rtl["answers"], model["answers"])
        self.assertEqual(rtl["macs"], model["macs"])
        for layer in rtl["layers"]:
            self.assertGreater(layer["cycles"], 0, layer["name"])
            self.assertEqual(layer["utilization"] > 0, layer["macs"] > 0, layer["name"])

    def test_quick_bench(self):
        bench = self.run_json("bench", "--quick", "--config", "small")
        self.assertEqual(
            [run["name"] for run in bench["results"]],
            ["matmul_64", "matmul_256", "conv3x3_16x16x64", "conv1x1_56x56x64"],
        )
        for run in bench["results"]:
            self.check_run(run, timed=True)


if __name__ == "__main__":
    unittest.main()
