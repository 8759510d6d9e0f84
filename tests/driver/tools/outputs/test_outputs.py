# SPDX-License-Identifier: Apache-2.0
"""Every command of `systole` with every output that it has, where the output cannot be written: below a plain file,
in a folder that does not exist, on a full device, on a small disk that is full, to a closed pipe, to a closed standard
output. The exit code is never 0, a good file that was there stays, and no temporary file is left.

  test_outputs.py PROGRAM LIST_OUTPUTS KERNEL [TESTCLASS]

LIST_OUTPUTS names the outputs of the program itself: a new one without a line here fails Listed."""

import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, LIST_OUTPUTS, KERNEL = (sys.argv.pop(1) for _ in range(3))
SKIPPED = 77
OK, BAD_INPUT, OUTPUT_LOST = 0, 2, 4
MODEL = ["--device", "model", "--config", "tiny"]
RTL = ["--device", "rtl", "--config", "tiny"]
CORES = ("tiny", "default")
SMALL = ["--m", 4, "--n", 4, "--k", 4]


def idx(path, *shape):
    count = 1
    for size in shape:
        count *= size
    magic = 0x800 + len(shape)
    path.write_bytes(struct.pack(f">{1 + len(shape)}I", magic, *shape) + bytes(i * 7 % 10 for i in range(count)))


def npy(path, type_name, shape, data):
    header = repr({"descr": type_name, "fortran_order": False, "shape": shape}).encode()
    header += b" " * ((64 - (11 + len(header)) % 64) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header + data)


def call(*words, **options):
    return subprocess.run([PROGRAM, *map(str, words)], check=False, **options)


class Files:
    """Inputs of all commands."""

    def __init__(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        idx(self.folder / "pictures", 40, 12, 12)
        idx(self.folder / "labels", 40)
        npy(self.folder / "x.npy", "<f4", (4, 1, 12, 12), struct.pack("<576f", *(i % 9 / 9 for i in range(576))))
        npy(self.folder / "k.npy", "|i1", (8, 4), bytes(range(32)))
        subprocess.run([LIST_OUTPUTS, self.folder], check=True)
        self.train = ["train", "--images", self / "pictures", "--labels", self / "labels"]
        self.train += ["--scale", 0.1, "--batch", 20, "--epochs", 1]
        self.made(*self.train, "-o", self / "float.onnx")
        self.made("quantize", self / "float.onnx", "--calibrate", self / "x.npy", "-o", self / "int8.systole")
        self.made("compile", self / "int8.systole", "--config", "tiny", "-o", self / "tiny.systole")
        self.rtl = {name: call("info", *RTL[:3], name, capture_output=True).returncode == OK for name in CORES}
        self.has_rtl = call("matmul", *SMALL, *RTL, "--json", self / "run.json", capture_output=True).returncode == OK

    def made(self, *words):
        done = call(*words, capture_output=True, text=True)
        if done.returncode != OK:
            raise RuntimeError(f"{words}: {done.stderr}")

    def __truediv__(self, name):
        return self.folder / name

    def commands(self):
        """Command to its shortest call."""
        run = ["run", self / "tiny.systole", "--count", 1]
        model = ["--model", self / "model.bin", "--tokenizer", self / "tokens.bin", "--tokens", 2]
        kernel = ["--in", f"src={self / 'k.npy'}", "--arg", "rows=8", "--arg", "strips=1", "--arg", "slope=0.5"]
        calls = {
            "info": ["info", *MODEL],
            "matmul": ["matmul", *SMALL, *MODEL],
            "conv": ["conv", "--height", 4, "--width", 4, "--cin", 4, "--cout", 4, *MODEL],
            "bench": ["bench", "--only", "matmul_16", *MODEL],
            "digits": ["digits", "--count", 1, *MODEL],
            "disasm": ["disasm", self / "tiny.systole"],
            "inspect": ["inspect", self / "int8.systole"],
            "quantize": ["quantize", self / "float.onnx", "--calibrate", self / "x.npy"],
            "compile": ["compile", self / "int8.systole", "--config", "tiny", "-o", self / "other.systole"],
            "run": [*run, *MODEL],
            "generate": ["generate", *model],
            "train": self.train,
            "kernel": ["kernel", KERNEL, *kernel, "--out", f"dst={self / 'y.npy'}:8x4:int8", *MODEL],
        }
        if self.has_rtl:
            calls["report"] = ["report", self / "run.json"]
            calls["sweep"] = ["sweep", "--config", "tiny", "--config-grid", "latency=20", "--workload", "matmul:4x4x4"]
        return calls

    def with_output(self, command, option, path):
        """The call of a command that writes one output there; None if it needs a core that this build lacks."""
        words = [word for word in self.commands().get(command, [])]
        recorded = option in ("--trace", "--timeline")
        if not words or (recorded and not self.has_rtl):
            return None
        if recorded:
            at = words.index("--device") if "--device" in words else len(words)
            words[at : at + 4] = [*RTL[:3], "default"] if command == "digits" and self.rtl["default"] else RTL
        if recorded and command == "train":  # a step of one picture
            words[words.index("--batch") + 1] = 1
            words += ["--count", 1]
        if command == "compile" and option == "--output":
            return words[: words.index("-o")] + [option, path]
        if command == "kernel" and option == "--out":
            return words[: words.index("--out")] + ["--out", f"dst={path}:8x4:int8", *MODEL]
        short = ["--trace-to", 2000] if option == "--trace" else []  # recording slows down the simulation
        return [*words, option, path, *short]


# Outputs whose names must end in a certain way.
ENDINGS = {("sweep", "--output"): ".svg", ("train", "--output"): ".onnx"}
# What is written while a command runs replaces what was there at once.
LIVE = {("train", "--log")}
# A waveform is written in several places at once.
NO_DEVICE = {"--trace"}


def listed():
    lines = subprocess.run([LIST_OUTPUTS], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line for line in lines if " " not in line}, [tuple(line.split()) for line in lines if " " in line]


class Case(unittest.TestCase):
    files = None

    @classmethod
    def setUpClass(cls):
        if Case.files is None:
            Case.files = Files()

    def outputs(self, folder, name="out"):
        """Command, option and path of each output, and the call that writes it."""
        for command, option in listed()[1]:
            path = Path(folder) / (name + ENDINGS.get((command, option), ""))
            words = self.files.with_output(command, option, path)
            if words:
                yield command, option, path, words

    def refused(self, words, *reasons, code=BAD_INPUT):
        done = call(*words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        self.assertTrue(any(reason in done.stderr for reason in reasons), (words, done.stderr))
        return done


class Listed(Case):
    """Nothing is left out."""

    def test_commands(self):
        commands, outputs = listed()
        known = set(self.files.commands()) | {"report", "sweep"}
        self.assertEqual(commands, known, "a command without a call here")
        self.assertGreater(len(outputs), 30)

    def test_options_that_look_like_outputs(self):
        """An option whose help speaks of writing is one of the outputs."""
        commands, outputs = listed()
        inputs = {("sweep", "--workload"), ("train", "--checkpoint-every")}
        for command in commands:
            page = call(command, "--help", capture_output=True, text=True).stdout.partition("Examples:")[0]
            for line in page.splitlines():
                words = line.split()
                if words and words[0].lstrip("-") != words[0] and " write " in f" {line.lower()} " and "FILE" in line:
                    names = [word for word in words[0].split(",") if word.startswith("--")]
                    for name in names:
                        self.assertTrue((command, name) in outputs or (command, name) in inputs, (command, line))


class Refused(Case):
    """A path that cannot become a file is found before the work begins."""

    def test_below_a_plain_file(self):
        plain = self.files / "plain"
        plain.write_text("kept")
        for command, option, path, words in self.outputs(plain):
            with self.subTest(command=command, option=option):
                done = self.refused(words, "Not a directory")
                self.assertEqual(done.stdout, "")
        self.assertEqual(plain.read_text(), "kept")

    def test_a_folder(self):
        folder = self.files / "folder"
        for ending in {"", *ENDINGS.values()}:
            (folder / ("out" + ending)).mkdir(parents=True)
        for command, option, path, words in self.outputs(folder):
            with self.subTest(command=command, option=option):
                self.assertEqual(self.refused(words, "Is a directory").stdout, "")
                self.assertEqual(os.listdir(path), [])

    def test_a_folder_that_does_not_exist(self):
        for command, option, path, words in self.outputs(self.files / "nowhere"):
            if option not in ("--trace", "--timeline"):  # their folders are made
                with self.subTest(command=command, option=option):
                    self.assertEqual(self.refused(words, "No such file or directory").stdout, "")


class Full(Case):
    """A device on which nothing can be written."""

    def test_full_device(self):
        before = os.stat("/dev/full")
        for command, option, path, words in self.outputs("/dev", "full"):
            if path.name != "full":
                continue
            with self.subTest(command=command, option=option):
                reason = "device or a pipe" if option in NO_DEVICE else "No space left on device"
                self.refused(words, reason)
        self.assertEqual(os.stat("/dev/full").st_rdev, before.st_rdev)

    def test_the_other_outputs_are_written(self):
        report, plot = self.files / "report.json", self.files / "plot.svg"
        for lost in ("-o", "--checkpoint"):
            words = [*self.files.train, lost, "/dev/full", "--plot", plot, "--json", report]
            done = self.refused(words, "cannot write /dev/full: No space left on device")
            self.assertEqual("the training goes on without this checkpoint" in done.stderr, lost == "--checkpoint")
            self.assertIn("losses", json.loads(report.read_text()))
            self.assertTrue(plot.read_text().startswith("<svg"))
            report.unlink()
            plot.unlink()


class SmallDisk(Case):
    """A disk that is full when the output is written: what was there stays."""

    def test_small_disk(self):
        disk = self.files / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no file system can be mounted here")
        try:
            (disk / "filler").write_bytes(b"")
            for command, option, path, words in self.outputs(disk):
                if (command, option) in LIVE:
                    continue
                path.write_text("good")
                with open(disk / "filler", "wb", buffering=0) as filler:
                    try:
                        while filler.write(bytes(4096)):
                            pass
                    except OSError:
                        pass
                there = sorted(os.listdir(disk))
                with self.subTest(command=command, option=option):
                    done = self.refused(words, "No space left on device")
                    self.assertEqual(path.read_text(), "good", done.stderr)
                    self.assertEqual(sorted(os.listdir(disk)), there)
                os.truncate(disk / "filler", 0)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_disk_that_the_output_fills(self):
        """The first blocks fit, the rest does not."""
        disk = self.files / "disk2"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", disk], capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        try:
            for command, option in (("matmul", "--trace"), ("conv", "--timeline"), ("train", "--output")):
                for before in disk.iterdir():
                    before.unlink()
                path = disk / ("out" + ENDINGS.get((command, option), ""))
                path.write_text("good")
                words = self.files.with_output(command, option, path)
                if words:
                    with self.subTest(command=command, option=option):
                        done = self.refused(words, "No space left on device")
                        self.assertEqual((os.listdir(disk), path.read_text()), ([path.name], "good"))
                        if option == "--trace":
                            self.assertIn("bit-exact", done.stdout)
        finally:
            subprocess.run(["umount", disk], check=True)


class StandardOutput(Case):
    """A result that nobody receives is no success."""

    def calls(self):
        outputs = listed()[1]
        for command, words in self.files.commands().items():
            yield command, words
            if (command, "--json") in outputs:
                yield command, [*words, "--json", "-"]
        if self.files.has_rtl:
            yield "report", ["report", self.files / "run.json", "-o", "-"]
        yield "help", ["--help"]

    def lost(self, words, code, reason, **options):
        done = call(*words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **options)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        self.assertEqual(done.stderr.count("error:"), 1 if reason else 0, (words, done.stderr))
        self.assertIn(reason, done.stderr)

    def test_full_device(self):
        for command, words in self.calls():
            with self.subTest(command=command, words=words), open("/dev/full", "w") as full:
                self.lost(words, OUTPUT_LOST, "standard output: No space left on device", stdout=full)

    def test_closed(self):
        for command, words in self.calls():
            with self.subTest(command=command, words=words):
                self.lost(words, OUTPUT_LOST, "standard output: Bad file descriptor", preexec_fn=lambda: os.close(1))

    def test_closed_pipe(self):
        """A filter whose reader has gone ends by SIGPIPE, as others do; where that is ignored, with the message."""

        def ignore():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)

        for command, words in self.calls():
            for ignored in (False, True):
                reader, writer = os.pipe()
                os.close(reader)
                with self.subTest(command=command, words=words, ignored=ignored):
                    if ignored:
                        reason = "standard output: Broken pipe"
                        options = {"preexec_fn": ignore, "restore_signals": False}
                        self.lost(words, OUTPUT_LOST, reason, stdout=writer, **options)
                    else:
                        self.lost(words, -signal.SIGPIPE, "", stdout=writer)
                os.close(writer)

    def test_the_files_are_written(self):
        report = self.files / "kept.json"
        with open("/dev/full", "w") as full:
            self.lost(["matmul", *SMALL, *MODEL, "--json", report], OUTPUT_LOST, "standard output", stdout=full)
        self.assertEqual(json.loads(report.read_text())["name"], "matmul")


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else SKIPPED if result.skipped else 0)
