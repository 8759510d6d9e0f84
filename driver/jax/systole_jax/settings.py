# SPDX-License-Identifier: Apache-2.0
"""How the device is opened and how programs are compiled, by the environment and by `configure()`."""
import os

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


def value_of(name):
    """An option; SYSTOLE_JAX_DEVICE is that of `device`."""
    given = os.environ.get("SYSTOLE_JAX_" + name.upper(), OPTIONS[name])
    if name in CHOICES and given not in CHOICES[name]:
        raise ValueError("systole_jax: %s is %r; it is one of %s" % (name, given, ", ".join(CHOICES[name])))
    if name in NUMBERS and given is not None:
        least, greatest = NUMBERS[name]
        if not str(given).isdigit() or not least <= int(given) <= greatest:
            raise ValueError("systole_jax: %s is %r; it is a number from %d to %d" % (name, given, least, greatest))
        return int(given)
    return os.path.abspath(given) if name in PATHS and given else given


def of_client():
    """The options that JAX's client is made with."""
    values = {name: value_of(name) for name in OPTIONS if name != "precision"}
    return {name: value for name, value in values.items() if value not in ("", None)}


def configure(**options):
    """Sets options, before JAX uses the device."""
    for name, value in options.items():
        if name not in OPTIONS:
            raise ValueError("systole_jax: no option %r; there are %s" % (name, ", ".join(OPTIONS)))
        OPTIONS[name] = value


def exact():
    """Whether products, quotients and roots are correctly rounded rather than in block floating point."""
    import jax

    asked = jax.config.jax_default_matmul_precision
    return value_of("precision") == "exact" or asked in ("highest", "float32")
