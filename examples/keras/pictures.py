# SPDX-License-Identifier: Apache-2.0
"""The pictures that mnist_cnn.py trains with."""
import gzip
import pathlib

import numpy as np


def read_idx(path):
    """The bytes of an IDX file, gzip or not, as an array."""
    data = pathlib.Path(path).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    rank = data[3]
    shape = np.frombuffer(data, ">i4", rank, 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder):
    """Training and test pictures with their labels: MNIST's four files in a folder; Keras gets them if it is None."""
    if folder is None:
        import keras

        return keras.datasets.mnist.load_data()

    def part(name):
        names = ["%s-%s-ubyte*" % (name, kind) for kind in ("images-idx3", "labels-idx1")]
        return [read_idx(next(pathlib.Path(folder).glob(name))) for name in names]

    return part("train"), part("t10k")


def random(number, seed=0):
    """As many pictures of noise with random labels: enough to see that steps are computed right."""
    r = np.random.default_rng(seed)
    part = (r.integers(0, 256, (number, 28, 28), np.uint8), r.integers(0, 10, number, np.uint8))
    return part, part
