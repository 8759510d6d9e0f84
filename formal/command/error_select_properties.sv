// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_error_select: of several errors the first is described, and each is counted.
`include "properties.svh"
module error_select_properties #(
  localparam int Engines = tpu_pkg::ENGINES
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     command_valid_i,
  input logic [7:0]               command_code_i,
  input logic [31:0]              command_index_i,
  input logic [31:0]              command_address_i,
  input tpu_report_pkg::fault_t [Engines-1:0] fault_i,
  input logic [Engines-1:0]       overflow_i,
  input logic [4:0]               overflow_semaphore_i,
  input logic [Engines-1:0][31:0] index_i,
  input logic [Engines-1:0]       owing_i
);
  logic        halt_o, event_o;
  tpu_command_pkg::error_t error_o;
  tpu_error_select u_select (.*);
  `CHECKED_OUTSIDE_RESET
  `ASSUMPTION(OneOverflow, (overflow_i & (overflow_i - 1'b1)) == '0)

  logic [Engines-1:0] fault_valid;
  for (genvar e = 0; e < Engines; e++) begin : gen_valid
    assign fault_valid[e] = fault_i[e].valid;
  end

  // An engine stops at its fault: there is no second one until reset.
  logic [Engines-1:0] faulted_q;
  always_ff @(posedge clk_i) faulted_q <= rst_ni ? faulted_q | fault_valid : '0;
  `ASSUMPTION(OneFaultAnEngine, (faulted_q & fault_valid) == '0)

  // Faults that came and were not reported, what they said, and how many errors came and were told.
  logic [Engines-1:0]       open_q, told;
  logic [Engines-1:0][7:0]  code_q;
  logic [Engines-1:0][31:0] address_q;
  logic                     halted_q;
  assign told = error_o.valid && (open_q & owing_i) == '0 ? open_q : '0;
  always_ff @(posedge clk_i) begin
    for (int e = 0; e < Engines; e++) begin
      if (fault_valid[e]) begin
        code_q[e]    <= fault_i[e].code;
        address_q[e] <= fault_i[e].addr;
      end
    end
    open_q   <= rst_ni ? (open_q & ~told) | fault_valid : '0;
    halted_q <= rst_ni && (halted_q || command_valid_i || fault_valid != '0 || overflow_i != '0);
  end

  // The first fault, of several in a cycle that of the lowest engine; the lowest engine of it and an overflow.
  logic [Engines-1:0] raised, named, first, first_q;
  logic [7:0]         code;
  logic [31:0]        index, address;
  logic [2:0]         engine, number;
  assign raised = told | overflow_i;
  assign named  = overflow_i | (told != '0 ? first_q : '0);
  assign first  = named & (~named + 1'b1);
  always_ff @(posedge clk_i) begin
    if (fault_valid != '0 && (open_q & ~told) == '0) first_q <= fault_valid & (~fault_valid + 1'b1);
  end
  always_comb begin
    {code, index, address, engine} = '0;
    number = 3'(command_valid_i);
    for (int e = 0; e < Engines; e++) begin
      number = number + 3'(raised[e]);
      if (first[e]) begin
        engine  = 3'(e);
        index   = index_i[e];
        code    = overflow_i[e] ? tpu_pkg::ERROR_SEMAPHORE_OVERFLOW : code_q[e];
        address = overflow_i[e] ? 32'(overflow_semaphore_i) : address_q[e];
      end
    end
  end

  `PROPERTY(CommandFirst, command_valid_i, error_o.valid && error_o.engine == 3'(tpu_pkg::ENGINE_COMMAND) &&
            {error_o.code, error_o.index, error_o.address} == {command_code_i, command_index_i, command_address_i})
  `PROPERTY(FirstEngine, error_o.valid && !command_valid_i, error_o.engine == engine && error_o.index == index)
  `PROPERTY(FirstRecord, error_o.valid && !command_valid_i, error_o.code == code && error_o.address == address)
  `PROPERTY(OverflowInTime, overflow_i != '0, error_o.valid)
  `PROPERTY(FaultInTime, open_q != '0 && (open_q & owing_i) == '0, error_o.valid)
  `PROPERTY(AllCounted, error_o.valid, error_o.number == number && number != '0)
  `PROPERTY(Halt, halted_q, halt_o)
  `PROPERTY(NoHaltWithoutError, !halted_q && !command_valid_i && overflow_i == '0, !halt_o && !error_o.valid)

  // The record is that of the first fault.
  logic first_kept;
  always_comb begin
    first_kept = 1'b1;
    for (int e = 0; e < Engines; e++) begin
      if (first_q[e] && (u_select.code_q != code_q[e] || u_select.address_q != address_q[e])) first_kept = 1'b0;
    end
  end
  `INVARIANT(Open, u_select.fault_q == open_q && (open_q & ~faulted_q) == '0)
  `INVARIANT(First, open_q == '0 || u_select.first_q == first_q && (first_q & open_q) != '0 &&
             (first_q & (first_q - 1'b1)) == '0 && first_kept)
  `INVARIANT(Halted, halted_q == (u_select.halted_q || open_q != '0))
endmodule
