# SPDX-License-Identifier: Apache-2.0
"""Factorizations that StableHLO has no operator for, written with JAX's own functions. Keras draws orthogonal matrices,
as for the state of an LSTM, by a QR factorization."""


from systole_jax.refusal import REMEDY


def register():
    """Makes these what JAX compiles for the device."""
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    for primitive, function, results in (
        (linalg.geqrf_p, geqrf, True),
        (linalg.householder_product_p, householder_product, False),
    ):
        mlir.register_lowering(primitive, mlir.lower_fun(function, multiple_results=results), platform="systole")
    for name in ("eig", "eigh", "lu", "schur", "svd"):  # which XLA's devices compute by a library of their own
        primitive = getattr(linalg, name + "_p", None)
        if primitive is not None and primitive not in getattr(mlir, "_lowerings", {}):
            mlir.register_lowering(primitive, refuse(name), platform="systole")


def refuse(name):
    def lower(context, *operands, **parameters):
        raise NotImplementedError("systole: %s: there is no rule for it. %s" % (name, REMEDY))

    return lower


def exact_sum(axes, a, b):
    """Of products in float32, where others may be in block floating point."""
    import jax.numpy as jnp

    return jnp.einsum(axes, a, b, precision="highest")


def geqrf(a):
    """LAPACK's: R, with the reflectors below its diagonal, and their factors."""
    import jax
    import jax.numpy as jnp

    *batch, m, n = a.shape
    number = min(m, n)
    rows, columns = jnp.arange(m), jnp.arange(n)

    def step(k, carry):
        a, factors = carry
        at = rows == k
        column = jnp.where(columns == k, a, 0).sum(-1)
        first = jnp.where(at, column, 0).sum(-1)
        below = jnp.where(rows > k, column, 0)
        # A sum of squares that neither overflows nor is lost.
        scale = jnp.abs(jnp.where(rows >= k, column, 0)).max(-1)
        safe = jnp.where(scale == 0, 1, scale)
        scaled = jnp.where(rows >= k, column, 0) / safe[..., None]
        length = scale * jnp.sqrt(exact_sum("...m,...m->...", scaled, scaled))
        is_zero = (below == 0).all(-1)
        diagonal = jnp.where(is_zero, first, jnp.where(first < 0, length, -length))
        factor = jnp.where(is_zero, 0, (diagonal - first) / jnp.where(is_zero, 1, diagonal))
        reflector = below / jnp.where(is_zero, 1, first - diagonal)[..., None] + at.astype(a.dtype)
        moved = factor[..., None] * exact_sum("...m,...mn->...n", reflector, a)
        a = jnp.where(columns > k, a - reflector[..., :, None] * moved[..., None, :], a)
        new = jnp.where(at, diagonal[..., None], jnp.where(rows > k, reflector, column))
        a = jnp.where(columns == k, new[..., :, None], a)
        return a, jnp.where(jnp.arange(number) == k, factor[..., None], factors)

    return list(jax.lax.fori_loop(0, number, step, (a, jnp.zeros((*batch, number), a.dtype))))


def householder_product(a, factors):
    """The first columns of the product of the reflectors, which are below the diagonal of `a`."""
    import jax
    import jax.numpy as jnp

    *batch, m, n = a.shape
    number = factors.shape[-1]
    rows, columns = jnp.arange(m), jnp.arange(n)

    def step(i, q):
        k = number - 1 - i
        column = jnp.where(columns == k, a, 0).sum(-1)
        reflector = jnp.where(rows > k, column, 0) + (rows == k).astype(a.dtype)
        factor = jnp.where(jnp.arange(number) == k, factors, 0).sum(-1)
        moved = factor[..., None] * exact_sum("...m,...mn->...n", reflector, q)
        return q - reflector[..., :, None] * moved[..., None, :]

    return jax.lax.fori_loop(0, number, step, jnp.broadcast_to(jnp.eye(m, n, dtype=a.dtype), a.shape))
