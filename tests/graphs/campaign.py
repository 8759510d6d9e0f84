# SPDX-License-Identifier: Apache-2.0
"""Many graphs, in processes of their own, so that a crash is a finding of its graph and not the end."""

import collections
import multiprocessing
import tempfile
import time
from dataclasses import dataclass, field

import generate


@dataclass
class Totals:
    """Everything that a campaign has seen. `findings` are (graph, kind, text)."""

    graphs: int = 0
    counted: int = 0
    empty: int = 0
    refused: collections.Counter = field(default_factory=collections.Counter)
    refusals: int = 0
    operators: collections.Counter = field(default_factory=collections.Counter)
    transformations: collections.Counter = field(default_factory=collections.Counter)
    classes: collections.Counter = field(default_factory=collections.Counter)
    findings: list = field(default_factory=list)

    def take(self, number, graph, outcome):
        self.graphs += 1
        if outcome.refused:
            self.refusals += 1
            self.refused[_short(outcome.refused)] += 1
        if outcome.counted:
            self.counted += 1
            self.operators.update(set(graph.kinds()))
        self.transformations.update(outcome.transformations)
        self.classes.update(outcome.classes)
        self.findings += [(number, finding.kind, finding.text) for finding in outcome.findings]

    def join(self, other):
        for name, value in vars(other).items():
            if isinstance(value, int):
                setattr(self, name, getattr(self, name) + value)
            elif isinstance(value, list):
                getattr(self, name).extend(value)
            else:
                getattr(self, name).update(value)


def _short(text):
    """A refusal without names and numbers."""
    return " ".join(word for word in text.splitlines()[0].split() if not any(c.isdigit() for c in word))[:110]


def _work(queue, options, folder, first, stop):
    """Runs the graphs first .. stop - 1; reports each before it begins, and the totals now and then."""
    from trial import Trial

    totals, until = Totals(), time.monotonic() + 2
    trial = Trial(folder, options["config"], options["rtl"], options["without"])
    dim = trial.dim
    for number in range(first, stop):
        queue.put(("begins", number, None))
        graph, _ = generate.of_seed(options["seed"], number, dim)
        if graph is None:
            totals.empty += 1
            continue
        totals.take(number, graph, trial.run(graph))
        if time.monotonic() > until or totals.findings:
            queue.put(("totals", number, totals))
            totals, until = Totals(), time.monotonic() + 2
    queue.put(("totals", number if first < stop else first, totals))
    queue.put(("ends", 0, None))


def run(options, first, stop, report, wanted=None):
    """Runs graphs first .. stop - 1, or fewer if `wanted` of them were counted; report(totals) is called now and then,
    and ends the campaign by returning True."""
    # The folder is not the processes' own: one that is ended, or ends by itself, would leave it.
    with tempfile.TemporaryDirectory(prefix="systole-graphs-") as folder:
        return _run(options, folder, first, stop, report, wanted)


def _run(options, folder, first, stop, report, wanted):
    totals = Totals()
    while first < stop:
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        process = context.Process(target=_work, args=(queue, options, folder, first, stop), daemon=True)
        process.start()
        begun, ended = first, False
        while not ended:
            try:
                what, number, data = queue.get(timeout=5)
            except Exception:
                if process.is_alive():
                    continue
                break
            if what == "begins":
                begun = number
            elif what == "totals":
                totals.join(data)
                if report(totals) or (wanted and totals.counted >= wanted):
                    process.terminate()
                    process.join()
                    return totals
            else:
                ended = True
        process.join()
        if ended:
            return totals
        totals.findings.append((begun, f"crash, exit status {process.exitcode}", "the process ended"))
        totals.graphs += 1
        first = begun + 1
    return totals
