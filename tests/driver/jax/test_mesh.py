# SPDX-License-Identifier: Apache-2.0
"""Programs on a mesh of four devices: exchanges, sharded arrays, and a training step, whose results have the same bits
whether the devices are four cores, two or one."""
import os
import subprocess
import sys
import unittest

if len(sys.argv) > 1 and sys.argv[1] == "--cores":  # the program whose bits are compared
    os.environ.update(JAX_PLATFORMS="systole", SYSTOLE_JAX_CORES=sys.argv[2])
os.environ.update(SYSTOLE_JAX_DEVICES="4", JAX_PLATFORMS="systole,cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

import systole_jax

DEVICES = jax.devices()
MESH = Mesh(np.array(DEVICES), ("x",))
GRID = Mesh(np.array(DEVICES).reshape(2, 2), ("a", "b"))
X = np.arange(64, dtype=np.float32).reshape(8, 8)


def on_mesh(function, *arrays, mesh=MESH, inside=P("x"), outside=P("x")):
    return np.asarray(jax.jit(jax.shard_map(function, mesh=mesh, in_specs=inside, out_specs=outside))(*arrays))


class Exchanges(unittest.TestCase):
    def same(self, got, wanted):
        np.testing.assert_array_equal(got, wanted)

    def test_sum(self):
        self.same(on_mesh(lambda x: lax.psum(x, "x"), X, outside=P()), X.reshape(4, 2, 8).sum(0))

    def test_mean_and_greatest(self):
        self.same(on_mesh(lambda x: lax.pmean(x, "x"), X, outside=P()), X.reshape(4, 2, 8).mean(0))
        self.same(on_mesh(lambda x: lax.pmax(x, "x"), X, outside=P()), X[6:])

    def test_gather(self):
        got = on_mesh(lambda x: lax.all_gather(x, "x", tiled=True).sum(0, keepdims=True), X)
        self.same(got, np.tile(X.sum(0), (4, 1)))

    def test_sum_in_parts(self):
        got = on_mesh(lambda x: lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True), X, outside=P(None, "x"))
        self.same(got, X.reshape(4, 2, 8).sum(0))

    def test_permutation(self):
        got = on_mesh(lambda x: lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)]), X)
        self.same(got, np.roll(X, 2, 0))
        got = on_mesh(lambda x: lax.ppermute(x, "x", [(0, 3)]), X)
        self.same(got, np.concatenate([np.zeros((6, 8), np.float32), X[:2]]))

    def test_all_to_all(self):
        got = on_mesh(lambda x: lax.all_to_all(x, "x", 1, 0, tiled=True), X, outside=P("x"))
        self.same(got, X.reshape(8, 4, 2).transpose(1, 0, 2).reshape(32, 2))

    def test_number_of_the_device(self):
        self.same(on_mesh(lambda x: x * 0 + lax.axis_index("x"), X)[::2, 0], [0, 1, 2, 3])

    def test_groups_of_a_grid(self):
        got = on_mesh(lambda x: lax.psum(x, "b"), X, mesh=GRID, inside=P("a", "b"), outside=P("a", None))
        self.same(got, X[:, :4] + X[:, 4:])
        got = on_mesh(lambda x: lax.psum(x, "a"), X, mesh=GRID, inside=P("a", "b"), outside=P(None, "b"))
        self.same(got, X[:4] + X[4:])

    def test_loop_with_exchanges(self):
        body = lambda i, x: x + lax.psum(x, "x") * 0.25
        wanted = X.reshape(4, 2, 8)
        for _ in range(40):
            wanted = wanted + wanted.sum(0) * np.float32(0.25)
        got = on_mesh(lambda x: lax.fori_loop(0, 40, body, x), X)
        np.testing.assert_allclose(got, wanted.reshape(8, 8), rtol=1e-5)

    def test_pmap(self):
        got = jax.pmap(lambda x: lax.psum(x, "i"), axis_name="i")(X.reshape(4, 16))
        self.same(np.asarray(got), np.tile(X.reshape(4, 16).sum(0), (4, 1)))


class Arrays(unittest.TestCase):
    def test_sharded_arrays_under_jit(self):
        x = jax.device_put(X, NamedSharding(MESH, P("x")))
        w = jax.device_put(X[:, :3], NamedSharding(MESH, P()))
        np.testing.assert_array_equal(np.asarray(x), X)
        got = jax.jit(lambda x, w: jnp.tanh(x @ w).sum(0))(x, w)
        np.testing.assert_allclose(np.asarray(got), np.tanh(X @ X[:, :3]).sum(0), rtol=1e-3)
        kept = jax.jit(lambda x: x * 2, out_shardings=NamedSharding(MESH, P("x")))(x)
        np.testing.assert_array_equal(np.asarray(kept), 2 * X)
        self.assertEqual(kept.addressable_shards[1].data.shape, (2, 8))

    def test_each_device_computes_its_part_of_a_batch(self):
        r = np.random.default_rng(1)
        x, y = r.standard_normal((32, 12)).astype(np.float32), r.standard_normal((32, 4)).astype(np.float32)
        w = [r.standard_normal((12, 16)).astype(np.float32), r.standard_normal((16, 4)).astype(np.float32)]

        def step(w, x, y):
            loss = lambda w: ((jax.nn.relu(x @ w[0]) @ w[1] - y) ** 2).mean()
            return jax.tree.map(lambda v, g: v - 0.1 * g, w, jax.grad(loss)(w))

        macs = []
        for split in (P(), P("x")):
            placed = [jax.device_put(array, NamedSharding(MESH, split)) for array in (x, y)]
            result = jax.jit(step)([jax.device_put(v, NamedSharding(MESH, P())) for v in w], *placed)
            jax.block_until_ready(result)
            macs.append(systole_jax.last_run(1)["macs"])
            if split == P():
                wanted = result
        self.assertEqual(macs[0], 4 * macs[1])
        for got, whole in zip(result, wanted):
            np.testing.assert_allclose(np.asarray(got), np.asarray(whole), rtol=2e-2, atol=2e-2)

    def test_convolutions_and_pools_of_a_batch(self):
        r = np.random.default_rng(2)
        x, w = r.standard_normal((8, 10, 10, 3)).astype(np.float32), r.standard_normal((3, 3, 3, 8)).astype(np.float32)

        def loss(w, x):
            y = lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            y = lax.reduce_window(jax.nn.relu(y), -np.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            return (y.reshape(8, -1) ** 2).sum(1).mean()

        results = []
        with jax.default_matmul_precision("highest"):
            for split in (P(), P("x")):
                placed = jax.device_put(x, NamedSharding(MESH, split))
                value, gradient = jax.jit(jax.value_and_grad(loss))(jax.device_put(w, NamedSharding(MESH, P())), placed)
                results.append((np.asarray(value), np.asarray(gradient)))
                run = systole_jax.last_run(2)
        np.testing.assert_allclose(results[1][0], results[0][0], rtol=1e-5)
        np.testing.assert_allclose(results[1][1], results[0][1], rtol=1e-3, atol=1e-4)
        self.assertEqual(run["macs"], 2 * 8 * 8 * 9 * 3 * 8 * 2)  # of two pictures: forwards, and for the weights

    def test_failure_of_one_device_ends_the_others(self):
        def work(x):
            return lax.psum(jnp.broadcast_to(x.sum(), (1 << 14, 1 << 14)), "x")

        with self.assertRaises(jax.errors.JaxRuntimeError):
            on_mesh(work, X, outside=P())
        np.testing.assert_array_equal(on_mesh(lambda x: x + 1, X), X + 1)


def training_step():
    """The weights after three steps of data-parallel training, as text."""
    r = np.random.default_rng(0)
    w = [r.standard_normal((12, 16)).astype(np.float32), r.standard_normal((16, 4)).astype(np.float32)]
    x, y = r.standard_normal((32, 12)).astype(np.float32), r.standard_normal((32, 4)).astype(np.float32)

    def loss(w, x, y):
        return ((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2).mean()

    def step(w, x, y):
        gradient = jax.grad(loss)(w, x, y)
        return [v - 0.1 * lax.pmean(g, "x") for v, g in zip(w, gradient)]

    step = jax.jit(jax.shard_map(step, mesh=MESH, in_specs=(P(), P("x"), P("x")), out_specs=P()))
    for _ in range(3):
        w = step(w, x, y)
    return b"".join(np.asarray(v).tobytes() for v in w).hex()


class Links(unittest.TestCase):
    def exchange(self, **options):
        """The cycles of a sum of 64 KiB on a mesh of so many devices, and standard error."""
        code = (
            "import sys, jax, jax.numpy as jnp, systole_jax\n"
            "f = jax.pmap(lambda x: jax.lax.psum(x, 'i'), axis_name='i')\n"
            "f(jnp.ones((len(jax.devices()), 1 << 14))).block_until_ready()\n"
            "runs = [systole_jax.last_run(d)['exchange_cycles'] for d in range(len(jax.devices()))]\n"
            "assert len(set(runs)) == 1\nprint(runs[0])\n"
        )
        environment = {**os.environ, "JAX_PLATFORMS": "systole"}
        environment.update({"SYSTOLE_JAX_" + name.upper(): str(value) for name, value in options.items()})
        done = subprocess.run([sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True)
        return int(done.stdout) if done.returncode == 0 else None, done.stderr

    def test_figures_of_the_page(self):
        for devices, figures in ((4, (5458, 3638, 4458)), (64, (114610, 58214, 37491))):
            for topology, cycles in zip(("chain", "ring", "torus"), figures):
                self.assertEqual(self.exchange(devices=devices, cores=1, topology=topology)[0], cycles)

    def test_options(self):
        self.assertEqual(self.exchange(link_bandwidth=1 << 16, link_latency=7)[0], 2 * (7 + 1))
        self.assertEqual(self.exchange(topology="torus:4x1")[0], 3638)
        self.assertIn("'torus:2x4' has 8 chips, there are 4", self.exchange(topology="torus:2x4")[1])
        self.assertIn("it is chain, ring, torus, or torus:ROWSxCOLUMNS", self.exchange(topology="star")[1])

    def test_one_device_exchanges_nothing(self):
        jnp.ones(3).block_until_ready()
        self.assertEqual(systole_jax.last_run()["exchange_cycles"], 0)


class Cores(unittest.TestCase):
    def test_same_bits_on_one_two_and_four_cores(self):
        bits = set()
        for cores in (1, 2, 4):
            done = subprocess.run(
                [sys.executable, "-B", __file__, "--cores", str(cores)], capture_output=True, text=True, check=True
            )
            bits.add(done.stdout.strip().split("\n")[-1])
        self.assertEqual(len(bits), 1)
        self.assertEqual(len(bits.pop()), 8 * (12 * 16 + 16 * 4))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cores"]:
        print(training_step())
    else:
        unittest.main(verbosity=2)
