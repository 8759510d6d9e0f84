# SPDX-License-Identifier: Apache-2.0
"""The fixed-point arithmetic of TensorFlow Lite's reference kernels ("double" rounding), on Python integers."""

import math

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def round_half_away(value):
    """Nearest integer of a float, ties away from zero (C's round; Python's own rounds ties to even)."""
    magnitude = math.floor(abs(value))
    if abs(value) - magnitude >= 0.5:
        magnitude += 1
    return -magnitude if value < 0 else magnitude


def quantize_multiplier(real):
    """Writes real >= 0 as multiplier * 2^(shift - 31); multiplier is 0 or in [2^30, 2^31), shift > 0 is a left
    shift."""
    if real < 0:
        raise ValueError(f"multiplier {real} is negative")
    if real == 0:
        return 0, 0
    mantissa, shift = math.frexp(real)
    multiplier = round_half_away(mantissa * 2**31)
    if multiplier == 2**31:  # the mantissa rounded up to 1.0
        multiplier //= 2
        shift += 1
    if shift < -31:  # too small to move any int32 by one
        return 0, 0
    if shift > 30:
        raise ValueError(f"multiplier {real} is above 2^30")
    return multiplier, shift


def saturating_rounding_doubling_high_mul(a, b):
    """High half of 2*a*b, one rounding (ties towards plus infinity); only INT32_MIN squared saturates."""
    return min((a * b + (1 << 30)) >> 31, INT32_MAX)


def rounding_right_shift(value, exponent):
    """value / 2^exponent, ties away from zero."""
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if value < 0 else 0)
    return (value >> exponent) + (1 if (value & mask) > threshold else 0)


def requantize(acc, multiplier, shift, zero_point, clamp_min, clamp_max):
    """int32 accumulator to int8: the two roundings, one after the other, then zero point and clamp."""
    shifted = max(INT32_MIN, min(INT32_MAX, acc << max(shift, 0)))
    high = saturating_rounding_doubling_high_mul(shifted, multiplier)
    value = rounding_right_shift(high, max(-shift, 0)) + zero_point
    return max(clamp_min, min(clamp_max, value))
