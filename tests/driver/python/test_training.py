# SPDX-License-Identifier: Apache-2.0
"""systole.train and systole.TrainingStep: the same steps as the command `systole train`, on the host and on a device;
loops of one's own; errors.

  test_training.py SYSTOLE"""

import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy

import systole

PROGRAM = sys.argv.pop(1)
SAMPLES, INPUTS, BATCH = 64, 6, 16
NETWORK = f"mlp:{INPUTS}-5-tanh-1-sigmoid"
OPTIONS = {"optimizer": "adamw", "learning_rate": 0.02, "weight_decay": 0.01, "seed": 3}


class Training(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(2)
        self.x = random.normal(0, 1, (SAMPLES, INPUTS)).astype(numpy.float32)
        self.y = (self.x[:, 0] + self.x[:, 1] > 0).astype(numpy.int64)
        self.room = tempfile.TemporaryDirectory()
        self.folder = Path(self.room.name)

    def tearDown(self):
        self.room.cleanup()

    def command(self, *options):
        """The report of the command."""
        x, y, report = (self.folder / name for name in ("x.npy", "y.npy", "report.json"))
        numpy.save(x, self.x)
        numpy.save(y, self.y)
        command = [PROGRAM, "train", "--network", NETWORK, "--data", x, "--targets", y, "--json", report]
        command += [word for name, value in OPTIONS.items() for word in (f"--{name.replace('_', '-')}", value)]
        subprocess.run([str(word) for word in [*command, *options]], check=True, capture_output=True)
        return json.loads(report.read_text())

    def test_takes_the_steps_of_the_command(self):
        wanted = self.command("--batch", BATCH, "--epochs", 3, "--hold-out", 16, "--micro-batches", 2)
        seen = []
        result = systole.train(
            NETWORK,
            self.x,
            self.y,
            batch=BATCH,
            epochs=3,
            hold_out=16,
            micro_batches=2,
            progress=seen.append,
            **OPTIONS,
        )
        self.assertEqual(result.losses.tolist(), wanted["losses"])
        self.assertEqual(result.epochs, wanted["epochs"])
        self.assertEqual(result.best_epoch, wanted["best_epoch"])
        self.assertEqual([record["loss"] for record in seen if "step" in record], wanted["losses"])
        self.assertEqual([record["epoch"] for record in seen if "epoch" in record], [1, 2, 3])
        self.assertEqual(result.parameters["dense1.weight"].shape, (5, INPUTS))
        model = self.folder / "net.onnx"
        result.save(model)
        with self.assertRaisesRegex(systole.InvalidArgument, "net.pt: ends in .pt; .* a name that ends in .onnx"):
            result.save(self.folder / "net.pt")
        self.assertFalse((self.folder / "net.pt").exists())
        chance = systole.Network.load(model, device="host").run(self.x)
        right = ((chance[48:, 0] > 0.5) == self.y[48:]).mean()
        self.assertAlmostEqual(result.epochs[result.best_epoch - 1]["validation"]["accuracy"], right, places=6)

    def test_on_a_device(self):
        device = systole.Device("tiny", "model")
        for precision in (None, "mx"):
            run = dict(batch=BATCH, epochs=1, precision=precision, **OPTIONS)
            there = systole.train(NETWORK, self.x, self.y, device=device, **run)
            self.assertEqual(there.losses.tolist(), systole.train(NETWORK, self.x, self.y, **run).losses.tolist())

    @unittest.skipUnless("tiny" in systole.rtl_configurations(), "this build has no core of configuration tiny")
    def test_ends_on_a_device_in_turn(self):
        """What was compiled for a device ends while no other thread runs there."""
        device = systole.Device("tiny", "rtl")
        step = systole.TrainingStep(NETWORK, self.x, self.y, device=device)
        step.save(step.initial, self.folder / "net.onnx")
        network = systole.Network.load(self.folder / "net.onnx", device=device)
        step(step.initial, (self.x, self.y))
        kept, ends, waited = [step], [], []
        del step

        def progress(*_):
            if not ends:
                ends.append(threading.Thread(target=kept.clear))
                ends[0].start()
                ends[0].join(0.3)
                waited.append(ends[0].is_alive())

        network.run(self.x[:1], progress=progress)
        self.assertEqual(waited, [True])
        ends[0].join()

    def test_goes_on_from_a_checkpoint(self):
        path, run = self.folder / "state.npz", dict(batch=BATCH, hold_out=16, **OPTIONS)
        whole = systole.train(NETWORK, self.x, self.y, epochs=3, **run)
        systole.train(NETWORK, self.x, self.y, epochs=2, checkpoint=path, **run)
        result = systole.train(NETWORK, self.x, self.y, epochs=3, resume=path, checkpoint=path, **run)
        self.assertEqual(result.losses.tolist(), whole.losses.tolist())
        wanted = self.command("--batch", BATCH, "--hold-out", 16, "--epochs", 4, "--resume", path)
        self.assertEqual(wanted["losses"][:9], whole.losses.tolist())
        with self.assertRaisesRegex(systole.Failure, "was made with batch=16, not 8; the training would"):
            systole.train(NETWORK, self.x, self.y, resume=path, **{**run, "batch": 8})
        with self.assertRaisesRegex(systole.Failure, "none/state.npz"):
            systole.train(NETWORK, self.x, self.y, checkpoint=self.folder / "none/state.npz", **run)

    def test_raw_columns(self):
        raw = self.x * 1000 + 5
        with self.assertWarnsRegex(UserWarning, r"^data: element \[0\]: mean .* standardize"):
            systole.train(NETWORK, raw, self.y, batch=BATCH)
        result = systole.train(NETWORK, raw, self.y, batch=BATCH, standardize=True)
        numpy.testing.assert_allclose([column["mean"] for column in result.columns], raw.mean(0), rtol=1e-4)
        self.assertEqual(systole.train(NETWORK, self.x, self.y, batch=BATCH).columns, [])
        with self.assertRaisesRegex(systole.InvalidArgument, "standardize: depends on all samples"):
            systole.TrainingStep(NETWORK, raw, self.y, standardize=True)

    def test_progress_ends_a_training(self):
        result = systole.train(NETWORK, self.x, self.y, batch=BATCH, epochs=9, progress=lambda r: r.get("step") != 3)
        self.assertEqual(len(result.losses), 3)
        with self.assertRaises(ZeroDivisionError):
            systole.train(NETWORK, self.x, self.y, batch=BATCH, progress=lambda r: 1 / 0)

    def test_steps_of_a_loop_of_ones_own(self):
        """The steps of a training whose only batch is all samples."""
        wanted = systole.train(NETWORK, self.x, self.y, batch=SAMPLES, epochs=4, **OPTIONS)
        # An epoch has an order of its own, and sums depend on it; a batch of all samples is the same up to rounding.
        step = systole.TrainingStep(NETWORK, self.x, self.y, **OPTIONS)
        state, losses = step.initial, []
        for _ in range(4):
            before = {name: array.copy() for name, array in state.parameters.items()}
            after, loss = step(state, (self.x, self.y))
            for name, array in before.items():
                numpy.testing.assert_array_equal(state.parameters[name], array)
            state = after
            losses.append(loss)
        numpy.testing.assert_allclose(losses, wanted.losses, rtol=1e-6)
        self.assertEqual(state.step, 4)
        self.assertEqual(list(state.optimizer)[:2], ["dense1.weight.mean", "dense1.weight.square"])
        again, loss = step(step.initial, (self.x, self.y))
        self.assertEqual(loss, losses[0])
        step.save(state, self.folder / "step.onnx")
        model = systole.Network.load(self.folder / "step.onnx", device="host")
        hidden = numpy.tanh(self.x @ state.parameters["dense1.weight"].T + state.parameters["dense1.bias"])
        scores = hidden @ state.parameters["dense2.weight"].T + state.parameters["dense2.bias"]
        numpy.testing.assert_allclose(model.run(self.x), 1 / (1 + numpy.exp(-scores)), atol=1e-5)

    def test_errors(self):
        wrong = self.x.copy()
        wrong[5, 2] = numpy.nan
        for arguments, options, kind, text in (
            ((NETWORK, wrong, self.y), {}, systole.InvalidArgument, r"data: row 5, element \[2\]: the value is nan"),
            ((NETWORK, self.x, self.y[1:]), {}, systole.InvalidArgument, "targets of data: 63 targets for 64 samples"),
            ((NETWORK, self.x, self.y + 1), {}, systole.InvalidArgument, "the target is 2; it must be a whole number"),
            ((NETWORK, self.x, self.y), {"bath": 3}, systole.InvalidArgument, "no option 'bath'; there are .*batch"),
            ((NETWORK, self.x, self.y), {"batch": "x"}, systole.InvalidArgument, "batch: 'x'"),
            ((NETWORK, self.x, self.y), {"beta1": 1}, systole.InvalidArgument, "^beta1: 1; it must be 0 or more"),
            ((NETWORK, self.x, self.y), {"batch": 65}, systole.InvalidArgument, "; give batch=64 or less"),
            ((NETWORK, self.x, self.y + 0.5), {}, systole.InvalidArgument, "use loss='mean-square' for numbers"),
            ((NETWORK, self.x, self.y), {"epochs": "3"}, systole.InvalidArgument, "epochs: '3'; give a whole number"),
            ((NETWORK, self.x, self.y), {"freeze": 3}, systole.InvalidArgument, "freeze: 3; give a list of texts"),
            ((NETWORK, self.x, self.y), {"beta1": "x"}, systole.InvalidArgument, "beta1: 'x'; give a number"),
            ((NETWORK, self.x, self.y), {"loss": "l3"}, systole.InvalidArgument, "'l3'; it is one of cross-entropy"),
            ((NETWORK, self.x, self.y), {"device": "rtl"}, systole.InvalidType, "give a systole.Device or 'host'"),
            ((NETWORK, ["a"], self.y), {}, systole.InvalidType, "data: an array of <U1"),
            (("none.onnx", self.x, self.y), {}, systole.ModelNotFound, "none.onnx"),
            (("mpl:6-1", self.x, self.y), {}, systole.InvalidArgument, "'mpl:6-1' is no network that is built here"),
            ((None, self.x, self.y), {}, systole.InvalidType, "network: NoneType; give a name such as"),
            (("mlp:6-1", self.x, self.y), {"learning_rate": 1e6, "epochs": 9}, systole.Failure, "step .: the loss is"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                systole.train(*arguments, **{"batch": BATCH, **options})
        with self.assertRaisesRegex(systole.InvalidArgument, "epochs: is for systole.train"):
            systole.TrainingStep(NETWORK, self.x, self.y, epochs=3)
        step = systole.TrainingStep(NETWORK, self.x[:8], self.y[:8])
        with self.assertRaisesRegex(systole.InvalidArgument, "64 samples; the step takes 8"):
            step(step.initial, (self.x, self.y))
        with self.assertRaisesRegex(systole.InvalidType, "give a pair of data and targets"):
            step(step.initial, self.x)
        with self.assertRaisesRegex(systole.InvalidArgument, "balanced ones depend on all samples"):
            systole.TrainingStep(NETWORK, self.x, self.y, class_weights="balanced")
        with self.assertRaisesRegex(systole.InvalidArgument, "beside others to validate with"):
            systole.train(NETWORK, self.x, self.y, validation=(self.x, self.y), hold_out=8)
        other = systole.TrainingStep("mlp:6-1", self.x[:8], self.y[:8])
        with self.assertRaisesRegex(systole.InvalidArgument, "give a state of this network"):
            step(other.initial, (self.x[:8], self.y[:8]))
        with self.assertRaisesRegex(systole.InvalidArgument, "give a state of this network"):
            step.save(other.initial, self.folder / "other.onnx")


if __name__ == "__main__":
    unittest.main()
