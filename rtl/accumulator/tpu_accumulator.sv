// SPDX-License-Identifier: Apache-2.0
// Accumulators: AccRows rows of Dim int32, in two halves with a memory each, between the array and the vector unit.
//
// Matrix side: mac_valid_i adds mac_data_i to row mac_row_i (mac_accumulate_i high) or overwrites it. Never stalls. The
// row is read in the cycle of mac_valid_i, and added to and written in the next; the new row can be read from the
// second cycle after mac_valid_i on. Two uses of the same row must be at least four cycles apart (asserted), so no
// forwarding is needed. Sums wrap at 2^32.
//
// Vector side: valid/ready. The row of a granted read is on vec_rd_data_o in the next cycle, for that cycle only. A
// write is done in the cycle of its grant. The matrix side has priority: ready is low only in cycles in which the
// matrix side uses the same port of the same half, so one half drains at full speed while the other fills.
//
// Clearing: while clear_i is high, row clear_row_i of each half is set to zero; both sides must be idle.
//
// Latency: see the two sides. Throughput: one multiply-accumulate, one read and one write per cycle. Back-pressure: on
// the vector side only. The program orders accesses of the two sides with semaphores; the engines must not access rows
// beyond AccRows (asserted).
//
// Bit HB of a row number selects the half, the bits below are the row within it.
//
// Parameters: Dim (lanes, at least 4), AccRows (power of two, 4 to 65536).
`include "tpu_assert.svh"
module tpu_accumulator #(
  parameter int Dim = 16,
  parameter int AccRows = 1024,
  localparam int HalfRows = AccRows / 2,
  localparam int HB = $clog2(HalfRows)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Matrix side.
  input  logic              mac_valid_i,
  input  logic [15:0]       mac_row_i,
  input  logic              mac_accumulate_i,
  input  logic [32*Dim-1:0] mac_data_i,
  // Vector side, read.
  input  logic              vec_rd_valid_i,
  output logic              vec_rd_ready_o,
  input  logic [15:0]       vec_rd_row_i,
  output logic [32*Dim-1:0] vec_rd_data_o,
  // Vector side, write.
  input  logic              vec_wr_valid_i,
  output logic              vec_wr_ready_o,
  input  logic [15:0]       vec_wr_row_i,
  input  logic [32*Dim-1:0] vec_wr_data_i,
  // Clearing.
  input  logic              clear_i,
  input  logic [HB-1:0]     clear_row_i
);
  `TPU_ASSERT_INIT(AccRowsIsLegal, AccRows >= 4 && AccRows <= 65536 && (AccRows & (AccRows - 1)) == 0)

  // Second cycle of the multiply-accumulate.
  logic              mac_valid_q, mac_add_q;
  logic [HB:0]       mac_row_q;
  logic [32*Dim-1:0] mac_data_q;

  always_ff @(posedge clk_i) begin
    mac_valid_q <= mac_valid_i && rst_ni;
    if (mac_valid_i) begin
      mac_add_q  <= mac_accumulate_i;
      mac_row_q  <= mac_row_i[HB:0];
      mac_data_q <= mac_data_i;
    end
  end

  assign vec_rd_ready_o = !(mac_valid_i && mac_accumulate_i && mac_row_i[HB] == vec_rd_row_i[HB]);
  assign vec_wr_ready_o = !(mac_valid_q && mac_row_q[HB] == vec_wr_row_i[HB]);

  for (genvar h = 0; h < 2; h++) begin : gen_half
    logic              mac_rd;
    logic [HB-1:0]     rd_row;
    logic [32*Dim-1:0] rd_data;

    assign mac_rd = mac_valid_i && mac_accumulate_i && mac_row_i[HB] == 1'(h);
    assign rd_row = mac_rd ? mac_row_i[HB-1:0] : vec_rd_row_i[HB-1:0];

    tpu_accumulator_half #(.Dim(Dim), .Rows(HalfRows)) u_half (
      .clk_i,
      .rd_en_i    (mac_rd || (vec_rd_valid_i && vec_rd_row_i[HB] == 1'(h))),
      .rd_row_i   (rd_row),
      .rd_data_o  (rd_data),
      .mac_en_i   (mac_valid_q && mac_row_q[HB] == 1'(h)),
      .mac_add_i  (mac_add_q),
      .mac_row_i  (mac_row_q[HB-1:0]),
      .mac_data_i (mac_data_q),
      .wr_en_i    (clear_i || (vec_wr_valid_i && vec_wr_row_i[HB] == 1'(h))),
      .wr_row_i   (clear_i ? clear_row_i : vec_wr_row_i[HB-1:0]),
      .wr_data_i  (clear_i ? '0 : vec_wr_data_i)
    );
  end

  // The half that the vector side read last. Two branches, which simulate faster than a mux.
  logic vec_half_q;
  always_ff @(posedge clk_i) if (vec_rd_valid_i) vec_half_q <= vec_rd_row_i[HB];
  always_comb begin
    if (vec_half_q) vec_rd_data_o = gen_half[1].rd_data;
    else vec_rd_data_o = gen_half[0].rd_data;
  end

`ifndef SYNTHESIS
  tpu_accumulator_check #(.AccRows(AccRows)) u_check (
    .clk_i,
    .rst_ni,
    .mac_valid_i,
    .mac_row_i,
    .vec_rd_valid_i,
    .vec_rd_row_i,
    .vec_wr_valid_i,
    .vec_wr_row_i
  );
`endif
endmodule
