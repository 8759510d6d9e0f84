# SPDX-License-Identifier: Apache-2.0
"""Area and clock of the core by synthesis. Each module, with its parameters, is synthesized once with its submodules as
black boxes, and the figures are added up; results are cached by a hash of their inputs, so that after an edit only the
modules that changed are synthesized again.

  elaborate   the RTL with the parameters of a configuration: its modules, their instances
  technology  the targets: the Yosys commands, the cells and what they cost (technology.toml)
  mapping     one module to one netlist, kept in build/synth
  netlist     the netlist of a module: counts, timing arcs
  timing      longest paths of a module, its timing as seen from outside, and so of the whole core
  figures     rows of the table
  baseline    the recorded figures and the growth against them
  report      tables for people
  families    FPGAs that place knows
  place       place and route on an FPGA
  gates       timing of gates of a liberty library"""
