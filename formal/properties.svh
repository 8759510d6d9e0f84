// SPDX-License-Identifier: Apache-2.0
// Macros of the properties. A module of properties has one instance of the module that it is about, `clk_i` and
// `rst_ni`, if there are any, and every free input of that instance as its own inputs.
`ifndef PROPERTIES_SVH
`define PROPERTIES_SVH

// `checked` is high where properties count: outside of reset, and after the reset that every run begins with.
`define CHECKED_OUTSIDE_RESET \
  logic started_q = 1'b0; \
  logic checked; \
  always_ff @(posedge clk_i) started_q <= 1'b1; \
  assign checked = started_q && rst_ni; \
  always_comb if (!started_q) begin \
    assume (!rst_ni); \
  end

// A module without a clock.
`define CHECKED_ALWAYS \
  logic checked; \
  assign checked = 1'b1;

// Condition holds whenever When does. That When can happen is the property's cover.
`define PROPERTY(Name, When, Condition) \
  always_comb if (checked && (When)) begin \
    Name: assert (Condition); \
  end \
  always_comb begin \
    Name``_reached: cover (checked && (When)); \
  end

// An invariant of the registers that the induction needs. It is proven like a property, but no contract has it.
`define INVARIANT(Name, Condition) \
  always_comb if (checked) begin \
    Name``_invariant: assert (Condition); \
  end

// An assumption about the inputs.
`define ASSUMPTION(Name, Condition) \
  always_comb if (checked) begin \
    Name: assume (Condition); \
  end

// Value keeps, for the whole run, what Free is in its first cycle: a value that a property holds for, whichever it is.
`define CONSTANT(Value, Free) \
  logic [$bits(Free)-1:0] Value, Value``_q; \
  assign Value = started_q ? Value``_q : Free; \
  always_ff @(posedge clk_i) Value``_q <= Value;

`endif
