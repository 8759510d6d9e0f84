# SPDX-License-Identifier: Apache-2.0
"""What rules note of the values that they make, for later rules."""


class Positive:
    """Truth values: where a rectified value is above 0."""

    def __init__(self, value):
        self.value = value


class PoolGradient:
    """The gradient of a maximum pool of images."""

    def __init__(self, pooled, images, numbers, ids, shape):
        self.pooled, self.images, self.numbers, self.ids, self.shape = pooled, images, numbers, ids, shape

    def result(self, o):
        image, maxima, gradient = self.ids
        result = o.value(o.b.max_pool_gradient(image, maxima, gradient, self.numbers))
        return self.images.back(o, result, self.shape)

    def of_positive(self, o):
        """The gradient where what was pooled is above 0, and 0 elsewhere. It goes to maxima alone, so that the maxima
        say where it is lost."""
        image, maxima, gradient = self.ids
        zero = o.id(o.scalar("float32", 0))
        kept = o.b.select(o.b.binary("less", zero, maxima), gradient, zero)
        return PoolGradient(self.pooled, self.images, self.numbers, (image, maxima, kept), self.shape).result(o)


class Product:
    """A product of floats. It adds a row that is the same everywhere for nothing, and may be computed transposed."""

    def __init__(self, append):
        self.append = append  # the tensor of the product plus that of a row
        self.transposed = None  # of matrices: the value of the transposed product

    def plus(self, o, row, shape):
        result = o.value(self.append(row))
        return o.reshape(result, shape)


class Halves:
    """Numbers of 64 bits whose halves, the lower one first, are the last axis of an array of uint32."""

    def __init__(self, value):
        self.value = value

    @staticmethod
    def of(o, x):
        """The halves of an array of uint64."""
        if isinstance(x.made_by, Halves):
            return x.made_by.value
        x = o.reshape(x, x.shape + (1,))
        lower = o.with_number("and", x, (1 << 32) - 1)
        return o.convert(o.concat([lower, o.with_number("shift right", x, 32)], len(x.shape) - 1), "uint32")

    def together(self, o):
        """The array of uint64, which the host makes."""
        last = len(self.value.shape) - 1
        lower, upper = (o.convert(o.part(self.value, last, at, 1), "uint64") for at in range(2))
        result = o.reshape(o.binary("or", lower, o.with_number("shift left", upper, 32)), self.value.shape[:-1])
        result.made_by = self
        return result


def sum_with_row(o, x):
    """The sum of a product and a row, None if the operands are not those."""
    for value, other in (x, x[::-1]):
        product = value.made_by
        row = other.held[:-1] == (1,) * (len(other.held) - 1) and other.held[-1:] == value.shape[-1:]
        here = value.block is o.routine.current_block()  # whose tensors the product knows
        if isinstance(product, Product) and here and row and other.shape == value.shape and other.held != value.shape:
            return product.plus(o, o.b.reshape(o.id(other), [value.shape[-1]]), value.shape)
    return None
