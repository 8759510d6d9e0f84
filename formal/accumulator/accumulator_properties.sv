// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_accumulator with sums of integers. What holds for the row `any_row_i` holds for every row. The
// engines keep uses of a row apart, as the contract of the module demands.
`include "properties.svh"
module accumulator_properties #(
  parameter int Dim = 4,
  parameter int AccRows = 4,
  localparam int BankRows = AccRows / 2,
  localparam int BW = $clog2(BankRows)
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              mac_valid_i,
  input logic [15:0]       mac_row_i,
  input logic              mac_accumulate_i,
  input logic [32*Dim-1:0] mac_data_i,
  input logic [7:0]        mac_act_exponent_i,
  input logic [8*Dim-1:0]  mac_weight_exponents_i,
  input logic              vec_rd_valid_i,
  input logic [15:0]       vec_rd_row_i,
  input logic              vec_wr_valid_i,
  input logic [15:0]       vec_wr_row_i,
  input logic [32*Dim-1:0] vec_wr_data_i,
  input logic [BW-1:0]     clear_row_i,
  input logic [15:0]       any_row_i
);
  logic              vec_rd_ready_o, vec_wr_ready_o;
  logic [32*Dim-1:0] vec_rd_data_o;
  tpu_accumulator #(.Dim(Dim), .AccRows(AccRows)) u_accumulator (
    .mac_block_i(1'b0), .mac_begin_i(1'b0), .mac_complete_i(1'b0), .clear_i(1'b0), .*);
  `CHECKED_OUTSIDE_RESET
  `CONSTANT(row, any_row_i)

  logic mac, rd, wr, mac1_q, mac2_q, mac3_q;
  assign mac = mac_valid_i && mac_row_i == row;
  assign rd  = vec_rd_valid_i && vec_rd_ready_o && vec_rd_row_i == row;
  assign wr  = vec_wr_valid_i && vec_wr_ready_o && vec_wr_row_i == row;
  always_ff @(posedge clk_i) {mac3_q, mac2_q, mac1_q} <= rst_ni ? {mac2_q, mac1_q, mac} : '0;
  `ASSUMPTION(RowsExist, 32'(row) < AccRows && 32'(mac_row_i) < AccRows && 32'(vec_rd_row_i) < AccRows &&
              32'(vec_wr_row_i) < AccRows)
  `ASSUMPTION(FourCyclesApart, !mac || !(mac1_q || mac2_q || mac3_q))
  `ASSUMPTION(SidesApart, !(rd && wr) && !(mac && wr) && !((mac || mac1_q) && (rd || wr)))

  // The row by its definition; what was read last.
  logic [32*Dim-1:0] value_q, read_q, next;
  logic              known_q, defined_q;
  always_comb begin
    for (int n = 0; n < Dim; n++) begin
      next[32*n +: 32] = mac_data_i[32*n +: 32] + (mac_accumulate_i ? value_q[32*n +: 32] : '0);
    end
  end
  always_ff @(posedge clk_i) begin
    defined_q <= rst_ni && rd && known_q;
    read_q    <= value_q;
    if (!rst_ni) begin
      known_q <= 1'b0;
    end else begin
      if (mac) known_q <= known_q || !mac_accumulate_i;
      if (wr) known_q <= 1'b1;
    end
    if (mac) value_q <= next;
    if (wr) value_q <= vec_wr_data_i;
  end

  `PROPERTY(Sum, defined_q, vec_rd_data_o == read_q)
  logic [15:0] mac_row_q;
  logic        mac_any_q;
  always_ff @(posedge clk_i) begin
    mac_any_q <= rst_ni && mac_valid_i;
    mac_row_q <= mac_row_i;
  end
  `PROPERTY(ReadWaitsForMatrixOnly, vec_rd_valid_i && !vec_rd_ready_o,
            mac_valid_i && mac_accumulate_i && mac_row_i[0] == vec_rd_row_i[0])
  `PROPERTY(WriteWaitsForMatrixOnly, vec_wr_valid_i && !vec_wr_ready_o, mac_any_q && mac_row_q[0] == vec_wr_row_i[0])

  // No sum of binary32 is on its way. A sum of the row is in the second cycle of its addition, or in the memory.
  logic [32*Dim-1:0] stored;
  assign stored = row[0] ? u_accumulator.gen_bank[1].u_bank.u_ram.mem[row[BW:1]]
                         : u_accumulator.gen_bank[0].u_bank.u_ram.mem[row[BW:1]];
  `INVARIANT(NoBlocks, !u_accumulator.sum_valid && !u_accumulator.adding && !u_accumulator.block_valid &&
             !u_accumulator.block_rd_q)
  `INVARIANT(Second, u_accumulator.mac_valid_q == mac_any_q &&
             (!mac_any_q || u_accumulator.mac_row_q == mac_row_q[BW:0]) &&
             (!mac1_q || mac_any_q && mac_row_q == row) && (mac1_q || !mac_any_q || mac_row_q != row) &&
             (!mac_any_q || 32'(mac_row_q) < AccRows))
  `INVARIANT(Stored, !known_q || (mac1_q ? u_accumulator.mac_wr_data : stored) == value_q)
endmodule
