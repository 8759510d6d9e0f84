// SPDX-License-Identifier: Apache-2.0
// Data path of the depthwise unit: line memory for two rows of the input, a window of 3x3 vectors, and for each lane
// the sum of nine products.
//
// Positions arrive one by one in raster order. The line memory holds the last two vectors of every column; the window
// holds the last three columns of three rows. Vector (j, i) of window and weights, j rows and i columns before the
// current position, is at index 3*j+i.
//
// Latency: four cycles from emit_i to mac_valid_o. Throughput: one position and one output per cycle. Back-pressure:
// none, never stalls.
//
// Position port: step_i with the column of a position; its vector is on rd_data_i in the next cycle. emit_i is high
// with step_i if the position is the last tap of an output. Of the window, row_inside and column_inside select the
// vectors that belong to the input; the others, which may be undefined or of another row or block, are replaced by
// pad_value. Positions of the same column and block are at least three apart (asserted). swap_i is high with the first
// position of a block: this and later positions use the shadow weights, which must be complete in the next cycle.
//
// Line memory, window and results keep their values while no position arrives, so an idle unit costs neither power nor
// simulation time.
//
// Parameters: Dim (4, 8, 16 or 32); Columns (positions of a line, power of two). No effect on results: Recoded, 1 for
// the gates of tpu_depthwise_products, 0 for operators; SumBits of a sum of theirs, 20 or 32: it fits in 20, and words
// are faster to simulate.
`include "tpu_assert.svh"
module tpu_depthwise_lanes import tpu_mxu_pkg::*; #(
  parameter int Dim = 16,
  parameter int Columns = 256,
  parameter int Recoded = 1,
  parameter int SumBits = 20,
  localparam int Width = 8 * Dim,
  localparam int ColumnWidth = $clog2(Columns)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Positions.
  input  logic                     step_i,
  input  logic                     swap_i,
  input  logic [ColumnWidth-1:0]   column_i,
  input  logic [Dim-1:0][7:0]      rd_data_i,
  // Output of the position.
  input  logic                     emit_i,
  input  output_t                  output_i,
  // Shadow weights.
  input  logic [8:0][Dim-1:0][7:0] shadow_i,
  // Sums.
  output logic                     mac_valid_o,
  output logic [15:0]              mac_row_o,
  output logic                     mac_accumulate_o,
  output logic                     mac_last_o,
  output logic [Dim-1:0][31:0]     mac_data_o,
  // An output is in the pipeline.
  output logic                     busy_o
);
  `TPU_ASSERT_INIT(ColumnsPowerOfTwo, (Columns & (Columns - 1)) == 0)
  `TPU_ASSERT_INIT(RecodedIsLegal, Recoded == 0 || Recoded == 1)
  `TPU_ASSERT_INIT(SumFits, SumBits == 20 || SumBits == 32)

  typedef struct packed {
    logic [15:0] row;
    logic        accumulate;
    logic        last;
  } destination_t;

  // Stages: vector read; window; products; sum.
  logic                     step_d1_q, step_d2_q, swap_d1_q;
  logic [3:0]               emit_q; // bit a: emit_i was high a+1 cycles ago
  logic [ColumnWidth-1:0]   column_d1_q, column_d2_q;
  output_t                  output_d1_q;
  logic [2:0][2:0]          inside_d2_q;
  logic [7:0]               pad_d2_q;
  destination_t             to_d2_q, to_d3_q, to_d4_q;
  logic [8:0][Dim-1:0][7:0] window_q, weight_q;

  // The two rows above: read with the position, written back when its vector is in the window.
  logic [1:0][Dim-1:0][7:0] above;
  tpu_ram #(.Width(2 * Width), .Depth(Columns)) u_lines (
    .clk_i,
    .rd_en_i(step_i), .rd_addr_i(column_i), .rd_data_o(above),
    .wr_en_i(step_d2_q), .wr_addr_i(column_d2_q), .wr_data_i({window_q[3], window_q[0]}),
    .wr_mask_i(1'b1)
  );
  // A column must not come again in the same block before its vector is in the line memory.
  `TPU_ASSERT_WHEN(ColumnsThreeApart, step_i, swap_i || !(
    (step_d1_q && column_i == column_d1_q) ||
    (step_d2_q && column_i == column_d2_q && !(step_d1_q && swap_d1_q))),
    ("column %0d, before it %0d (%b) and %0d (%b)\n", column_i, column_d1_q, step_d1_q, column_d2_q, step_d2_q))
  `TPU_ASSERT_WHEN(OutputHasPosition, emit_i, step_i)

  /* verilator tracing_off */  // Loop variables are not worth tracing.
  always_ff @(posedge clk_i) begin
    step_d1_q <= step_i && rst_ni;
    step_d2_q <= step_d1_q;
    emit_q <= {emit_q[2:0], emit_i};
    if (step_i) begin
      swap_d1_q <= swap_i;
      column_d1_q <= column_i;
    end
    if (emit_i) output_d1_q <= output_i;
    if (step_d1_q) begin
      column_d2_q <= column_d1_q;
      for (int j = 0; j < 3; j++) begin
        window_q[3*j+2] <= window_q[3*j+1];
        window_q[3*j+1] <= window_q[3*j];
      end
      window_q[0] <= rd_data_i;
      window_q[3] <= above[0];
      window_q[6] <= above[1];
      if (swap_d1_q) weight_q <= shadow_i;
    end
    if (emit_q[0]) begin
      for (int j = 0; j < 3; j++) inside_d2_q[j] <= output_d1_q.row_inside[j] ? output_d1_q.column_inside : '0;
      pad_d2_q <= output_d1_q.pad_value;
      to_d2_q <= '{row: output_d1_q.acc_row, accumulate: output_d1_q.accumulate, last: output_d1_q.last};
    end
    if (emit_q[1]) to_d3_q <= to_d2_q;
    if (emit_q[2]) to_d4_q <= to_d3_q;
    if (!rst_ni) begin
      step_d2_q <= 1'b0;
      emit_q <= '0;
    end
  end
  /* verilator tracing_on */

  // Products and sum. `window_q` and `weight_q` are those of the output while emit_q[1] is high.
  if (Recoded != 0) begin : gen_recoded
    for (genvar n = 0; n < Dim; n++) begin : gen_lane
      logic [8:0][7:0] value, weight;
      logic [18:0]     sum, carry, sum_q, carry_q, total_q;
      for (genvar t = 0; t < 9; t++) begin : gen_tap
        assign value[t]  = inside_d2_q[t/3][t%3] ? window_q[t][n] : pad_d2_q;
        assign weight[t] = weight_q[t][n];
      end
      tpu_depthwise_products u_products (.value_i(value), .weight_i(weight), .sum_o(sum), .carry_o(carry));
      always_ff @(posedge clk_i) begin
        if (emit_q[1]) begin
          sum_q   <= sum;
          carry_q <= carry;
        end
        if (emit_q[2]) total_q <= sum_q + carry_q;
      end
      assign mac_data_o[n] = 32'($signed(total_q));
    end
  end else begin : gen_words
    logic [8:0][Dim-1:0][31:0]   product_q;
    logic [Dim-1:0][SumBits-1:0] sum_q;
    /* verilator tracing_off */  // Loop variables are not worth tracing.
    always_ff @(posedge clk_i) begin
      if (emit_q[1]) begin
        for (int t = 0; t < 9; t++) begin
          for (int n = 0; n < Dim; n++) begin
            product_q[t][n] <= 32'($signed(inside_d2_q[t/3][t%3] ? window_q[t][n] : pad_d2_q))
                                             * 32'($signed(weight_q[t][n]));
          end
        end
      end
      if (emit_q[2]) begin
        for (int n = 0; n < Dim; n++) begin
          sum_q[n] <= SumBits'(product_q[0][n] + product_q[1][n] + product_q[2][n] + product_q[3][n] + product_q[4][n]
                               + product_q[5][n] + product_q[6][n] + product_q[7][n] + product_q[8][n]);
        end
      end
    end
    /* verilator tracing_on */
    if (SumBits == 32) begin : gen_whole
      assign mac_data_o = sum_q;
    end else begin : gen_extended
      for (genvar n = 0; n < Dim; n++) begin : gen_lane
        assign mac_data_o[n] = 32'($signed(sum_q[n]));
      end
    end
  end

  assign mac_valid_o = emit_q[3];
  assign mac_row_o = to_d4_q.row;
  assign mac_accumulate_o = to_d4_q.accumulate;
  assign mac_last_o = to_d4_q.last;
  assign busy_o = emit_q != '0;
endmodule
