# SPDX-License-Identifier: Apache-2.0
"""A network from a file on the device: run_model.py MODEL [BACKEND]

MODEL is a .tflite, .onnx or .systole file.
"""
import sys

import numpy

import systole


def main(path, backend="model"):
    network = systole.Network.load(path, device=backend)
    # One sample. Values do not matter here, but for their being the same in every run.
    inputs = [numpy.arange(numpy.prod(info.shape)).reshape(info.shape) % 120 for info in network.inputs]
    outputs = network.run(*(values.astype(info.dtype) for values, info in zip(inputs, network.inputs)))
    print(f"{network.name} on {backend}")
    for layer in network.statistics["layers"]:
        if layer["on_device"]:
            print(f"  {layer['name']:<22} {layer['shape']:>10} {layer['macs']:>9} MACs {layer['cycles']:>6} cycles")
        else:
            print(f"  {layer['name']:<22} on the host: {layer['reason']}")
    first = outputs if isinstance(outputs, numpy.ndarray) else outputs[0]
    info = network.outputs[0]
    print(f"{info.name} {first.shape}:", *(first if info.scale is None else info.dequantize(first)).ravel()[:12])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    try:
        main(*sys.argv[1:])
    except systole.Error as error:  # an unreadable file, an operator that is not supported, a device that fails
        sys.exit(f"run_model.py: {error}")
