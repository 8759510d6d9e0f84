// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_errors: the record is that of the first error since reset.
`include "properties.svh"
module errors_properties (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        clear_i,
  input tpu_command_pkg::error_t error_i,
  input tpu_report_pkg::fault_t  bus_i,
  input logic        refused_valid_i,
  input logic [11:0] refused_offset_i,
  input logic [31:0] commands_i
);
  logic        halted_o, raised_o;
  tpu_csr_pkg::record_t record_o;
  tpu_errors u_errors (.*);
  `CHECKED_OUTSIDE_RESET

  logic any;
  assign any = error_i.valid || bus_i.valid || refused_valid_i;

  // The first error since reset, by the order command, bus, refused; the errors of all sources.
  logic        first_q, second_q;
  logic [74:0] record_q;
  logic [31:0] number_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      first_q  <= 1'b0;
      second_q <= 1'b0;
      record_q <= 75'(tpu_pkg::ERROR_NONE) << 64;
      number_q <= '0;
    end else if (any) begin
      first_q  <= 1'b1;
      second_q <= first_q;
      number_q <= number_q + (error_i.valid ? 32'(error_i.number) : '0) + 32'(bus_i.valid) + 32'(refused_valid_i);
      if (!first_q) begin
        if (error_i.valid) record_q <= {error_i.engine, error_i.code, error_i.index, error_i.address};
        else if (bus_i.valid) record_q <= {3'(tpu_pkg::ENGINE_COMMAND), bus_i.code, commands_i, bus_i.addr};
        else record_q <= {3'(tpu_pkg::ENGINE_COMMAND), 8'(tpu_pkg::ERROR_BUSY_REGISTER), commands_i,
                          32'(refused_offset_i)};
      end
    end
  end

  `PROPERTY(FirstWins, second_q, record_o[$bits(record_o)-1:32] == record_q)
  `PROPERTY(ClearedRecord, !first_q, record_o[$bits(record_o)-1:32] == record_q)
  `PROPERTY(AllCounted, second_q && number_q > 32'd9, record_o.count == number_q)
  `PROPERTY(Halted, first_q, halted_o)
  `PROPERTY(NotHalted, !first_q, !halted_o && record_o.count == '0)
  `PROPERTY(RaisedOnce, any && !clear_i, raised_o == !first_q)

  `INVARIANT(Record, {halted_o, record_o} == {first_q, record_q, number_q})
  `INVARIANT(Order, first_q || !second_q)
endmodule
