# SPDX-License-Identifier: Apache-2.0
"""Training of networks: systole.train() and systole.TrainingStep, with the options of the command `systole train`."""
import os

import numpy

from systole import _systole
from systole.device import Device
from systole.errors import InvalidArgument, InvalidType
from systole.loaded_network import existing, given_constants
from systole.recorded_array import recording_for, registered


def _array(name, given):
    """An array of numbers."""
    try:
        array = numpy.asarray(given)
    except (TypeError, ValueError) as error:
        raise InvalidType(f"{name}: {type(given).__name__}: {error}") from None
    if array.dtype.kind not in "biuf":
        raise InvalidType(f"{name}: an array of {array.dtype}; arrays of samples hold integers or real numbers")
    return numpy.ascontiguousarray(array)


def _data(data, targets, what):
    """Samples as the C++ module takes them."""
    if isinstance(data, dict):
        inputs = [(name, f"{what} '{name}'", _array(f"{what} '{name}'", array)) for name, array in data.items()]
    else:
        inputs = [("", what, _array(what, data))]
    name = f"targets of {what}"
    return _systole.TrainingData(inputs, name, _array(name, targets))


def _network(network, dimensions, constants):
    """Name and graph of a network."""
    if not isinstance(network, (str, os.PathLike)):
        is_torch = any(kind.__module__.split(".")[0] == "torch" for kind in type(network).__mro__)
        remedy = "; torch.onnx.export() writes one that can be trained (driver/training/README.md)" if is_torch else ""
        raise InvalidType(
            f"network: {type(network).__name__}; give a name such as 'mlp:8-10-1', or the path of an ONNX file{remedy}"
        )
    name = os.fspath(network)
    if _systole.is_built_network(name):
        return name, None
    with recording_for("gradient"):
        path = existing(name)
        return name, _systole.read_graph(path, dict(dimensions or {}), given_constants(constants), registered())


def _session(device):
    if device == "host":
        return None
    if not isinstance(device, Device):
        raise InvalidType(f"device {device!r:.80}; give a systole.Device or 'host'")
    return device._session


def _pair(value, what):
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise InvalidType(f"{what}: {type(value).__name__}; give a pair of data and targets")
    return value


def _write(graph, path):
    path = os.fspath(path)
    content = _systole.to_onnx(graph, path)
    with open(path, "wb") as file:
        file.write(content)


class TrainingResult:
    """What systole.train() returns.

    losses      of each step, float64
    epochs      a dictionary for each: "training", and "validation" if there is one, each with "loss" and metrics:
                "accuracy", "top_5_accuracy", "auc", "mean_absolute_error", "mean_squared_error"
    best_epoch  of the smallest loss of the validation, from 1; None without one
    parameters  arrays by name, of the best epoch, or of the last without a validation
    columns     with standardize=True a dictionary for each column: "name", "mean" and "deviation" of the samples. The
                parameters are for (column - mean) / deviation; what save() writes takes the columns as they are
    """

    def __init__(self, losses, epochs, best_epoch, parameters, columns, network):
        self.losses = numpy.array(losses)
        self.epochs, self.best_epoch, self.parameters, self.columns = epochs, best_epoch, parameters, columns
        self._network = network

    def __repr__(self):
        return f"TrainingResult({len(self.losses)} steps, {len(self.epochs)} epochs)"

    def save(self, path):
        """Writes the network with these parameters as an ONNX file."""
        _write(self._network, path)


def train(
    network,
    data,
    targets,
    *,
    validation=None,
    device="host",
    progress=None,
    dimensions=None,
    constants=None,
    checkpoint=None,
    resume=None,
    **options,
):
    """Trains a network; a TrainingResult.

    result = systole.train("mlp:8-10-sigmoid-1-sigmoid", x, y, epochs=20, optimizer="adam", learning_rate=0.01)
    result.save("trained.onnx")

    network     "cnn", "vit" or "lstm" for pictures [N,H,W], [N,C,H,W] or [N,H,W,C]; "mlp:8-10-sigmoid-1-sigmoid",
                layers with functions; or the path of a file, whose constants are trained
    data        an array [N,...], or arrays by the name of the network's input
    targets     classes [N], integers from 0; or [N, outputs]: 0 and 1 for several labels, or numbers
    validation  a pair of data and targets; or hold_out=N, the last N samples
    device      "host" or a Device: the results are the same bits
    progress    called after each step with {"step", "loss", "learning_rate"}, and after each epoch with {"epoch",
                "training", "validation"}; a result of False ends the training
    dimensions, constants  as of Network.load
    checkpoint  the path of an .npz archive of the training's state, written after each epoch and at the end
    resume      the path of one to go on from, to the same bits as without the interruption; all options that the steps
                depend on are the same, and epochs is that of the whole training
    options     those of `systole train`, with underscores: epochs, batch, micro_batches, patience, hold_out,
                standardize (True: train with (column - mean) / deviation of the samples), seed,
                freeze (a list of patterns), prune (a share of the weights' tiles, which become zeros), prune_tile (DIM
                of the core, 16), loss, huber_delta, label_smoothing, class_weights (a list, or "balanced"),
                optimizer, momentum, beta1, beta2, epsilon, weight_decay, clip_norm, learning_rate, schedule, warm_up,
                step_every, step_factor, precision ("mx"), and scale, dropout, batch_normalization, classes of cnn, vit
                and lstm

    Raises InvalidArgument or ModelError before the first step for options, samples and networks that do not fit,
    with array, place, value and legal range; Failure when a loss is not finite.
    """
    name, graph = _network(network, dimensions, constants)
    pair = None if validation is None else _data(*_pair(validation, "validation"), "validation")
    return TrainingResult(
        **_systole.train(
            name,
            graph,
            _data(data, targets, "data"),
            pair,
            options,
            _session(device),
            progress,
            *("" if path is None else os.fspath(path) for path in (checkpoint, resume)),
        )
    )


class TrainingState:
    """A training between two steps; never changed.

    step        steps taken, which decide the learning rate and what dropout drops
    parameters  arrays by name, such as "dense1.weight"
    optimizer   what the optimizer keeps of them: arrays by the name of the parameter and ".momentum", ".mean", ...
    """

    def __init__(self, step, parameters, optimizer):
        self.step, self.parameters, self.optimizer = step, parameters, optimizer

    def __repr__(self):
        return f"TrainingState(step={self.step}, {len(self.parameters)} parameters)"


class TrainingStep:
    """One step of a training, for loops of one's own: from a state and a batch to the next state and the loss.

    step = systole.TrainingStep("net.onnx", x[:32], y[:32], optimizer="adamw", learning_rate=0.001)
    state = step.initial
    for x, y in batches:
        state, loss = step(state, (x, y))
    step.save(state, "trained.onnx")

    The arguments are those of train(); data and targets are an example of a batch, whose number of samples is that of
    all batches. With schedule="cosine" the learning rate reaches 0 after `steps`. The loss is that of the batch before
    the step. save() writes a network that Network.load() evaluates, with any samples.
    """

    def __init__(self, network, data, targets, *, device="host", dimensions=None, constants=None, **options):
        for name in ("epochs", "batch", "patience", "hold_out"):
            if name in options:
                raise InvalidArgument(
                    f"{name}: is for systole.train; a TrainingStep takes one batch, of as many samples as its example"
                )
        name, graph = _network(network, dimensions, constants)
        self._step = _systole.TrainingStep(name, graph, _data(data, targets, "data"), options, _session(device))
        self.initial = self._state(*self._step.initial())

    def _state(self, number, values):
        names = list(values)
        count = self._step.parameters()
        return TrainingState(
            number, {name: values[name] for name in names[:count]}, {name: values[name] for name in names[count:]}
        )

    @staticmethod
    def _values(state):
        if not isinstance(state, TrainingState):
            raise InvalidType(f"state: {type(state).__name__}; give `initial` or what a step has returned")
        return state.step, {**state.parameters, **state.optimizer}

    def __call__(self, state, batch):
        """The state after a step with a batch, a pair of data and targets, and the loss before it."""
        data, targets = _pair(batch, "batch")
        after, loss = self._step.run(*self._values(state), _data(data, targets, "batch"))
        return self._state(*after), loss

    def save(self, state, path):
        """Writes the network with the state's parameters as an ONNX file."""
        _write(self._step.network(*self._values(state)), path)
