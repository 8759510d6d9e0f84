# SPDX-License-Identifier: Apache-2.0
"""How the device is opened and how programs are compiled, by the environment and by `configure()`."""
import os
import sys

from systole.errors import nearest

OPTIONS = {
    "device": "model",
    "configuration": "default",
    "devices": 1,
    "cores": 0,
    "memory": 4096,
    "topology": "ring",
    "link_bandwidth": 80,
    "link_latency": 1000,
    "report": "",
    "timeline": "",
    "trace": "",
    "trace_scope": "",
    "trace_from": 0,
    "trace_to": None,
    "precision": "blocks",
}
#: The least and greatest values of numbers. `cores` that the devices share; 0: each has its own. `memory` of each core
#: in MiB.
NUMBERS = {
    "devices": (1, 256),
    "cores": (0, 256),
    "memory": (16, 4096),
    "link_bandwidth": (1, 1 << 31),
    "link_latency": (0, 1 << 31),
    "trace_from": (0, 1 << 62),
    "trace_to": (0, 1 << 62),
}
CHOICES = {"device": ("model", "rtl"), "precision": ("blocks", "exact")}
PATHS = ("report", "timeline", "trace")
PREFIX = "SYSTOLE_JAX_"
#: What only the translation of programs looks at, so that it may change at any time.
OF_PROGRAMS = ("precision",)


def checked(name, value, said):
    """The value of an option. `said` is what the user wrote, for errors."""
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError("systole_jax: %s is %r; it is one of %s" % (said, value, ", ".join(CHOICES[name])))
    if name in NUMBERS and value is not None:
        least, greatest = NUMBERS[name]
        if not str(value).isdecimal() or not least <= int(value) <= greatest:
            raise ValueError("systole_jax: %s is %r; it is a number from %d to %d" % (said, value, least, greatest))
        return int(value)
    if name not in NUMBERS and not isinstance(value, (str, os.PathLike)):
        raise ValueError("systole_jax: %s is %r; it is a text" % (said, value))
    if name == "trace" and value and not str(value).endswith(".fst"):
        raise ValueError("systole_jax: %s is %r; a waveform is written as .fst" % (said, value))
    return os.path.abspath(value) if name in PATHS and value else value


def value_of(name):
    """An option; SYSTOLE_JAX_DEVICE is that of `device`."""
    variable = PREFIX + name.upper()
    if variable in os.environ:
        return checked(name, os.environ[variable], variable)
    return checked(name, OPTIONS[name], name)


def check_variables():
    """Raises ValueError if the environment has a variable of ours that is no option."""
    variables = [PREFIX + name.upper() for name in OPTIONS]
    for variable in os.environ:
        if variable.startswith(PREFIX) and variable not in variables:
            raise ValueError(
                "systole_jax: there is no option %s%s; there are %s"
                % (variable, nearest(variable, variables), ", ".join(variables))
            )


def of_client():
    """The options that JAX's client is made with. One that is wrong is the option `error`, which the client refuses:
    if its plug-in raised an error, JAX would go on without the device."""
    try:
        check_variables()
        values = {name: value_of(name) for name in OPTIONS}
        if values["trace_to"] is not None and values["trace_from"] > values["trace_to"]:
            raise ValueError(
                "systole_jax: trace_from is %d, after trace_to, %d" % (values["trace_from"], values["trace_to"])
            )
    except ValueError as error:
        return {"error": str(error)}
    return {name: value for name, value in values.items() if name not in OF_PROGRAMS and value not in ("", None)}


def configure(**options):
    """Sets options. All but the precision are those of the device, and count if JAX has not opened it yet. Raises
    ValueError for an option that does not exist, or a value that it cannot have, RuntimeError if it is too late."""
    for name, value in options.items():
        if name not in OPTIONS:
            raise ValueError(
                "systole_jax: there is no option %r%s; there are %s"
                % (name, nearest(name, OPTIONS), ", ".join(OPTIONS))
            )
        checked(name, value, name)
        if name not in OF_PROGRAMS and is_open():
            raise RuntimeError(
                "systole_jax: %s is set after JAX has opened the device; call configure() before anything that uses it"
                % name
            )
    OPTIONS.update(options)


def is_open():
    """Whether JAX has opened its devices."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bridge is not None and bridge.backends_are_initialized()


def exact():
    """Whether products, quotients and roots are correctly rounded rather than in block floating point."""
    import jax

    asked = jax.config.jax_default_matmul_precision
    return value_of("precision") == "exact" or asked in ("highest", "float32")
