# SPDX-License-Identifier: Apache-2.0
"""Runs test files of JAX's own repository on Systole, and sorts what fails: a refusal names an operator that the device
does not have, anything else is a fault.

    python jax_suite.py lax_test.py --folder ../jax/tests --only dot --sample 500

Tests of types that no Systole has (complex numbers, float64, floats of 8 bits, integers of 4) are left out."""
import argparse
import collections
import importlib
import json
import os
import random
import re
import signal
import sys
import time
import unittest

OTHER_TYPES = re.compile(r"complex|float64|float8|f8|int4|int2|float4|float0|x64")


class TimeOut(Exception):
    pass


def cases_of(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from cases_of(item)
        else:
            yield item


class Result(unittest.TestResult):
    """The kind of the last test's end, with the first line of its error."""

    def startTest(self, test):
        super().startTest(test)
        self.kind, self.text = "passed", ""

    def _failed(self, error):
        text = "%s: %s" % (error[0].__name__, str(error[1]))
        # JAX refuses by NotImplementedError what has no translation to StableHLO for the device, such as eigh.
        by_name = ("UNIMPLEMENTED", "RESOURCE_EXHAUSTED", "NotImplementedError: MLIR translation rule")
        by_name += ("NotImplementedError: systole: ",)
        refused = any(name in text for name in by_name)
        self.kind = "refused" if refused else "time" if error[0] is TimeOut else "failed"
        self.text = text

    def addError(self, test, error):
        self._failed(error)

    def addFailure(self, test, error):
        self._failed(error)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self._failed(error)

    def addSkip(self, test, reason):
        self.kind, self.text = "skipped", reason


class Computed:
    """Counts the tests whose programs the first device computed alone, or with which operators of the host."""

    def __init__(self):
        import jax
        import systole_jax

        jax.devices()  # opens the device
        self.all_runs, self.tests, self.on_host = systole_jax.all_runs, collections.Counter(), collections.Counter()

    def before(self):
        self.runs = self.all_runs()

    def after(self):
        runs = self.all_runs()
        new = {name for name, times in runs["on_host"].items() if times > self.runs["on_host"].get(name, 0)}
        self.tests["nothing" if runs["calls"] == self.runs["calls"] else "with host" if new else "alone"] += 1
        self.on_host.update({name.split(" (")[0] for name in new})

    def text(self):
        return "The device computed %d tests alone, %d with the host (%s); %d called no program." % (
            self.tests["alone"],
            self.tests["with host"],
            ", ".join("%s %d" % most for most in self.on_host.most_common(12)),
            self.tests["nothing"],
        )


def run(case, seconds):
    def stop(*_):
        raise TimeOut("more than %d s" % seconds)

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    result = Result()
    try:
        case.run(result)
    except TimeOut as error:
        result.kind, result.text = "time", str(error)
    finally:
        signal.alarm(0)
    return result.kind, result.text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--folder", required=True, help="tests/ of a checkout of JAX, of the version that is installed")
    parser.add_argument("--only", default="", help="a regular expression that names of tests match")
    parser.add_argument("--sample", type=int, default=0, help="so many tests of each file, by the seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60, help="for one test")
    parser.add_argument("--limit", type=int, default=0, help="seconds for all; 0: none")
    parser.add_argument("--json", help="a file for what ended how")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "systole,cpu")
    os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")
    sys.path.insert(0, given.folder)
    sys.argv = sys.argv[:1]
    from absl import app, flags  # noqa: F401

    flags.FLAGS(sys.argv)
    ends, computed, began = collections.defaultdict(list), None, time.time()
    for file in given.files:
        module = importlib.import_module(file.removesuffix(".py"))
        computed = computed or Computed()
        cases = [case for case in cases_of(unittest.defaultTestLoader.loadTestsFromModule(module))]
        cases = [case for case in cases if re.search(given.only, case.id()) and not OTHER_TYPES.search(str(case))]
        if given.sample and len(cases) > given.sample:
            cases = random.Random(given.seed).sample(cases, given.sample)
        for case in cases:
            if given.limit and time.time() - began > given.limit:
                ends["not run"].append((str(case), ""))
                continue
            computed.before()
            kind, text = run(case, given.seconds)
            if kind == "passed":
                computed.after()
            ends[kind].append((str(case).split(" ")[0], text))
            if given.verbose and kind not in ("passed", "skipped"):
                print(kind, str(case).split(" ")[0], text[:300].replace("\n", " | "), flush=True)
    print({kind: len(tests) for kind, tests in ends.items()}, "%.0f s" % (time.time() - began))
    print(computed.text())
    if given.json:
        with open(given.json, "w") as file:
            json.dump(ends, file, indent=1)
    return 0 if not ends["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
