// SPDX-License-Identifier: Apache-2.0
// Activation memory: eight banks of rows of Dim bytes, shared by the engines, and a bank of exponents for block
// floating point.
//
// The high bits of a row number select the bank, so that software can avoid conflicts by placement. Rows from Rows on
// are those of the exponents: they hold a byte for each row of the other banks, or, with more than 16 lanes, for each
// 16 of a row. The MXU and the VPU read the exponents of a row together with the row, and the VPU writes them so; all
// reach the rows of exponents as they do the others. Each bank has one
// read and one write port. A port of a bank serves one request per cycle, in the order of priority MXU, VPU, STORE for
// reads and VPU, LOAD for writes. Requests not served wait (ready low); their engine reports a bank conflict. While
// store_claim_i is high, STORE has priority over the VPU, and the MXU must not read (asserted).
//
// Latency: read data in the cycle after the grant, for that cycle only.
// Throughput: one row per port and cycle while the ports address different banks.
// Back-pressure: by ready, combinational from the requests of higher priority; the reads of the MXU and the writes of
// the VPU are never refused.
// Protocol: valid/ready. Rows must be within the memory; the engines check that (asserted here).
// Clearing: while clear_i is high, row clear_row_i of every bank is set to zero; writes of the ports are lost.
//
// A row of exponents must not be written while the MXU reads another exponent of it: programs synchronize by rows.
//
// Parameters: Dim (bytes per row), Rows (8 * 3 * 2^k or 8 * 2^k; multiple of Dim).
`include "tpu_assert.svh"
module tpu_scratchpad #(
  parameter int Dim = 16,
  parameter int Rows = 12288,
  localparam int Width = 8 * Dim,
  localparam int BlockLanes = Dim < 16 ? Dim : 16,
  localparam int Parts = Dim / BlockLanes // exponents of a row
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // Read port of the MXU: always granted. mxu_rd_blocks_i: with the exponents of the row.
  input  logic               mxu_rd_valid_i,
  input  logic               mxu_rd_blocks_i,
  input  logic [15:0]        mxu_rd_row_i,
  output logic [Width-1:0]   mxu_rd_data_o,
  output logic [8*Parts-1:0] mxu_rd_exponents_o,
  // Read port of the VPU, in the same way.
  input  logic               vpu_rd_valid_i,
  output logic               vpu_rd_ready_o,
  input  logic               vpu_rd_blocks_i,
  input  logic [15:0]        vpu_rd_row_i,
  output logic [Width-1:0]   vpu_rd_data_o,
  output logic [8*Parts-1:0] vpu_rd_exponents_o,
  // Read port of STORE.
  input  logic               store_claim_i,
  input  logic               store_rd_valid_i,
  output logic               store_rd_ready_o,
  input  logic [15:0]        store_rd_row_i,
  output logic [Width-1:0]   store_rd_data_o,
  // Write port of the VPU: whole rows, always granted. vpu_wr_blocks_i: with the exponents of the row.
  input  logic               vpu_wr_valid_i,
  input  logic               vpu_wr_blocks_i,
  input  logic [15:0]        vpu_wr_row_i,
  input  logic [Width-1:0]   vpu_wr_data_i,
  input  logic [8*Parts-1:0] vpu_wr_exponents_i,
  // Write port of LOAD: bytes under a mask.
  input  logic               load_wr_valid_i,
  output logic               load_wr_ready_o,
  input  logic [15:0]        load_wr_row_i,
  input  logic [Width-1:0]   load_wr_data_i,
  input  logic [Dim-1:0]     load_wr_mask_i,
  // Clearing.
  input  logic               clear_i,
  input  logic [15:0]        clear_row_i
);
  localparam int Banks = 8;
  localparam int BankRows = Rows / Banks;
  localparam int IndexWidth = $clog2(BankRows);
  // For banks of 3 * 2^k rows the bank number is the row number shifted right by k, divided by three; for banks of 2^k
  // rows the shift is enough.
  localparam int Thirds = (BankRows % 3 == 0) ? 3 : 1;
  localparam int LowWidth = $clog2(BankRows / Thirds);
  localparam int ExponentRows = Rows / BlockLanes;
  localparam int ExponentWidth = $clog2(ExponentRows);
  localparam int End = Rows + ExponentRows; // the first row that does not exist

  `TPU_ASSERT_INIT(RowsFitBanks, Rows == Banks * Thirds * (1 << LowWidth) && End <= 65536)
  `TPU_ASSERT_WHEN(MxuRowInRange, mxu_rd_valid_i, 32'(mxu_rd_row_i) < (mxu_rd_blocks_i ? Rows : End))
  `TPU_ASSERT_WHEN(VpuRowInRange, vpu_rd_valid_i, 32'(vpu_rd_row_i) < (vpu_rd_blocks_i ? Rows : End))
  `TPU_ASSERT_WHEN(MxuPausesForClaim, store_claim_i, !mxu_rd_valid_i)
  `TPU_ASSERT_WHEN(StoreRowInRange, store_rd_valid_i, 32'(store_rd_row_i) < End)
  `TPU_ASSERT_WHEN(VpuWriteInRange, vpu_wr_valid_i, 32'(vpu_wr_row_i) < (vpu_wr_blocks_i ? Rows : End))
  `TPU_ASSERT_WHEN(LoadWriteInRange, load_wr_valid_i, 32'(load_wr_row_i) < End)

  // hi / 3 equals hi * 11 / 32 for hi below 24, which covers eight banks; above, the result is at least 8. Bit 3 marks
  // the exponents.
  function automatic [3:0] bank_of(input logic [15:0] row);
    logic [9:0] hi;
    hi = 10'(row >> LowWidth);
    bank_of = 4'((Thirds == 3) ? (hi * 10'd11) >> 5 : hi);
    if (bank_of[3]) bank_of = 4'd8;
  endfunction
  // Row within its bank.
  function automatic [IndexWidth-1:0] index_in(input logic [15:0] row, input logic [3:0] bank);
    index_in = IndexWidth'(32'(row) - 32'(bank) * BankRows);
  endfunction

  logic [3:0]            mxu_rd_bank, vpu_rd_bank, store_rd_bank, vpu_wr_bank, load_wr_bank;
  logic [IndexWidth-1:0] mxu_rd_index, vpu_rd_index, store_rd_index, vpu_wr_index, load_wr_index;
  logic                  vpu_rd_grant, store_rd_grant, load_wr_grant;
  // The bank that each port accesses, one-hot.
  logic [Banks:0]        mxu_rd_sel, vpu_rd_sel, store_rd_sel, vpu_wr_sel, load_wr_sel;

  always_comb begin
    mxu_rd_bank = '0;
    mxu_rd_index = '0;
    vpu_rd_bank = '0;
    vpu_rd_index = '0;
    store_rd_bank = '0;
    store_rd_index = '0;
    vpu_wr_bank = '0;
    vpu_wr_index = '0;
    load_wr_bank = '0;
    load_wr_index = '0;
    vpu_rd_grant = 1'b0;
    store_rd_grant = 1'b0;
    load_wr_grant = 1'b0;
    mxu_rd_sel = '0;
    vpu_rd_sel = '0;
    store_rd_sel = '0;
    vpu_wr_sel = '0;
    load_wr_sel = '0;
    if (mxu_rd_valid_i) begin
      mxu_rd_bank = bank_of(mxu_rd_row_i);
      mxu_rd_index = index_in(mxu_rd_row_i, mxu_rd_bank);
      mxu_rd_sel = (Banks+1)'(1) << mxu_rd_bank;
    end
    if (vpu_rd_valid_i) begin
      vpu_rd_bank = bank_of(vpu_rd_row_i);
      vpu_rd_index = index_in(vpu_rd_row_i, vpu_rd_bank);
    end
    if (store_rd_valid_i) begin
      store_rd_bank = bank_of(store_rd_row_i);
      store_rd_index = index_in(store_rd_row_i, store_rd_bank);
      store_rd_grant = store_claim_i || (!(mxu_rd_valid_i && mxu_rd_bank == store_rd_bank)
                                         && !((mxu_rd_blocks_i || vpu_rd_blocks_i) && store_rd_bank[3])
                                         && !(vpu_rd_valid_i && vpu_rd_bank == store_rd_bank));
      store_rd_sel = (Banks+1)'(store_rd_grant) << store_rd_bank;
    end
    if (vpu_rd_valid_i) begin
      vpu_rd_grant = !(mxu_rd_valid_i && (mxu_rd_bank == vpu_rd_bank || (vpu_rd_blocks_i && mxu_rd_bank[3])))
                  && !(mxu_rd_blocks_i && (vpu_rd_bank[3] || vpu_rd_blocks_i))
                  && !(store_claim_i && store_rd_valid_i
                       && (store_rd_bank == vpu_rd_bank || (vpu_rd_blocks_i && store_rd_bank[3])));
      vpu_rd_sel = (Banks+1)'(vpu_rd_grant) << vpu_rd_bank;
    end
    if (vpu_wr_valid_i) begin
      vpu_wr_bank = bank_of(vpu_wr_row_i);
      vpu_wr_index = index_in(vpu_wr_row_i, vpu_wr_bank);
      vpu_wr_sel = (Banks+1)'(1) << vpu_wr_bank;
    end
    if (load_wr_valid_i) begin
      load_wr_bank = bank_of(load_wr_row_i);
      load_wr_index = index_in(load_wr_row_i, load_wr_bank);
      load_wr_grant = !(vpu_wr_valid_i && (vpu_wr_bank == load_wr_bank || (vpu_wr_blocks_i && load_wr_bank[3])));
      load_wr_sel = (Banks+1)'(load_wr_grant) << load_wr_bank;
    end
  end

  assign vpu_rd_ready_o = vpu_rd_grant;
  assign store_rd_ready_o = store_rd_grant;
  assign load_wr_ready_o = load_wr_grant;

  logic [Banks:0]   reads, writes;
  logic [Banks-1:0] wr_en;
  assign reads  = mxu_rd_sel | vpu_rd_sel | store_rd_sel;
  assign writes = vpu_wr_sel | load_wr_sel;
  assign wr_en  = clear_i ? {Banks{32'(clear_row_i) < BankRows}} : writes[Banks-1:0];

  // Banks.
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [IndexWidth-1:0] rd_index, wr_index;
    logic [Width-1:0]      wr_data, rd_data;
    logic [Dim-1:0]        wr_mask;

    assign rd_index = mxu_rd_sel[b] ? mxu_rd_index : vpu_rd_sel[b] ? vpu_rd_index : store_rd_index;
    assign wr_index = clear_i ? clear_row_i[IndexWidth-1:0] : vpu_wr_sel[b] ? vpu_wr_index : load_wr_index;
    assign wr_data  = clear_i ? '0 : vpu_wr_sel[b] ? vpu_wr_data_i : load_wr_data_i;
    assign wr_mask  = clear_i || vpu_wr_sel[b] ? '1 : load_wr_mask_i;

    tpu_ram #(.Width(Width), .Depth(BankRows), .LaneWidth(8)) u_ram (
      .clk_i,
      .rd_en_i(reads[b]), .rd_addr_i(rd_index), .rd_data_o(rd_data),
      .wr_en_i(wr_en[b]), .wr_addr_i(wr_index), .wr_data_i(wr_data), .wr_mask_i(wr_mask)
    );
  end

  // The exponents. Those of one row are some of the lanes of a word.
  localparam int PlaceWidth = $clog2(BlockLanes);
  logic                     exponent_rd, exponent_wr;
  logic [ExponentWidth-1:0] exponent_rd_index, exponent_wr_index;
  logic [Width-1:0]         exponent_rd_data, exponent_wr_data;
  logic [Dim-1:0]           exponent_wr_mask;
  logic [PlaceWidth-1:0]    mxu_place_q, vpu_place_q;

  assign exponent_rd = mxu_rd_blocks_i || (vpu_rd_blocks_i && vpu_rd_grant) || reads[Banks];
  assign exponent_rd_index = mxu_rd_blocks_i                 ? ExponentWidth'(mxu_rd_row_i >> PlaceWidth)
                           : mxu_rd_sel[Banks]               ? ExponentWidth'(32'(mxu_rd_row_i) - Rows)
                           : vpu_rd_blocks_i && vpu_rd_grant ? ExponentWidth'(vpu_rd_row_i >> PlaceWidth)
                           : vpu_rd_sel[Banks]               ? ExponentWidth'(32'(vpu_rd_row_i) - Rows)
                                                             : ExponentWidth'(32'(store_rd_row_i) - Rows);

  assign exponent_wr = clear_i         ? 32'(clear_row_i) < ExponentRows
                     : vpu_wr_blocks_i ? vpu_wr_valid_i : writes[Banks];
  assign exponent_wr_index = clear_i           ? clear_row_i[ExponentWidth-1:0]
                           : vpu_wr_blocks_i   ? ExponentWidth'(vpu_wr_row_i >> PlaceWidth)
                           : vpu_wr_sel[Banks] ? ExponentWidth'(32'(vpu_wr_row_i) - Rows)
                                               : ExponentWidth'(32'(load_wr_row_i) - Rows);
  assign exponent_wr_data = clear_i           ? '0
                          : vpu_wr_blocks_i   ? {BlockLanes{vpu_wr_exponents_i}}
                          : vpu_wr_sel[Banks] ? vpu_wr_data_i : load_wr_data_i;
  assign exponent_wr_mask = clear_i           ? '1
                          : vpu_wr_blocks_i   ? Dim'({Parts{1'b1}}) << (32'(vpu_wr_row_i[PlaceWidth-1:0]) * Parts)
                          : vpu_wr_sel[Banks] ? '1 : load_wr_mask_i;

  tpu_ram #(.Width(Width), .Depth(ExponentRows), .LaneWidth(8)) u_exponents (
    .clk_i,
    .rd_en_i(exponent_rd), .rd_addr_i(exponent_rd_index), .rd_data_o(exponent_rd_data),
    .wr_en_i(exponent_wr), .wr_addr_i(exponent_wr_index), .wr_data_i(exponent_wr_data), .wr_mask_i(exponent_wr_mask)
  );

  logic mxu_blocks_q, vpu_blocks_q;
  always_ff @(posedge clk_i) begin
    mxu_blocks_q <= mxu_rd_blocks_i;
    vpu_blocks_q <= vpu_rd_blocks_i;
    if (mxu_rd_blocks_i) mxu_place_q <= mxu_rd_row_i[PlaceWidth-1:0];
    if (vpu_rd_blocks_i) vpu_place_q <= vpu_rd_row_i[PlaceWidth-1:0];
  end
  always_comb begin
    mxu_rd_exponents_o = '0;
    vpu_rd_exponents_o = '0;
    if (mxu_blocks_q) mxu_rd_exponents_o = exponent_rd_data[8*Parts*mxu_place_q +: 8*Parts];
    if (vpu_blocks_q) vpu_rd_exponents_o = exponent_rd_data[8*Parts*vpu_place_q +: 8*Parts];
  end
  `TPU_ASSERT_WHEN(MxuExponentsOfARow, mxu_rd_blocks_i, mxu_rd_valid_i)
  `TPU_ASSERT_WHEN(VpuExponentsOfARow, vpu_rd_blocks_i, vpu_rd_valid_i)

  // The bank that was granted selects the read data one cycle later.
  logic [3:0] mxu_bank_q, vpu_bank_q, store_bank_q;
  logic       mxu_valid_q, vpu_valid_q, store_valid_q;

  always_ff @(posedge clk_i) begin
    mxu_valid_q <= mxu_rd_valid_i;
    vpu_valid_q <= vpu_rd_grant;
    store_valid_q <= store_rd_grant;
    mxu_bank_q <= mxu_rd_bank;
    vpu_bank_q <= vpu_rd_bank;
    store_bank_q <= store_rd_bank;
  end

  always_comb begin
    mxu_rd_data_o = '0;
    if (mxu_valid_q) begin
      case (mxu_bank_q)
        4'd0: mxu_rd_data_o = gen_bank[0].rd_data;
        4'd1: mxu_rd_data_o = gen_bank[1].rd_data;
        4'd2: mxu_rd_data_o = gen_bank[2].rd_data;
        4'd3: mxu_rd_data_o = gen_bank[3].rd_data;
        4'd4: mxu_rd_data_o = gen_bank[4].rd_data;
        4'd5: mxu_rd_data_o = gen_bank[5].rd_data;
        4'd6: mxu_rd_data_o = gen_bank[6].rd_data;
        4'd7: mxu_rd_data_o = gen_bank[7].rd_data;
        default: mxu_rd_data_o = exponent_rd_data;
      endcase
    end
  end
  always_comb begin
    vpu_rd_data_o = '0;
    if (vpu_valid_q) begin
      case (vpu_bank_q)
        4'd0: vpu_rd_data_o = gen_bank[0].rd_data;
        4'd1: vpu_rd_data_o = gen_bank[1].rd_data;
        4'd2: vpu_rd_data_o = gen_bank[2].rd_data;
        4'd3: vpu_rd_data_o = gen_bank[3].rd_data;
        4'd4: vpu_rd_data_o = gen_bank[4].rd_data;
        4'd5: vpu_rd_data_o = gen_bank[5].rd_data;
        4'd6: vpu_rd_data_o = gen_bank[6].rd_data;
        4'd7: vpu_rd_data_o = gen_bank[7].rd_data;
        default: vpu_rd_data_o = exponent_rd_data;
      endcase
    end
  end
  always_comb begin
    store_rd_data_o = '0;
    if (store_valid_q) begin
      case (store_bank_q)
        4'd0: store_rd_data_o = gen_bank[0].rd_data;
        4'd1: store_rd_data_o = gen_bank[1].rd_data;
        4'd2: store_rd_data_o = gen_bank[2].rd_data;
        4'd3: store_rd_data_o = gen_bank[3].rd_data;
        4'd4: store_rd_data_o = gen_bank[4].rd_data;
        4'd5: store_rd_data_o = gen_bank[5].rd_data;
        4'd6: store_rd_data_o = gen_bank[6].rd_data;
        4'd7: store_rd_data_o = gen_bank[7].rd_data;
        default: store_rd_data_o = exponent_rd_data;
      endcase
    end
  end
endmodule
