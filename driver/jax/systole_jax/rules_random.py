# SPDX-License-Identifier: Apache-2.0
"""Random bits by counters: Threefry2x32 with 20 rounds and Philox4x32 with 10 (Salmon, Moraes, Dror, Shaw: Parallel
random numbers: as easy as 1, 2, 3; 2011). The numbers are those of XLA's rng_bit_generator. Its state is the key and a
counter, of 64 bits each."""
from systole_jax import attributes
from systole_jax.noted_patterns import Halves
from systole_jax.program_values import bits, count
from systole_jax.refusal import Refusal
from systole_jax.rules import rule


class Word:
    """Elements of uint32, with Python's operators, which wrap."""

    def __init__(self, o, value):
        self.o, self.value = o, value

    def _with(self, kind, other):
        o = self.o
        if isinstance(other, Word):
            return Word(o, o.binary(kind, self.value, other.value))
        return Word(o, o.with_number(kind, self.value, other))

    def __add__(self, other):
        return self._with("add", other)

    def __mul__(self, number):
        return self._with("multiply", number)

    def __and__(self, number):
        return self._with("and", number)

    def __or__(self, other):
        return self._with("or", other)

    def __xor__(self, other):
        return self._with("xor", other)

    def __lshift__(self, number):
        return self._with("shift left", number)

    def __rshift__(self, number):
        return self._with("shift right", number)

    def rotated(self, number):
        return (self << number) | (self >> (32 - number))

    def product(self, number):
        """The upper and the lower half of the product with a number of 32 bits."""
        low, high = number & 0xFFFF, number >> 16
        middle = (self >> 16) * low + (((self & 0xFFFF) * low) >> 16)
        other = (self & 0xFFFF) * high + (middle & 0xFFFF)
        return (self >> 16) * high + (middle >> 16) + (other >> 16), self * number

    def sum_and_carry(self, number):
        sum = self + number
        return sum, Word(self.o, self.o.convert(self.o.binary("less", sum.value, self.value), "uint32"))


def threefry(key, counter):
    keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    rotations = ((13, 15, 26, 6), (17, 29, 16, 24))
    for i in range(5):
        for rotation in rotations[i % 2]:
            x = x + y
            y = y.rotated(rotation) ^ x
        x, y = x + keys[(i + 1) % 3], y + keys[(i + 2) % 3] + (i + 1)
    return [x, y]


def philox(key, counter):
    a, b, c, d = counter
    for i in range(10):
        upper, lower = a.product(0xD2511F53)
        other_upper, other_lower = c.product(0xCD9E8D57)
        left, right = key[0] + (i * 0x9E3779B9 & 0xFFFFFFFF), key[1] + (i * 0xBB67AE85 & 0xFFFFFFFF)
        a, b, c, d = other_upper ^ b ^ left, other_lower, upper ^ d ^ right, lower
    return [a, b, c, d]


def added(words, number):
    """The sum of a number of 64 bits, its lower half first, and one of 32."""
    low, carry = words[0].sum_and_carry(number)
    return [low, words[1] + carry]


def bits_of_threefry(o, key, counter, shape):
    """Each block gives two neighbours along one axis: the first of even size, else the longest."""
    sizes = list(shape) or [1]
    even = [axis for axis, size in enumerate(sizes) if size % 2 == 0]
    axis = even[0] if even else sizes.index(max(sizes))
    blocks = [(size + 1) // 2 if at == axis else size for at, size in enumerate(sizes)]
    numbers = Word(o, o.iota("uint32", (count(blocks),), 0))
    halves = [
        o.reshape(word.value, blocks[: axis + 1] + [1] + blocks[axis + 1 :])
        for word in threefry(key, added(counter, numbers))
    ]
    both = o.reshape(o.concat(halves, axis + 1), blocks[:axis] + [2 * blocks[axis]] + blocks[axis + 1 :])
    return o.reshape(o.part(both, axis, 0, sizes[axis]), shape), count(blocks)


def bits_of_philox(o, key, counter, shape):
    """Each block gives four neighbours. The upper half of its counter is the key."""
    blocks = (count(shape) + 3) // 4
    low = added(counter, Word(o, o.iota("uint32", (blocks,), 0)))
    # The upper half takes a carry from the lower one, which is there only if both words of that have wrapped.
    carry = Word(o, o.convert(o.binary("less", low[1].value, counter[1].value), "uint32"))
    high, carry = key[0].sum_and_carry(carry)
    words = philox(key, low + [high, key[1] + carry])
    together = o.reshape(o.concat([o.reshape(word.value, (blocks, 1)) for word in words], 1), (4 * blocks,))
    return o.reshape(o.part(together, 0, 0, count(shape)), shape), blocks


@rule("stablehlo.rng_bit_generator")
def rng_bit_generator(t, op, x):
    o, (type, shape) = t.o, attributes.type_of(op.results[1])
    if x[0].shape != (2,) or bits(type) > 32:
        raise Refusal(
            "rng_bit_generator of %s with a state of shape %s; there are elements of 8 to 32 bits, and states "
            "of two uint64" % (type, list(x[0].shape))
        )
    halves = o.reshape(Halves.of(o, x[0]), (4,))
    words = [Word(o, o.part(halves, 0, at, 1)) for at in range(4)]
    key, counter = words[:2], words[2:]
    generate = bits_of_threefry if attributes.word(op, "rng_algorithm") == "THREE_FRY" else bits_of_philox
    drawn, blocks = generate(o, key, counter, shape) if 0 not in shape else (o.empty("uint32", shape), 0)
    state = o.concat([word.value for word in key + added(counter, blocks)], 0)
    if bits(type) < 32:
        drawn = o.with_number("and", drawn, (1 << bits(type)) - 1)
    unsigned = "uint%d" % bits(type)
    return [Halves(o.reshape(state, (2, 2))).together(o), o.reinterpret(o.convert(drawn, unsigned), type)]
