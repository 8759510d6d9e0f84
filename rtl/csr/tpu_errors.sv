// SPDX-License-Identifier: Apache-2.0
// The error record: the first error since reset, and how many there were.
//
// Latency: one cycle. Ports: event from the command processor; pulse from the bus guard (which also watches while the
// core is in reset) and, with its offset, for a register write that was refused, both recorded for the command that
// would have been next. In one cycle they go before each other in this order. clear_i empties the record.
module tpu_errors (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,
  input  logic        error_valid_i,
  input  logic [2:0]  error_engine_i,
  input  logic [7:0]  error_code_i,
  input  logic [31:0] error_index_i,
  input  logic [31:0] error_address_i,
  input  logic [2:0]  error_number_i,
  input  logic        bus_valid_i,
  input  logic [7:0]  bus_code_i,
  input  logic [31:0] bus_address_i,
  input  logic        refused_valid_i,
  input  logic [11:0] refused_offset_i,
  input  logic [31:0] commands_i,
  // An error was recorded; raised_o pulses when the first one arrives.
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
      count_o  <= count_o + (error_valid_i ? 32'(error_number_i) : '0) + 32'(bus_valid_i) + 32'(refused_valid_i);
      if (!halted_o && error_valid_i) begin
        engine_o  <= error_engine_i;
        code_o    <= error_code_i;
        index_o   <= error_index_i;
        address_o <= error_address_i;
      end else if (!halted_o) begin
        engine_o  <= 3'(tpu_pkg::ENGINE_COMMAND);
        code_o    <= bus_valid_i ? bus_code_i : tpu_pkg::ERROR_BUSY_REGISTER;
        index_o   <= commands_i;
        address_o <= bus_valid_i ? bus_address_i : 32'(refused_offset_i);
      end
    end
  end
endmodule
