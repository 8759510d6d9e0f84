# SPDX-License-Identifier: Apache-2.0
"""What onnxruntime.quantization makes of small networks, in all its formats and types, and what ONNX Runtime's own
optimizations make of that: each file is read, and its results on the functional model are ONNX Runtime's.

  tests/judges/run test_quantization.py [--seed N] [--only TEXT]
"""

import argparse
import logging
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import systole
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from float_networks import all_networks

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/reference"))
from judges import onnx_outputs

U8, S8, U16, S16 = QuantType.QUInt8, QuantType.QInt8, QuantType.QUInt16, QuantType.QInt16
TYPES = {"u8u8": (U8, U8), "u8s8": (U8, S8), "s8s8": (S8, S8)}
WIDE_TYPES = {"u16u8": (U16, U8), "s16s8": (S16, S8), "s16s16": (S16, S16)}
SAMPLES = 4
MOST_NEIGHBOURS = 2e-3  # of all values


class Samples(CalibrationDataReader):
    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)


def statically(format, types, per_channel, network, samples, target, contributed=False):
    activation, weight = types
    quantize_static(
        network.model,
        target,
        Samples(samples),
        quant_format=format,
        activation_type=activation,
        weight_type=weight,
        per_channel=per_channel,
        extra_options={"ForceQuantizeNoInputCheck": True, "UseQDQContribOps": contributed},
    )


def dynamically(weight, per_channel, network, samples, target):
    del samples
    quantize_dynamic(network.model, target, weight_type=weight, per_channel=per_channel)


def optimized(make):
    """The file that ONNX Runtime writes after its optimizations, with the operators that it fuses."""

    def made(network, samples, target):
        make(network, samples, target)
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = target
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        onnxruntime.InferenceSession(onnx.load(target).SerializeToString(), options, ["CPUExecutionProvider"])

    return made


def ways(network):
    """Name and function of (network, samples, file) for each way to quantize it."""
    channels = (False, True) if network.has_weights else (False,)
    found = {}
    for per_channel in channels:
        suffix = " per channel" if per_channel else ""
        for format, types in ((QuantFormat.QOperator, TYPES), (QuantFormat.QDQ, {**TYPES, **WIDE_TYPES})):
            for name, pair in types.items():
                found[f"{format.name} {name}{suffix}"] = partial(statically, format, pair, per_channel)
        for name, pair in WIDE_TYPES.items():
            way = partial(statically, QuantFormat.QDQ, pair, per_channel, contributed=True)
            found[f"QDQ com.microsoft {name}{suffix}"] = way
        found[f"optimized QDQ u8s8{suffix}"] = optimized(found[f"QDQ u8s8{suffix}"])
        found[f"optimized QDQ s8s8{suffix}"] = optimized(found[f"QDQ s8s8{suffix}"])
        for name, weight in (("u8", U8), ("s8", S8)) if network.has_weights else ():
            way = partial(dynamically, weight, per_channel)
            found[f"dynamic {name}{suffix}"] = way
            found[f"optimized dynamic {name}{suffix}"] = optimized(way)
    return found


def step_of(model, output):
    """The scale of the results of a quantized network; 0 if it has none."""
    constants = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    for node in model.graph.node:
        if output in node.output and node.op_type == "DequantizeLinear":
            return float(np.max(constants[node.input[1]]))
    return 0.0


def difference(seen, expected, step):
    """In words; empty if quantized results are at most a step apart, and others within the rounding of float32."""
    if seen.shape != expected.shape or seen.dtype != expected.dtype:
        return f"{seen.dtype} {seen.shape}, {expected.dtype} {expected.shape} expected"
    distance = np.abs(seen.astype(np.float64) - expected)
    magnitude = float(np.max(np.abs(expected), initial=0))
    allowed = 1.001 * step if step else 2e-6 * magnitude
    wrong = ~(distance <= allowed)
    if wrong.any():
        first = int(np.argmax(wrong))
        return (f"{int(wrong.sum())} of {seen.size} values, [{first}] is {seen.flat[first]}, "
                f"{expected.flat[first]} expected; a step is {step}")  # fmt: skip
    return ""


def neighbours(seen, expected, step):
    """How many results are a step apart: ONNX Runtime rounds numbers of float32, which may be on the other side of a
    tie."""
    return int((np.abs(seen.astype(np.float64) - expected) > step / 2).sum()) if step else 0


class Matrix:
    def __init__(self, seed):
        self.seed = seed
        self.device = systole.Device("default", "model")
        self.folder = tempfile.TemporaryDirectory(prefix="systole-quantization-")
        self.files = self.values = self.neighbours = 0

    def complaint(self, network, make):
        """What is wrong with the file that `make` writes; empty if nothing is."""
        random = np.random.default_rng(self.seed)
        samples = [network.inputs(random) for _ in range(SAMPLES)]
        target = str(Path(self.folder.name) / "quantized.onnx")
        make(network, samples, target)
        self.files += 1
        model = onnx.load(target)
        feeds = network.inputs(random)
        names = [i.name for i in model.graph.input]
        expected = [a[0] for a in onnx_outputs(model.SerializeToString(), [feeds[n][None] for n in names])]
        try:
            loaded = self.device.load(target)
            seen = loaded.run(*[feeds[i.name] for i in loaded.inputs])
        except systole.Error as error:
            return str(error)
        seen = list(seen) if isinstance(seen, (list, tuple)) else [seen]
        for output, a, b in zip(model.graph.output, seen, expected, strict=True):
            step = step_of(model, output.name)
            found = difference(a, b, step)
            self.values += a.size
            self.neighbours += 0 if found else neighbours(a, b, step)
            if found:
                return f"{found} ({', '.join(n.op_type for n in model.graph.node)})"
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    onnxruntime.set_default_logger_severity(4)
    matrix = Matrix(arguments.seed)
    wrong = 0
    for network in all_networks():
        for way, make in ways(network).items():
            if arguments.only not in f"{network.name}, {way}":
                continue
            complaint = matrix.complaint(network, make)
            if complaint:
                wrong += 1
                print(f"{network.name}, {way}: {complaint}")
    print(
        f"seed {arguments.seed}: {matrix.files} files, {wrong} differences; of {matrix.values} values "
        f"{matrix.neighbours} are a step apart"
    )
    return 1 if wrong or matrix.neighbours > MOST_NEIGHBOURS * matrix.values else 0


if __name__ == "__main__":
    sys.exit(main())
