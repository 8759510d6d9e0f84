# SPDX-License-Identifier: Apache-2.0
"""The versions of JAX that the plug-in works with, which the distribution states (driver/python/metadata.in)."""
import importlib.metadata
import re
import warnings


def stated():
    """The first version, and the first that is too new; None where no distribution states them."""
    try:
        requirements = importlib.metadata.requires("systole") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [re.match(r"jax>=([\d.]+),<([\d.]+)", requirement) for requirement in requirements]
    return next((match.groups() for match in found if match), None)


def numbers(version):
    return [int(number) for number in re.match(r"[\d.]+\d", version)[0].split(".")]


def warn_of(package, version):
    """Warns if jax or jaxlib has a version that the plug-in was not tried with."""
    limits = stated()
    if limits and not numbers(limits[0]) <= numbers(version) < numbers(limits[1]):
        legal = "jax>=%s,<%s" % limits
        warnings.warn(
            "systole_jax: %s is %s; the plug-in is for %s and may fail with others. Install that: pip install '%s'"
            % (package, version, legal, legal),
            RuntimeWarning,
            stacklevel=2,
        )
