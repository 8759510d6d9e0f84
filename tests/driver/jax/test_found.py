# SPDX-License-Identifier: Apache-2.0
"""Programs that once gave wrong numbers or did not compile, compared with JAX's CPU."""
import os
import unittest

os.environ.update(JAX_PLATFORMS="systole,cpu", SYSTOLE_JAX_DEVICES="4", JAX_DEFAULT_MATMUL_PRECISION="highest")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

R = np.random.default_rng(0)
SYSTOLE, CPU = jax.devices("systole")[0], jax.devices("cpu")[0]


def floats(*shape):
    return R.standard_normal(shape).astype(np.float32)


def counted(n, z):
    """A loop whose number of turns is not known when the program is compiled."""
    return lax.while_loop(lambda c: c < n, lambda c: c + 1, z)


class Programs(unittest.TestCase):
    def same(self, function, *arrays):
        results = []
        for device in (SYSTOLE, CPU):
            with jax.default_device(device):
                placed = [jax.device_put(array, device) for array in arrays]
                results.append(jax.tree.leaves(jax.jit(function)(*placed)))
        for got, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=2e-5, atol=2e-6)

    def test_product_and_row_in_two_blocks(self):
        def program(x, w, b, n, x2, w2):
            y = lax.dot(x, w)
            z = counted(n, counted(n, jnp.int32(0)))
            return lax.dot(x2, w2), z, y + b

        arrays = [floats(4, 6), floats(6, 8), floats(8), np.int32(3), floats(4, 6), floats(6, 8)]
        self.same(program, *arrays)
        self.same(lambda p, x, w, b: lax.cond(p, lambda y, b: y + b, lambda y, b: y - b, x @ w, b), True, *arrays[:3])

    def test_loop_in_a_branch(self):
        def turns(x, n):
            return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (jnp.int32(0), x))[1]

        for p in (True, False):
            self.same(lambda p, x, n: lax.cond(p, turns, lambda x, n: x, x, n), p, floats(3), np.int32(4))

    def test_counter_of_floats(self):
        for limit, step in ((2.5, 1.0), (3.0, 1.5)):
            self.same(
                lambda x: lax.while_loop(lambda c: c[0] < limit, lambda c: (c[0] + step, c[1] + 1), (0.0, x)), 1.0
            )

    def test_pool_gradients(self):
        def pooled(x):
            return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

        x = floats(1, 4, 4, 2)
        self.same(jax.grad(lambda x: pooled(x).sum()), x)

        def masked(x, n):
            g = jax.grad(lambda v: (pooled(v) * 3).sum())(jnp.maximum(x, 0.0))
            n = counted(n, jnp.int32(0))
            return n, jnp.where(x > 0, g, 0.0)

        self.same(masked, x, np.int32(2))

    def test_rectifier_in_a_branch(self):
        x = floats(5)
        self.same(lambda p, x: lax.cond(p, lambda x: jnp.maximum(x, 0.0).sum(), jnp.sum, x) + (x > 0).sum(), True, x)
        self.same(lambda x: 1 / jnp.maximum(x, -0.0), np.array([-0.0, 1], np.float32))

    def test_integers(self):
        self.same(lambda x: x.astype(jnp.uint32), np.array([-1, -3e9, 5.5, 3e9], np.float32))
        for type in (np.uint32, np.uint8):
            top = np.array([1 << (np.iinfo(type).bits - 1)], type)
            self.same(lambda x: lax.shift_right_arithmetic(x, jnp.ones_like(x)), top)
        self.same(lambda x, i: lax.dynamic_slice(x, (i,), (2,)), floats(4), np.uint32(4000000000))

    def test_windows(self):
        x = floats(4, 5)
        self.same(lambda x: lax.reduce_window(x, np.float32(5), lax.add, (3, 2), (1, 1), "SAME"), x)
        self.same(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (), (), "VALID"), np.float32(2))
        convolve = lambda x, w: lax.conv_general_dilated(x, w, (1,), [(-3, 5)])
        with jax.default_device(SYSTOLE):
            np.testing.assert_array_equal(
                np.asarray(jax.jit(convolve)(floats(1, 1, 2), floats(1, 1, 2))), np.zeros((1, 1, 3))
            )

    def test_padding_by_negative_zero(self):
        self.same(lambda v: (1 / jnp.pad(v, 1), 1 / jnp.pad(v, 1, constant_values=-0.0)), floats(2))

    def test_sharded_array_in_a_branch(self):
        mesh = Mesh(np.array(jax.devices("systole")), ("x",))
        x = floats(8, 3)
        split = jax.device_put(x, NamedSharding(mesh, P("x")))
        got = jax.jit(lambda p, v: lax.cond(p, jnp.sum, jnp.max, v) + v.min())(True, split)
        np.testing.assert_allclose(np.asarray(got), x.sum() + x.min(), rtol=1e-5)

    def test_exchanges_of_one_device(self):
        mesh = Mesh(np.array(jax.devices("systole")[:1]), ("x",))

        def alone(x):
            moved = lax.ppermute(x, "x", [(0, 0)]) + lax.ppermute(x, "x", [])
            return lax.psum(x, "x") + lax.all_gather(x, "x", tiled=True) + moved + lax.axis_index("x")

        x = floats(3)
        program = jax.jit(jax.shard_map(alone, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
        np.testing.assert_array_equal(np.asarray(program(x)), x + x + x)

    def test_exchange_that_one_device_leaves_out(self):
        mesh = Mesh(np.array(jax.devices("systole")), ("x",))

        def some(x):
            return lax.cond(lax.axis_index("x") == 0, lambda x: lax.psum(x, "x"), lambda x: x, x)

        program = jax.jit(jax.shard_map(some, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "exchange"):
            np.asarray(program(floats(8, 3)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
