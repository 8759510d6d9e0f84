// SPDX-License-Identifier: Apache-2.0
// Assertion macros. Assertions on signals are immediate assertions in clocked processes: simulators report them with
// file and line (--assert), yosys-smtbmc can prove them, and synthesis removes them. Assertions on parameters stop the
// elaboration, in simulation and in synthesis.
`ifndef TPU_ASSERT_SVH
`define TPU_ASSERT_SVH

// A failed assertion prints its values on a line of their own, then time, place, name and condition.
`ifdef FORMAL
`define TPU_FAIL(Name, Text, Values) Name: assert (1'b0);
`else
`define TPU_FAIL(Name, Text, Values) \
  Name: assert (1'b0) else begin \
    $write Values; \
    $error("%s", Text); \
  end
`endif

// `Values` of an assertion are the arguments of $write in parentheses, such as ("row %0d of %0d\n", row_i, Rows). Give
// them where the condition compares values; without them the condition says it all.
`ifdef SYNTHESIS
`define TPU_ASSERT(Name, Condition, Values = (""))
`define TPU_ASSERT_WHEN(Name, When, Condition, Values = (""))
`else
// The condition must hold at every rising clock edge outside reset. It is tested with an `if` around the assertion, and
// before the reset, so that an assertion that holds costs a simulation only this test. `clk_i` and `rst_ni` must be in
// scope.
`define TPU_ASSERT(Name, Condition, Values = ("")) \
  always_ff @(posedge clk_i) begin \
    if (!(Condition)) begin \
      if (rst_ni) `TPU_FAIL(Name, `"Condition`", Values) \
    end \
  end
// The condition must hold in cycles with `When`, often a valid; other cycles cost one test.
`define TPU_ASSERT_WHEN(Name, When, Condition, Values = ("")) \
  always_ff @(posedge clk_i) begin \
    if (When) begin \
      if (!(Condition)) begin \
        if (rst_ni) `TPU_FAIL(Name, `"Condition`", Values) \
      end \
    end \
  end
`endif

// The condition must hold for the parameters of this instance.
`define TPU_ASSERT_INIT(Name, Condition) \
  if (!(Condition)) begin : Name \
    $error("a parameter of this instance is not legal: the line says what is"); \
  end

`endif
