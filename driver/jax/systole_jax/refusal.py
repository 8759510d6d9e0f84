# SPDX-License-Identifier: Apache-2.0
"""What a program asks for that the device cannot do."""


class Refusal(Exception):
    """The text names the operator, the reason and what to do instead."""
