# SPDX-License-Identifier: Apache-2.0
"""Decisions of a generator, recorded so that they can be replayed and reduced.

A generator that takes all its decisions from here is a function of a list of small integers. 0 is always the simplest
decision, so a graph is reduced by removing numbers from its list and by lowering them, without knowing what they mean.
"""

import contextlib
import random


class Choices:
    """Decisions drawn with `seed`, or those of the list `replay`; after its end every decision is the simplest."""

    def __init__(self, seed=None, replay=None):
        self._random = random.Random(seed) if replay is None else None
        self._replay = replay
        self.record = []
        self.spans = []  # (first, past the last) of decisions that belong together

    def integer(self, low, high):
        """A number from low to high, both included; low is the simplest."""
        if high <= low:
            return low
        if self._random is not None:
            raw = self._random.randint(0, high - low)
        else:
            place = len(self.record)
            raw = min(self._replay[place] if place < len(self._replay) else 0, high - low)
        self.record.append(raw)
        return low + raw

    def pick(self, options):
        """One of the options; the first is the simplest."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent):
        """True in `percent` of 100 cases; False is the simplest."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, options):
        """One of the options, a list of (value, weight)."""
        number = self.integer(0, sum(weight for _, weight in options) - 1)
        for value, weight in options:
            number -= weight
            if number < 0:
                return value
        raise AssertionError("weights add up to more than their sum")

    def shuffled(self, items):
        """A permutation; the given order is the simplest."""
        items = list(items)
        for i in range(len(items) - 1):
            j = i + self.integer(0, len(items) - 1 - i)
            items[i], items[j] = items[j], items[i]
        return items

    @contextlib.contextmanager
    def span(self):
        """Decisions taken inside belong together: a reducer removes them at once."""
        first = len(self.record)
        yield
        if len(self.record) > first:
            self.spans.append((first, len(self.record)))
