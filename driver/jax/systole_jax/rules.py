# SPDX-License-Identifier: Apache-2.0
"""The rules of the translator, by the operators' names. A rule is called with the translation, the operation and its
operands as values, and returns the value of the result, or a list of values."""

RULES = {}


def rule(*names):
    """Makes a function the rule of these operators."""

    def add(function):
        for name in names:
            RULES[name] = function
        return function

    return add
