// SPDX-License-Identifier: Apache-2.0
// Error record: the first error since reset, and the number of errors.
//
// Latency: one cycle (raised_o is combinational). Throughput: errors of every source in every cycle. Back-pressure:
// none.
//
// Ports: all valids are pulses. error_i comes from the command processor, bus_i from the bus guard
// (also while the core is in reset), refused_* from a register write that was refused. The last two are recorded with
// commands_i, the index of the next command to be dispatched. Of several in one cycle, the first in this order is
// recorded and all are counted. clear_i clears the record.
//
// Parameters: none.
module tpu_errors
  import tpu_command_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,
  input  error_t                 error_i,
  input  tpu_report_pkg::fault_t bus_i,
  input  logic                   refused_valid_i,
  input  logic [11:0]            refused_offset_i,
  input  logic [31:0]            commands_i,
  // Record: halted_o is high while it has an error; raised_o pulses when the first one arrives.
  output logic                   halted_o,
  output logic                   raised_o,
  output tpu_csr_pkg::record_t   record_o
);
  logic any;

  assign any      = error_i.valid || bus_i.valid || refused_valid_i;
  assign raised_o = any && !halted_o && !clear_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      halted_o         <= 1'b0;
      record_o.engine  <= '0;
      record_o.code    <= tpu_pkg::ERROR_NONE;
      record_o.index   <= '0;
      record_o.address <= '0;
      record_o.count   <= '0;
    end else if (any) begin
      halted_o       <= 1'b1;
      record_o.count <= record_o.count + (error_i.valid ? 32'(error_i.number) : '0) + 32'(bus_i.valid)
                      + 32'(refused_valid_i);
      if (!halted_o && error_i.valid) begin
        record_o.engine  <= error_i.engine;
        record_o.code    <= error_i.code;
        record_o.index   <= error_i.index;
        record_o.address <= error_i.address;
      end else if (!halted_o) begin
        record_o.engine  <= 3'(tpu_pkg::ENGINE_COMMAND);
        record_o.code    <= bus_i.valid ? bus_i.code : tpu_pkg::ERROR_BUSY_REGISTER;
        record_o.index   <= commands_i;
        record_o.address <= bus_i.valid ? bus_i.addr : 32'(refused_offset_i);
      end
    end
  end
endmodule
