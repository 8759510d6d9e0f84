# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass


@dataclass
class Scale:
    scale: float  # a float32's value
    zero_point: int
