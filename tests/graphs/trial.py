# SPDX-License-Identifier: Apache-2.0
"""One graph on host, functional model and RTL, and before the judges."""

import collections
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import systole
from differences import Case, classify, same_bits
from onnx_judge import OnnxJudge
from tflite_judge import TfliteJudge
from unrounded import near_tie as near_tie_of
from unrounded import sum_of_terms, unrounded_step
import onnx_file
import tflite_file


def write(graph, outputs=None):
    """The graph as a file of its format."""
    return (tflite_file if graph.format == "tflite" else onnx_file).write(graph, outputs)


@dataclass
class Finding:
    """The fault of a graph. Graphs with equal `kind` fail in the same way."""

    kind: str
    text: str


@dataclass
class Outcome:
    refused: str = ""  # the importer's text
    counted: bool = False  # at least one layer ran on the device
    findings: list = field(default_factory=list)
    classes: collections.Counter = field(default_factory=collections.Counter)
    transformations: dict = field(default_factory=dict)  # name: 1 if it was applied, or 0


class Trial:
    """Runs graphs on devices of one configuration, which are opened once."""

    def __init__(self, folder, config="default", rtl=False, without=()):
        self.folder, self.config, self.without = Path(folder), config, tuple(without)
        self.judges = {"onnx": OnnxJudge(), "tflite": TfliteJudge()}
        self.kinds = ["model", "rtl"] if rtl else ["model"]
        self._devices = {}

    def _device(self, kind):
        if kind not in self._devices:
            self._devices[kind] = systole.Device(self.config, kind)
        return self._devices[kind]

    @property
    def dim(self):
        return self._device("model").configuration["dim"]

    def expected(self, graph):
        """The outputs of the graph by the judges, each step on the results of those before it."""
        values = dict(graph.feeds)
        for number in range(len(graph.steps)):
            values.update(self.judges[graph.format].step(graph, number, values))
        return [values[name] for name in graph.outputs]

    def _load(self, name, data, graph, device):
        path = self.folder / f"{name}.{graph.format}"
        path.write_bytes(data)
        return systole.Network.load(path, device=device, precision=graph.precision, without=self.without)

    @staticmethod
    def _run(network, graph, names):
        """The results by the names of the graph's outputs, which the file has in this order."""
        outputs = network.run({info.name: graph.feeds[info.name] for info in network.inputs})
        return dict(zip(names, outputs if isinstance(outputs, list) else [outputs], strict=True))

    def run(self, graph):
        outcome = Outcome()
        data = write(graph)
        try:
            host = self._run(self._load("model", data, graph, "host"), graph, graph.outputs)
        except systole.ModelError as error:
            outcome.refused = str(error).split(": ", 1)[1]
            return outcome
        for kind in self.kinds:
            self._compare_device(graph, data, kind, host, outcome)
        self._compare_judge(graph, host, outcome)
        return outcome

    def _compare_device(self, graph, data, kind, host, outcome):
        try:
            network = self._load("model", data, graph, self._device(kind))
            found = self._run(network, graph, graph.outputs)
        except systole.Error as error:
            del self._devices[kind]
            text = f"{type(error).__name__}: {error}"
            outcome.findings.append(Finding(f"{kind} fails: {text.split(':')[0]}", text))
            return
        outcome.transformations = {name: int(count > 0) for name, count in network.transformations.items()}
        layers = network.statistics.get("layers", [])
        outcome.counted = any(layer["on_device"] for layer in layers)
        errors = [layer["reason"] for layer in layers if "compiler error" in layer.get("reason", "")]
        if errors:  # the verifier of compiled programs found one, so that the host computed the layer
            outcome.findings.append(Finding(f"{kind}: a compiler error was refused", errors[0]))
        for name, value in host.items():
            if _form(found[name]) != _form(value):
                text = f"{name}: {_form(found[name])}, the host's {_form(value)}"
                outcome.findings.append(Finding(f"{kind} differs from host", text))
                return
            wrong = ~same_bits(found[name], value)
            if wrong.any():
                outcome.findings.append(Finding(f"{kind} differs from host", _told(name, found[name], value, wrong)))
                return

    def _compare_judge(self, graph, host, outcome):
        """Every step, on the host's values of all tensors; and these against the values of the graph as it is."""
        names = graph.computed()
        exposed = self._run(self._load("exposed", write(graph, names), graph, "host"), graph, names)
        for name, value in host.items():
            # In blocks, factors may become part of weights, whose blocks are then others.
            wrong = ~same_bits(exposed[name], value)
            if wrong.any() and graph.precision is None:
                text = _told(name, value, exposed[name], wrong)
                outcome.findings.append(Finding("host differs where tensors are outputs", text))
        values = {**graph.feeds, **exposed}
        judged = self.judges[graph.format].results(graph, values)
        for number, step in enumerate(graph.steps):
            if any((number, name) not in judged for name in step.outputs):
                operands = ", ".join(_form(values[name]) for name in step.inputs if name in values)
                outcome.findings.append(Finding(f"{step.label} is not judged", f"no judge takes it for {operands}"))
        for (number, name), expected in judged.items():
            step = graph.steps[number]
            if _form(values[name]) != _form(expected):
                text = f"{name}: {_form(values[name])}, the judge's {_form(expected)}"
                outcome.findings.append(Finding(f"{step.label} differs from the judge", text))
                continue
            if same_bits(values[name], expected).all():
                continue
            inputs = {tensor: values[tensor] for tensor in step.inputs if tensor in values}

            def again(changed, number=number, name=name):
                return self.judges[graph.format].step(graph, number, {**values, **changed})[name]

            def second(number=number, name=name):
                return self.judges["tflite"].second(graph, number, values)[name]

            def near_tie(step=step):
                found = unrounded_step(graph, step) if graph.format == "onnx" else None
                if found is None:
                    return None
                (real,) = self.judges["onnx"].step(found[0], 0, values).values()
                return near_tie_of(real, found[1], sum_of_terms(found[0], values))

            case = Case(graph, step, inputs, values[name], expected, again, second, near_tie)
            classes, left = classify(case)
            if classes is None:
                text = f"{step.label}: " + _told(name, values[name], expected, left)
                outcome.findings.append(Finding(f"{step.label} differs from the judge", text))
            else:
                outcome.classes.update(f"{label}, {step.label}" for label in classes)


def _form(array):
    return f"{array.dtype}{list(array.shape)}"


def _told(name, found, expected, wrong):
    place = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.shape else ()
    return (
        f"{name} {found.dtype} {found.shape}: {int(wrong.sum())} of {wrong.size} differ, first at {place}: "
        f"{found[place]!r} instead of {expected[place]!r}"
    )
