# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Optional, Union

import numpy
from numpy.typing import ArrayLike

__version__: str

_Array = numpy.ndarray[Any, Any]
_Number = Union[int, tuple[int, int]]
_Padding = Union[Literal["same", "valid"], int, tuple[_Number, _Number]]
_Progress = Optional[Callable[[int, int], object]]
_Rounding = Literal["double", "even"]
_Clamp = tuple[int, int]
_Statistics = dict[str, Any]
_Operand = Union[float, "Array"]

class Error(Exception): ...
class InvalidArgument(Error, ValueError): ...
class InvalidType(InvalidArgument, TypeError): ...
class OutOfRange(Error, IndexError): ...
class ModelError(Error, ValueError): ...
class ModelNotFound(FileNotFoundError, ModelError): ...
class Failure(Error, RuntimeError): ...

class DeviceError(Failure):
    code: str
    engine: str
    index: int
    instruction: str
    hang: Optional[dict[str, Any]]

class DeviceTimeout(Failure):
    hang: Optional[dict[str, Any]]

class ProgramRefused(Failure):
    hang: Optional[dict[str, Any]]

class SimulationError(Failure): ...
class LockstepDivergence(Failure): ...
class AccountingError(Error, RuntimeError): ...
class InternalError(Error, RuntimeError): ...

def configurations() -> list[str]: ...
def rtl_configurations() -> list[str]: ...
def has_backend(name: str) -> bool: ...
def litert_delegate_path() -> str: ...

class Device:
    def __init__(
        self,
        config: str = "default",
        backend: Literal["model", "rtl"] = "model",
        *,
        memory_bytes: int = ...,
        lockstep: bool = ...,
        read_latency: int = ...,
        write_latency: int = ...,
        read_interval: int = ...,
        write_interval: int = ...,
        stall_percent: int = ...,
        host_latency: int = ...,
        host_bytes_per_cycle: int = ...,
        seed: int = ...,
    ) -> None: ...
    @property
    def configuration(self) -> dict[str, Any]: ...
    @property
    def backend(self) -> str: ...
    @property
    def statistics(self) -> _Statistics: ...
    def reset(self) -> None: ...
    def load(
        self,
        path: Union[str, PathLike[str]],
        *,
        dimensions: Optional[Mapping[str, int]] = None,
        constants: Optional[Mapping[str, ArrayLike]] = None,
        precision: Optional[Literal["mx"]] = None,
        without: Sequence[str] = (),
    ) -> Network: ...
    def matmul(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        bias: Optional[ArrayLike] = None,
        scale: Optional[Union[float, Sequence[float], _Array]] = None,
        zero_point: int = 0,
        clamp: _Clamp = (-128, 127),
        rounding: _Rounding = "double",
        a_zero_point: int = 0,
        progress: _Progress = None,
        check: bool = False,
    ) -> _Array: ...
    def conv2d(
        self,
        input: ArrayLike,
        weights: ArrayLike,
        *,
        bias: Optional[ArrayLike] = None,
        stride: _Number = 1,
        padding: _Padding = "valid",
        dilation: _Number = 1,
        groups: int = 1,
        input_zero_point: int = 0,
        scale: Optional[Union[float, Sequence[float], _Array]] = None,
        zero_point: int = 0,
        clamp: _Clamp = (-128, 127),
        rounding: _Rounding = "double",
        progress: _Progress = None,
        check: bool = False,
    ) -> _Array: ...
    def max_pool(
        self,
        input: ArrayLike,
        kernel: _Number,
        *,
        stride: Optional[_Number] = None,
        padding: _Padding = "valid",
        dilation: _Number = 1,
        progress: _Progress = None,
        check: bool = False,
    ) -> _Array: ...
    def average_pool(
        self,
        input: ArrayLike,
        kernel: _Number,
        *,
        stride: Optional[_Number] = None,
        padding: _Padding = "valid",
        progress: _Progress = None,
        check: bool = False,
    ) -> _Array: ...

def default_device() -> Device: ...
def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    device: Optional[Device] = None,
    bias: Optional[ArrayLike] = None,
    scale: Optional[Union[float, Sequence[float], _Array]] = None,
    zero_point: int = 0,
    clamp: _Clamp = (-128, 127),
    rounding: _Rounding = "double",
    a_zero_point: int = 0,
    progress: _Progress = None,
    check: bool = False,
) -> _Array: ...
def conv2d(
    input: ArrayLike,
    weights: ArrayLike,
    *,
    device: Optional[Device] = None,
    bias: Optional[ArrayLike] = None,
    stride: _Number = 1,
    padding: _Padding = "valid",
    dilation: _Number = 1,
    groups: int = 1,
    input_zero_point: int = 0,
    scale: Optional[Union[float, Sequence[float], _Array]] = None,
    zero_point: int = 0,
    clamp: _Clamp = (-128, 127),
    rounding: _Rounding = "double",
    progress: _Progress = None,
    check: bool = False,
) -> _Array: ...

class TensorInfo:
    name: str
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    scale: Optional[float]
    zero_point: Optional[int]
    def __init__(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: numpy.dtype[Any],
        scale: Optional[float],
        zero_point: Optional[int],
    ) -> None: ...
    def quantize(self, x: ArrayLike) -> _Array: ...
    def dequantize(self, x: ArrayLike) -> _Array: ...

class Network:
    device: Optional[Device]
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]
    def __init__(
        self,
        device: Optional[Device],
        path: Union[str, PathLike[str]],
        *,
        dimensions: Optional[Mapping[str, int]] = None,
        constants: Optional[Mapping[str, ArrayLike]] = None,
        precision: Optional[Literal["mx"]] = None,
        without: Sequence[str] = (),
    ) -> None: ...
    @classmethod
    def load(
        cls,
        path: Union[str, PathLike[str]],
        config: str = "default",
        device: Union[Literal["model", "rtl", "host"], Device] = "model",
        *,
        dimensions: Optional[Mapping[str, int]] = None,
        constants: Optional[Mapping[str, ArrayLike]] = None,
        precision: Optional[Literal["mx"]] = None,
        without: Sequence[str] = (),
        **options: int,
    ) -> Network: ...
    @classmethod
    def from_torch(
        cls,
        module: Any,
        example: Any,
        *,
        device: Union[Literal["model", "rtl", "host"], Device] = "model",
        **options: Any,
    ) -> Network: ...
    @property
    def name(self) -> str: ...
    @property
    def transformations(self) -> dict[str, int]: ...
    @property
    def statistics(self) -> _Statistics: ...
    def run(self, *inputs: Any, progress: _Progress = None, check: bool = False) -> Any: ...
    def reset_state(self) -> None: ...
    def write_report(self, path: Union[str, PathLike[str]]) -> None: ...

class Array:
    """An array of a kernel, whose elements are not known yet, with the operators of NumPy's arrays."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> numpy.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def T(self) -> Array: ...
    def reshape(self, *shape: Union[int, Sequence[int]]) -> Array: ...
    def transpose(self, axes: Optional[Sequence[int]] = None) -> Array: ...
    def sum(self, axis: Union[None, int, Sequence[int]] = None, keepdims: bool = False) -> Array: ...
    def mean(self, axis: Union[None, int, Sequence[int]] = None, keepdims: bool = False) -> Array: ...
    def max(self, axis: Union[None, int, Sequence[int]] = None, keepdims: bool = False) -> Array: ...
    def min(self, axis: Union[None, int, Sequence[int]] = None, keepdims: bool = False) -> Array: ...
    def __add__(self, other: _Operand) -> Array: ...
    def __radd__(self, other: _Operand) -> Array: ...
    def __sub__(self, other: _Operand) -> Array: ...
    def __rsub__(self, other: _Operand) -> Array: ...
    def __mul__(self, other: _Operand) -> Array: ...
    def __rmul__(self, other: _Operand) -> Array: ...
    def __truediv__(self, other: _Operand) -> Array: ...
    def __rtruediv__(self, other: _Operand) -> Array: ...
    def __matmul__(self, other: Array) -> Array: ...
    def __pow__(self, other: int) -> Array: ...
    def __neg__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __lt__(self, other: _Operand) -> Array: ...
    def __le__(self, other: _Operand) -> Array: ...
    def __gt__(self, other: _Operand) -> Array: ...
    def __ge__(self, other: _Operand) -> Array: ...

class Kernel:
    name: str
    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        *,
        derivative: Optional[Callable[..., Any]] = None,
        cache_size: int = ...,
    ) -> None: ...
    def __call__(self, *arrays: Any, device: Union[None, Literal["host"], Device] = None, **attributes: Any) -> Any: ...
    def cache_info(self) -> Any: ...
    def cache_clear(self) -> None: ...
    def save(self, path: Union[str, PathLike[str]], *arrays: ArrayLike) -> None: ...
    @property
    def statistics(self) -> _Statistics: ...

class TrainableNetwork(Kernel):
    names: list[str]
    parameters: list[_Array]

def trainable(
    path: Union[str, PathLike[str]],
    *,
    batch: int = 1,
    dimensions: Optional[Mapping[str, int]] = None,
    constants: Optional[Mapping[str, ArrayLike]] = None,
) -> TrainableNetwork: ...
class GeneratedText:
    text: str
    tokens: list[int]
    prompt_tokens: list[int]
    ending: Literal["tokens", "text", "context"]
    cycles: int

class LanguageModel:
    def __init__(
        self,
        model: Union[str, PathLike[str]],
        tokenizer: Optional[Union[str, PathLike[str]]] = None,
        *,
        device: Union[Device, Literal["host"]] = "host",
        precision: Optional[Literal["mx"]] = None,
        context: int = 0,
    ) -> None: ...
    @property
    def context(self) -> int: ...
    def generate(
        self,
        prompt: str = "",
        tokens: int = 256,
        *,
        temperature: float = 0.0,
        top_p: float = 1.0,
        seed: int = 1,
        progress: Optional[Callable[[str], object]] = None,
    ) -> GeneratedText: ...

class TrainingResult:
    losses: _Array
    epochs: list[dict[str, dict[str, float]]]
    best_epoch: Optional[int]
    columns: list[dict[str, Any]]
    parameters: dict[str, _Array]
    def save(self, path: Union[str, PathLike[str]]) -> None: ...

def train(
    network: Union[str, PathLike[str]],
    data: Union[ArrayLike, Mapping[str, ArrayLike]],
    targets: ArrayLike,
    *,
    validation: Optional[tuple[Union[ArrayLike, Mapping[str, ArrayLike]], ArrayLike]] = None,
    device: Union[Device, Literal["host"]] = "host",
    progress: Optional[Callable[[dict[str, Any]], object]] = None,
    dimensions: Optional[Mapping[str, int]] = None,
    constants: Optional[Mapping[str, ArrayLike]] = None,
    checkpoint: Union[None, str, PathLike[str]] = None,
    resume: Union[None, str, PathLike[str]] = None,
    **options: Any,
) -> TrainingResult: ...

class TrainingState:
    step: int
    parameters: dict[str, _Array]
    optimizer: dict[str, _Array]

class TrainingStep:
    initial: TrainingState
    def __init__(
        self,
        network: Union[str, PathLike[str]],
        data: Union[ArrayLike, Mapping[str, ArrayLike]],
        targets: ArrayLike,
        *,
        device: Union[Device, Literal["host"]] = "host",
        dimensions: Optional[Mapping[str, int]] = None,
        constants: Optional[Mapping[str, ArrayLike]] = None,
        **options: Any,
    ) -> None: ...
    def __call__(
        self, state: TrainingState, batch: tuple[Union[ArrayLike, Mapping[str, ArrayLike]], ArrayLike]
    ) -> tuple[TrainingState, float]: ...
    def save(self, state: TrainingState, path: Union[str, PathLike[str]]) -> None: ...

def kernel(
    function: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    derivative: Optional[Callable[..., Any]] = None,
    cache_size: int = ...,
) -> Any: ...
def value_and_gradient(
    function: Callable[..., Any], *, name: Optional[str] = None, cache_size: int = ...
) -> Kernel: ...
def register(
    name: str,
    function: Union[None, str, PathLike[str], Callable[..., Any]],
    *,
    shape: Optional[Callable[..., Any]] = None,
    derivative: Optional[Callable[..., Any]] = None,
) -> None: ...
def where(condition: Array, a: _Operand, b: _Operand) -> Array: ...
def sigmoid(x: Array) -> Array: ...
def erf(x: Array) -> Array: ...
def gelu(x: Array) -> Array: ...
