# SPDX-License-Identifier: Apache-2.0
"""Makes a finding small: the smallest graph that fails in the same way, and the transformations that it needs."""

from pathlib import Path

import numpy as np

from reduce import reduce
from trial import write


def fails_alike(trial, finding):
    """Whether a graph has a finding of the same kind."""

    def fails(graph):
        return any(other.kind == finding.kind for other in trial.run(graph).findings)

    return fails


def bisect(trial, graph, finding):
    """The transformations of the compiler that, left out alone, make the finding disappear."""
    fails = fails_alike(trial, finding)
    names = sorted(trial.run(graph).transformations)
    needed = []
    for name in names:
        trial.without = (name,)
        if not fails(graph):
            needed.append(name)
    trial.without = ()
    return f"transformations that it needs: {', '.join(needed) or 'none'}"


def reduce_to(folder, trial, record, finding):
    """Writes the smallest graph that fails in the same way, its inputs and what the judges expect; a text."""
    from campaign_text import graph_text

    record, graph = reduce(record, trial.dim, fails_alike(trial, finding))
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"model.{graph.format}"
    model.write_bytes(write(graph))
    inputs = []
    for i, value in enumerate(graph.feeds.values()):
        np.save(folder / f"in{i}.npy", value)
        inputs.append(f"--input {folder}/in{i}.npy")
    expected = []
    for i, value in enumerate(trial.expected(graph)):
        np.save(folder / f"expected{i}.npy", value)
        expected.append(f"--expect {folder}/expected{i}.npy")
    command = f"systole run {model} --config {trial.config} --device model {' '.join(inputs + expected)}"
    if graph.precision:
        command += f" --precision {graph.precision}"
    text = "\n".join(finding.text for finding in trial.run(graph).findings)
    return f"the smallest graph found:\n{graph_text(graph)}\n{text}\n{command}"
