# SPDX-License-Identifier: Apache-2.0
"""How far float32 on the device is from the real numbers, as driver/jax/README.md states it. NumPy computes in float64.

    test_accuracy.py            # says whether the page is what is measured
    test_accuracy.py --write    # writes the page's two tables"""
import argparse
import os
import pathlib
import re
import sys

os.environ.setdefault("JAX_PLATFORMS", "systole,cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PAGE = pathlib.Path(__file__).resolve().parents[3] / "driver" / "jax" / "README.md"
COUNT = 20000
#: The function of JAX, the same of NumPy, and the range of its arguments.
FUNCTIONS = {
    "divide": (lambda x: lax.div(jnp.float32(1), x), lambda x: 1 / x, 0.01, 100),
    "sqrt": (lax.sqrt, np.sqrt, 0.01, 100),
    "rsqrt": (lax.rsqrt, lambda x: 1 / np.sqrt(x), 0.01, 100),
    "exp": (lax.exp, np.exp, -20, 20),
    "expm1": (lax.expm1, np.expm1, -5, 5),
    "log": (lax.log, np.log, 0.01, 100),
    "log1p": (lax.log1p, np.log1p, -0.9, 20),
    "logistic": (lax.logistic, lambda x: 1 / (1 + np.exp(-x)), -10, 10),
    "tanh": (lax.tanh, np.tanh, -6, 6),
    "power": (lambda x: lax.pow(x, jnp.float32(2.5)), lambda x: x**2.5, 0.01, 20),
    "sin": (lax.sin, np.sin, -10, 10),
    "cos": (lax.cos, np.cos, -10, 10),
}


def worst(function, exact, low, high):
    """The greatest error, in units in the last place of the result."""
    x = np.random.default_rng(1).uniform(low, high, COUNT).astype(np.float32)
    found, right = np.asarray(jax.jit(function)(x), np.float64), exact(x.astype(np.float64))
    return np.max(np.abs(found - right) / np.spacing(np.abs(right).astype(np.float32)))


def functions():
    rows = ["| function | arguments | greatest error |", "| --- | --- | --- |"]
    for name, (function, exact, low, high) in FUNCTIONS.items():
        rows.append("| %s | %g to %g | %.2f |" % (name, low, high, worst(function, exact, low, high)))
    return rows


def decibels(found, right):
    return 10 * np.log10(np.sum(right**2) / np.sum((found - right) ** 2))


def products():
    random = np.random.default_rng(1)
    rows = ["| operands | in blocks | of bfloat16 | exact |", "| --- | --- | --- | --- |"]
    for text, draw in (
        ("normal", random.standard_normal),
        ("uniform from -1 to 1", lambda shape: random.uniform(-1, 1, shape)),
        ("normal, their third powers", lambda shape: random.standard_normal(shape) ** 3),
    ):
        a, b = draw((64, 256)).astype(np.float32), draw((256, 128)).astype(np.float32)
        right = a.astype(np.float64) @ b
        rounded = [np.asarray(jnp.asarray(x, jnp.bfloat16).astype(jnp.float32), np.float64) for x in (a, b)]
        with jax.default_matmul_precision("highest"):
            exact = np.asarray(jax.jit(jnp.matmul)(a, b), np.float64)
        blocks = np.asarray(jax.jit(lambda a, b: a @ b)(a, b), np.float64)
        found = [decibels(x, right) for x in (blocks, rounded[0] @ rounded[1], exact)]
        rows.append("| %s | %.1f dB | %.1f dB | %.1f dB |" % (text, *found))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    page = PAGE.read_text()
    measured = page
    for table in (functions(), products()):
        head = re.escape(table[0] + "\n" + table[1] + "\n")
        measured, times = re.subn(head + r"(?:\|.*\n)*", lambda _: "\n".join(table) + "\n", measured)
        if times != 1:
            print("%s has no table with the columns %s" % (PAGE, table[0]))
            return 1
    if given.write:
        PAGE.write_text(measured)
    elif measured != page:
        print("%s is not what was measured; to write it: %s --write" % (PAGE, sys.argv[0]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
