# SPDX-License-Identifier: Apache-2.0
"""Compares one network's outputs with those of the judges."""

import numpy as np
import systole

import disagreements

RELATIVE, ABSOLUTE = 1e-5, 1e-4  # of reals: sums of some hundred products of numbers up to 4, in any order


def difference(seen, expected, within=0):
    """In words; empty if integers are at most `within` apart and reals within the tolerances."""
    if len(seen) != len(expected):
        return f"{len(seen)} outputs, {len(expected)} expected"
    for index, (a, b) in enumerate(zip(seen, expected)):
        if a.size != b.size or a.dtype != b.dtype:
            return f"output {index}: {a.dtype} {a.shape}, {b.dtype} {b.shape} expected"
        a, b = a.reshape(-1), b.reshape(-1)
        if b.dtype.kind == "f":
            wrong = ~np.isclose(a, b, RELATIVE, ABSOLUTE, equal_nan=True)
        else:
            wrong = np.abs(a.astype(np.int64) - b.astype(np.int64)) > within
        if wrong.any():
            first = int(np.argmax(wrong))
            count = int(wrong.sum())
            return f"output {index}: {count} of {a.size} values, [{first}] is {a[first]}, {b[first]} expected"
    return ""


def complaints(name, expected, judges, model, inputs):
    """What each judge's outputs differ in from the expected ones, and whether one of them knows the operator at all.
    `judges`: functions of a file and its inputs, by name."""
    found, answers = [], 0
    for judge, run in judges.items():
        disagreement = disagreements.known(judge, name)
        if disagreement and not disagreement.within:
            continue
        try:
            outputs = run(model, inputs)
        except systole.Error as error:  # Systole is a judge of recorded networks, which it has to run
            return [f"refused by {judge}: {error}"]
        except (RuntimeError, ValueError):  # a form of the operator that the judge does not have
            continue
        answers += 1
        different = difference(expected, outputs, disagreement.within if disagreement else 0)
        if different:
            found.append(f"not as {judge}: {different}")
    return found if answers else ["no judge knows it"]
