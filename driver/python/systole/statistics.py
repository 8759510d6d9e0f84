# SPDX-License-Identifier: Apache-2.0
"""Statistics of runs: sums over several runs, and ratios computed from sums."""
from systole import _systole


def add(sums, part):
    """Adds the numbers of two dictionaries of the same structure. A truth value is true if one of both is, the names
    `nonfinite_in` are those of the first that has some; other values are taken from the first."""
    if not sums:
        return part
    total = {}
    for key, value in sums.items():
        other = part[key]
        if isinstance(value, dict):
            total[key] = add(value, other)
        elif key == "nonfinite_in":
            total[key] = value or other
        elif isinstance(value, list):
            total[key] = [add(one, two) for one, two in zip(value, other)]
        elif isinstance(value, bool):
            total[key] = value or other
        elif value is None or isinstance(value, (str, tuple)):
            total[key] = value
        else:
            total[key] = value + other
    return total


def with_ratios(sums, dim):
    """Adds utilization (0 .. 1) and macs_per_cycle to the statistics and to each of their layers."""
    if not sums:
        return {}
    result = dict(sums)
    if "cycles" in sums:
        result["utilization"] = _systole.utilization(sums["macs"], sums["cycles"], dim)
        result["macs_per_cycle"] = _systole.macs_per_cycle(sums["macs"], sums["cycles"])
    if "layers" in sums:
        result["layers"] = [with_ratios(layer, dim) for layer in sums["layers"]]
    return result
