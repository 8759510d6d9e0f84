# SPDX-License-Identifier: Apache-2.0
"""Where a judge does not decide alone, with the reason. The other judge does, exactly."""

from dataclasses import dataclass


@dataclass
class Disagreement:
    reason: str
    within: int = 0  # how far an integer may be from this judge's; 0: the judge is not asked


BROKEN_SUM = Disagreement("its reference kernel of SUM uses sums that were never set")
ROUNDING = Disagreement("a product is rounded in another way, by 1 in a few values", 1)
UNSET_BORDERS = Disagreement("it fills borders with memory that was never set")
QUOTIENT_OF_FLOATS = Disagreement("it rounds the quotient of the scales to float32: a few values are 1 off", 1)
NO_RESCALING = Disagreement("it clamps without rescaling")

# Judge: name in operator_kinds.py: disagreement.
DISAGREEMENTS = {
    "LiteRT": {
        "MUL int16": ROUNDING,
        "SUM int8": BROKEN_SUM,
        "SUM int16": BROKEN_SUM,
        "FULLY_CONNECTED int8": Disagreement("it multiplies by a real number and rounds once: a value may be 1 off", 1),
        "FULLY_CONNECTED int16": Disagreement("its sums of 64 bits overflow and are rounded in another way"),
        "SOFTMAX int16": Disagreement("some entries of its tables of functions are 1 off", 1),
        "PRELU int16": ROUNDING,
        "RELU int16": QUOTIENT_OF_FLOATS,
        "UNIDIRECTIONAL_SEQUENCE_LSTM int8": Disagreement("its tables of sigmoid and tanh are others"),
    },
    "TFLM": {
        "SPACE_TO_BATCH_ND int8": UNSET_BORDERS,
        "SPACE_TO_BATCH_ND float32": UNSET_BORDERS,
        "HARD_SWISH int8": ROUNDING,
        "RELU6 int8": NO_RESCALING,
        "RELU6 int16": NO_RESCALING,
        "LEAKY_RELU int16": ROUNDING,
    },
}


def known(judge, name):
    """The disagreement of a judge with the others, or None."""
    return DISAGREEMENTS.get(judge, {}).get(name)
