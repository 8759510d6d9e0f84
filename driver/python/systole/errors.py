# SPDX-License-Identifier: Apache-2.0
"""Exceptions. All are systole.Error; each is a standard exception of Python as well."""


class Error(Exception):
    """Base of all that systole raises. The text names the thing, its value, what is legal and what to do."""


class InvalidArgument(Error, ValueError):
    """An argument or option that is not legal, or does not fit the others."""


class OutOfRange(Error, IndexError):
    """A place that the thing named does not have."""


class ModelError(Error, ValueError):
    """A model file that cannot be read, is damaged, or has an operator that is not supported."""


class Failure(Error, RuntimeError):
    """What could not be done although the call was right: device memory is full, a copy failed, a bus error."""


class DeviceError(Failure):
    """The device found an error in a program; it has been reset. Attributes: code, engine, index, instruction, hang."""


class DeviceTimeout(Failure):
    """Nothing moved any more; the device has been reset. `hang` says who waits for whom, as a dictionary."""


class ProgramRefused(Failure):
    """A program that must deadlock, or that a checker refuses. `hang` as in DeviceTimeout, or None."""


class SimulationError(Failure):
    """An assertion of the RTL failed. The device cannot go on: open another."""


class LockstepDivergence(Failure):
    """RTL and functional model differ (option lockstep). The device cannot go on: open another."""


class AccountingError(Error, RuntimeError):
    """The core's counters contradict each other; results are not affected."""


class InternalError(Error, RuntimeError):
    """The library contradicts itself: a fault of Systole, not of its caller."""
