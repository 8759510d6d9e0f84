# SPDX-License-Identifier: Apache-2.0
"""`systole train --precision mx` computes whole steps on a device, with no operator on the host, and the losses of all
steps are the same bits on the host, the functional model and, where it is built, the RTL."""

import json
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM, DEVICES = sys.argv.pop(1), sys.argv.pop(1).split(",")
SIDE, CLASSES = 10, 10


def write_pictures(folder, count, seed):
    """Noise with a bright line for each class, as IDX files."""
    rng = random.Random(seed)
    labels = [rng.randrange(CLASSES) for _ in range(count)]
    pixels = bytearray()
    for label in labels:
        for y in range(SIDE):
            pixels += bytes(255 - rng.randrange(60) if y == label else rng.randrange(60) for _ in range(SIDE))
    images, classes = folder / "images", folder / "labels"
    images.write_bytes(struct.pack(">4I", 0x803, count, SIDE, SIDE) + bytes(pixels))
    classes.write_bytes(struct.pack(">2I", 0x801, count) + bytes(labels))
    return images, classes


class TrainDevices(unittest.TestCase):
    def losses(self, device, *options, config="tiny", batch=16):
        """Of each step; on a device also where the operators of a step ran."""
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room)
            images, labels = write_pictures(folder, 2 * batch, seed=1)
            report = folder / "report.json"
            command = [PROGRAM, "train", "--images", images, "--labels", labels, "--precision", "mx"]
            command += ["--device", device, "--config", config, "--batch", batch, "--json", report, *options]
            result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertEqual("gradient/Conv2d" in result.stdout, "--layers" in command and device != "host")
            self.assertEqual(
                "not compared: the host does not" in result.stdout, "--layers" in command and device != "host"
            )
            if "--layers" in command and device == "rtl":
                self.assertRegex(result.stdout, r"simulation +[0-9.]*[1-9][0-9.]* s, [1-9]")
            record = json.loads(report.read_text())
            return record["losses"], record.get("device_step")

    def compare(self, *options):
        wanted, nothing = self.losses("host", *options)
        self.assertIsNone(nothing)
        self.assertEqual(len(wanted), 2)
        self.assertNotEqual(wanted[0], wanted[1])
        for device in DEVICES:
            with self.subTest(device=device):
                losses, step = self.losses(device, *options)
                self.assertEqual(losses, wanted)
                self.assertEqual(step["host_operators"], [])
                self.assertEqual(step["device_segments"], 1)
                self.assertEqual(device == "rtl", step["cycles"] > 0)

    def test_convolutional_network(self):
        self.compare("--network", "cnn", "--scale", 0.1, "--optimizer", "momentum", "--layers")

    def test_configurations(self):
        """With 32 pictures, which fill blocks on each, the gradient of the first pool becomes weight tiles at once; the
        smallest ones have no room for that."""
        options = ["--network", "cnn", "--scale", 0.4, "--optimizer", "momentum", "--layers"]
        wanted, _ = self.losses("host", *options, batch=32)
        for config in ("tiny", "small", "default", "large"):
            with self.subTest(config=config):
                losses, step = self.losses("model", *options, config=config, batch=32)
                self.assertEqual(losses, wanted)
                names = [layer["name"] for layer in step["layers"]]
                self.assertTrue([name for name in names if name.endswith("/Conv2d.8/tiles")], names)
                apart = [name for name in names if name.startswith("gradient/Reshape.9")]
                self.assertTrue(config in ("tiny", "small") or not apart, apart)


if __name__ == "__main__":
    unittest.main()
