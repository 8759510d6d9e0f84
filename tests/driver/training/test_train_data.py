# SPDX-License-Identifier: Apache-2.0
"""The samples of `systole train`: the same numbers from .npy, .npz, tables and IDX, of any type, give the same losses;
pictures in colour, rows that integers choose, several inputs; and what does not fit is told before the first step."""

import gzip
import struct
import subprocess
import unittest

import numpy as np
from train_program import PROGRAM, TrainCase, small_onnx

SAMPLES, WIDTH = 24, 5
STEPS = ["--batch", 8, "--epochs", 2, "--learning-rate", 0.1]


class Data(TrainCase):
    def setUp(self):
        super().setUp()
        self.x = self.random.integers(-8, 9, (SAMPLES, WIDTH)) / 4
        self.classes = np.arange(SAMPLES) * 7 % 3
        self.network = f"mlp:{WIDTH}-4-tanh-3"

    def losses(self, data, targets, *options, network=None):
        return self.train(network or self.network, data, targets, *STEPS, *options)["losses"]

    def test_formats_are_the_same(self):
        wanted = self.losses(self.array("x.npy", self.x), self.array("y.npy", self.classes))
        np.savez(self.folder / "both.npz", x=self.x, y=self.classes)
        both, packed = self.folder / "both.npz", self.folder / "packed.npz"
        np.savez_compressed(packed, x=self.x, y=self.classes)
        rows = [list(x) + [int(y)] for x, y in zip(self.x, self.classes)]
        names = [f"f{i}" for i in range(WIDTH)] + ["class"]
        named = self.text("named.csv", "\n".join([",".join(names)] + [",".join(map(str, row)) for row in rows]))
        bare = self.text("bare.csv", "\r\n".join(",".join(map(str, row)) for row in rows) + "\r\n")
        whole = (self.x * 4).astype(np.int8)
        idx = self.folder / "x.idx"
        idx.write_bytes(struct.pack(">BBBB2I", 0, 0, 0x0D, 2, SAMPLES, WIDTH) + self.x.astype(">f4").tobytes())
        zipped = self.folder / "y.idx.gz"
        zipped.write_bytes(
            gzip.compress(struct.pack(">BBBBI", 0, 0, 0x0B, 1, SAMPLES) + self.classes.astype(">i2").tobytes())
        )
        for data, targets in (
            (f"{both}:x", f"{both}:y"),
            (f"{packed}:x", f"{packed}:y"),
            (named, f"{named}:class"),
            (f"{named}:f0,f1,f2,f3,f4", f"{named}:6"),
            (bare, f"{bare}:6"),
            (idx, zipped),
            (self.array("f.npy", self.x.astype(np.float32)), self.array("u.npy", self.classes.astype(np.uint8))),
            (self.array("h.npy", self.x.astype(np.float16)), self.array("c.npy", self.classes[:, None])),
        ):
            self.assertEqual(self.losses(data, targets), wanted, (data, targets))
        integers = self.losses(self.array("i.npy", whole), self.array("y.npy", self.classes))
        self.assertEqual(integers, self.losses(self.array("d.npy", whole.astype(float)), self.folder / "y.npy"))
        self.assertNotEqual(integers, wanted)

    def test_number_of_classes_is_that_of_the_data(self):
        pictures = self.random.integers(0, 256, (SAMPLES, 10, 10), np.uint8)
        images, small = self.array("p.npy", pictures), ["--scale", 0.1]
        for targets, options, outputs in (
            (self.classes, [], "3"),
            (self.classes * 20, [], "41"),
            (self.classes, ["--classes", 7], "7"),
            (self.random.integers(0, 2, (SAMPLES, 6)), ["--loss", "binary"], "6"),
            (self.random.normal(0, 1, (SAMPLES, 4)), [], "4"),
        ):
            report = self.train("cnn", images, self.array("t.npy", targets), *STEPS, *small, *options)
            self.assertEqual(report["settings"]["number of outputs"], outputs)

    def test_pictures_in_colour(self):
        pictures = self.random.integers(0, 256, (SAMPLES, 3, 10, 12), np.uint8)
        y = self.array("y.npy", self.classes)
        small = ["--scale", 0.1]
        first = self.losses(self.array("first.npy", pictures), y, *small, network="cnn")
        last = self.losses(self.array("last.npy", pictures.transpose(0, 2, 3, 1)), y, *small, network="cnn")
        self.assertEqual(first, last)

    def test_flat_pictures_and_pictures_for_flat_inputs(self):
        pictures = self.random.integers(0, 256, (SAMPLES, 6, 6), np.uint8)
        flat, square = self.array("flat.npy", pictures.reshape(SAMPLES, 36)), self.array("square.npy", pictures)
        y, network = self.array("y.npy", self.classes), self.dense(36, 3)
        few = ["--learning-rate", 1e-4]
        run = ["--batch", 8, "--epochs", 2, *few]
        first = self.train(network, flat, y, *run)["losses"]
        self.assertEqual(first, self.train(network, square, y, *run)["losses"])

    def several_inputs(self):
        """A table's rows, chosen by `ids`, beside the numbers `x`: a mean, a sum and one layer."""
        node = small_onnx.node
        table = self.random.normal(0, 1, (9, WIDTH)).astype(np.float32)
        weights = self.random.normal(0, 1, (WIDTH, 1)).astype(np.float32)
        nodes = [node("Gather", ["E", "ids"], "rows", axis=0)]
        nodes += [node("ReduceMean", ["rows"], "mean", axes=[1], keepdims=0)]
        nodes += [node("Add", ["mean", "x"], "sum"), node("MatMul", ["sum", "W"], "y")]
        inputs = {"ids": [1, 4], "x": [1, WIDTH]}
        path = self.folder / "two.onnx"
        types = {"ids": small_onnx.INT64}
        path.write_bytes(small_onnx.model(nodes, {"E": table, "W": weights}, inputs, {"y": [1, 1]}, types))
        return path, table.astype(float), weights.astype(float)

    def test_several_inputs_and_rows_that_integers_choose(self):
        path, table, weights = self.several_inputs()
        ids = self.random.integers(0, 9, (SAMPLES, 4))
        targets = self.random.normal(0, 1, SAMPLES)
        data = [f"ids={self.array('ids.npy', ids)}", f"x={self.array('x.npy', self.x)}"]
        run = ["--batch", SAMPLES, "--epochs", 4, "--learning-rate", 0.05]
        report = self.train(path, data, self.array("t.npy", targets), *run)
        self.assertEqual(report["settings"]["--loss"], "mean-square")
        for loss in report["losses"]:  # gradient descent in float64
            inner = table[ids].mean(1) + self.x
            difference = (inner @ weights)[:, 0] - targets
            self.assertAlmostEqual(loss, (difference**2).mean(), delta=1e-5 * max(1, loss))
            upstream = 2 * difference[:, None] / SAMPLES
            back = np.repeat((upstream @ weights.T)[:, None], 4, 1) / 4
            weights = weights - 0.05 * inner.T @ upstream
            np.subtract.at(table, ids, 0.05 * back)
        parts = self.train(path, data, self.folder / "t.npy", *run, "--micro-batches", 4)
        np.testing.assert_allclose(parts["losses"], report["losses"], rtol=1e-5)
        model = self.train(path, data, self.folder / "t.npy", *run, "--device", "model", "--config", "tiny")
        self.assertEqual(model["losses"], report["losses"])
        self.assertIn(
            "has several inputs, 'ids', 'x'; say which",
            self.refused(path, self.folder / "x.npy", self.folder / "t.npy"),
        )
        self.assertIn("there is no array for 'ids'", self.refused(path, data[1:], self.folder / "t.npy"))
        self.assertIn(
            "has no input 'z'; there is 'ids', 'x'",
            self.refused(path, f"z={self.folder / 'x.npy'}", self.folder / "t.npy"),
        )
        ids[5, 2] = 9
        self.array("ids.npy", ids)
        error = self.refused(path, data, self.folder / "t.npy")
        self.assertIn("ids.npy: row 5, element [2]: 9 is beyond 0 to 8, the rows that input 'ids' chooses from", error)
        self.array("ids.npy", np.full((SAMPLES, 4), 2**40))
        self.assertIn("1099511627776 is beyond", self.refused(path, data, self.folder / "t.npy"))
        self.array("ids.npy", ids + 0.5)
        self.assertIn("input 'ids' takes integers", self.refused(path, data, self.folder / "t.npy"))


class Columns(TrainCase):
    """Columns and targets of other sizes than about 1, and classes that are only validated."""

    RAW = np.array([3.0, 52000.0, 0.0])  # means
    SPREAD = np.array([1.0, 21000.0, 0.001])

    def setUp(self):
        super().setUp()
        self.standard = self.random.normal(0, 1, (SAMPLES, 3))
        self.raw = self.RAW + self.SPREAD * self.standard
        self.y = (self.standard[:, 1] + self.standard[:, 2] > 0).astype(int)

    def table_of(self, x, y):
        rows = "".join(f"{','.join(map(repr, map(float, row)))},{one}\n" for row, one in zip(x, y))
        return self.text("t.csv", "age,income,rate,target\n" + rows)

    def warnings(self, network, x, y, *options):
        path = self.table_of(x, y)
        files = ["--data", path, "--targets", f"{path}:target", "--batch", 8]
        lines = self.run_train("--network", network, *files, *options).stderr.splitlines()
        self.assertTrue(all(line.startswith("warning: ") for line in lines), lines)
        return [line.removeprefix(f"warning: {path}: ") for line in lines]

    def test_raw_columns_are_told(self):
        lines = self.warnings("mlp:3-1-sigmoid", self.raw, self.y)
        self.assertEqual(len(lines), 2)
        self.assertRegex(
            lines[0], r"^column 2 \('income'\): mean \S+ and deviation \S+ over the training samples are far"
        )
        self.assertRegex(lines[1], r"^column 3 \('rate'\): .* give --standardize, or scale them$")
        self.assertEqual(self.warnings("mlp:3-1-sigmoid", self.standard, self.y), [])
        self.assertEqual(self.warnings("mlp:3-1-sigmoid", self.raw, self.y, "--standardize"), [])

    def test_raw_targets_and_labels_with_the_mean_square_are_told(self):
        (line,) = self.warnings("mlp:3-1", self.standard, 300000 + 2000 * self.standard[:, 0])
        self.assertRegex(line, r"^column 4 \('target'\): mean .* scale them, and what the network computes back$")
        (line,) = self.warnings("mlp:3-1", self.standard, self.y)
        self.assertIn("all targets are 0 or 1, and the loss is the mean square", line)
        self.assertEqual(self.warnings("mlp:3-1", self.standard, self.y, "--loss", "mean-square"), [])

    def test_classes_without_samples_to_train_with_are_told(self):
        y = np.sort(np.arange(SAMPLES) % 3)
        (line,) = self.warnings("mlp:3-3", self.standard, y, "--hold-out", 8)
        self.assertIn("class 2 has 8 samples to validate with and none to train with; mix the rows", line)

    def test_standardized_columns(self):
        """The losses are those of columns that NumPy has standardized, and the file takes them as they are."""
        train, options = self.raw[:-8], ["--hold-out", 8, "--batch", 8, "--epochs", 3, "--learning-rate", 0.1]
        node = small_onnx.node
        nodes = [node("MatMul", ["x", "W"], "h"), node("Add", ["h", "b"], "i"), node("Sigmoid", ["i"], "y")]
        constants = {"W": self.random.normal(0, 1, (3, 1)).astype(np.float32), "b": np.zeros(1, np.float32)}
        path = self.folder / "net.onnx"
        path.write_bytes(small_onnx.model(nodes, constants, {"x": [1, 3]}, {"y": [1, 1]}))
        y = self.array("y.npy", self.y)
        for network in ("mlp:3-4-tanh-1-sigmoid", path):
            scores = []
            by_numpy = self.array("standard.npy", (self.raw - train.mean(0)) / train.std(0))
            raw = self.array("raw.npy", self.raw)
            for x, more in ((by_numpy, []), (raw, ["--standardize"])):
                model, out = self.folder / "out.onnx", self.folder / "scores.npy"
                report = self.train(network, x, y, *options, *more, "-o", model)
                given = ["--input", self.array("given.npy", np.load(x).astype(np.float32)), "--output", out]
                done = subprocess.run(
                    [PROGRAM, "run", model, "--device", "host", *given], capture_output=True, check=True
                )
                scores.append((report["losses"], report["epochs"][-1]["validation"]["loss"], np.load(out).ravel()))
            for one, other in zip(*scores):
                np.testing.assert_allclose(one, other, atol=2e-4)
            self.assertEqual(
                [column["name"][-11:] for column in report["columns"]], [f"element [{i}]" for i in range(3)]
            )
            np.testing.assert_allclose([column["mean"] for column in report["columns"]], train.mean(0))
            np.testing.assert_allclose([column["deviation"] for column in report["columns"]], train.std(0))
            self.assertEqual(b"Sub" in model.read_bytes(), network == path)
        pictures = self.array("p.npy", np.zeros((SAMPLES, 12, 12)))
        error = self.refused("cnn", pictures, y, "--standardize", "--batch", 8)
        self.assertIn("--standardize: is for inputs that are rows of numbers; cnn takes others", error)


class BadData(TrainCase):
    """What cannot be trained with: the error names file, place, value, range and remedy."""

    def setUp(self):
        super().setUp()
        self.network = f"mlp:{WIDTH}-3"
        self.x = self.random.normal(0, 1, (SAMPLES, WIDTH))
        self.y = np.arange(SAMPLES) % 3

    def error(self, x, y, network=None):
        return self.refused(network or self.network, self.array("x.npy", x), self.array("y.npy", y), "--batch", 8)

    def table_error(self, text):
        path = self.text("t.csv", text)
        return self.refused("mlp:2-3", path, f"{path}:c", "--batch", 1)

    def test_missing_values(self):
        self.x[7, 3] = np.nan
        self.assertIn(
            "x.npy: row 7, element [3]: the value is nan; all must be finite: fill in", self.error(self.x, self.y)
        )
        error = self.table_error("a,b,c\n1,2,0\n3,,1\n")
        self.assertIn(
            "t.csv: line 3, column 2 ('b'): the value is missing (''); fill it in, or leave the row out", error
        )
        self.assertIn("line 2, column 1 ('a'): the value is missing ('NA')", self.table_error("a,b,c\nNA,2,0\n"))
        targets = self.y.astype(float)
        targets[4] = np.inf
        self.assertIn("y.npy: row 4: the value is inf", self.error(np.zeros_like(self.x), targets))

    def test_wrong_counts(self):
        self.assertIn("y.npy: 23 targets for 24 samples; there is one for each", self.error(self.x, self.y[:-1]))
        matrix = np.zeros((SAMPLES, 4))
        error = self.error(self.x, matrix)
        self.assertIn("y.npy: 4 columns of targets, 3 expected: mlp:5-3 has 3 outputs", error)
        softmax = self.error(self.x, np.eye(3)[self.y], f"mlp:{WIDTH}-3-softmax")
        self.assertIn("the cross entropy takes one class for each sample: save array.argmax(axis=1)", softmax)
        short = self.table_error("a,b,c\n1,2,0\n3,4\n")
        self.assertIn("t.csv: line 3 has 2 values, the lines before have 3", short)
        few = self.refused(self.network, self.array("x.npy", self.x), self.array("y.npy", self.y))
        self.assertIn("--batch: 24 samples are fewer than a batch of 64 (the default); give --batch 24 or less", few)

    def test_mixed_types(self):
        error = self.table_error("a,b,c\n1,2,0\n3,green,1\n")
        self.assertIn("t.csv: line 3, column 2 ('b'): 'green' is no number; a column holds numbers alone", error)
        self.assertIn("line 1, column 3: 'red' is no number", self.table_error("1,2,red\n3,4,blue\n"))

    def test_labels_out_of_range(self):
        self.y[8] = 7
        error = self.error(self.x, self.y)
        self.assertIn(
            "y.npy: row 8: the target is 7; it must be a whole number from 0 to 2: mlp:5-3 has 3 outputs", error
        )
        self.y[8] = -1
        self.assertIn("row 8: the target is -1", self.error(self.x, self.y))
        labels = np.zeros(SAMPLES)
        labels[3] = 0.5
        error = self.error(self.x, labels, f"mlp:{WIDTH}-1-sigmoid")
        self.assertIn("row 3: the target is 0.5; it must be a whole number from 0 to 1: the binary loss is", error)
        self.assertIn("--loss mean-square for numbers", error)
        error = self.error(self.x, self.y * 0 + 2, f"mlp:{WIDTH}-1-sigmoid")
        self.assertIn("number two classes from 0, take a network with 3 outputs for more classes, or use --loss", error)

    def test_empty_files(self):
        empty = self.text("x.csv", "")
        self.assertIn("x.csv: the file is empty", self.refused(self.network, empty, f"{empty}:1"))
        self.assertIn("there are names of columns and no rows", self.table_error("a,b,c\n"))
        nothing = self.text("x.npy", "")
        self.assertIn("x.npy: the file is empty", self.refused(self.network, nothing, nothing))
        self.assertIn("has a dimension of 0", self.error(self.x[:0], self.y[:0]))
        error = self.refused(self.network, self.text("x.dat", "1 2 3"), nothing)
        self.assertIn("x.dat: neither an array of NumPy (.npy, .npz) nor IDX", error)

    def test_shapes_that_do_not_fit(self):
        error = self.error(self.x[:, :4], self.y)
        self.assertIn("x.npy: 24 samples of shape 4; input 'x' of mlp:5-3 takes samples of shape 5", error)
        self.assertIn("reshape the array, or leave columns out", error)
        error = self.error(self.x, self.y, "cnn")
        self.assertIn("cnn takes pictures, [N,H,W], [N,C,H,W] or [N,H,W,C] of 1 to 4 channels", error)

    def test_numbers_beyond_binary32(self):
        self.x[2, 1] = 1e39
        self.assertIn("x.npy: row 2, element [1]: 1e+39 is beyond float32", self.error(self.x, self.y))

    def test_parts_that_are_not_there(self):
        np.savez(self.folder / "a.npz", x=self.x, y=self.y)
        archive = self.folder / "a.npz"
        self.assertIn("holds 2 arrays: x, y; name one", self.refused(self.network, archive, f"{archive}:y"))
        self.assertIn("holds no array 'z'; there are x, y", self.refused(self.network, f"{archive}:z", f"{archive}:y"))
        error = self.table_error("a,b,d\n1,2,0\n")
        self.assertIn("t.csv: has no column 'c'; there are a, b, d", error)

    def test_files_that_are_not_there_are_named_with_their_option(self):
        x, y = self.array("x.npy", self.x), self.array("y.npy", self.y)
        none = self.folder / "none.csv"
        text = f"{none}: No such file or directory"
        self.assertIn(f"--data: {text}", self.refused(self.network, f"x={none}:a", y))
        self.assertIn(f"--targets: {text}", self.refused(self.network, x, f"{none}:a"))
        more = ["--validation-data", none, "--validation-targets", y]
        self.assertIn(f"--validation-data: {text}", self.refused(self.network, x, y, *more))

    def test_networks_that_there_are_not(self):
        x, y = self.array("x.npy", self.x), self.array("y.npy", self.y)
        error = self.refused("mpl:5-8-3", x, y)
        self.assertIn(
            "'mpl:5-8-3' is no network that is built here, and no file; there are cnn, vit, lstm, mlp:", error
        )
        error = self.refused("mlp:5", x, y)
        self.assertIn("mlp:5: has the size of the inputs alone; write that of the outputs, too: mlp:5-1, or", error)

    def test_columns_are_those_of_the_file(self):
        """Of targets, too, with and without names."""
        error = self.table_error("a,b,c\n1,2,0\n3,4,9\n")
        self.assertIn("t.csv: line 3, column 3 ('c'): the target is 9; it must be", error)
        path = self.text("bare.csv", "1,2,0\n3,4,9\n")
        self.assertIn("bare.csv: line 2, column 3: the target is 9", self.refused("mlp:2-3", path, f"{path}:3"))

    def test_columns_that_are_input_and_target_or_have_one_name(self):
        path = self.text("t.csv", "a,b,c,a\n1,2,0,5\n")
        error = self.refused("mlp:2-2", f"{path}:b,c", f"{path}:c", "--batch", 1)
        self.assertIn("t.csv: column 3 ('c') is a target and an input, so that the network would read its", error)
        error = self.refused("mlp:2-2", f"{path}:a,b", f"{path}:c", "--batch", 1)
        self.assertIn(f"t.csv: columns 1, 4 are all named 'a'; say which by its number, as {path}:1", error)
        self.train("mlp:2-2", f"{path}:4,b", f"{path}:c", "--batch", 1)

    def test_a_table_of_its_own_targets(self):
        path = self.text("t.csv", "a,b\n1,2\n3,4\n")
        for other in (path, path.parent / "." / "t.csv", f"{path.parent}/../{path.parent.name}/t.csv"):
            error = self.refused("mlp:2-2", path, other, "--batch", 1)
            self.assertIn("t.csv: the input and the targets are the whole table; name the columns of the", error)
        whole = (f"{path}:a,b", f"{path}:a,b", "--batch", 1, "--loss", "mean-square")  # each row as its own target
        self.assertEqual(len(self.train("mlp:2-2", *whole)["losses"]), 2)


if __name__ == "__main__":
    unittest.main()
