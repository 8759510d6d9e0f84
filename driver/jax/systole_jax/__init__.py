# SPDX-License-Identifier: Apache-2.0
"""Systole as a device of JAX.

    import jax
    jax.devices()  # [systole:0]
"""
import atexit
import contextlib
import os
import sys

from systole import _systole
from systole.statistics import with_ratios
from systole_jax import linear_algebra
from systole_jax.settings import configure, of_client
from systole_jax.versions import warn_of

__all__ = ["all_runs", "configure", "initialize", "last_run", "timeline", "write_report"]


def initialize():
    """Called by JAX when it looks for devices (entry point jax_plugins)."""
    import jax
    import jaxlib

    for package in (jax, jaxlib):
        warn_of(package.__name__, package.__version__)
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    # JAX keeps lists of platforms that it does not warn of, and of those that take donations.
    getattr(xla_bridge, "_nonexperimental_plugins", set()).add("systole")
    getattr(mlir, "_platforms_with_donation", []).append("systole")
    linear_algebra.register()
    options = of_client()
    xla_bridge.register_plugin("systole", library_path=_systole.__file__, options=options, priority=500)
    if "trace" in options:
        atexit.register(_finish_trace)


def _open():
    """Opens the devices, if nothing of the program has used them yet."""
    import jax

    jax.devices("systole")


def last_run(device=0):
    """Statistics of the last call on a device, which this waits for, as those of systole.Network: cycles,
    multiply-accumulates, and under "layers" each layer of the device and each operator of the host, with the reason why
    it ran there. "program" is the name of what was called. What a loop of the program repeats is added; the "window" of
    a layer, its first and last cycle of the simulation, is that of its first turn. Cycles are 0 on the functional
    model, which has no time, and windows are None. "copied_to_device" and "copied_to_host" are the bytes that were
    copied during the call: arrays that earlier calls used or made are in device memory already. "exchange_cycles" are
    those that the exchanges between devices would take on the links that the options describe; they are not in
    "cycles"."""
    _open()
    return with_ratios(*_systole.jax_last_run(device))


def all_runs(device=0):
    """What all calls on a device did, which this waits for: how many there were ("calls"), their "cycles", which are 0
    on the functional model, and how often the host computed each operator that it did ("on_host": number by name).
    JAX's own small calls, such as those that make an array, count."""
    _open()
    return _systole.jax_all_runs(device)


def write_report(path, device=0):
    """Writes where the cycles of the last call on a device went, which this waits for: a page, or the JSON that
    `systole report` reads if the path ends in .json. Raises systole.InvalidArgument if there are no cycles, because the
    device is the functional model or the host computed all, and systole.Failure if the file cannot be written."""
    _open()
    _systole.jax_write_report(os.fspath(path), device)


@contextlib.contextmanager
def timeline(path, device=0):
    """What the core does in the calls of a `with` block on a device, as a file for ui.perfetto.dev, compressed if it
    ends in .gz. Waits for these calls. Raises as write_report()."""
    _open()
    _systole.jax_begin_timeline(os.fspath(path), device)
    try:
        yield
    finally:
        _systole.jax_end_timeline(device)


def _finish_trace():
    try:
        _systole.jax_finish_trace()
    except Exception as error:  # nobody is left to catch it
        print(error, file=sys.stderr)
