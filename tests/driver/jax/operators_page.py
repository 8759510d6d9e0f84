# SPDX-License-Identifier: Apache-2.0
"""The page of operators: which of StableHLO's a run of cases met, and which of them the host computed, and why."""
import collections
import contextlib
import re
import textwrap

HEAD = """# Operators of StableHLO

Made by `tests/driver/jax/run test_jax_operators.py --cases 1200 --page driver/jax/operators.md --write` from random
cases with the functional model: how many cases have the operator, and in how many the host computed a part of it, with
a reason. The programs of a case may also run other operators on the host. Operators that no case has are in the last
line.

| operator | cases | with a part on the host | for example |
| --- | --- | --- | --- |
"""


class Seen:
    def __init__(self, rules):
        self.rules, self.now = rules, set()
        self.cases, self.host = collections.Counter(), collections.defaultdict(list)

    @contextlib.contextmanager
    def case(self):
        """Notes the operators that are translated inside."""
        import systole_jax.translate as translate

        self.now = set()
        plain = translate.Translation.operation

        def noting(translation, op):
            self.now.add(op.name)
            return plain(translation, op)

        translate.Translation.operation = noting
        try:
            yield
        finally:
            translate.Translation.operation = plain

    def ran(self, layers):
        self.cases.update(self.now)
        for layer in layers:
            if not layer["on_device"]:
                word = re.split(r"[ #]", layer["name"])[0]
                for name in self.now:
                    if name.split(".")[-1] == word:
                        self.host[name].append(layer["reason"])

    def page(self):
        lines = []
        for name in sorted(self.rules):
            if self.cases[name]:
                reasons = self.host[name]
                example = min(reasons, key=lambda reason: (len(reason), reason)) if reasons else ""
                lines.append("| %s | %d | %s | %s |" % (name, self.cases[name], len(reasons) or "", example))
        rest = [name for name in sorted(self.rules) if not self.cases[name]]
        return HEAD + "\n".join(lines) + "\n\n" + textwrap.fill("No case has: %s." % ", ".join(rest), 120) + "\n"

    def agrees(self, path, write):
        if write:
            with open(path, "w") as file:
                file.write(self.page())
        with open(path) as file:
            return file.read() == self.page()
