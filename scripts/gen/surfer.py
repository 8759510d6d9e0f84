# SPDX-License-Identifier: Apache-2.0
"""Command files of Surfer beside the views of GTKWave: the same signals in the same groups.

Surfer's commands know no groups and no parts of a vector: a group begins with a divider, whose name is one word, and a
vector of which GTKWave shows the parts is shown as a whole, once in its group. A signal has no range, so that its name
fits every configuration. `variable_add` puts a signal behind the one in focus, which it takes: only the first signal
has to be given it, and a format is that of the signal before."""
import re

HEAD = "# Generated from isa/spec and rtl by scripts/gen/generate. Do not edit."
# What a divider is called behind a group inside the group that goes on there.
CONTINUED = "_continued"


def word(name):
    """The one word that the command divider_add takes."""
    return re.sub(r"\W+", "_", name).strip("_")


def mapping(name, values):
    """A file of names for Surfer from one for GTKWave: hexadecimal value, then name. Surfer offers it for signals of as
    many bits as the largest value has; `item_set_format` takes it for any."""
    pairs = [line.split(" ", 1) for line in values.splitlines()]
    bits = max(int(value, 16) for value, _ in pairs).bit_length()
    return f"{HEAD}\nName = {form_of(name)}\nBits = {bits}\n" + "".join(f"0x{value} {text}\n" for value, text in pairs)


def form_of(enum):
    """The name of an enumeration among the formats."""
    return f"systole_{enum}"


class Commands:
    def __init__(self):
        self.lines = [HEAD]
        self.open = []  # names of the groups around
        self.shown = set()  # in the group
        self.ended = False  # a group inside has
        self.focused = False

    def group(self, name):
        self.lines.append(f"divider_add {word(name)}")
        self.open.append(name)
        self.shown, self.ended = set(), False

    def end(self):
        self.open.pop()
        self.shown, self.ended = set(), True

    def signal(self, path, form=None):
        """A signal without its range; `form` is one of Surfer's formats, if its first choice is not good."""
        if path in self.shown:
            return
        if self.ended:
            self.lines.append(f"divider_add {word(self.open[-1] if self.open else 'view')}{CONTINUED}")
            self.ended = False
        self.shown.add(path)
        self.lines.append(f"variable_add {path}")
        if not self.focused:
            self.lines.append("item_focus a")
            self.focused = True
        if form:
            self.lines.append(f"item_set_format {form}")

    def text(self):
        return "\n".join(self.lines) + "\n"
