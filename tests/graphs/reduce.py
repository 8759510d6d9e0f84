# SPDX-License-Identifier: Apache-2.0
"""Reduces the decisions that made a graph, as long as the graph still fails in the same way."""

from choices import Choices
from generate import generate


def _shorter(record, spans):
    """Lists without one of the steps, the longest first, and without other parts."""
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        yield record[:first] + record[last:]
    length = len(record) // 2
    while length >= 1:
        for first in range(0, len(record) - length + 1, length):
            yield record[:first] + record[first + length :]
        length //= 2


def _lower(record):
    """Lists in which one number is lower."""
    for i, number in enumerate(record):
        for smaller in dict.fromkeys((0, number // 2, number - 1)):
            if 0 <= smaller < number:
                yield record[:i] + [smaller] + record[i + 1 :]


def reduce(record, dim, fails, rounds=2000):
    """The smallest list that was found for which fails(graph) is true, and its graph. `rounds` bounds the trials."""

    def made(numbers):
        choices = Choices(replay=numbers)
        graph = generate(choices, dim)
        return graph, choices

    best, choices = made(record)
    record = choices.record
    left = rounds
    improved = True
    while improved and left > 0:
        improved = False
        for candidates in (_shorter(record, choices.spans), _lower(record)):
            for numbers in candidates:
                if left <= 0:
                    break
                graph, tried = made(numbers)
                # Decisions that are missing count as 0: the list that was used may be as long as before.
                if graph is None or (len(tried.record), tried.record) >= (len(record), record):
                    continue
                left -= 1
                if fails(graph):
                    best, record, choices, improved = graph, tried.record, tried, True
                    break
            if improved:
                break
    return record, best
