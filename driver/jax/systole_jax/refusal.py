# SPDX-License-Identifier: Apache-2.0
"""What a program asks for that the device cannot do."""


REMEDY = "Run this part of the program on another device, as with jax.default_device"


class Refusal(Exception):
    """The text names the operator, the reason and what to do instead."""
