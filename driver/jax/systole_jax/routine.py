# SPDX-License-Identifier: Apache-2.0
"""Routines: blocks for the device, and loops and branches between them."""
from systole._systole import JaxRoutine
from systole_jax.program_values import Block, Value


class Routine:
    """A function, or a region of a loop or branch, while it is translated. Values of the routine around it that it uses
    become inputs, which `captured` lists by the value outside."""

    def __init__(self, name, parent=None):
        self.name, self.parent = name, parent
        self.registers = 0
        self.steps, self.inputs, self.captured = [], [], {}
        self.block = None

    def new_register(self):
        self.registers += 1
        return self.registers - 1

    def input(self, type, shape):
        """The next input."""
        value = Value(self, type, shape, register=self.new_register())
        self.inputs.append(value.register)
        return value

    def current_block(self):
        """The block that operators are appended to."""
        if self.block is None:
            self.block = Block(self, self.name)
            self.steps.append(self.block)
        return self.block

    def own(self, value):
        """The value in this routine, which may be one of a routine around it."""
        if value.routine is self:
            return value
        if value.is_constant:
            return value.copied_to(self)
        if value not in self.captured:
            outside = self.parent.own(value)
            self.captured[value] = Value(
                self, outside.type, outside.shape, register=self.new_register(), held=outside.held
            )
        return self.captured[value]

    def register_of(self, value):
        """The register of a value of this routine."""
        if value.register is None:
            value.register = self.new_register()
            value.block.output(value.id, value.register)
        return value.register

    def end_block(self):
        """What follows is in another block."""
        self.block = None

    def loop(self, condition, body, inputs, outputs):
        """Calls `body`, of which `inputs` are the first operands, while `condition` holds; both may capture values,
        which the loop does not change."""
        self.end_block()
        outside = list(dict.fromkeys([*condition.captured, *body.captured]))
        for part in (condition, body):
            part.inputs += [part.register_of(part.own(value)) for value in outside]
        body.outputs += [body.register_of(body.own(value)) for value in outside]
        values = [self.own(value) for value in [*inputs, *outside]]
        unused = [self.new_register() for _ in outside]
        registers = [self.register_of(value) for value in outputs] + unused
        self.steps.append(("loop", condition, body, [self.register_of(value) for value in values], registers))

    def exchange(self, value, outputs):
        """All devices of the program give each other a value."""
        self.end_block()
        self.steps.append(("exchange", self.register_of(value), [self.register_of(output) for output in outputs]))

    def choice(self, number, branches, outputs):
        self.end_block()
        outside = list(dict.fromkeys(value for branch in branches for value in branch.captured))
        for branch in branches:
            branch.inputs += [branch.register_of(branch.own(value)) for value in outside]
        self.steps.append(
            (
                "choice",
                self.register_of(self.own(number)),
                branches,
                [self.register_of(self.own(value)) for value in outside],
                [self.register_of(value) for value in outputs],
            )
        )

    def results(self, values):
        """The results of the routine."""
        self.outputs = [self.register_of(value) for value in values]

    def finish(self, blocks):
        """The routine for the device; `blocks`: products are in block floating point."""
        steps = []
        for step in self.steps:  # inner routines first: they ask for values of this one
            if isinstance(step, Block):
                steps.append(step)
            elif step[0] == "exchange":
                steps.append(step)
            elif step[0] == "loop":
                steps.append(("loop", step[1].finish(blocks), step[2].finish(blocks), *step[3:]))
            else:
                steps.append(("choice", step[1], [branch.finish(blocks) for branch in step[2]], *step[3:]))
        routine = JaxRoutine(self.registers, self.inputs, self.outputs)
        for step in steps:
            if isinstance(step, Block):
                if step.outputs:
                    graph = step.builder.finish(list(step.outputs.values()), blocks)
                    routine.block(graph, list(step.inputs), list(step.outputs))
            elif step[0] == "loop":
                routine.loop(*step[1:])
            elif step[0] == "exchange":
                routine.exchange(*step[1:])
            else:
                routine.choice(*step[1:])
        return routine
