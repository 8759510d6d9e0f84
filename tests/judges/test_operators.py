# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's operators on random networks of one operator each: what Systole computes is what LiteRT's reference
kernels and TensorFlow Lite for Microcontrollers compute, bit for bit where it is integers.

  tests/judges/run test_operators.py [--seed N] [--cases N] [--only KIND]
"""

import argparse
import sys
import zlib

import numpy as np

from interpreters import JUDGES, Ours
from judgement import complaints
from operator_case import OperatorCase
from operator_kinds import all_kinds

EXTREME = 4  # one case of so many


def case_complaints(name, kind, dtype, build, seed, ours, judges):
    extreme = seed[1] % EXTREME == EXTREME - 1
    case = OperatorCase(np.random.default_rng([*seed, zlib.crc32(name.encode())]), kind, dtype, extreme)
    model, inputs = build(case)
    try:
        outputs = ours(model, inputs)
    except Exception as error:  # whatever it is, the operator does not run
        return [str(error)]
    return complaints(name, outputs, judges, model, inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    ours = Ours()
    wrong = total = 0
    for name, kind, dtype, build in all_kinds():
        if arguments.only not in name:
            continue
        for number in range(arguments.cases):
            total += 1
            for complaint in case_complaints(name, kind, dtype, build, [arguments.seed, number], ours, JUDGES):
                wrong += 1
                print(f"{name}, case {number}: {complaint}")
    print(f"seed {arguments.seed}: {total} networks, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
