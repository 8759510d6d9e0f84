// SPDX-License-Identifier: Apache-2.0
// Assertions. Those of signals are checked by every simulation: immediate assertions inside clocked processes, a form
// that the simulator reports with file and line (--assert), that yosys-smtbmc can prove, and that synthesis drops.
// Those of parameters end the elaboration, in simulation and in synthesis.
`ifndef TPU_ASSERT_SVH
`define TPU_ASSERT_SVH

`ifdef SYNTHESIS
`define TPU_ASSERT(Name, Condition)
`define TPU_ASSERT_WHEN(Name, When, Condition)
`else
// Holds at every rising clock edge outside reset. The condition is tested before the assertion, so that one that holds
// costs a simulation nothing else. `clk_i` and `rst_ni` are the names of the enclosing module's ports.
`define TPU_ASSERT(Name, Condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni && !(Condition)) Name: assert (1'b0); \
  end
// The same of the cycles with `When`, often a valid: the others cost one test.
`define TPU_ASSERT_WHEN(Name, When, Condition) \
  always_ff @(posedge clk_i) begin \
    if (When) begin \
      if (rst_ni && !(Condition)) Name: assert (1'b0); \
    end \
  end
`endif

// Holds for the parameters of this instance, which are constants.
`define TPU_ASSERT_INIT(Name, Condition) \
  if (!(Condition)) begin : Name \
    $error("a parameter of this instance is not legal: the line says what is"); \
  end

`endif
