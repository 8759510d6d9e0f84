# SPDX-License-Identifier: Apache-2.0
"""Exceptions. All are derived from systole.Error and from a standard exception of Python."""

import difflib


class Error(Exception):
    """Base of all exceptions of systole. The text names the thing, its value, the legal range and a remedy."""


class InvalidArgument(Error, ValueError):
    """An argument or option is illegal or does not fit the others."""


class InvalidType(InvalidArgument, TypeError):
    """An argument is of a type that the function does not take, or there are too many or too few."""


class OutOfRange(Error, IndexError):
    """An index or address is out of range."""


class ModelError(Error, ValueError):
    """A model file cannot be read, is damaged, or contains an unsupported operator."""


class ModelNotFound(FileNotFoundError, ModelError):
    """A model file does not exist. Attributes errno, strerror and filename as of every OSError."""


class Failure(Error, RuntimeError):
    """A correct call could not be completed: device memory is full, a copy failed, or a bus error occurred."""


class DeviceError(Failure):
    """The device reported an error in a program and was reset. Attributes: code, engine, index, instruction, hang."""


class DeviceTimeout(Failure):
    """The device hung and has been reset. `hang` is a dictionary that says which engine waits for which."""


class ProgramRefused(Failure):
    """The program would deadlock, or a checker rejects it. `hang` as in DeviceTimeout, or None."""


class SimulationError(Failure):
    """An assertion of the RTL failed. The device cannot be used any more; open another one."""


class LockstepDivergence(Failure):
    """RTL and functional model differ (option lockstep). The device cannot be used any more; open another one."""


class AccountingError(Error, RuntimeError):
    """The core's counters are inconsistent. The results are not affected."""


class InternalError(Error, RuntimeError):
    """The library detected an inconsistency of its own: a bug in Systole, not an error of the caller."""


def nearest(name, known):
    """The name that is most like this one, as a question to follow it in an error; empty if none is."""
    near = difflib.get_close_matches(str(name), known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def check_options(what, given, known):
    """Raises InvalidArgument for a name that is not known, with the nearest one and all that there are."""
    for name in given:
        if name not in known:
            raise InvalidArgument(
                f"{what}: there is no option {name!r}{nearest(name, known)}; there are {', '.join(sorted(known))}"
            )
