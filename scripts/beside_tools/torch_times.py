# SPDX-License-Identifier: Apache-2.0
"""Times of the works with PyTorch, on the CPU and on a GPU if there is one."""
from side_by_side import BATCH, WORKS, Missing, Row, timed

NAME = "PyTorch"
try:
    import torch
    from torch.nn import functional
except ImportError as missing:
    raise Missing(f"PyTorch: {missing}; torch installs it") from missing
import torch_networks


def training_step(device):
    """Forward, loss, backward and update of the CNN."""
    torch.manual_seed(0)
    network = torch_networks.cnn().to(device)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    pictures = torch.rand(BATCH, 1, 28, 28, device=device)
    labels = torch.randint(10, (BATCH,), device=device)

    def step():
        optimizer.zero_grad()
        functional.cross_entropy(network(pictures), labels).backward()
        optimizer.step()

    return step


def inference(work, device, kind):
    network, x = torch_networks.example(work)
    network, x = network.to(device, kind), x.to(device, kind)

    def run():
        with torch.inference_mode():
            network(x)

    return run


def on_gpu(call):
    def run():
        call()
        torch.cuda.synchronize()

    return run


def captured(call):
    """The call's kernels as one graph, launched whole: of a small network Python's launches take most of the time."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()  # what a first call allocates must be there before
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def gpu_clock():
    """The highest clock of the GPU's cores in GHz; None where PyTorch does not tell it."""
    rate = getattr(torch.cuda.get_device_properties(0), "clock_rate", None)  # kHz
    return rate / 1e6 if rate else None


def measure(work, settings):
    """Rows, and what was skipped."""
    torch.set_num_threads(settings.threads)
    version, macs = torch.__version__.partition("+")[0], WORKS[work].macs
    step = work == "cnn_step"
    call = training_step("cpu") if step else inference(work, "cpu", torch.float32)
    rows = [Row(work, f"PyTorch {version}, CPU", "float32", timed(call, settings.seconds), macs, settings.clock)]
    if not torch.cuda.is_available():
        return rows, ["GPU: PyTorch finds none"]
    by = f"PyTorch {version}, {torch.cuda.get_device_name(0)}"
    for kind in (torch.float32,) if step else (torch.float32, torch.float16):
        call = training_step("cuda") if step else inference(work, "cuda", kind)
        arithmetic = str(kind).removeprefix("torch.")
        for how, run in (("", call), (", as a graph", captured(call))):
            rows.append(Row(work, by + how, arithmetic, timed(on_gpu(run), settings.seconds), macs, gpu_clock()))
    return rows, []
