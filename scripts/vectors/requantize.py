#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/vectors/requantize.csv: requantization in the three named roundings.

Computed from the definitions with unbounded integers and exact fractions; it shares nothing with
the C++ or the RTL that it checks. `--check` compares the file with what would be written.
"""

import argparse
import pathlib
import random
import sys
from fractions import Fraction

DEFAULT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "vectors" / "requantize.csv"
HEADER = "acc,multiplier,shift,zero_point,clamp_min,clamp_max,double,single,even"
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def clamp(value, low, high):
    return max(low, min(high, value))


def floor(x):
    return x.numerator // x.denominator


def ties_up(x):
    return floor(x + Fraction(1, 2))


def ties_away(x):
    return ties_up(x) if x >= 0 else -ties_up(-x)


def ties_even(x):
    below = floor(x)
    rest = x - below
    if rest == Fraction(1, 2):
        return below + (below % 2)
    return below + (1 if rest > Fraction(1, 2) else 0)


def double(acc, multiplier, shift):
    left, right = max(shift, 0), max(-shift, 0)
    shifted = clamp(acc * 2**left, INT32_MIN, INT32_MAX)
    high = clamp(ties_up(Fraction(shifted * multiplier, 2**31)), INT32_MIN, INT32_MAX)
    return ties_away(Fraction(high, 2**right))


def product(acc, multiplier, shift):
    return Fraction(acc * multiplier, 2 ** (31 - shift))


def row(acc, multiplier, shift, zero_point=0, low=-128, high=127):
    exact = product(acc, multiplier, shift)
    results = (double(acc, multiplier, shift), ties_up(exact), ties_even(exact))
    clamped = [clamp(r + zero_point, low, high) for r in results]
    return (acc, multiplier, shift, zero_point, low, high, *clamped)


def boundary_rows():
    """Every corner of the three operands, crossed."""
    accs = [
        INT32_MIN,
        INT32_MIN + 1,
        -(2**30),
        -(2**24) - 1,
        -65537,
        -256,
        -129,
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        127,
        255,
        65536,
        2**24 + 1,
        2**30,
        INT32_MAX - 1,
        INT32_MAX,
    ]
    multipliers = [0, 1, 3, 2**30, 2**30 + 1, 1518500250, 2**31 - 2, 2**31 - 1]
    shifts = [-31, -30, -17, -8, -2, -1, 0, 1, 2, 9, 29, 30]
    for acc in accs:
        for multiplier in multipliers:
            for shift in shifts:
                yield row(acc, multiplier, shift)


def tie_rows(rng):
    """Products at and one step next to a half, visible in the int8 result: where roundings differ."""
    for shift in range(-24, 8):
        for _ in range(48):
            target = rng.randint(-128, 127) + Fraction(1, 2)
            # An even multiplier with many trailing zeros makes an exact tie reachable.
            multiplier = 2**30 if rng.random() < 0.5 else rng.choice([3 * 2**29, 5 * 2**28])
            acc = round(target * 2 ** (31 - shift) / multiplier) + rng.choice([-1, 0, 0, 0, 1])
            if INT32_MIN <= acc <= INT32_MAX:
                yield row(acc, multiplier, shift)


def double_rounding_rows(rng):
    """The first rounding of `double` carries into a tie of the second."""
    for shift in range(-20, 0):
        found = 0
        while found < 30:
            multiplier = rng.randrange(2**30, 2**31)
            target = rng.randint(-128, 127) + Fraction(1, 2)
            acc = floor(target * 2 ** (31 - shift) / multiplier) + rng.randint(0, 1)
            candidate = row(clamp(acc, INT32_MIN, INT32_MAX), multiplier, shift)
            if len(set(candidate[6:])) > 1 or rng.random() < 0.02:
                found += 1
                yield candidate


def random_rows(rng, count):
    """Results mostly inside int8, random zero points and clamps."""
    for _ in range(count):
        multiplier = rng.randrange(2**30, 2**31)
        shift = rng.randint(-31, 12)
        wanted = rng.uniform(-160, 160)
        acc = round(Fraction(wanted) * 2 ** (31 - shift) / multiplier)
        if rng.random() < 0.1:
            acc = rng.randint(INT32_MIN, INT32_MAX)
        low, high = -128, 127
        if rng.random() < 0.3:
            low, high = sorted((rng.randint(-128, 127), rng.randint(-128, 127)))
        yield row(clamp(acc, INT32_MIN, INT32_MAX), multiplier, shift, rng.randint(-128, 127), low, high)


def table():
    rng = random.Random(20231)
    rows = [*boundary_rows(), *tie_rows(rng), *double_rounding_rows(rng), *random_rows(rng, 6000)]
    return csv_text(HEADER, rows)


def csv_text(header, rows):
    unique = list(dict.fromkeys(rows))
    return "\n".join([header, *(",".join(map(str, r)) for r in unique)]) + "\n"


def write_or_check(purpose, default, make_text, script):
    parser = argparse.ArgumentParser(description=purpose.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=default)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    if not arguments.check:
        arguments.output.write_text(make_text())
        return 0
    if arguments.output.exists() and arguments.output.read_text() == make_text():
        return 0
    print(f"{arguments.output} is not up to date. Regenerate with scripts/vectors/{script}")
    return 1


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, DEFAULT, table, pathlib.Path(__file__).name))
