# SPDX-License-Identifier: Apache-2.0
"""Network.from_torch() and torch.compile(backend="systole") against PyTorch itself."""
import sys
import unittest
from pathlib import Path

import numpy as np
import torch
from torch import nn

import systole

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from page_code import code_of  # noqa: E402

torch.manual_seed(5)


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm = nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, groups=2)
        self.pool, self.dense = nn.MaxPool2d(2), nn.Linear(32, 10)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        x = self.pool(torch.relu(self.norm(self.conv1(x))))
        x = nn.functional.hardswish(self.conv2(x)).mean((2, 3))
        return self.dense(self.dropout(x))


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")

    def forward(self, tokens, weights):
        return self.layer(self.table(tokens)) * weights, tokens + 1


def pictures():
    network = Pictures()
    with torch.no_grad():
        network.norm.running_mean.uniform_(-0.2, 0.2)
        network.norm.running_var.uniform_(0.5, 1.5)
    return network.eval()


def signal_to_noise(found, expected):
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    return 10 * np.log10((expected**2).sum() / ((found - expected) ** 2).sum())


class FromTorch(unittest.TestCase):
    def setUp(self):
        self.x = torch.randn(1, 3, 16, 16)

    def test_results_are_those_of_torch(self):
        model = pictures()
        expected = model(self.x).detach().numpy()
        for device in ("host", "model"):
            network = systole.Network.from_torch(model, self.x, device=device)
            found = network.run(self.x.numpy())
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
        self.assertEqual(network.name, "pictures")

    def test_devices_have_the_same_bits_in_blocks(self):
        model = pictures()
        expected = model(self.x).detach().numpy()
        results = []
        for device in ("model", "rtl"):
            network = systole.Network.from_torch(model, self.x, device=device, config="tiny", precision="mx")
            results.append(network.run(self.x.numpy()))
        self.assertGreater(network.statistics["cycles"], 0)
        np.testing.assert_array_equal(*results)
        self.assertGreater(signal_to_noise(results[0], expected), 30)

    def test_several_inputs_and_outputs(self):
        model = Tokens().eval()
        example = (torch.randint(0, 20, (1, 6)), torch.rand(1, 6, 32))
        network = systole.Network.from_torch(model, example)
        found = network.run(*(x.numpy() for x in example))
        for one, other in zip(found, model(*example), strict=True):
            np.testing.assert_allclose(one, other.detach().numpy(), rtol=1e-5, atol=1e-5)

    def test_what_does_not_fit(self):
        with self.assertRaisesRegex(systole.InvalidArgument, "in training mode"):
            systole.Network.from_torch(Pictures(), self.x)
        with self.assertRaisesRegex(systole.InvalidArgument, "takes a torch.nn.Module"):
            systole.Network.from_torch(torch.relu, self.x)


class Page(unittest.TestCase):
    def test_its_code_runs(self):
        scope = {}
        blocks = code_of(ROOT / "driver/python/README.md", only="PyTorch")
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            exec(compile(block, "README.md", "exec"), scope)
        torch.testing.assert_close(scope["y"], scope["model"](scope["x"]), rtol=0.1, atol=0.1)


class Backend(unittest.TestCase):
    def test_a_network(self):
        model, x = pictures(), torch.randn(2, 3, 16, 16)
        fast = torch.compile(model, backend="systole", options={"device": "model", "config": "tiny"})
        with torch.inference_mode():
            torch.testing.assert_close(fast(x), model(x), rtol=1e-5, atol=1e-5)
            model.dense.weight.mul_(2)  # a weight that has changed
            torch.testing.assert_close(fast(x), model(x), rtol=1e-5, atol=1e-5)
            more = torch.randn(3, 3, 20, 16)  # and other shapes
            torch.testing.assert_close(fast(more), model(more), rtol=1e-5, atol=1e-5)

    def test_a_function_of_several_tensors(self):
        def f(a, b, k=3):
            return torch.softmax(a @ b, -1) * k, a.sum()

        a, b = torch.randn(4, 8), torch.randn(8, 5)
        fast = torch.compile(f, backend="systole", options={"device": "rtl", "config": "tiny"})
        for one, other in zip(fast(a, b), f(a, b), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-5)

    def test_gradients_are_refused(self):
        fast = torch.compile(pictures(), backend="systole")
        with self.assertRaisesRegex(RuntimeError, "for inference and computes no gradients"):
            fast(torch.randn(1, 3, 16, 16))

    def test_options(self):
        fast = torch.compile(pictures(), backend="systole", options={"device": "none"})
        with torch.inference_mode(), self.assertRaisesRegex(Exception, "device 'none'; give 'host', 'model', 'rtl'"):
            fast(torch.randn(1, 3, 16, 16))
        fast = torch.compile(pictures(), backend="systole", options={"precison": "mx"})
        with torch.inference_mode(), self.assertRaisesRegex(Exception, "did you mean 'precision'.*there are config, "):
            fast(torch.randn(1, 3, 16, 16))

    def test_a_network_is_no_file_to_train(self):
        with self.assertRaisesRegex(systole.InvalidType, r"network: Pictures; .*torch.onnx.export\(\) writes one that"):
            systole.train(pictures(), np.zeros((2, 3, 16, 16)), np.zeros(2, int))


if __name__ == "__main__":
    unittest.main()
