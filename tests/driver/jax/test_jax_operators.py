# SPDX-License-Identifier: Apache-2.0
"""JAX's functions on Systole, compared with JAX's CPU: cases.py, by a seed. A refusal is not a fault, but counted."""
import argparse
import os
import sys
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cases", type=int, default=300)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--device", default="model")
parser.add_argument("--refusals", type=int, default=0, help="how many cases may be refused")
parser.add_argument("--page", help="the page of operators; says whether it is what was seen")
parser.add_argument("--write", action="store_true", help="write the page")
parser.add_argument("--only", default="", help="cases whose names contain this")
given = parser.parse_args()
os.environ.update(JAX_PLATFORMS="systole,cpu", SYSTOLE_JAX_DEVICE=given.device, JAX_DEFAULT_MATMUL_PRECISION="highest")

import jax
import numpy as np
import systole_jax
from systole_jax.rules import RULES

from cases import FAMILIES, cases
from operators_page import Seen


def units_off(got, wanted, units, own):
    """The greatest difference, over what is allowed. Numbers below the least normal one count as 0."""
    if np.issubdtype(wanted.dtype, np.integer) or wanted.dtype == np.bool_:
        return 0.0 if np.array_equal(got, wanted) else np.inf
    info = jax.numpy.finfo(wanted.dtype)
    a, b = got.astype(np.float64), wanted.astype(np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)) or not np.array_equal(np.isinf(a), np.isinf(b)):
        return np.inf
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite & ~np.isnan(b)], b[~finite & ~np.isnan(b)]):
        return np.inf
    a, b = a[finite], b[finite]
    size = np.maximum(np.abs(b), float(info.tiny))
    greatest = size.max(initial=float(info.tiny))
    allowed = float(info.eps) * (units * greatest + own * size) + (float(info.tiny) if units + own else 0)
    off = np.abs(a - b)
    return 0.0 if (off <= allowed).all() else float((off / (float(info.eps) * size)).max())


def leaves(result):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(result)]


def run(function, arrays, device):
    with jax.default_device(device):
        return leaves(jax.jit(function)(*(jax.device_put(array, device) for array in arrays)))


def main():
    cpu, systole = jax.devices("cpu")[0], jax.devices("systole")[0]
    print("seed %d, device %s" % (given.seed, given.device))
    wrong, refused, began, seen, ran = [], [], time.time(), Seen(RULES), 0
    for name, case in cases(given.seed, given.cases):
        if given.only not in name:
            continue
        ran += 1
        wanted = run(case.function, case.arrays, cpu)
        try:
            with seen.case():
                got = run(case.function, case.arrays, systole)
            seen.ran(systole_jax.last_run()["layers"])
        except jax.errors.JaxRuntimeError as error:
            kind = refused if "UNIMPLEMENTED" in str(error) else wrong
            kind.append("%s: %s" % (name, str(error).split("\n")[0]))
            continue
        for a, b in zip(got, wanted, strict=True):
            if a.dtype != b.dtype or a.shape != b.shape:
                wrong.append("%s: %s %s, not %s %s" % (name, a.dtype, a.shape, b.dtype, b.shape))
            elif off := units_off(a, b, case.units, case.own):
                wrong.append("%s: %g units off: %s, not %s" % (name, off, a.reshape(-1)[:8], b.reshape(-1)[:8]))
                break
    if not ran:
        parser.error(
            "--only %s: none of the %d cases has this in its name; names begin with %s"
            % (given.only, given.cases, ", ".join(FAMILIES))
        )
    for text in wrong:
        print("WRONG", text)
    for text in refused:
        print("refused", text)
    print("%d cases, %d wrong, %d refused, %.0f s" % (ran, len(wrong), len(refused), time.time() - began))
    if given.page and not seen.agrees(given.page, given.write):
        print("%s is not what was seen; to record it: %s --write" % (given.page, " ".join(sys.argv)))
        return 1
    return 1 if wrong or len(refused) > given.refusals else 0


if __name__ == "__main__":
    sys.exit(main())
