// SPDX-License-Identifier: Apache-2.0
// Assertions that every simulation checks. They are immediate assertions inside clocked processes, a form that the
// simulator reports with file and line (--assert), that yosys-smtbmc can prove, and that synthesis drops.
`ifndef TPU_ASSERT_SVH
`define TPU_ASSERT_SVH

`ifdef SYNTHESIS
`define TPU_ASSERT(Name, Condition)
`define TPU_ASSERT_INIT(Name, Condition)
`else
// Holds at every rising clock edge outside reset. The condition is tested before the assertion, so that one that holds
// costs a simulation nothing else. `clk_i` and `rst_ni` are the names of the enclosing module's ports.
`define TPU_ASSERT(Name, Condition) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni && !(Condition)) Name: assert (1'b0); \
  end
// Holds for the parameters of this instance.
`define TPU_ASSERT_INIT(Name, Condition) \
  initial begin \
    Name: assert (Condition); \
  end
`endif

`endif
