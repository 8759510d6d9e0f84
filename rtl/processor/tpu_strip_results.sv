// SPDX-License-Identifier: Apache-2.0
// Writes stored rows to the scratchpad or the accumulators, saturated to the width of their format. The planes of a row
// are written together where they are read so (tpu_strip_planes), or else one after the other.
//
// Where a row's planes lie is queued when the row is issued, with what is to be known of them, so that a write asks for
// its port early; its data are queued when they have been computed. Rows in the format
// of blocks are converted when they leave; where a block has several rows, they wait for the exponent, which is known
// with the last of them.
//
// Latency: two cycles from row_valid_i to the first write. Throughput: one row per cycle, or one plane of a row that
// takes several. Back-pressure: acc_wr_ready_i; none on the inputs, tpu_strip_issue never issues more
// than Depth rows that are not written.
//
// Protocol: place_valid_i and row_valid_i mark a place and a row for one cycle, wr_planes_o planes that are written.
// acc_wr_* is a valid/ready stream. stored_o marks the write of a row's last plane. fault_o.valid is a pulse; nothing
// is written afterwards until reset.
//
// Parameters: Dim (lanes), ScratchRows, AccRows (rows of the memories), BlockRows (scratchpad rows that have
// exponents), Depth (rows, power of two); BlockFloat, 0 for a core without blocks.
`include "tpu_assert.svh"
module tpu_strip_results #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int BlockRows = ScratchRows,
  parameter int AccRows = 1024,
  parameter int Depth = 16,
  parameter int BlockFloat = 1,
  localparam int Parts = Dim > 16 ? Dim / 16 : 1,
  localparam int Planes = 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Place of an issued row; place_ready_i: of a row that is stored and may be issued.
  input  logic                    place_valid_i,
  input  logic                    place_ready_i,
  input  logic [2:0]              place_format_i,
  input  logic [Planes-1:0][15:0] place_rows_i,    // of its planes
  input  logic                    place_ends_block_i,
  // Row.
  input  logic                    row_valid_i,
  input  logic [2:0]              row_format_i,
  input  logic                    row_ends_block_i,
  input  logic [Dim-1:0][31:0]    row_i,
  // Writes.
  output logic [Planes-1:0]       wr_planes_o,  // of the scratchpad
  output logic [32*Dim-1:0]       wr_data_o,    // a row for each plane
  output logic                    wr_blocks_o,  // with exponents
  output logic [Parts-1:0][7:0]   wr_exponents_o,
  output logic                    acc_wr_valid_o,
  input  logic                    acc_wr_ready_i,
  output logic [32*Dim-1:0]       acc_wr_data_o,
  output logic [Planes-1:0][15:0] wr_rows_o,       // of both memories: where the planes lie
  output logic                    stored_o,
  // Report. nonfinite_o changes with each row written whose block is not a number.
  output logic                    nonfinite_o,
  output tpu_report_pkg::fault_t  fault_o
);
  // The functions read wide operands directly from the signals, because a simulator copies arguments.
  function automatic logic [Dim-1:0][7:0] to_bytes(input logic unsigned_bytes);
    logic [31:0] word;
    for (int i = 0; i < Dim; i++) begin
      word = row_i[i];
      if (unsigned_bytes) to_bytes[i] = word[31] ? 8'd0 : word[30:8] != '0 ? 8'd255 : word[7:0];
      else to_bytes[i] = word[31:7] == {25{word[31]}} ? word[7:0] : {word[31], {7{!word[31]}}};
    end
  endfunction

  function automatic logic [Dim-1:0][15:0] to_halves();
    logic [31:0] word;
    for (int i = 0; i < Dim; i++) begin
      word = row_i[i];
      to_halves[i] = word[31:15] == {17{word[31]}} ? word[15:0] : {word[31], {15{!word[31]}}};
    end
  endfunction

  logic [32*Dim-1:0] narrowed, row;
  always_comb begin
    narrowed = '0;
    if (row_valid_i) begin
      case (row_format_i)
        tpu_kernel_pkg::FORMAT_I8, tpu_kernel_pkg::FORMAT_U8:
          narrowed[8*Dim-1:0] = to_bytes(row_format_i == tpu_kernel_pkg::FORMAT_U8);
        tpu_kernel_pkg::FORMAT_I16: narrowed[16*Dim-1:0] = to_halves();
        default: narrowed = row_i;
      endcase
    end
  end

  logic                   row_ready, row_valid, place_ready, place_valid;
  logic [$clog2(Depth):0]   unused_row_level;
  logic [$clog2(Depth)+1:0] unused_place_level;
  logic [2:0]             format;
  logic                   ends_block;

  tpu_fifo_ram #(.Width(32*Dim), .Depth(Depth)) u_rows (
    .clk_i, .rst_ni, .wr_valid_i(row_valid_i), .wr_ready_o(row_ready), .wr_data_i(narrowed),
    .rd_valid_o(row_valid), .rd_ready_i(stored_o), .rd_data_o(row), .level_o(unused_row_level)
  );

  // Of a place: its planes are written together, and which of them are outside their memory.
  logic               place_together, together;
  logic [Planes-1:0]  place_outside, outsides;
  logic [Planes+16:0] unused_planes;

  tpu_strip_planes #(.BlockRows(BlockRows)) u_planes (
    .valid_i(place_ready_i), .format_i(place_format_i), .rows_i(place_rows_i), .plane_i(2'd0),
    .planes_o(unused_planes[Planes-1:0]), .row_o(unused_planes[Planes +: 16]), .together_o(place_together),
    .last_o(unused_planes[Planes+16])
  );

  always_comb begin
    place_outside = '0;
    if (place_ready_i) begin  // An idle unit costs a simulation one test.
      for (int p = 0; p < Planes; p++) begin
        case (place_format_i)
          tpu_kernel_pkg::FORMAT_ACC:    place_outside[p] = 32'(place_rows_i[p]) >= AccRows;
          tpu_kernel_pkg::FORMAT_BLOCKS: place_outside[p] = 32'(place_rows_i[p]) >= BlockRows;
          default:                       place_outside[p] = 32'(place_rows_i[p]) >= ScratchRows;
        endcase
      end
    end
  end

  // Twice as deep: a place may enter in the cycle in which the oldest of Depth leaves. Its row comes cycles later.
  tpu_fifo_ram #(.Width(17 * Planes + 5), .Depth(2 * Depth)) u_places (
    .clk_i, .rst_ni, .wr_valid_i(place_valid_i), .wr_ready_o(place_ready),
    .wr_data_i({place_together, place_outside, place_ends_block_i, place_format_i, place_rows_i}),
    .rd_valid_o(place_valid), .rd_ready_i(stored_o),
    .rd_data_o({together, outsides, ends_block, format, wr_rows_o}), .level_o(unused_place_level)
  );

  // Exponents of blocks.
  logic                   to_blocks, in_blocks, exponent_ready, exponent_valid, exponent_used;
  logic [Parts-1:0][7:0]  row_exponents, block_exponents, greatest_q;
  logic [8*Dim-1:0]       mantissas;
  logic [$clog2(Depth):0] unused_exponent_level;

  if (BlockFloat != 0) begin : gen_exponents
    assign to_blocks = row_valid_i && row_format_i == tpu_kernel_pkg::FORMAT_BLOCKS;
    tpu_block_exponent #(.Dim(Dim)) u_exponent (.valid_i(to_blocks), .row_i, .exponents_o(row_exponents));

    // With fewer than 16 lanes a block's exponent is the greatest of several rows'.
    assign block_exponents = Dim < 16 && greatest_q > row_exponents ? greatest_q : row_exponents;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) greatest_q <= '0;
      else if (to_blocks) greatest_q <= row_ends_block_i ? '0 : block_exponents;
    end

    tpu_fifo #(.Width(8*Parts), .Depth(Depth)) u_exponents (
      .clk_i, .rst_ni, .wr_valid_i(to_blocks && row_ends_block_i), .wr_ready_o(exponent_ready),
      .wr_data_i(block_exponents), .rd_valid_o(exponent_valid), .rd_ready_i(exponent_used),
      .rd_data_o(wr_exponents_o), .level_o(unused_exponent_level)
    );
  end else begin : gen_no_exponents
    logic unused_exponents;
    assign unused_exponents      = ^{row_format_i, row_ends_block_i, exponent_used, to_blocks, block_exponents,
                                     greatest_q};
    assign to_blocks             = 1'b0;
    assign row_exponents         = '0;
    assign block_exponents       = row_exponents;
    assign greatest_q            = '0;
    assign exponent_ready        = 1'b1;
    assign exponent_valid        = 1'b0;
    assign unused_exponent_level = '0;
    assign wr_exponents_o        = '0;
  end

  logic [1:0]        plane_q;
  logic [Planes-1:0] planes;
  logic              in_acc, words, halves, outside, writes, written, last_plane, stopped_q;

  assign in_acc    = format == tpu_kernel_pkg::FORMAT_ACC;
  assign in_blocks = BlockFloat != 0 && format == tpu_kernel_pkg::FORMAT_BLOCKS;
  assign words     = format == tpu_kernel_pkg::FORMAT_I32;
  assign halves    = format == tpu_kernel_pkg::FORMAT_I16;

  always_comb begin
    planes     = '0;
    last_plane = 1'b0;
    outside    = 1'b0;
    writes     = 1'b0;
    if (row_valid && !stopped_q) begin  // An idle unit costs a simulation one test.
      planes     = !together ? Planes'(1) << plane_q : words ? 4'b1111 : 4'b0011;
      last_plane = together || plane_q == (words ? 2'd3 : halves ? 2'd1 : 2'd0);
      outside    = outsides[plane_q];
      writes     = !outside && (!in_blocks || exponent_valid);
    end
  end

  always_comb begin
    written       = 1'b0;
    stored_o      = 1'b0;
    exponent_used = 1'b0;
    if (row_valid) begin
      written       = writes && (!in_acc || acc_wr_ready_i);
      stored_o      = written && last_plane;
      exponent_used = stored_o && in_blocks && ends_block;
    end
  end

  assign wr_planes_o    = writes && !in_acc ? planes : '0;
  assign wr_blocks_o    = writes && in_blocks;
  assign acc_wr_valid_o = writes && in_acc;
  assign acc_wr_data_o  = row;

  if (BlockFloat != 0) begin : gen_mantissas
    tpu_block_mantissas #(.Dim(Dim)) u_mantissas (
      .valid_i(wr_blocks_o), .row_i(row), .exponents_i(wr_exponents_o), .mantissas_o(mantissas)
    );
  end else begin : gen_no_mantissas
    assign mantissas = '0;  // Nobody reads them, because wr_blocks_o is never high.
  end

  always_comb begin
    wr_data_o = row;
    if (wr_blocks_o) wr_data_o[8*Dim-1:0] = mantissas;
  end

  logic not_a_number;
  always_comb begin
    not_a_number = 1'b0;
    if (wr_blocks_o) begin
      for (int part = 0; part < Parts; part++) not_a_number = not_a_number || wr_exponents_o[part] == '1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) nonfinite_o <= 1'b0;
    else if (written && not_a_number) nonfinite_o <= !nonfinite_o;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) plane_q <= '0;
    else if (written) plane_q <= stored_o ? '0 : plane_q + 2'd1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      stopped_q     <= 1'b0;
      fault_o.valid <= 1'b0;
    end else begin
      fault_o.valid <= outside;
      if (outside) stopped_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (outside) begin
      fault_o.code <= in_acc ? tpu_pkg::ERROR_ACC_RANGE : tpu_pkg::ERROR_SCRATCH_RANGE;
      fault_o.addr <= 32'(wr_rows_o[plane_q]);
    end
  end

  `TPU_ASSERT_WHEN(ExponentHasRoom, to_blocks && row_ends_block_i, exponent_ready)
  `TPU_ASSERT_WHEN(RowHasRoom, row_valid_i, row_ready)
  `TPU_ASSERT_WHEN(PlaceHasRoom, place_valid_i, place_ready)
  `TPU_ASSERT_WHEN(RowHasPlace, row_valid, place_valid)
endmodule
