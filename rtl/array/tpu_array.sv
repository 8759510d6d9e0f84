// SPDX-License-Identifier: Apache-2.0
// Weight-stationary systolic array of Rows x Dim int8 processing elements with int32 sums. It multiplies each operand
// vector by the stationary weight matrix: sum[n] = sum over k of act[k] * weight[k][n].
//
// Latency: sum_valid_o exactly Rows+Dim cycles after act_valid_i. Throughput: one vector per cycle. Back-pressure:
// none, never stalls.
//
// Operand port: lane k feeds array row k. act_swap_i is sampled with act_valid_i: this vector and those after it use
// the shadow weights.
// Weight port: writes the shadow weights of array row wt_row_i, lane n for column n. For a swap in cycle t, row k must
// have been written by cycle t+k-1 and must not be written again before cycle t+k+Dim-1. A feeder that writes one row
// per cycle, the first in cycle t+Dim-1, thus allows a swap every Dim cycles.
// Sum port: one vector of Dim int32, valid while sum_valid_o is high.
//
// Rows hold their state while they contain no valid operand, so an idle array costs neither power nor simulation time.
//
// Parameters: Dim, columns (power of two, 4 to 32); Rows (2 to Dim; Rows = Dim in the core, fewer for a small FPGA);
// OperandBits, Recoded: see tpu_array_row. No effect on results: tpu_forms.svh.
//
// In hardware a partial sum has as many bits as the products above it need.
`include "tpu_assert.svh"
`include "tpu_forms.svh"
module tpu_array #(
  parameter int Dim = 16,
  parameter int OperandBits = `TPU_OPERAND_BITS,
  parameter int Recoded = `TPU_RECODED,
  parameter int Rows = Dim
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Operands.
  input  logic                    act_valid_i,
  input  logic                    act_swap_i,
  input  logic [Rows-1:0][7:0]    act_data_i,
  // Shadow weights.
  input  logic                    wt_valid_i,
  input  logic [$clog2(Rows)-1:0] wt_row_i,
  input  logic [Dim-1:0][7:0]     wt_data_i,
  // Column sums.
  output logic                    sum_valid_o,
  output logic [Dim-1:0][31:0]    sum_data_o
);
  // Not inlined: Verilator then keeps the state of a row in adjacent memory, which the C++ compiler vectorizes.
  /* verilator no_inline_module */
  `TPU_ASSERT_INIT(DimIsLegal, Dim >= 4 && Dim <= 32 && (Dim & (Dim - 1)) == 0)
  `TPU_ASSERT_INIT(RowsIsLegal, Rows >= 2 && Rows <= Dim)
  `TPU_ASSERT_INIT(OperandBitsIsLegal, OperandBits == 8 || (OperandBits == 32 && Recoded == 0))

  // Bits of a sum behind a number of rows.
  function automatic int bits_behind(input int rows);
    return OperandBits == 32 ? 32 : tpu_array_pkg::sum_bits(rows);
  endfunction
  localparam int SumBits = bits_behind(Rows);

  // Bit a: a valid vector entered a+1 cycles ago. It is in row k while its age is k+1 to k+Dim.
  logic [Rows+Dim-1:0] valid_q;
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[Rows+Dim-2:0], act_valid_i};
    if (!rst_ni) valid_q <= '0;
  end

  // Bit a: a swap entered a+1 cycles ago. It moves with its vector: it reaches lane n of row k at age k+n.
  logic                swap;
  logic [Rows+Dim-3:0] swap_q;
  assign swap = act_valid_i && act_swap_i;
  always_ff @(posedge clk_i) begin
    swap_q <= {swap_q[Rows+Dim-4:0], swap};
    if (!rst_ni) swap_q <= '0;
  end

  // Row k is busy (it holds or receives a valid operand) if row 0 was busy k cycles ago.
  logic            first_busy;
  localparam int   Later = Rows > 1 ? Rows - 1 : 1; // rows after row 0
  logic [Rows-1:1] busy_q;
  assign first_busy = act_valid_i || valid_q[Dim-1:0] != '0;
  always_ff @(posedge clk_i) begin
    busy_q <= Later'({busy_q, first_busy});
    if (!rst_ni) busy_q <= '0;
  end

  // The same for a swap: it is in row k, or enters it, if it was in row 0 k cycles ago.
  logic            first_swapping;
  logic [Rows-1:1] swapping_q;
  assign first_swapping = swap || swap_q[Dim-2:0] != '0;
  always_ff @(posedge clk_i) begin
    swapping_q <= Later'({swapping_q, first_swapping});
    if (!rst_ni) swapping_q <= '0;
  end

  localparam int SkewBusy = Rows > 2 ? Rows - 2 : 1;  // Ages at which a vector may still move in the skew.
  logic [Rows-1:0][7:0] act_skewed;
  tpu_array_skew #(.Dim(Rows)) u_skew (
    .clk_i,
    .en_i   (act_valid_i || valid_q[SkewBusy-1:0] != '0),
    .data_i (act_data_i),
    .data_o (act_skewed)
  );

  // Weights are recoded once, for all rows.
  localparam int WeightBits = Recoded != 0 ? $bits(tpu_array_pkg::weight_t) : 8;
  logic [Dim-1:0][WeightBits-1:0] wt_data;
  if (Recoded != 0) begin : gen_recoded
    for (genvar n = 0; n < Dim; n++) begin : gen_lane
      assign wt_data[n] = tpu_array_pkg::recoded(wt_data_i[n]);
    end
  end else begin : gen_plain
    assign wt_data = wt_data_i;
  end

  // Rows that load shadow weights, and those in which weights of either kind may change.
  logic [Rows-1:0] wt_sel, change;
  assign wt_sel = Rows'(wt_valid_i) << wt_row_i;
  always_comb begin
    change = {swapping_q, first_swapping};
    if (wt_valid_i) change = change | wt_sel;
  end

  // Rows of words, which a simulation has, move together: one test for all of them is cheaper than one for each.
  localparam bit Together = OperandBits == 32;
  logic any_busy, any_enter, any_change;
  assign any_busy   = first_busy || busy_q != '0;
  assign any_enter  = act_valid_i || valid_q[Rows-2:0] != '0;
  assign any_change = change != '0;

  for (genvar k = 0; k < Rows; k++) begin : gen_row
    localparam int InBits = bits_behind(k == 0 ? 1 : k);
    localparam int OutBits = bits_behind(k + 1);
    logic                        en, enter;
    logic [Dim-1:0]              swap_at;
    logic [Dim-1:0][InBits-1:0]  sum_in;
    logic [Dim-1:0][OutBits-1:0] sum_out;
    if (k == 0) begin : gen_first
      assign enter   = act_valid_i;
      assign en      = first_busy;
      assign swap_at = {swap_q[Dim-2:0], swap};
      assign sum_in  = '0;
    end else begin : gen_next
      assign enter   = valid_q[k-1];
      assign en      = busy_q[k];
      assign swap_at = swap_q[k+Dim-2:k-1];
      assign sum_in  = gen_row[k-1].sum_out;
    end
    tpu_array_row #(
      .Dim(Dim), .OperandBits(OperandBits), .Recoded(Recoded), .First(k == 0 ? 1 : 0),
      .SumInBits(InBits), .SumBits(OutBits)
    ) u_row (
      .clk_i,
      .en_i        (Together ? any_busy : en),
      .enter_i     (Together ? any_enter : enter),
      .act_data_i  (act_skewed[k]),
      .change_i    (change[k]),
      .any_change_i(any_change),
      .swap_i      (swap_at),
      .wt_valid_i  (wt_sel[k]),
      .wt_data_i   (wt_data),
      .sum_i       (sum_in),
      .sum_o       (sum_out)
    );
  end

  logic [Dim-1:0][SumBits-1:0] sums;
  tpu_array_deskew #(.Dim(Dim), .SumBits(SumBits)) u_deskew (
    .clk_i,
    .en_i   (valid_q[Rows+Dim-2:Rows] != '0),
    .data_i (gen_row[Rows-1].sum_out),
    .data_o (sums)
  );
  if (SumBits == 32) begin : gen_words
    assign sum_data_o = sums;
  end else begin : gen_extended
    for (genvar n = 0; n < Dim; n++) begin : gen_lane
      assign sum_data_o[n] = 32'($signed(sums[n]));
    end
  end
  assign sum_valid_o = valid_q[Rows+Dim-1];

`ifndef SYNTHESIS
  tpu_array_check #(.Dim(Dim), .Rows(Rows)) u_check (
    .clk_i,
    .rst_ni,
    .swaps_i ({swap_q, swap}),
    .wt_valid_i,
    .wt_row_i
  );
`endif
endmodule
