# SPDX-License-Identifier: Apache-2.0
"""PyTorch's networks on Systole: Network.from_torch(), and the backend "systole" of torch.compile().

    fast = torch.compile(model.eval(), backend="systole", options={"device": "rtl", "precision": "mx"})
    with torch.inference_mode():
        y = fast(x)

torch.export reads the network and its exporter writes it as ONNX, which Systole compiles. Inference only.
"""
import os
import tempfile
import warnings

try:
    import torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError("systole.torch_backend needs PyTorch, torch>=2.6 with onnx and onnxscript") from None

from systole.device import Device
from systole.errors import InvalidArgument, check_options
from systole.loaded_network import LOAD_OPTIONS, Network, check_device

_LARGEST_FILE = 1 << 30  # bytes of weights in one ONNX file; those of larger networks lie beside it


def _bytes_of(module):
    return sum(t.numel() * t.element_size() for t in (*module.parameters(), *module.buffers()))


def _load(module, example, name, device, reading):
    """The network of a module for inputs of these shapes and types."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".onnx")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter's own, about itself
            torch.onnx.export(
                module,
                tuple(example),
                path,
                dynamo=True,
                verbose=False,
                external_data=_bytes_of(module) > _LARGEST_FILE,
            )
        return Network.load(path, device=device, **reading)


def _named(module):
    return type(module).__name__.lower()


def from_torch(module, example, *, device="model", **options):
    """Network.from_torch()."""
    if not isinstance(module, torch.nn.Module):
        raise InvalidArgument(f"from_torch: {type(module).__name__} given; it takes a torch.nn.Module")
    if module.training:
        raise InvalidArgument(
            f"from_torch: {type(module).__name__} is in training mode, in which dropout drops and batch normalization "
            "looks at the batch; call eval() before"
        )
    example = example if isinstance(example, (tuple, list)) else (example,)
    with torch.no_grad():
        return _load(module, example, _named(module), device, options)


class _WithConstants(torch.nn.Module):
    """The graph of a function of tensors and numbers, in which some are constants."""

    def __init__(self, graph, constants, places):
        super().__init__()
        self._graph, self._places = graph, places
        self._numbers = {place: value for place, value in constants.items() if not isinstance(value, torch.Tensor)}
        self._tensors = [place for place in constants if place not in self._numbers]
        for place in self._tensors:
            self.register_buffer(f"constant_{place}", constants[place].detach())

    def forward(self, *inputs):
        values = dict(zip(self._places, inputs)) | self._numbers
        values |= {place: getattr(self, f"constant_{place}") for place in self._tensors}
        return self._graph(*(values[place] for place in range(len(values))))


def _is_weight(placeholder, example):
    """Whether an input of torch.compile()'s graph is a parameter or a buffer of the module."""
    kept = placeholder.meta.get("tensor_dict", {}).get("_dynamo_static_input_type")
    return isinstance(example, torch.nn.Parameter) or kept is not None


class _Compiled:
    """What torch.compile() calls: a network for each combination of shapes, made again when a weight has changed."""

    def __init__(self, graph, example, device, reading):
        placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self._graph, self._device, self._reading = graph, device, reading
        self._weights = [i for i, (node, one) in enumerate(zip(placeholders, example)) if _is_weight(node, one)]
        self._networks = {}

    def _key(self, inputs):
        def of(place, value):
            if not isinstance(value, torch.Tensor):
                return int(value)
            return (value.data_ptr(), value._version) if place in self._weights else (*value.shape, value.dtype)

        return tuple(of(place, value) for place, value in enumerate(inputs))

    def __call__(self, *inputs):
        if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in inputs):
            raise RuntimeError(
                "the backend systole is for inference and computes no gradients: call the network within "
                "torch.inference_mode() or torch.no_grad()"
            )
        places = [i for i, x in enumerate(inputs) if isinstance(x, torch.Tensor) and i not in self._weights]
        varying = [inputs[place] for place in places]
        key = self._key(inputs)
        if key not in self._networks:
            constants = {i: x for i, x in enumerate(inputs) if i not in places}
            module = _WithConstants(self._graph, constants, places).eval()
            self._networks[key] = _load(module, varying, "torch", self._device, self._reading)
        network = self._networks[key]
        arrays = dict(zip((info.name for info in network.inputs), (x.detach().cpu().numpy() for x in varying)))
        results = network.run(arrays)
        results = results if isinstance(results, list) else [results]
        return tuple(torch.from_numpy(y) for y in results)


def backend(graph, example_inputs, *, options=None, mode=None):
    """The backend of torch.compile(). `options` are those of Network.load(): device, config, precision, ..."""
    if mode not in (None, "default"):
        raise InvalidArgument(f"torch.compile: mode {mode!r} is none of the backend systole; leave it out")
    given = dict(options or {})
    check_options("torch.compile", given, LOAD_OPTIONS)
    reading = {name: given.pop(name) for name in ("dimensions", "constants", "precision", "without") if name in given}
    device = given.pop("device", "model")
    check_device("torch.compile", device)
    if device != "host" and not isinstance(device, Device):
        device = Device(given.pop("config", "default"), device, **given)
    return _Compiled(graph, example_inputs, device, reading)
