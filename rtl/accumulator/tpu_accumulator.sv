// SPDX-License-Identifier: Apache-2.0
// Accumulators: AccRows rows of Dim int32, the even and the odd ones in a memory each, between the array and the vector
// unit. Both sides walk from row to row, so that they use the two memories in turn and pass each other after at most
// one wait.
//
// Matrix side: mac_valid_i adds mac_data_i to row mac_row_i (mac_accumulate_i high) or overwrites it. Never stalls. The
// row is read in the cycle of mac_valid_i, and added to and written in the next; the new row can be read from the
// second cycle after mac_valid_i on. Two uses of the same row must be at least four cycles apart (asserted), so no
// forwarding is needed. Sums wrap at 2^32.
//
// In block floating point (mac_block_i) rows are binary32. The products of a block come in one row, or with fewer than
// 16 lanes in several: from that with mac_begin_i to that with mac_complete_i their integers are summed in a memory of
// their own; then tpu_block_adder scales them by both exponents and adds them. The row is read one cycle after
// that, with fewer than 16 lanes two; the new row is written six cycles after mac_valid_i, or seven; uses of the same
// row must be eight cycles apart, and as many must pass before a row of integers (asserted).
//
// Vector side: valid/ready. The row of a granted read is on vec_rd_data_o in the next cycle, for that cycle only. A
// write is done in the cycle of its grant. The matrix side has priority: ready is low only in cycles in which the
// matrix side uses the same port of the same bank.
//
// Clearing: while clear_i is high, row clear_row_i of each bank is set to zero; both sides must be idle.
//
// Latency: see the two sides. Throughput: one multiply-accumulate, one read and one write per cycle. Back-pressure: on
// the vector side only. The program orders accesses of the two sides with semaphores; the engines must not access rows
// beyond AccRows (asserted).
//
// Bit 0 of a row number selects the bank, the bits above are the row within it.
//
// Parameters: Dim (lanes, at least 4), AccRows (power of two, 4 to 65536); BlockFloat, 0 for a core without block
// floating point, whose mac_block_i is always low.
`include "tpu_assert.svh"
module tpu_accumulator #(
  parameter int Dim = 16,
  parameter int AccRows = 1024,
  parameter int BlockFloat = 1,
  localparam int BankRows = AccRows / 2,
  localparam int BW = $clog2(BankRows)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Matrix side.
  input  logic                 mac_valid_i,
  input  logic [15:0]          mac_row_i,
  input  logic                 mac_accumulate_i,
  input  logic [Dim-1:0][31:0] mac_data_i,
  input  logic                 mac_block_i,
  input  logic                 mac_begin_i,
  input  logic                 mac_complete_i,
  input  logic [7:0]           mac_act_exponent_i,
  input  logic [Dim-1:0][7:0]  mac_weight_exponents_i,
  // Vector side, read.
  input  logic                 vec_rd_valid_i,
  output logic                 vec_rd_ready_o,
  input  logic [15:0]          vec_rd_row_i,
  output logic [Dim-1:0][31:0] vec_rd_data_o,
  // Vector side, write.
  input  logic                 vec_wr_valid_i,
  output logic                 vec_wr_ready_o,
  input  logic [15:0]          vec_wr_row_i,
  input  logic [Dim-1:0][31:0] vec_wr_data_i,
  // Clearing.
  input  logic                 clear_i,
  input  logic [BW-1:0]        clear_row_i
);
  `TPU_ASSERT_INIT(AccRowsIsLegal, AccRows >= 4 && AccRows <= 65536 && (AccRows & (AccRows - 1)) == 0)

  // Sums of a block's products, in the cycle before the row of binary32 is read.
  logic                 block_valid, block_accumulate;
  logic [BW:0]          block_row;
  logic [7:0]           block_act_exponent;
  logic [Dim-1:0][7:0]  block_weight_exponents;
  logic [Dim-1:0][31:0] block_products;

  if (BlockFloat == 0) begin : gen_integers
    logic unused_blocks;
    assign unused_blocks          = ^{mac_begin_i, mac_complete_i, mac_act_exponent_i, mac_weight_exponents_i};
    assign block_valid            = 1'b0;
    assign block_row              = '0;
    assign block_accumulate       = 1'b0;
    assign block_act_exponent     = '0;
    assign block_weight_exponents = '0;
    assign block_products         = '0;
  end else if (Dim < 16) begin : gen_planes
    tpu_block_planes #(.Dim(Dim), .Rows(AccRows)) u_planes (
      .clk_i, .rst_ni,
      .valid_i(mac_block_i), .row_i(mac_row_i[BW:0]), .begin_i(mac_begin_i), .complete_i(mac_complete_i),
      .accumulate_i(mac_accumulate_i), .act_exponent_i(mac_act_exponent_i),
      .weight_exponents_i(mac_weight_exponents_i), .products_i(mac_data_i),
      .valid_o(block_valid), .row_o(block_row), .accumulate_o(block_accumulate),
      .act_exponent_o(block_act_exponent), .weight_exponents_o(block_weight_exponents), .products_o(block_products)
    );
  end else begin : gen_whole
    logic unused_planes;
    assign unused_planes          = mac_begin_i ^ mac_complete_i;
    assign block_valid            = mac_block_i;
    assign block_row              = mac_row_i[BW:0];
    assign block_accumulate       = mac_accumulate_i;
    assign block_act_exponent     = mac_act_exponent_i;
    assign block_weight_exponents = mac_weight_exponents_i;
    assign block_products         = mac_data_i;
  end

  // Addition of binary32, and the rows whose sums are on their way.
  localparam int AddCycles = 6; // latency of the adder
  logic                       sum_valid, adding, block_rd_q;
  logic [Dim-1:0][31:0]       sum;
  logic [AddCycles-1:0][BW:0] rows_q;

  // The row that the matrix side reads, and that which it read in the cycle before.
  logic                 mac_rd;
  logic [BW:0]          mac_rd_row;
  logic                 mac_bank_q;
  logic [Dim-1:0][31:0] mac_read;
  always_comb begin
    mac_rd     = mac_valid_i && mac_accumulate_i && !mac_block_i;
    mac_rd_row = mac_row_i[BW:0];
    if (block_rd_q) begin
      mac_rd     = 1'b1;
      mac_rd_row = rows_q[0];
    end
  end
  always_ff @(posedge clk_i) if (mac_rd) mac_bank_q <= mac_rd_row[0];
  always_comb begin
    if (mac_bank_q) mac_read = gen_bank[1].rd_data;
    else mac_read = gen_bank[0].rd_data;
  end

  if (BlockFloat != 0) begin : gen_adder
    tpu_block_adder #(.Dim(Dim)) u_adder (
      .clk_i, .rst_ni,
      .valid_i(block_valid), .add_i(block_accumulate), .sum_i(block_products), .act_exponent_i(block_act_exponent),
      .weight_exponent_i(block_weight_exponents), .acc_i(mac_read), .busy_o(adding), .valid_o(sum_valid),
      .result_o(sum)
    );
  end else begin : gen_no_adder
    logic unused_products;
    assign unused_products = ^{block_products, block_act_exponent, block_weight_exponents};
    assign adding          = 1'b0;
    assign sum_valid       = 1'b0;
    assign sum             = '0;
  end
  logic blocks; // One test of a simulation, where there are none.
  assign blocks = block_valid || adding;
  always_ff @(posedge clk_i) begin
    block_rd_q <= block_valid && block_accumulate && rst_ni;
    if (blocks) rows_q <= {rows_q[AddCycles-2:0], block_row};
  end

  // Second cycle of the multiply-accumulate.
  logic                 mac_valid_q, mac_add_q;
  logic [BW:0]          mac_row_q;
  logic [Dim-1:0][31:0] mac_data_q;
  always_ff @(posedge clk_i) begin
    mac_valid_q <= mac_valid_i && !mac_block_i && rst_ni;
    if (mac_valid_i) begin
      mac_add_q  <= mac_accumulate_i;
      mac_row_q  <= mac_row_i[BW:0];
      mac_data_q <= mac_data_i;
    end
  end
  `TPU_ASSERT_WHEN(FormatsApart, blocks, !mac_valid_i || mac_block_i)

  // The row that the matrix side writes: a sum of either format.
  logic                 mac_wr;
  logic [BW:0]          mac_wr_row;
  logic [Dim-1:0][31:0] mac_wr_data;
  assign mac_wr = mac_valid_q || sum_valid;
  /* verilator tracing_off */  // Loop variables are not worth tracing.
  always_comb begin
    mac_wr_row = mac_row_q;
    if (sum_valid) begin
      mac_wr_row  = rows_q[AddCycles-1];
      mac_wr_data = sum;
    end else if (mac_valid_q) begin
      for (int n = 0; n < Dim; n++) begin
        mac_wr_data[n] = (mac_add_q ? mac_read[n] : '0) + mac_data_q[n];
      end
    end else begin
      mac_wr_data = 'x;
    end
  end
  /* verilator tracing_on */

  assign vec_rd_ready_o = !(mac_rd && mac_rd_row[0] == vec_rd_row_i[0]);
  assign vec_wr_ready_o = !(mac_wr && mac_wr_row[0] == vec_wr_row_i[0]);

  for (genvar b = 0; b < 2; b++) begin : gen_bank
    logic                 rd_mac;
    logic [BW-1:0]        rd_row;
    logic [Dim-1:0][31:0] rd_data;

    assign rd_mac = mac_rd && mac_rd_row[0] == 1'(b);
    assign rd_row = rd_mac ? mac_rd_row[BW:1] : vec_rd_row_i[BW:1];

    tpu_accumulator_bank #(.Dim(Dim), .Rows(BankRows)) u_bank (
      .clk_i,
      .rd_en_i    (rd_mac || (vec_rd_valid_i && vec_rd_row_i[0] == 1'(b))),
      .rd_row_i   (rd_row),
      .rd_data_o  (rd_data),
      .mac_en_i   (mac_wr && mac_wr_row[0] == 1'(b)),
      .mac_row_i  (mac_wr_row[BW:1]),
      .mac_data_i (mac_wr_data),
      .wr_en_i    (vec_wr_valid_i && vec_wr_row_i[0] == 1'(b)),
      .wr_row_i   (vec_wr_row_i[BW:1]),
      .wr_data_i  (vec_wr_data_i),
      .clear_i,
      .clear_row_i
    );
  end

  // The bank that the vector side read last. Two branches, which simulate faster than a mux.
  logic vec_bank_q;
  always_ff @(posedge clk_i) if (vec_rd_valid_i) vec_bank_q <= vec_rd_row_i[0];
  always_comb begin
    if (vec_bank_q) vec_rd_data_o = gen_bank[1].rd_data;
    else vec_rd_data_o = gen_bank[0].rd_data;
  end

`ifndef SYNTHESIS
  tpu_accumulator_check #(.AccRows(AccRows)) u_check (
    .clk_i,
    .rst_ni,
    .mac_valid_i,
    .mac_block_i,
    .mac_row_i,
    .vec_rd_valid_i,
    .vec_rd_row_i,
    .vec_wr_valid_i,
    .vec_wr_row_i
  );
`endif
endmodule
