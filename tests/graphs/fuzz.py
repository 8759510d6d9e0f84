#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random graphs: host against functional model and RTL, bit for bit, and each operator against judges from outside.

  fuzz.py --count 1000                          graphs 0 .. 999 of seed 1
  fuzz.py --seed 3 --graph 17                   one graph; `--reduce DIR` writes the smallest that fails in its way
  fuzz.py --config tiny --rtl                   also on the Verilated core
  fuzz.py --without NAME                        without a transformation of the compiler
"""

import argparse
import sys
import tempfile
import time

import campaign
import generate
import campaign_text
from reproduce import bisect, reduce_to


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="ends after so many graphs that a device ran")
    parser.add_argument("--seconds", type=float, help="ends after so much time")
    parser.add_argument("--first", type=int, default=0, help="number of the first graph")
    parser.add_argument("--graph", type=int, help="only this one")
    parser.add_argument("--config", default="default")
    parser.add_argument("--rtl", action="store_true")
    parser.add_argument("--without", action="append", default=[], metavar="NAME")
    parser.add_argument("--reduce", metavar="DIR")
    parser.add_argument("--fired", type=int, default=0, help="fails if a transformation fired in fewer graphs")
    parser.add_argument("--findings", type=int, default=1, help="ends after so many findings")
    return parser.parse_args()


def one(options):
    """Runs one graph; its exit status."""
    from trial import Trial

    with tempfile.TemporaryDirectory(prefix="systole-graphs-") as folder:
        trial = Trial(folder, options.config, options.rtl, options.without)
        graph, choices = generate.of_seed(options.seed, options.graph, trial.dim)
        if graph is None:
            print("no graph: none of its steps fitted")
            return 0
        print(campaign_text.graph_text(graph))
        outcome = trial.run(graph)
        print(campaign_text.outcome_text(outcome))
        if outcome.findings and not options.without:
            print(bisect(trial, graph, outcome.findings[0]))
        if outcome.findings and options.reduce:
            print(reduce_to(options.reduce, trial, choices.record, outcome.findings[0]))
        return 1 if outcome.findings else 0


def main():
    options = arguments()
    if options.graph is not None:
        return one(options)
    print(f"seed {options.seed}, configuration {options.config}", flush=True)
    start = time.monotonic()
    shown = 0

    def watch(totals):
        nonlocal shown
        for number, kind, text in totals.findings[shown:]:
            print(f"graph {number}: {kind}\n  {text}\n  {campaign_text.command(options, number)}", flush=True)
        shown = len(totals.findings)
        over = options.seconds is not None and time.monotonic() - start > options.seconds
        return over or shown >= options.findings

    settings = {name: getattr(options, name) for name in ("seed", "config", "rtl", "without")}
    last = options.first + 4 * (options.count or 10**9)
    totals = campaign.run(settings, options.first, last, watch, options.count)
    watch(totals)
    print(campaign_text.totals_text(totals, time.monotonic() - start))
    ended_before = options.seconds is not None or totals.findings
    complaints = campaign_text.complaints(totals, options.fired, 0 if ended_before else options.count or 0)
    for complaint in complaints:
        print(complaint)
    return 1 if totals.findings or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
