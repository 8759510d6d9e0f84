# SPDX-License-Identifier: Apache-2.0
"""Products in block floating point on the host, the functional model and, in part, the RTL, bit for bit against
block_model.py. `systole run` compares the device with the host, this the device with the model in NumPy."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import block_model
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import small_onnx

PROGRAM, DEVICES = sys.argv.pop(1), sys.argv.pop(1).split(",")
node = small_onnx.node


class Network:
    """Independent operators in one file, each with an input and an output of its own."""

    def __init__(self):
        self.random = np.random.default_rng(30)
        self.nodes, self.constants, self.inputs, self.outputs = [], {}, {}, {}
        self.any_nan = False  # products of blocks have one NaN, grouped convolutions may have any

    def draw(self, *shape):
        """Numbers of different sizes, some of them zero."""
        size = np.exp2(self.random.integers(-9, 5, shape))
        return (self.random.normal(0, 1, shape) * size * (self.random.random(shape) > 0.1)).astype(np.float32)

    def given(self, array):
        name = f"x{len(self.inputs)}"
        self.inputs[name] = array
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.ascontiguousarray(array)
        return name

    def append(self, kind, inputs, expected, **attributes):
        name = f"y{len(self.outputs)}"
        self.nodes.append(node(kind, inputs, name, **attributes))
        self.outputs[name] = expected

    def convolution(self, channels, outputs=5, kernel=(3, 3), size=(5, 6), groups=1, bias=True, **how):
        image, weights = self.draw(1, *size, channels * groups), self.draw(outputs, *kernel, channels)
        self.convolve(image, weights, self.draw(outputs) if bias else None, groups=groups, **how)

    def strange_convolution(self, channels, groups=1, **how):
        """With a NaN and an infinity among the weights, which some windows have in the padding."""
        image, weights = self.draw(1, 5, 6, channels * groups), self.draw(4 * groups, 3, 3, channels)
        weights[0, 0, 1, 0], weights[1, 2, 2, channels - 1] = np.nan, np.inf
        bias = self.draw(4 * groups)
        bias[1:4] = 1e-40, -0.0, np.inf
        self.convolve(image, weights, bias, groups=groups, **how)

    def convolve(self, image, weights, bias, groups=1, **how):
        expected = block_model.convolution(image, weights, bias, groups=groups, **how)
        inputs = [self.given(image.transpose(0, 3, 1, 2)), self.constant(weights.transpose(0, 3, 1, 2))]
        inputs += [] if bias is None else [self.constant(bias)]
        attributes = {name: list(value) for name, value in how.items()}
        self.append("Conv", inputs, expected.transpose(0, 3, 1, 2), group=groups, **attributes)

    def transposed(
        self, channels, outputs=4, kernel=(3, 3), strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), more=(0, 0)
    ):
        image, weights, bias = self.draw(1, 4, 3, channels), self.draw(channels, *kernel, outputs), self.draw(outputs)
        expected = block_model.transposed_convolution(image, weights, bias, strides, pads, dilations, more)
        inputs = [self.given(image.transpose(0, 3, 1, 2)), self.constant(weights.transpose(0, 3, 1, 2))]
        attributes = {"strides": list(strides), "pads": list(pads), "dilations": list(dilations)}
        attributes["output_padding"] = list(more)
        inputs.append(self.constant(bias))
        self.append("ConvTranspose", inputs, expected.transpose(0, 3, 1, 2), **attributes)

    def matrix_product(self, rows, depth, columns, constant=True, lead=(), scale=1.0):
        a = (self.draw(*(lead or (1,)), rows, depth) * np.float32(scale)).astype(np.float32)
        b = self.draw(*(() if constant else lead or (1,)), depth, columns)
        right = self.constant(b) if constant else self.given(b)
        self.append("MatMul", [self.given(a), right], block_model.matrix_product(a, b))


class Operators(unittest.TestCase):
    def check(self, network, devices=DEVICES):
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room)
            shapes = [{name: a.shape for name, a in part.items()} for part in (network.inputs, network.outputs)]
            path = folder / "net.onnx"
            path.write_bytes(small_onnx.model(network.nodes, network.constants, *shapes))
            command = [PROGRAM, "run", path, "--precision", "mx", "--config", "tiny"]
            for name, array in network.inputs.items():
                np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
                command += ["--input", folder / f"{name}.npy"]
            for name in network.outputs:
                command += ["--output", folder / f"{name}.npy"]
            for device in devices:
                words = [str(word) for word in (*command, "--device", device)]
                result = subprocess.run(words, capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                for name, expected in network.outputs.items():
                    actual = np.load(folder / f"{name}.npy").reshape(expected.shape)
                    different = actual.view(np.uint32) != np.ascontiguousarray(expected).view(np.uint32)
                    if network.any_nan:
                        different &= ~(np.isnan(actual) & np.isnan(expected))
                    differ = np.argwhere(different)
                    if len(differ):
                        at = tuple(differ[0])
                        self.fail(
                            f"{device}, {name}: {len(differ)} of {expected.size} differ, the first at {at}: "
                            f"{actual[at]!r}, the model has {expected[at]!r}"
                        )

    def test_convolutions_of_1_to_33_channels(self):
        for first in (1, 12, 23):
            network = Network()
            for channels in range(first, min(first + 11, 34)):
                network.convolution(channels, pads=(1, 1, 1, 1))
            self.check(network)

    def test_kernels_strides_dilations_and_padding(self):
        for channels in (1, 3, 15, 16, 20):
            network = Network()
            network.convolution(channels, strides=(2, 1))
            network.convolution(channels, dilations=(2, 1), size=(7, 6))
            network.convolution(channels, pads=(2, 0, 1, 3), strides=(1, 2))
            network.convolution(channels, kernel=(1, 1), bias=False)
            network.convolution(channels, kernel=(2, 3), outputs=17)
            network.convolution(channels, kernel=(1, 4), size=(1, 9))
            self.check(network)

    def test_groups_are_binary64_rounded_once(self):
        network = Network()
        network.convolution(3, outputs=4, groups=2, pads=(1, 1, 1, 1))
        network.convolution(16, outputs=6, groups=3)
        network.convolution(1, outputs=5, groups=5, strides=(2, 2))
        self.check(network, ["model"])

    def test_padding_meets_weights_that_are_not_finite(self):
        for channels in (3, 16, 20):
            network = Network()
            network.strange_convolution(channels, pads=(1, 1, 1, 1))
            network.strange_convolution(channels, pads=(2, 0, 1, 3), strides=(1, 2))
            self.check(network)
            network = Network()
            network.any_nan = True
            network.strange_convolution(channels, groups=2, pads=(1, 1, 1, 1))
            self.check(network, ["model"])

    def test_biases_at_both_ends_of_the_range(self):
        """Sums of infinity, 0 and the least number meet biases that cancel them, or are too small to count."""
        least = 2.0**-126
        image = np.zeros((1, 1, 4, 16), np.float32)
        image[0, 0, :, 0] = 3e38, -3e38, 1.5 * least, -1.5 * least
        image[0, 0, 2:, 1] = 1
        biases = np.array(
            [1e-40, -0.0, -1e-40, -np.inf, np.nan, least, -least, -1.75 * least, 1.75 * least], np.float32
        )
        weights = np.zeros((len(biases), 1, 1, 16), np.float32)
        weights[:, 0, 0, 0], weights[3, 0, 0, 0] = 1, 3e38
        network = Network()
        network.convolve(image, weights, biases)
        self.check(network)
        network = Network()
        network.convolve(image[..., :4], weights[:8, ..., :2], biases[:8], groups=2)
        self.check(network, ["model"])

    def test_transposed_convolutions(self):
        for channels in (2, 15, 16, 18):
            network = Network()
            network.transposed(channels)
            network.transposed(channels, strides=(2, 2))
            network.transposed(channels, strides=(2, 1), pads=(1, 1, 0, 1), more=(1, 0))
            network.transposed(channels, dilations=(2, 2), pads=(1, 0, 1, 2))
            network.transposed(channels, kernel=(1, 1), strides=(2, 2))
            self.check(network)

    def test_matrix_products(self):
        network = Network()
        for depth in (1, 15, 16, 17, 40):
            network.matrix_product(3, depth, 5)
            network.matrix_product(4, depth, 18, constant=False)
        network.matrix_product(5, 20, 7, constant=False, lead=(2, 3))
        self.check(network)

    def test_numbers_beyond_the_range(self):
        """Products above 2^128 and below 2^-126, infinities, NaNs, subnormal numbers."""
        network = Network()
        for scale in (1e37, 1e-37, 1e-30, 1e20):
            network.matrix_product(6, 33, 5, scale=scale)
        strange = network.draw(1, 8, 40)
        strange[0, 0, 3], strange[0, 1, 20], strange[0, 2, 39] = np.inf, np.nan, -np.inf
        strange[0, 3], strange[0, 4, :16] = 1e-40, 3e38
        strange[0, 5], strange[0, 6] = -1e-38, np.where(np.arange(40) % 2, 3e38, -3e38)
        weights = network.draw(40, 6) * np.float32(4)
        result = block_model.matrix_product(strange, weights)
        network.append("MatMul", [network.given(strange), network.constant(weights)], result)
        self.check(network)


if __name__ == "__main__":
    unittest.main()
