# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator of TensorFlow Lite each, as tests/judges has them: with the delegate LiteRT gives
what its reference kernels give, whether the delegate takes the operator or leaves it. Integers are equal bit for bit.

  tests/judges/run ../driver/litert/test_litert_operators.py [--seed N] [--cases N] [--only KIND]
"""
import argparse
import sys
import zlib
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "judges"))
import disagreements
from delegated import Delegated, interpreter_of, outputs_of
from judgement import difference
from operator_case import OperatorCase
from operator_kinds import all_kinds

EXTREME = 4  # one case of so many


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    wrong = total = taken = 0
    left = set()
    for name, kind, dtype, build in all_kinds():
        if arguments.only not in name:
            continue
        # The delegate rounds dense layers of int8 as LiteRT, not as the other judge.
        disagreement = None if name == "FULLY_CONNECTED int8" else disagreements.known("LiteRT", name)
        for number in range(arguments.cases):
            seed = [arguments.seed, number, zlib.crc32(name.encode())]
            model, inputs = build(
                OperatorCase(np.random.default_rng(seed), kind, dtype, number % EXTREME == EXTREME - 1)
            )
            try:
                expected = outputs_of(interpreter_of(model), inputs)
            except (RuntimeError, ValueError):
                continue  # a form of the operator that LiteRT does not have
            total += 1
            try:
                delegated = Delegated(model)
                seen = delegated.outputs(inputs)
            except (RuntimeError, ValueError) as error:
                wrong += 1
                print(f"{name}, case {number}: {error}")
                continue
            if delegated.left():
                left.add(name)
            else:
                taken += 1
                if disagreement and not disagreement.within:
                    continue  # another judge decides
            different = difference(seen, expected, disagreement.within if disagreement else 0)
            if different:
                wrong += 1
                print(f"{name}, case {number}: {different}")
    print("left to LiteRT in some case:", ", ".join(sorted(left)))
    print(f"seed {arguments.seed}: {total} networks, {taken} on the device, {wrong} differences")
    return 1 if wrong or not taken else 0


if __name__ == "__main__":
    sys.exit(main())
