# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements."""
from systole_jax import attributes
from systole_jax.noted_patterns import Product
from systole_jax.rules import rule
from systole_jax.rules_reductions import padded_with


@rule("stablehlo.broadcast_in_dim")
def broadcast(t, op, x):
    shape = t.result_type(op)[1]
    return t.o.broadcast_in_dim(x[0], shape, attributes.numbers(op, "broadcast_dimensions"))


@rule("stablehlo.reshape")
def reshape(t, op, x):
    return t.o.reshape(x[0], t.result_type(op)[1])


@rule("stablehlo.transpose")
def transpose(t, op, x):
    permutation = attributes.numbers(op, "permutation")
    product = x[0].made_by
    if permutation == [1, 0] and isinstance(product, Product) and product.transposed is not None:
        return product.transposed()
    return t.o.transpose(x[0], permutation)


@rule("stablehlo.slice")
def slice(t, op, x):
    shape = t.result_type(op)[1]
    return t.o.slice(x[0], attributes.numbers(op, "start_indices"), shape, attributes.numbers(op, "strides"))


@rule("stablehlo.reverse")
def reverse(t, op, x):
    return x[0] if x[0].is_empty else t.o.reverse(x[0], attributes.numbers(op, "dimensions"))


@rule("stablehlo.concatenate")
def concatenate(t, op, x):
    return t.o.concat(x, attributes.number(op, "dimension"))


@rule("stablehlo.pad")
def pad(t, op, x):
    sizes = [attributes.numbers(op, name) for name in ("edge_padding_low", "edge_padding_high", "interior_padding")]
    return padded_with(t.o, x[0], x[1], *sizes)
