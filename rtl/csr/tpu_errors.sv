// SPDX-License-Identifier: Apache-2.0
// Error record: the first error since reset, and the number of errors.
//
// Latency: one cycle (raised_o is combinational). Throughput: errors of every source in every cycle. Back-pressure:
// none.
//
// Ports: all valids are pulses. error_valid_i and error_i come from the command processor, bus_* from the bus guard
// (also while the core is in reset), refused_* from a register write that was refused. The last two are recorded with
// commands_i, the index of the next command to be dispatched. Of several in one cycle, the first in this order is
// recorded and all are counted. clear_i clears the record.
//
// Parameters: none.
module tpu_errors
  import tpu_command_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        error_valid_i,
  input  error_t      error_i,
  input  logic        bus_valid_i,
  input  logic [7:0]  bus_code_i,
  input  logic [31:0] bus_address_i,
  input  logic        refused_valid_i,
  input  logic [11:0] refused_offset_i,
  input  logic [31:0] commands_i,
  // Record: halted_o is high while it has an error; raised_o pulses when the first one arrives.
  output logic        halted_o,
  output logic        raised_o,
  output logic [2:0]  engine_o,
  output logic [7:0]  code_o,
  output logic [31:0] index_o,
  output logic [31:0] address_o,
  output logic [31:0] count_o
);
  logic any;

  assign any      = error_valid_i || bus_valid_i || refused_valid_i;
  assign raised_o = any && !halted_o && !clear_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      halted_o  <= 1'b0;
      engine_o  <= '0;
      code_o    <= tpu_pkg::ERROR_NONE;
      index_o   <= '0;
      address_o <= '0;
      count_o   <= '0;
    end else if (any) begin
      halted_o <= 1'b1;
      count_o  <= count_o + (error_valid_i ? 32'(error_i.number) : '0) + 32'(bus_valid_i) + 32'(refused_valid_i);
      if (!halted_o && error_valid_i) begin
        engine_o  <= error_i.engine;
        code_o    <= error_i.code;
        index_o   <= error_i.index;
        address_o <= error_i.address;
      end else if (!halted_o) begin
        engine_o  <= 3'(tpu_pkg::ENGINE_COMMAND);
        code_o    <= bus_valid_i ? bus_code_i : tpu_pkg::ERROR_BUSY_REGISTER;
        index_o   <= commands_i;
        address_o <= bus_valid_i ? bus_address_i : 32'(refused_offset_i);
      end
    end
  end
endmodule
