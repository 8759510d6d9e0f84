# SPDX-License-Identifier: Apache-2.0
"""The order of the samples and the masks of dropout in NumPy, from "Order and dropout" of driver/training/README.md."""

import numpy as np

WORD = 0xFFFFFFFF
MIXING = (0x7FEB352D, 0x846CA68B, 0x9E3779B1, 0xC2B2AE35)


def _seeded(words, count):
    """std::seed_seq of the C++ standard: `count` numbers of 32 bits."""
    b = [0x8B8B8B8B] * count
    t = 11 if count >= 623 else 7 if count >= 68 else 5 if count >= 39 else 3 if count >= 7 else (count - 1) // 2
    p = (count - t) // 2
    q, most = p + t, max(len(words) + 1, count)
    for k in range(most + count):
        here, left, right = k % count, (k + p) % count, (k - 1) % count
        if k < most:
            x = b[here] ^ b[left] ^ b[right]
            first = 1664525 * (x ^ x >> 27) & WORD
            summand = len(words) if k == 0 else here + (words[k - 1] if k <= len(words) else 0)
            second = first + summand & WORD
            b[left], b[(k + q) % count] = b[left] + first & WORD, b[(k + q) % count] + second & WORD
        else:
            x = b[here] + b[left] + b[right] & WORD
            first = 1566083941 * (x ^ x >> 27) & WORD
            second = first - here & WORD
            b[left], b[(k + q) % count] = b[left] ^ first, b[(k + q) % count] ^ second
        b[here] = second
    return b


def _twister(words):
    """std::mt19937_64, seeded by std::seed_seq of the words."""
    size, middle, low = 312, 156, (1 << 31) - 1
    drawn = _seeded(words, 2 * size)
    state = [drawn[2 * i] | drawn[2 * i + 1] << 32 for i in range(size)]
    while True:
        for i in range(size):
            x = state[i] & ~low | state[(i + 1) % size] & low
            state[i] = state[(i + middle) % size] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        for y in state:
            y ^= y >> 29 & 0x5555555555555555
            y ^= y << 17 & 0x71D67FFFEDA60000
            y ^= y << 37 & 0xFFF7EEE000000000
            yield y ^ y >> 43


def order(samples, seed, epoch):
    """The samples of an epoch, counted from 0, in their order."""
    random = _twister([seed & WORD, seed >> 32 & WORD, epoch & WORD])
    places = list(range(samples))
    for i in range(samples, 1, -1):
        other = next(random) % i
        places[i - 1], places[other] = places[other], places[i - 1]
    return np.array(places)


def _mix(x):
    x = np.asarray(x, np.uint32) + np.uint32(0x9E3779B9)
    for factor in MIXING:
        x = x * (x + x + np.uint32(1)) * np.uint32(factor)
        x = x >> np.uint32(16) | x << np.uint32(16)
    return x * np.uint32(0x85EBCA6B)


def dropout(shape, rate, seed, step, layer=0):
    """What dropout multiplies the elements of a batch by: 0, or 1 / (1 - rate)."""
    with np.errstate(over="ignore"):
        key = _mix(_mix(_mix(seed & WORD) + np.uint32(step)) + np.uint32(layer))
        drawn = _mix(_mix(np.arange(np.prod(shape), dtype=np.uint32)) + key)
    kept = drawn >= int(rate * 2**32)
    return (kept * (1 / (1 - rate))).astype(np.float32).reshape(shape)


def batches(samples, size, seed, epochs):
    """The samples of each step."""
    for epoch in range(epochs):
        places = order(samples, seed, epoch)
        for first in range(0, samples - size + 1, size):
            yield places[first : first + size]
