# SPDX-License-Identifier: Apache-2.0
"""What JAX's users see of the device besides numbers: its name, errors with their place, donations, threads,
reports."""
import os
import subprocess
import sys
import threading
import unittest

os.environ.update(JAX_PLATFORMS="systole,cpu")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxlib.mlir.dialects import stablehlo

import systole_jax

JaxError = jax.errors.JaxRuntimeError


class Devices(unittest.TestCase):
    def test_name(self):
        device = jax.devices()[0]
        self.assertEqual(device.platform, "systole")
        self.assertEqual(str(device), "systole:0")
        self.assertIn("Systole default model", device.device_kind)
        self.assertEqual(device.memory("device").kind, "device")

    def test_programs_are_in_jaxlib_s_own_version_of_stablehlo(self):
        version = stablehlo.get_current_version()
        stated = jax.devices()[0].client.stablehlo_current_version
        self.assertEqual(".".join(map(str, stated)), version)

    def test_copies(self):
        x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        for array in (x, x.T, x[:, ::-1], np.asfortranarray(x), x[1:, 1:, ::2]):
            np.testing.assert_array_equal(np.asarray(jax.device_put(array)), array)

    def test_a_part_of_a_program_that_is_on_another_device(self):
        y = jax.device_put(jnp.arange(4.0), jax.devices("cpu")[0]) + 1
        self.assertEqual(y.devices().pop().platform, "cpu")
        np.testing.assert_array_equal(np.asarray(jax.device_put(y, jax.devices()[0]) * 2), [2, 4, 6, 8])

    def test_calls_do_not_wait(self):
        x = jnp.ones((64, 64))
        f = jax.jit(lambda x: lax.fori_loop(0, 800, lambda i, c: jnp.sin(c) + i, x))
        f(x).block_until_ready()
        y = f(x)
        self.assertFalse(y.is_ready())
        y.block_until_ready()
        self.assertTrue(y.is_ready())


class Constants(unittest.TestCase):
    def test_bfloat16(self):
        few = np.array([1.5, -2, 3.4e38, 1e-30, np.inf, -np.inf, np.nan, 0.1])
        many = np.random.default_rng(1).standard_normal((40, 30)) * 1e3
        for values in (few, many, np.full(3, 0.3), np.zeros((0, 2)), np.array(7.25)):
            constant = jnp.asarray(values, jnp.bfloat16)
            bits = np.asarray(constant).view(np.uint16)
            found = np.asarray(jax.jit(lambda x: jnp.where(x, constant, 0))(jnp.ones(values.shape, bool)))
            np.testing.assert_array_equal(found.view(np.uint16), bits)


class Errors(unittest.TestCase):
    def error(self, function, *arguments):
        with self.assertRaises(JaxError) as caught:
            jax.block_until_ready(jax.jit(function)(*arguments))
        return str(caught.exception)

    def test_refused_operator(self):
        text = self.error(lambda x: jnp.linalg.cholesky(x), jnp.eye(3))
        self.assertIn("UNIMPLEMENTED", text)
        self.assertIn("test_devices.py:", text)  # the line of the user's program
        self.assertIn("jax.default_device", text)  # the remedy

    def test_refused_type(self):
        for function, name in (
            (lambda x: lax.complex(x, x), "complex64"),
            (lambda x: (x * (1 + 2j)).real, "complex64"),  # the constant, before all else
            (lambda x: x.astype(jnp.float8_e4m3fn), "f8E4M3FN"),
        ):
            text = self.error(function, jnp.ones(3))
            self.assertRegex(text, r"\w+ \(test_devices.py:\d+\): elements of %s; .*jax.default_device" % name)
        with jax.enable_x64(True):
            text = self.error(lambda x: x + 1, np.ones(3))
        self.assertRegex(text, r"argument 0 of jit.*elements of float64; .*float32 is what JAX makes unless")

    def test_factorizations(self):
        for function in (jnp.linalg.eigh, jnp.linalg.svd):
            with self.assertRaisesRegex(NotImplementedError, "systole: .*no rule for it. .*jax.default_device"):
                jax.jit(function)(jnp.eye(3))

    def test_error_of_a_call_reaches_what_depends_on_it(self):
        x = jnp.ones((1 << 14, 1 << 14), jnp.int8)
        with self.assertRaises(JaxError) as caught:
            y = jax.jit(lambda x: jnp.concatenate([x + 1, x + 2], 0).sum())(x)
            np.asarray(jax.jit(lambda y: y + 1)(y))
        self.assertRegex(str(caught.exception), "RESOURCE_EXHAUSTED|UNIMPLEMENTED")
        np.testing.assert_array_equal(np.asarray(jnp.arange(3) + 1), [1, 2, 3])  # the device goes on

    def test_donated_array_is_gone(self):
        x = jnp.arange(4.0)
        y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
        np.testing.assert_array_equal(np.asarray(y), [1, 2, 3, 4])
        self.assertTrue(x.is_deleted())

    def test_options(self):
        for name, value, text in (
            ("DEVICE", "cpu", "SYSTOLE_JAX_DEVICE is 'cpu'; it is one of model, rtl"),
            ("DEVICES", "0", "SYSTOLE_JAX_DEVICES is '0'; it is a number from 1 to 256"),
            ("MEMORY", "8GB", "SYSTOLE_JAX_MEMORY is '8GB'; it is a number from 16 to 4096"),
            ("PRECISION", "float32", "SYSTOLE_JAX_PRECISION is 'float32'; it is one of blocks, exact"),
            ("DEVIEC", "rtl", r"no option SYSTOLE_JAX_DEVIEC \(did you mean 'SYSTOLE_JAX_DEVICE'\?\)"),
            ("TOPOLOGY", "star", "'star'; it is chain, ring"),
            ("TRACE", "wave.vcd", "a waveform is written as .fst"),
            ("TRACE_FROM", "1x", "SYSTOLE_JAX_TRACE_FROM is '1x'"),
            ("CONFIGURATION", "defualt", "unknown name 'defualt'; available: tiny"),
        ):
            environment = {**os.environ, "SYSTOLE_JAX_" + name: value}
            environment.pop("JAX_PLATFORMS")  # without it, JAX goes on without a plug-in that cannot be set up
            done = self.run_here("import jax; print(jax.devices())", environment)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stderr.strip().splitlines()[-1], text)

    def run_here(self, code, environment=None):
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    def test_configure(self):
        for arguments, text in (
            ("device='RTL'", "ValueError: .*device is 'RTL'; it is one of model, rtl"),
            ("memory=8", "ValueError: .*memory is 8; it is a number from 16"),
            ("report=3", "ValueError: .*report is 3; it is a text"),
            ("devise='rtl'", r"ValueError: .*no option 'devise' \(did you mean 'device'\?\)"),
        ):
            done = self.run_here("import systole_jax; systole_jax.configure(%s)" % arguments)
            self.assertRegex(done.stderr.strip().splitlines()[-1], text)
        jax.devices()
        with self.assertRaisesRegex(RuntimeError, "device is set after JAX has opened the device"):
            systole_jax.configure(device="rtl")

    def test_statistics_open_the_device(self):
        code = "import systole_jax; print(systole_jax.all_runs()['calls'])\ntry: systole_jax.write_report('x.html')\n"
        done = self.run_here(code + "except Exception as error: print(error)")
        self.assertRegex(done.stdout, "^0\n.*the device has had no call yet")


class Threads(unittest.TestCase):
    def test_many_threads_compile_and_run(self):
        results = {}

        def work(number):
            f = jax.jit(lambda x: (x * number).sum() + jnp.tanh(x).max())
            for _ in range(5):
                results[number] = float(f(jnp.arange(8.0)))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
            self.assertFalse(thread.is_alive(), "a thread waits for ever")
        for number in range(8):
            self.assertAlmostEqual(results[number], 28.0 * number + np.tanh(7.0), places=4)


class Reports(unittest.TestCase):
    def test_last_run(self):
        f = jax.jit(lambda x: jnp.sin(x) + x @ x)
        f(jnp.ones((16, 16))).block_until_ready()
        run = systole_jax.last_run()
        self.assertEqual(run["macs"], 16**3)
        host = [layer for layer in run["layers"] if not layer["on_device"]]
        self.assertEqual(len(host), 1)
        self.assertRegex(host[0]["name"], r"sine \(test_devices.py:\d+\)")
        self.assertTrue(host[0]["reason"])

    def test_all_runs(self):
        f, x = jax.jit(lambda x: jnp.sin(x) + x @ x), jnp.ones((16, 16))
        before = systole_jax.all_runs()
        for _ in range(3):
            f(x).block_until_ready()
        now = systole_jax.all_runs()
        self.assertEqual(now["calls"] - before["calls"], 3)
        self.assertEqual(now["cycles"], 0)  # of the functional model
        new = {name: n - before["on_host"].get(name, 0) for name, n in now["on_host"].items()}
        self.assertEqual([n for name, n in new.items() if name.startswith("sine") and n > 0], [3], new)

    def test_loops_are_added(self):
        f = jax.jit(lambda n, x: lax.fori_loop(0, n, lambda i, c: c @ x, x))
        f(5, jnp.ones((16, 16))).block_until_ready()
        self.assertEqual(systole_jax.last_run()["macs"], 5 * 16**3)


class Memory(unittest.TestCase):
    def test_state_stays_on_the_device(self):
        @jax.jit
        def step(w, x):
            error = x @ w - 1
            return w - 0.01 * x.T @ error, (error**2).sum()

        x = jnp.asarray(np.random.default_rng(1).normal(size=(8, 16)), jnp.float32)
        w = jnp.zeros((16, 4))
        losses = []
        for _ in range(3):
            w, loss = step(w, x)
            losses.append(loss)
        run = systole_jax.last_run()
        self.assertEqual((run["copied_to_device"], run["copied_to_host"]), (0, 0))
        self.assertLess(float(losses[2]), float(losses[0]))

    def test_what_the_host_computes_is_copied(self):
        x = jnp.arange(4.0) + 1
        jax.jit(lambda x: jnp.cbrt(x) * 2)(x).block_until_ready()
        run = systole_jax.last_run()
        self.assertEqual((run["copied_to_device"], run["copied_to_host"]), (16, 16))

    def test_memory_stats(self):
        device = jax.devices()[0]
        before = device.memory_stats()
        self.assertEqual(before["bytes_limit"] % 4096, 0)
        x = (jnp.asarray(np.ones(1 << 16, np.float32)) * 2).block_until_ready()
        self.assertGreaterEqual(device.memory_stats()["bytes_in_use"], before["bytes_in_use"] + (1 << 18))
        del x
        systole_jax.last_run()  # the worker has let go of the call
        self.assertLess(device.memory_stats()["bytes_in_use"], before["bytes_in_use"] + (1 << 18))

    def test_out_of_memory(self):
        code = (
            "import jax, jax.numpy as jnp\n"
            "kept = []\n"
            "try:\n    while len(kept) < 20: kept.append((jnp.ones(1 << 18) * 3).block_until_ready())\n"
            "except jax.errors.JaxRuntimeError as error:\n    print(len(kept), error)\n"
            "del kept\n"
            "print(float((jnp.ones(1 << 18) * 3).sum()))\n"
        )
        environment = {**os.environ, "JAX_PLATFORMS": "systole", "SYSTOLE_JAX_MEMORY": "16"}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual((done.returncode, lines[-1]), (0, "786432.0"), done.stdout + done.stderr)
        self.assertRegex(
            lines[0], r"1\d RESOURCE_EXHAUSTED: .*memory: 1048576 bytes asked for.*delete arrays.*SYSTOLE_JAX_MEMORY"
        )


class Endings(unittest.TestCase):
    """A process that ends in the middle of work."""

    def end(self, code):
        environment = {**os.environ, "JAX_PLATFORMS": "systole"}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300
        )

    LONG = (
        "import jax, jax.numpy as jnp\n"
        "f = jax.jit(lambda x: jax.lax.fori_loop(0, 800, lambda i, c: jnp.sin(c) + i, x))\n"
    )

    def test_end_while_the_device_works(self):
        done = self.end(self.LONG + "y = f(jnp.ones(64))\nprint('asked')")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "asked"), done.stderr)

    def test_exception_while_the_device_works(self):
        done = self.end(self.LONG + "y = f(jnp.ones(64))\nraise SystemExit(3)")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_killed(self):
        done = self.end(self.LONG + "import os, signal\ny = f(jnp.ones(64))\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(done.returncode, -9)

    def test_interrupt(self):
        code = self.LONG + (
            "import os, signal, threading, time\n"
            "f = jax.jit(lambda x: jax.lax.while_loop(lambda c: c[0] >= 0, lambda c: jnp.sin(c), x))\n"
            "threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    f(jnp.ones(64)).block_until_ready()\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
            "print(float(jnp.ones(3).sum()))\n"
        )
        done = self.end(code)
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["interrupted", "3.0"]), done.stderr)

    def test_two_processes(self):
        code = "import jax.numpy as jnp; print(float((jnp.arange(9.0) ** 2).sum()))"
        environment = {**os.environ, "JAX_PLATFORMS": "systole"}
        both = [
            subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        self.assertEqual([process.communicate(timeout=120)[0].strip() for process in both], ["204.0", "204.0"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
