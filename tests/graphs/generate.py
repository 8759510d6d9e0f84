# SPDX-License-Identifier: Apache-2.0
"""Random graphs: a theme, which says what types and operators there are, and steps that read what is there."""

import elements
import moves
import patterns
import products
import quantized
import recurrent
import reductions
import tflite_steps
from choices import Choices
from draft import Draft, Unfit
from values import ALL_TYPES

FLOAT_TYPES = ("float32",)
BYTE_TYPES = ("int8", "uint8")
TFLITE = ((tflite_steps.STEPS, 1),)
# name -> (weight, types of inputs, families of steps with their weights, precision)
THEMES = {
    "float": (38, FLOAT_TYPES, ((moves.STEPS, 34), (elements.FLOAT, 34), (reductions.FLOAT, 16),
                                (products.STEPS, 16), (recurrent.STEPS, 4), (patterns.FLOAT, 7)), None),
    "bytes": (24, BYTE_TYPES, ((moves.STEPS, 34), (quantized.STEPS, 52), (reductions.MIXED, 6),
                               (elements.INTEGER, 4)), None),
    "mixed": (24, ALL_TYPES, ((moves.STEPS, 40), (elements.MIXED, 40), (reductions.MIXED, 12),
                              (quantized.STEPS, 6)), None),
    "blocks": (16, FLOAT_TYPES, ((moves.STEPS, 20), (elements.FLOAT, 24), (reductions.FLOAT, 12),
                                 (products.STEPS, 34), (patterns.BLOCKS, 32)), "mx"),
    "tflite bytes": (14, ("int8",), TFLITE, None),
    "tflite words": (6, ("int16", "int8"), TFLITE, None),
}  # fmt: skip


def add_step(draft, families):
    """Adds a step of one of the families; False if it did not fit."""
    mark = draft.mark()
    with draft.choices.span():
        make = draft.choices.weighted(draft.choices.weighted([(family, weight) for family, weight in families]))
        try:
            make(draft)
            return True
        except Unfit:
            draft.undo(mark)
            return False


def generate(choices, dim):
    """A graph; None if no step fitted."""
    theme = choices.weighted([(name, entry[0]) for name, entry in THEMES.items()])
    _, types, families, precision = THEMES[theme]
    opset = 28 if theme == "mixed" and choices.chance(30) else 21
    draft = Draft(choices, dim, types, opset)
    draft.graph.precision = precision
    draft.graph.theme = theme
    draft.graph.format = "tflite" if theme.startswith("tflite") else "onnx"
    wanted = choices.weighted([(1, 10), (2, 15), (3, 22), (4, 22), (5, 15), (6, 8), (8, 8)])
    for _ in range(2 * wanted):
        add_step(draft, families)
        if len(draft.graph.steps) >= wanted:
            break
    if not draft.graph.steps:
        return None
    computed = draft.graph.computed()
    if choices.chance(15):  # a result that other steps read as well
        draft.graph.outputs.append(choices.pick(computed))
    draft.graph.multiplications = draft.multiplications
    return draft.graph.finish()


def of_seed(seed, number, dim):
    """Graph `number` of a campaign, and the decisions that made it."""
    choices = Choices(seed * 1_000_003 + number)
    return generate(choices, dim), choices
