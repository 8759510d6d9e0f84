# SPDX-License-Identifier: Apache-2.0
"""Systole as a device of JAX.

    import jax
    jax.devices()  # [systole:0]
"""
from systole import _systole
from systole.statistics import with_ratios
from systole_jax import linear_algebra
from systole_jax.settings import configure, value_of
from systole_jax.versions import warn_of

__all__ = ["configure", "initialize", "last_run"]


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
    options = {name: value_of(name) for name in ("device", "configuration", "devices", "cores", "memory")}
    xla_bridge.register_plugin("systole", library_path=_systole.__file__, options=options, priority=500)


def last_run(device=0):
    """Statistics of the last call on a device, which this waits for, as those of systole.Network: cycles,
    multiply-accumulates, and under "layers" each layer of the device and each operator of the host, with the reason why
    it ran there. What a loop of the program repeats is added. "copied_to_device" and "copied_to_host" are the bytes that
    were copied during the call: arrays that earlier calls used or made are in device memory already. Cycles are 0 on
    the functional model, which has no time."""
    return with_ratios(*_systole.jax_last_run(device))
