# SPDX-License-Identifier: Apache-2.0
"""Python interface of Systole, an open tensor processing unit: networks and operators on NumPy arrays.

    import systole
    network = systole.Network.load("model.tflite", device="rtl")
    y = network.run(x)
    print(network.statistics["cycles"])

Both back ends give bit-exact results: "model", the functional model, and "rtl", the Verilated core, which also has the
cycle counts of the hardware. All exceptions are derived from systole.Error.
"""
try:
    from systole._systole import configurations, has_backend, rtl_configurations, version as __version__
except ModuleNotFoundError as missing:
    if missing.name != "systole._systole":
        raise
    raise ImportError(
        "systole: its C++ module _systole has not been built beside %s; scripts/build release systole_python builds it"
        % __file__
    ) from None
from systole.device import Device, conv2d, default_device, matmul
from systole.errors import (
    AccountingError,
    DeviceError,
    DeviceTimeout,
    Error,
    Failure,
    InternalError,
    InvalidArgument,
    InvalidType,
    LockstepDivergence,
    ModelError,
    ModelNotFound,
    OutOfRange,
    ProgramRefused,
    SimulationError,
)
from systole.generation import GeneratedText, LanguageModel
from systole.kernels import Kernel, TrainableNetwork, kernel, trainable, value_and_gradient
from systole.litert import litert_delegate_path
from systole.loaded_network import Network, TensorInfo
from systole.recorded_array import Array, erf, gelu, register, sigmoid, where
from systole.training import TrainingResult, TrainingState, TrainingStep, train

__all__ = [
    "AccountingError",
    "Array",
    "Device",
    "DeviceError",
    "DeviceTimeout",
    "Error",
    "Failure",
    "GeneratedText",
    "InternalError",
    "InvalidArgument",
    "InvalidType",
    "Kernel",
    "LanguageModel",
    "LockstepDivergence",
    "ModelError",
    "ModelNotFound",
    "Network",
    "OutOfRange",
    "ProgramRefused",
    "SimulationError",
    "TensorInfo",
    "TrainableNetwork",
    "TrainingResult",
    "TrainingState",
    "TrainingStep",
    "configurations",
    "conv2d",
    "default_device",
    "erf",
    "gelu",
    "has_backend",
    "kernel",
    "litert_delegate_path",
    "matmul",
    "register",
    "rtl_configurations",
    "sigmoid",
    "train",
    "trainable",
    "value_and_gradient",
    "where",
]
