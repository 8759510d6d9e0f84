# SPDX-License-Identifier: Apache-2.0
"""Language models of `systole train`: losses against JAX in float64, from the checkpoint's page alone; the same bits on
host and devices; a text that is learned and continued; what does not fit.

  test_language_model.py PROGRAM DEVICES PYTHON

PYTHON has JAX; without it the comparison with JAX is left out, and said to be."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from train_program import PROGRAM, TrainCase

DEVICES, PYTHON = sys.argv.pop(1).split(","), sys.argv.pop(1)
TEXT = "One hen, two ducks, three geese. One hen, two ducks, three geese. A hen is no duck, and a duck is no goose.\n"
REFERENCE = r"""
import json, struct, sys
import jax
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
import numpy as np

path, tokens, rate, steps = sys.argv[1], np.array(json.loads(sys.argv[2])), float(sys.argv[3]), int(sys.argv[4])
data = open(path, "rb").read()
dim, hidden, layers, heads, key_heads, vocabulary, length = struct.unpack("<7i", data[:28])
numbers = np.frombuffer(data, "<f4", offset=28).astype(np.float64)
at = 0


def take(*shape):
    global at
    count = int(np.prod(shape))
    at += count
    return numbers[at - count:at].reshape(shape)


p = {"embedding": take(vocabulary, dim), "att": take(layers, dim)}
p |= {name: take(layers, dim, dim) for name in ("wq", "wk", "wv", "wo")}
p |= {"ffn": take(layers, dim), "w1": take(layers, hidden, dim), "w2": take(layers, dim, hidden)}
p |= {"w3": take(layers, hidden, dim), "final": take(dim)}
assert at + length * dim // heads == numbers.size and key_heads == heads
x_all, y_all = tokens[:, :-1], tokens[:, 1:]
head = dim // heads
turns = np.arange(length)[:, None] * 10000.0 ** (-2.0 * np.arange(head // 2) / head)
turn = np.exp(1j * turns)[:, None, :]


def norm(x, weights):
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weights


def rotated(x):
    pairs = x.reshape(*x.shape[:-1], heads, head // 2, 2)
    result = (pairs[..., 0] + 1j * pairs[..., 1]) * turn
    return jnp.stack([result.real, result.imag], -1).reshape(*x.shape[:-1], heads, head)


def loss_of(p):
    x = p["embedding"][x_all]
    for i in range(layers):
        y = norm(x, p["att"][i])
        q, k = rotated(y @ p["wq"][i].T), rotated(y @ p["wk"][i].T)
        v = (y @ p["wv"][i].T).reshape(*y.shape[:-1], heads, head)
        scores = jnp.einsum("nqhd,nkhd->nhqk", q, k) / np.sqrt(head)
        scores = jnp.where(np.tri(length, dtype=bool), scores, -jnp.inf)
        mixed = jnp.einsum("nhqk,nkhd->nqhd", jax.nn.softmax(scores), v).reshape(y.shape)
        x = x + mixed @ p["wo"][i].T
        y = norm(x, p["ffn"][i])
        x = x + (jax.nn.silu(y @ p["w1"][i].T) * (y @ p["w3"][i].T)) @ p["w2"][i].T
    scores = jax.nn.log_softmax(norm(x, p["final"]) @ p["embedding"].T)
    return -jnp.take_along_axis(scores, y_all[..., None], -1).mean()


losses = []
for _ in range(steps):
    loss, gradient = jax.value_and_grad(loss_of)(p)
    losses.append(float(loss))
    p = {name: value - rate * gradient[name] for name, value in p.items()}
print(json.dumps(losses))
"""


class LanguageModel(TrainCase):
    def learn(self, network, *options):
        report = self.folder / "report.json"
        self.run_train("--network", network, "--json", report, *options)
        return json.loads(report.read_text())

    def test_losses_are_those_of_jax(self):
        if not Path(PYTHON).exists():
            self.skipTest(f"{PYTHON} is not there: scripts/setup jax makes it")
        text = self.text("text", TEXT)
        start = self.folder / "start.bin"
        network, length, rate, steps = "llama:32-2-4-25", 25, 0.5, 4
        shared = ["--text", text, "--batch", 4, "--learning-rate", rate]
        self.learn(network, *shared, "--epochs", 0, "-o", start)
        stream = [1] + [3 + byte for byte in b" " + TEXT.strip().encode()]
        self.assertEqual((len(stream) - 1) // length, 4)
        samples = [stream[i * length : (i + 1) * length + 1] for i in range(4)]
        command = [PYTHON, "-c", REFERENCE, start, json.dumps(samples), str(rate), str(steps)]
        expected = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        losses = self.learn(network, *shared, "--epochs", steps)["losses"]
        self.assertGreater(losses[0] - losses[-1], 0.1)
        for one, other in zip(losses, expected, strict=True):
            self.assertLess(abs(one - other), 1e-5, (losses, expected))

    def test_devices_have_the_same_bits(self):
        text = self.text("text", TEXT)
        options = ["--text", text, "--batch", 2, "--count", 4, "--hold-out", 1, "--epochs", 2, "--optimizer", "adamw"]
        options += ["--learning-rate", 0.01]
        for precision in ([], ["--precision", "mx"]):
            expected = self.learn("llama:16-1-2-6", *options, *precision)
            for device in DEVICES:
                small = ["--config", "tiny", "--device", device]
                found = self.learn("llama:16-1-2-6", *options, *precision, *small)
                with self.subTest(precision=precision, device=device):
                    self.assertEqual(found["losses"], expected["losses"])
                    self.assertEqual(found["epochs"], expected["epochs"])

    def test_a_text_is_learned_and_continued(self):
        text = self.text("text", "<|endoftext|>\n".join([TEXT] * 4))
        model, checkpoint = self.folder / "model.bin", self.folder / "model.npz"
        options = ["--text", text, "--validation-text", text, "--batch", 4, "--optimizer", "adamw"]
        options += ["--learning-rate", 0.01, "--checkpoint", checkpoint]
        self.learn("llama:32-1-2-54", *options, "--epochs", 20)
        report = self.learn("llama:32-1-2-54", *options, "--epochs", 60, "--resume", checkpoint, "-o", model)
        self.assertEqual(self.learn("llama:32-1-2-54", *options, "--epochs", 60)["losses"], report["losses"])
        last = report["epochs"][-1]["validation"]
        self.assertLess(last["loss"], 0.2)
        self.assertGreater(last["accuracy"], 0.95)
        self.assertAlmostEqual(last["perplexity"], 2.718281828459045 ** last["loss"])
        command = [PROGRAM, "generate", "--model", model, "--tokenizer", f"{model}.tokenizer", "--json", "-"]
        command += ["--prompt", "One hen,", "--tokens", 20, "--temperature", 0]
        done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(done.stdout)["text"], " two ducks, three ge")

    def test_what_does_not_fit(self):
        text, other = self.text("text", TEXT), self.text("other", "\xe4" * 3)
        for network, options, message in (
            ("llama:32-2-4", [], "3 of four numbers; write llama:WIDTH-LAYERS-HEADS-CONTEXT"),
            ("llama:32-2-4-x", [], "'x' is not one of four numbers"),
            ("llama:32-2-3-8", [], "a width of 32 for 3 heads"),
            ("llama:32-2-16-8-1", [], "'1' is not one of four numbers"),
            ("llama:32-1-2-128", [], "109 tokens; a sample has 128 and the one that follows"),
            ("llama:32-1-2-8", ["--loss", "binary"], "a language model is trained with the cross entropy"),
            ("llama:32-1-2-8", ["--dropout", 0.1], "--dropout"),
            ("llama:32-1-2-8", ["--classes", 7], "--classes: 7, but the tokenizer has 259 tokens"),
            ("llama:32-1-2-8", ["--tokenizer", other], "the longest token has"),
            ("cnn", [], "--text: is for language models"),
        ):
            with self.subTest(network=network, options=options):
                done = self.run_train("--network", network, "--text", text, "--batch", 1, *options, code=2)
                self.assertIn(message, done.stderr)
        tokens = self.array("tokens.npy", [[1, 2, 3, 4]] * 4)
        self.assertIn("one target for each token", self.refused("llama:8-1-1-4", tokens, self.array("y.npy", [1] * 4)))
        wide = self.array("wide.npy", [[1, 2, 3, 9]] * 4)
        self.assertIn("9", self.refused("llama:8-1-1-4", wide, tokens, "--classes", 5, "--batch", 2))
        self.run_train("--network", "llama:8-1-1-4", code=2)


if __name__ == "__main__":
    unittest.main()
