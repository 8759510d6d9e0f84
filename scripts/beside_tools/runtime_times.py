# SPDX-License-Identifier: Apache-2.0
"""Times of the works with ONNX Runtime on the CPU: float32, and int8 that its own quantizer makes."""
import contextlib
import io
import logging
import tempfile
from pathlib import Path

from side_by_side import WORKS, Missing, Row, timed

NAME = "ONNX Runtime"
try:
    import onnxruntime
except ImportError as missing:
    raise Missing(f"ONNX Runtime: {missing}; onnxruntime installs it") from missing
try:
    import torch
    import torch_networks
except ImportError as missing:
    raise Missing(f"ONNX Runtime: {missing}; torch, which exports the networks, installs it") from missing
SAMPLES = 4  # that the quantizer calibrates with


def export(work, file):
    """The network as an ONNX file, and an input."""
    network, x = torch_networks.example(work)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            torch.onnx.export(network, (x,), str(file), input_names=["x"], output_names=["y"], opset_version=18)
    except ImportError as missing:
        raise Missing(f"ONNX Runtime: {missing}; PyTorch's exporter takes onnx and onnxscript") from missing
    return x.numpy()


def quantized(file, x):
    """An int8 file beside it."""
    try:
        from onnxruntime import quantization
    except ImportError as missing:
        raise Missing(f"ONNX Runtime, int8: {missing}; onnx installs it") from missing

    class Samples(quantization.CalibrationDataReader):
        def __init__(self):
            torch.manual_seed(1)
            self.left = [{"x": torch.randn(x.shape).numpy()} for _ in range(SAMPLES)]

        def get_next(self):
            return self.left.pop() if self.left else None

    result = file.with_suffix(".int8.onnx")
    logging.disable(logging.WARNING)
    quantization.quantize_static(str(file), str(result), Samples(), per_channel=True)
    logging.disable(logging.NOTSET)
    return result


def session(file, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def measure(work, settings):
    """Rows, and what was skipped."""
    if work == "cnn_step":
        return [], ["ONNX Runtime, a training step: its package for inference has none"]
    by, rows, skipped = f"ONNX Runtime {onnxruntime.__version__}, CPU", [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "network.onnx"
        x = export(work, file)
        for arithmetic in ("float32", "int8"):
            try:
                run = session(quantized(file, x) if arithmetic == "int8" else file, settings.threads)
            except Missing as reason:
                skipped.append(str(reason))
                continue
            seconds = timed(lambda: run.run(None, {"x": x}), settings.seconds)
            rows.append(Row(work, by, arithmetic, seconds, WORKS[work].macs, settings.clock))
    return rows, skipped
