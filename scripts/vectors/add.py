#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/vectors/add.csv: the element-wise int8 ADD in the three named roundings.

output = clamp(r(r(lhs) + r(rhs)) + output_zero_point), where each operand is (value - zero_point)
raised by 2^20 and every r is one requantization. Unbounded integers, shared with requantize.py and
with nothing that it checks. `--check` compares the file with what would be written.
"""

import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True
import requantize as rq  # noqa: E402

DEFAULT = rq.DEFAULT.with_name("add.csv")
HEADER = (
    "lhs,rhs,lhs_zero_point,rhs_zero_point,lhs_multiplier,lhs_shift,rhs_multiplier,rhs_shift,"
    "output_multiplier,output_shift,output_zero_point,clamp_min,clamp_max,double,single,even"
)
ROUNDINGS = (
    rq.double,
    lambda *operands: rq.ties_up(rq.product(*operands)),
    lambda *operands: rq.ties_even(rq.product(*operands)),
)


def factor(real):
    mantissa, exponent = math.frexp(real)
    return round(mantissa * 2**31), exponent


def row(lhs, rhs, zero_points, scales, output_zero_point, low, high):
    results = []
    for rounding in ROUNDINGS:
        total = sum(
            rounding((value - zero) * 2**20, *scale) for value, zero, scale in zip((lhs, rhs), zero_points, scales)
        )
        results.append(rq.clamp(rounding(total, *scales[2]) + output_zero_point, low, high))
    flat = [number for scale in scales for number in scale]
    return (lhs, rhs, *zero_points, *flat, output_zero_point, low, high, *results)


def table():
    rng = random.Random(77)
    extremes = (-128, -1, 0, 127)
    rows = []
    for index in range(400):
        lhs_scale, rhs_scale, output_scale = (math.exp(rng.uniform(-6, 0)) for _ in range(3))
        if index % 2 == 0:  # powers of two and a coarser output, where sums fall on exact ties
            lhs_scale, rhs_scale = (2.0 ** -rng.randint(0, 2) for _ in range(2))
            output_scale = max(lhs_scale, rhs_scale) * 2.0 ** rng.randint(1, 2)
        common = 2 * max(lhs_scale, rhs_scale)
        scales = (factor(lhs_scale / common), factor(rhs_scale / common), factor(common / (2**20 * output_scale)))
        if index % 5 == 0:  # operands rescaled to small integers, whose own rounding shows in the sum
            scales = (
                (rng.randrange(2**30, 2**31), rng.randint(-27, -19)),
                (2**30, rng.randint(-27, -19)),
                (2**30, 1),
            )
        zero_points = (rng.choice((0, 0, -128, rng.randint(-128, 127))), rng.choice((0, rng.randint(-128, 127))))
        low = rng.choice((-128, -128, rng.randint(-128, 0)))
        for _ in range(6):
            lhs = rng.choice((rng.choice(extremes), rng.randint(-128, 127)))
            rhs = rng.choice((rng.choice(extremes), rng.randint(-128, 127)))
            rows.append(row(lhs, rhs, zero_points, scales, rng.randint(-60, 60), low, 127))
    return rq.csv_text(HEADER, rows)


if __name__ == "__main__":
    sys.exit(rq.write_or_check(__doc__, DEFAULT, table, pathlib.Path(__file__).name))
