# SPDX-License-Identifier: Apache-2.0
"""`mpirun -n N systole train`: the same bits for any number of ranks, what is printed, and what a rank's end leaves.
Skipped (77) without mpirun or MPI in the build."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from bar_pictures import write_pictures
from mpi_launch import ENVIRONMENT, PATIENCE, call, ranks, skip_without_mpi

PROGRAM = sys.argv.pop(1)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def process_of_rank(launcher, rank):
    """The rank's process, a child of mpirun."""
    wanted = f"OMPI_COMM_WORLD_RANK={rank}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if parent == launcher and wanted in (folder / "environ").read_bytes().split(b"\0"):
                return int(folder.name)
        except (OSError, ValueError):
            continue  # it has ended meanwhile, or belongs to someone else
    raise AssertionError(f"mpirun has no process of rank {rank}")


class Ranks(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)
        self.data = write_pictures(self.folder, "train", 96, 1)
        self.fresh = write_pictures(self.folder, "fresh", 70, 2)

    def tearDown(self):
        self.room.cleanup()

    def command(self, *options, labels=None):
        common = {"--scale": 0.1, "--batch": 24, "--micro-batches": 4, "--learning-rate": 0.01}
        chosen = [word for name, value in common.items() if name not in options for word in (name, value)]
        return [PROGRAM, "train", "--images", self.data[0], "--labels", labels or self.data[1], *chosen, *options]

    def results(self, launch, name, *options):
        """Digests of checkpoint and network, and the report."""
        files = {option: self.folder / f"{name}{option}" for option in ("--checkpoint", "--json")}
        files["-o"] = self.folder / f"{name}.onnx"
        written = [word for pair in files.items() for word in pair]
        result = call([*launch, *self.command(*options, *written)])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.count("epoch 1:"), 1, "only one rank prints")
        report = json.loads(files["--json"].read_text())
        return digest(files["--checkpoint"]), digest(files["-o"]), report

    def same_for_all(self, counts, *options):
        alone = self.results([], "alone", *options)
        for count in counts:
            several = self.results(ranks(count), f"of{count}", *options)
            self.assertEqual(several[0], alone[0], f"checkpoints of {count} ranks and of one process")
            self.assertEqual(several[1], alone[1], f"networks of {count} ranks and of one process")
            self.assertEqual(several[2]["losses"], alone[2]["losses"])
            self.assertEqual(several[2]["scaling"]["ranks"], count)
            self.assertGreater(several[2]["scaling"]["exchange_cycles"], 0)
        return alone

    def test_sgd(self):
        self.same_for_all([2, 4])

    def test_other_losses(self):
        self.same_for_all([2], "--loss", "binary")
        self.same_for_all([3], "--loss", "mean-square", "--classes", 1, "--learning-rate", 0.001)

    def test_numbers_frozen_parameters_and_weights(self):
        numbers = ["--loss", "huber", "--huber-delta", 2, "--classes", 1, "--learning-rate", 0.001, "--hold-out", 10]
        self.same_for_all([4], *numbers, "--freeze", "conv1.*", "--optimizer", "adamw", "--weight-decay", 0.1)
        self.same_for_all([2], "--class-weights", "balanced", "--label-smoothing", 0.1, "--hold-out", 20)

    def test_momentum_clipping_dropout(self):
        more = ["--optimizer", "momentum", "--clip-norm", 0.05, "--dropout", 0.3, "--weight-decay", 0.01]
        alone = self.same_for_all([2, 4], *more)
        other = self.results([], "unclipped", "--optimizer", "momentum", "--dropout", 0.3, "--weight-decay", 0.01)
        self.assertNotEqual(alone[1], other[1], "the clipping took part")

    def test_adam_validation_statistics(self):
        images, labels = self.fresh
        validation = ["--validation-images", images, "--validation-labels", labels]
        more = ["--optimizer", "adam", "--batch-normalization", "--dropout", 0.2, "--epochs", 2, *validation]
        self.same_for_all([3, 4], *more)

    def test_on_the_model(self):
        small = ["--device", "model", "--count", 8, "--batch", 4, "--scale", 0.02, "--optimizer", "adam"]
        on_model = self.same_for_all([2], *small, "--micro-batches", 2)
        on_host = self.results([], "host", *small[2:], "--micro-batches", 2)
        self.assertEqual(on_model[1], on_host[1])

    def test_one_micro_batch_is_another_order(self):
        whole = self.results([], "whole", "--micro-batches", 1)
        parts = self.results([], "parts")
        self.assertNotIn("scaling", whole[2])
        for one, other in zip(whole[2]["losses"], parts[2]["losses"], strict=True):
            self.assertAlmostEqual(one, other, delta=1e-4 * abs(one))

    def test_resumes_with_other_ranks(self):
        whole, part = self.folder / "whole.npz", self.folder / "part.npz"
        more = ["--optimizer", "adam", "--dropout", 0.2]
        for launch, epochs, files in (
            ([], 2, ["--checkpoint", whole]),
            (ranks(2), 1, ["--checkpoint", part]),
            (ranks(4), 2, ["--resume", part, "--checkpoint", part]),
        ):
            result = call([*launch, *self.command(*more, "--epochs", epochs, *files)])
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(digest(whole), digest(part))
        result = call(self.command(*more, "--epochs", 3, "--micro-batches", 2, "--resume", part))
        self.assertEqual(result.returncode, 2)
        self.assertIn("was made with --micro-batches 4, not 2", result.stderr)

    def refused(self, command, *texts):
        result = call(command)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for text in texts:
            self.assertEqual(result.stderr.count(text), 1, result.stderr)

    def test_errors_are_said_once(self):
        self.refused([*ranks(4), *self.command("--micro-batches", 2)], "--micro-batches: 2 for 4 ranks")
        self.refused(self.command("--micro-batches", 5), "5 equal parts of a batch of 24")
        self.refused([*ranks(2), *self.command("--epochs", "x")], "--epochs")
        self.refused([*ranks(2), PROGRAM, "matmul"], "systole matmul runs in one process")
        diverging = ["--learning-rate", 1e6, "--loss", "mean-square", "--epochs", 20]
        self.refused([*ranks(2), *self.command(*diverging)], "the loss is")

    def test_ranks_with_other_files(self):
        other = write_pictures(self.folder, "other", 96, 3)[1]
        for labels, text in ((other, "rank 1 has read other samples"), ("nothing", "rank 1: --targets: nothing")):
            first, second = self.command(), self.command(labels=labels)
            self.refused([*ranks(1), *first, ":", "-n", "1", *second], text)

    def test_a_rank_that_dies(self):
        for rank in (1, 0):
            with self.subTest(rank=rank):
                self.kill(rank)

    def test_a_rank_that_is_told_to_stop(self):
        """All stop after the same step, and what they have is written."""
        for rank in (0, 1):
            with self.subTest(rank=rank):
                report, checkpoint = self.folder / f"stop{rank}.json", self.folder / f"stop{rank}.npz"
                code, errors = self.signalled(rank, signal.SIGTERM, checkpoint, "--json", report)
                self.assertEqual(code, 143, errors)
                losses = json.loads(report.read_text())["losses"]
                self.assertIn(f"stopped by SIGTERM after step {len(losses)}, ", errors)
                with zipfile.ZipFile(checkpoint) as archive:
                    self.assertEqual(json.loads(archive.read("training.json"))["losses"], losses)

    def signalled(self, rank, number, checkpoint, *options):
        """Exit code and errors of a launch whose rank gets a signal after the first checkpoint."""
        endless = ["--epochs", 100000, "--checkpoint-every", 1, "--checkpoint", checkpoint, *options]
        command = [str(word) for word in (*ranks(3), *self.command(*endless))]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT) as launch:
            try:
                start = time.monotonic()
                while not checkpoint.exists() and time.monotonic() - start < PATIENCE:
                    time.sleep(0.05)
                os.kill(process_of_rank(launch.pid, rank), number)
                _, errors = launch.communicate(timeout=PATIENCE)
            finally:
                launch.kill()
        return launch.returncode, errors.decode()

    def kill(self, rank):
        checkpoint = self.folder / f"killed{rank}.npz"
        code, errors = self.signalled(rank, signal.SIGKILL, checkpoint)
        self.assertNotEqual(code, 0)
        self.assertIn(f"rank {rank}", errors)
        self.assertEqual("stopped, because another rank or the launch has ended" in errors, rank != 0, errors)
        with zipfile.ZipFile(checkpoint) as archive:
            self.assertIsNone(archive.testzip())
            done = json.loads(archive.read("training.json"))
        self.assertGreater(len(done["losses"]), 0)
        more = ["--epochs", done["epoch"] + 1, "--resume", checkpoint]
        self.assertEqual(call(self.command(*more)).returncode, 0)


if __name__ == "__main__":
    skip_without_mpi(PROGRAM)
    unittest.main()
