// SPDX-License-Identifier: Apache-2.0
// Activation memory: eight banks of rows of Dim bytes, shared by the engines, and a bank of exponents for block
// floating point.
//
// The high bits of a row number select the bank, so that software can avoid conflicts by placement. Rows from Rows on
// are those of the exponents: they hold a byte for each row of the other banks, or, with more than 16 lanes, for each
// 16 of a row. The MXU and the VPU read the exponents of a row together with the row, and the VPU writes them so; all
// reach the rows of exponents as they do the others. Each bank serves one read request and one write request per cycle,
// in the order of priority MXU, VPU, STORE for reads and VPU, LOAD for writes. Requests not served wait (ready low);
// their engine reports a bank conflict. While store_claim_i is high, STORE has priority over the VPU, and the MXU must
// not read (asserted).
//
// A request of the VPU names up to four rows, the planes of a row of words. They are read or written together, so
// several of them must differ in their two low bits and be no rows of exponents (asserted): the rows of a bank lie in
// four RAMs by these bits (tpu_scratchpad_bank).
//
// Latency: read data in the cycle after the grant, for that cycle only.
// Throughput: one request per port and cycle while the ports address different banks.
// Back-pressure: by ready, combinational from the requests of higher priority; the reads of the MXU and the writes of
// the VPU are never refused.
// Protocol: valid/ready; a valid for each row of a request of the VPU. Rows must be within the memory; the engines
// check that (asserted here).
// Clearing: while clear_i is high, row clear_row_i of every bank is set to zero; writes of the ports are lost.
//
// A row of exponents must not be written while the MXU reads another exponent of it: programs synchronize by rows.
//
// Parameters: Dim (bytes per row), Rows (8 * 3 * 2^k or 8 * 2^k, at least 64; multiple of Dim); BlockFloat, 0 for a
// core without exponents: no such rows exist, and no request is for some.
`include "tpu_assert.svh"
module tpu_scratchpad
  import tpu_scratchpad_pkg::*;
#(
  parameter int Dim = 16,
  parameter int Rows = 12288,
  parameter int BlockFloat = 1,
  localparam int Width = 8 * Dim,
  localparam int BlockLanes = Dim < 16 ? Dim : 16,
  localparam int Parts = Dim / BlockLanes // exponents of a row
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Read port of the MXU: always granted. mxu_rd_blocks_i: with the exponents of the row.
  input  logic                        mxu_rd_valid_i,
  input  logic                        mxu_rd_blocks_i,
  input  logic [15:0]                 mxu_rd_row_i,
  output logic [Width-1:0]            mxu_rd_data_o,
  output logic [8*Parts-1:0]          mxu_rd_exponents_o,
  // Read port of the VPU, in the same way; the exponents are those of the first row.
  input  logic [Planes-1:0]           vpu_rd_valid_i,
  output logic                        vpu_rd_ready_o,
  input  logic                        vpu_rd_blocks_i,
  input  logic [Planes-1:0][15:0]     vpu_rd_rows_i,
  output logic [Planes-1:0][Width-1:0] vpu_rd_data_o,
  output logic [8*Parts-1:0]          vpu_rd_exponents_o,
  // Read port of STORE.
  input  logic                        store_claim_i,
  input  logic                        store_rd_valid_i,
  output logic                        store_rd_ready_o,
  input  logic [15:0]                 store_rd_row_i,
  output logic [Width-1:0]            store_rd_data_o,
  // Write port of the VPU: whole rows, always granted. vpu_wr_blocks_i: with the exponents of the first row.
  input  logic [Planes-1:0]           vpu_wr_valid_i,
  input  logic                        vpu_wr_blocks_i,
  input  logic [Planes-1:0][15:0]     vpu_wr_rows_i,
  input  logic [Planes-1:0][Width-1:0] vpu_wr_data_i,
  input  logic [8*Parts-1:0]          vpu_wr_exponents_i,
  // Write port of LOAD: bytes under a mask.
  input  logic                        load_wr_valid_i,
  output logic                        load_wr_ready_o,
  input  logic [15:0]                 load_wr_row_i,
  input  logic [Width-1:0]            load_wr_data_i,
  input  logic [Dim-1:0]              load_wr_mask_i,
  // Clearing.
  input  logic                        clear_i,
  input  logic [15:0]                 clear_row_i
);
  localparam int BankRows = Rows / Banks;
  localparam int RowWidth = $clog2(BankRows);
  localparam int IndexWidth = RowWidth - 2;
  localparam int ExponentRows = Rows / BlockLanes;
  localparam int ExponentWidth = $clog2(ExponentRows);
  localparam int End = BlockFloat != 0 ? Rows + ExponentRows : Rows; // the first row that does not exist

  localparam int Power = BankRows % 3 == 0 ? BankRows / 3 : BankRows;
  localparam bit IsLegal = Rows == Banks * BankRows && Power == 1 << $clog2(Power) && BankRows >= 8 && End <= 65536;
  `TPU_ASSERT_INIT(RowsFitBanks, IsLegal)
  `TPU_ASSERT_INIT(ExponentsBeginAtZero, Rows % (1 << ExponentWidth) == 0)
  `TPU_ASSERT_WHEN(MxuRowInRange, mxu_rd_valid_i, 32'(mxu_rd_row_i) < (mxu_rd_blocks_i ? Rows : End),
                   ("row %0d of %0d\n", mxu_rd_row_i, mxu_rd_blocks_i ? Rows : End))
  `TPU_ASSERT_WHEN(MxuPausesForClaim, store_claim_i, !mxu_rd_valid_i)
  `TPU_ASSERT_WHEN(StoreRowInRange, store_rd_valid_i, 32'(store_rd_row_i) < End,
                   ("row %0d of %0d\n", store_rd_row_i, End))
  `TPU_ASSERT_WHEN(LoadWriteInRange, load_wr_valid_i, 32'(load_wr_row_i) < End,
                   ("row %0d of %0d\n", load_wr_row_i, End))

  // Where the rows lie, and the banks that a request uses. *_places: of its rows alone.
  bank_t                           mxu_rd_bank, store_rd_bank, load_wr_bank;
  banks_t                          mxu_rd_places, vpu_rd_places, vpu_wr_places;
  banks_t                          mxu_rd_banks, vpu_rd_banks, store_rd_banks, vpu_wr_banks, load_wr_banks;
  logic [RowWidth-1:0]             mxu_rd_row, store_rd_row, load_wr_row;
  logic [Rams-1:0][1:0]            unused_vpu_rd_plane, vpu_wr_plane;
  bank_t [Planes-1:0]              vpu_rd_bank, vpu_wr_bank;
  bank_t [Rams-1:0]                vpu_rd_ram_bank, unused_vpu_wr_ram_bank;
  logic [Banks-1:0][Rams-1:0]      vpu_rd_rams, vpu_wr_rams;
  logic [Rams-1:0][IndexWidth-1:0] vpu_rd_index, vpu_wr_index;
  logic                            vpu_rd, vpu_wr, vpu_rd_grant, store_rd_grant, load_wr_grant;

  tpu_scratchpad_place #(.Rows(Rows), .BlockFloat(BlockFloat)) u_mxu_rd (
    .valid_i(mxu_rd_valid_i), .row_i(mxu_rd_row_i), .bank_o(mxu_rd_bank), .banks_o(mxu_rd_places), .row_o(mxu_rd_row)
  );
  tpu_scratchpad_planes #(.Rows(Rows), .BlockFloat(BlockFloat)) u_vpu_rd (
    .valid_i(vpu_rd_valid_i), .rows_i(vpu_rd_rows_i), .banks_o(vpu_rd_places), .bank_o(vpu_rd_bank),
    .ram_plane_o(unused_vpu_rd_plane),
    .ram_bank_o(vpu_rd_ram_bank), .index_o(vpu_rd_index), .rams_o(vpu_rd_rams)
  );
  tpu_scratchpad_place #(.Rows(Rows), .BlockFloat(BlockFloat)) u_store_rd (
    .valid_i(store_rd_valid_i), .row_i(store_rd_row_i), .bank_o(store_rd_bank), .banks_o(store_rd_banks),
    .row_o(store_rd_row)
  );
  tpu_scratchpad_planes #(.Rows(Rows), .BlockFloat(BlockFloat)) u_vpu_wr (
    .valid_i(vpu_wr_valid_i), .rows_i(vpu_wr_rows_i), .banks_o(vpu_wr_places), .bank_o(vpu_wr_bank),
    .ram_plane_o(vpu_wr_plane),
    .ram_bank_o(unused_vpu_wr_ram_bank), .index_o(vpu_wr_index), .rams_o(vpu_wr_rams)
  );
  tpu_scratchpad_place #(.Rows(Rows), .BlockFloat(BlockFloat)) u_load_wr (
    .valid_i(load_wr_valid_i), .row_i(load_wr_row_i), .bank_o(load_wr_bank), .banks_o(load_wr_banks),
    .row_o(load_wr_row)
  );

  assign vpu_rd       = vpu_rd_valid_i != '0;
  assign vpu_wr       = vpu_wr_valid_i != '0;
  assign mxu_rd_banks = mxu_rd_places | {mxu_rd_blocks_i, {Banks{1'b0}}};
  assign vpu_rd_banks = vpu_rd_places | {vpu_rd_blocks_i, {Banks{1'b0}}};
  assign vpu_wr_banks = vpu_wr_places | {vpu_wr_blocks_i, {Banks{1'b0}}};

  always_comb begin
    store_rd_grant = 1'b0;  // Branches here and below: an idle port costs a simulation one test.
    vpu_rd_grant   = 1'b0;
    load_wr_grant  = 1'b0;
    if (store_rd_valid_i) begin
      store_rd_grant = store_claim_i
                    || !((mxu_rd_valid_i && same(mxu_rd_bank, store_rd_bank))
                         || (store_rd_bank.exponents && (mxu_rd_blocks_i || vpu_rd_blocks_i))
                         || any_same(vpu_rd_valid_i, vpu_rd_bank, store_rd_bank));
    end
    if (vpu_rd) begin
      vpu_rd_grant = !((mxu_rd_valid_i && any_same(vpu_rd_valid_i, vpu_rd_bank, mxu_rd_bank))
                       || (mxu_rd_valid_i && mxu_rd_bank.exponents && vpu_rd_blocks_i)
                       || (mxu_rd_blocks_i && vpu_rd_banks[Banks])
                       || (store_claim_i && (store_rd_banks & vpu_rd_banks) != '0));
    end
    if (load_wr_valid_i) load_wr_grant = !((load_wr_bank.exponents && vpu_wr_blocks_i)
                                             || any_same(vpu_wr_valid_i, vpu_wr_bank, load_wr_bank));
  end

  // The rows that the VPU writes, sorted by RAMs.
  logic [Rams-1:0][Width-1:0] vpu_wr_data;
  always_comb begin
    vpu_wr_data = 'x;
    if (vpu_wr) begin
      for (int r = 0; r < Rams; r++) vpu_wr_data[r] = vpu_wr_data_i[vpu_wr_plane[r]];
    end
  end

  assign vpu_rd_ready_o   = vpu_rd_grant;
  assign store_rd_ready_o = store_rd_grant;
  assign load_wr_ready_o  = load_wr_grant;

  // Banks that are read and written, and those of them by the VPU.
  banks_t           reads, writes;
  logic [Banks-1:0] vpu_reads, vpu_writes;
  always_comb begin
    vpu_reads = '0;
    reads     = mxu_rd_banks;
    if (vpu_rd_grant) begin
      vpu_reads = vpu_rd_banks[Banks-1:0];
      reads     = mxu_rd_banks | vpu_rd_banks;
    end
    if (store_rd_grant) reads = reads | store_rd_banks;
  end
  always_comb begin
    vpu_writes = '0;
    writes     = '0;
    if (clear_i) begin
      writes = {32'(clear_row_i) < ExponentRows, {Banks{32'(clear_row_i) < BankRows}}};
    end else if (vpu_wr || load_wr_grant) begin
      vpu_writes = vpu_wr_banks[Banks-1:0];
      writes     = vpu_wr_banks | (load_wr_grant ? load_wr_banks : '0);
    end
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic [Width-1:0]           row;
    logic [Rams-1:0][Width-1:0] wide;

    tpu_scratchpad_bank #(.Dim(Dim), .Rows(BankRows)) u_bank (
      .clk_i,
      .rd_en_i(reads[b]), .rd_row_i(mxu_rd_banks[b] ? mxu_rd_row : store_rd_row), .rd_data_o(row),
      .rd_wide_i(vpu_reads[b]), .wide_rd_rams_i(vpu_rd_rams[b]), .wide_rd_index_i(vpu_rd_index),
      .wide_rd_data_o(wide),
      .wr_en_i(writes[b]), .wr_row_i(clear_i ? clear_row_i[RowWidth-1:0] : load_wr_row),
      .wr_data_i(clear_i ? '0 : load_wr_data_i), .wr_mask_i(clear_i ? '1 : load_wr_mask_i),
      .wr_wide_i(vpu_writes[b]), .wide_wr_rams_i(vpu_wr_rams[b]), .wide_wr_index_i(vpu_wr_index),
      .wide_wr_data_i(vpu_wr_data)
    );
  end

  logic [BlockLanes-1:0][8*Parts-1:0] exponent_rd_data;  // of a row each
  if (BlockFloat != 0) begin : gen_exponents
    // The exponents. Those of one row are some of the lanes of a word. The low bits of a row of exponents count from
    // the first of them, whose low bits are zero. vpu_*_at: those of the VPU's row, which is alone if it is one of
    // exponents.
    localparam int PlaceWidth = $clog2(BlockLanes);
    logic                     exponent_rd, exponent_wr;
    logic [ExponentWidth-1:0] exponent_rd_index, exponent_wr_index, vpu_rd_at, vpu_wr_at;
    logic [Width-1:0]         exponent_wr_data, vpu_wr_at_data;
    logic [Dim-1:0]           exponent_wr_mask, blocks_mask;
    logic [PlaceWidth-1:0]    mxu_place_q, vpu_place_q;

    function automatic logic [1:0] only(input logic [Planes-1:1] valid);
      return {valid[3] || valid[2], valid[3] || valid[1]};
    endfunction

    always_comb begin
      vpu_rd_at = 'x;
      if (vpu_rd) vpu_rd_at = ExponentWidth'(vpu_rd_rows_i[only(vpu_rd_valid_i[Planes-1:1])]);
    end
    always_comb begin
      vpu_wr_at      = 'x;
      vpu_wr_at_data = 'x;
      if (vpu_wr) begin
        vpu_wr_at      = ExponentWidth'(vpu_wr_rows_i[only(vpu_wr_valid_i[Planes-1:1])]);
        vpu_wr_at_data = vpu_wr_data_i[only(vpu_wr_valid_i[Planes-1:1])];
      end
    end

    assign exponent_rd = reads[Banks];
    assign exponent_rd_index = mxu_rd_blocks_i                      ? ExponentWidth'(mxu_rd_row_i >> PlaceWidth)
                             : mxu_rd_banks[Banks]                  ? mxu_rd_row_i[ExponentWidth-1:0]
                             : vpu_rd_blocks_i && vpu_rd_grant      ? ExponentWidth'(vpu_rd_rows_i[0] >> PlaceWidth)
                             : vpu_rd_banks[Banks] && vpu_rd_grant  ? vpu_rd_at
                                                                    : store_rd_row_i[ExponentWidth-1:0];

    assign exponent_wr = writes[Banks];
    assign exponent_wr_index = clear_i             ? clear_row_i[ExponentWidth-1:0]
                             : vpu_wr_blocks_i     ? ExponentWidth'(vpu_wr_rows_i[0] >> PlaceWidth)
                             : vpu_wr_banks[Banks] ? vpu_wr_at
                                                   : load_wr_row_i[ExponentWidth-1:0];
    assign exponent_wr_data = clear_i             ? '0
                            : vpu_wr_blocks_i     ? {BlockLanes{vpu_wr_exponents_i}}
                            : vpu_wr_banks[Banks] ? vpu_wr_at_data : load_wr_data_i;
    assign blocks_mask      = Dim'({Parts{1'b1}}) << (32'(vpu_wr_rows_i[0][PlaceWidth-1:0]) * Parts);
    assign exponent_wr_mask = clear_i             ? '1
                            : vpu_wr_blocks_i     ? blocks_mask
                            : vpu_wr_banks[Banks] ? '1 : load_wr_mask_i;

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
      if (vpu_rd_blocks_i) vpu_place_q <= vpu_rd_rows_i[0][PlaceWidth-1:0];
    end
    always_comb begin
      mxu_rd_exponents_o = 'x;
      vpu_rd_exponents_o = 'x;
      if (mxu_blocks_q) mxu_rd_exponents_o = exponent_rd_data[mxu_place_q];
      if (vpu_blocks_q) vpu_rd_exponents_o = exponent_rd_data[vpu_place_q];
    end
  end else begin : gen_no_exponents
    logic unused_exponents;
    assign unused_exponents   = ^{reads[Banks], writes[Banks], vpu_wr_exponents_i};
    assign exponent_rd_data   = '0;  // No row is one of exponents.
    assign mxu_rd_exponents_o = '0;
    assign vpu_rd_exponents_o = '0;
  end
  `TPU_ASSERT_WHEN(MxuExponentsOfARow, mxu_rd_blocks_i, mxu_rd_valid_i)
  `TPU_ASSERT_WHEN(VpuExponentsOfARow, vpu_rd_blocks_i, vpu_rd_valid_i == Planes'(1),
                   ("vpu_rd_valid_i %b\n", vpu_rd_valid_i))
  `TPU_ASSERT_WHEN(VpuExponentsOfAWrittenRow, vpu_wr_blocks_i, vpu_wr_valid_i == Planes'(1),
                   ("vpu_wr_valid_i %b\n", vpu_wr_valid_i))

  // The bank of a row, and for the VPU the RAM, selects the read data one cycle later.
  bank_t               mxu_bank_q, store_bank_q;
  bank_t [Rams-1:0]    vpu_ram_bank_q;
  logic [Planes-1:0][1:0] vpu_ram_q;
  logic                mxu_valid_q, store_valid_q;
  logic [Planes-1:0]   vpu_valid_q;

  always_ff @(posedge clk_i) begin
    mxu_valid_q   <= mxu_rd_valid_i;
    vpu_valid_q   <= vpu_rd_grant ? vpu_rd_valid_i : '0;
    store_valid_q <= store_rd_grant;
    mxu_bank_q    <= mxu_rd_bank;
    store_bank_q  <= store_rd_bank;
    if (vpu_rd_grant) begin
      vpu_ram_bank_q <= vpu_rd_ram_bank;
      for (int p = 0; p < Planes; p++) vpu_ram_q[p] <= vpu_rd_rows_i[p][1:0];
    end
  end

  // Selections bit by bit: a multiplexer for each of two values, where a comparison with each number takes twice as
  // much.
  function automatic logic [Width-1:0] row_of(input bank_t bank);
    if (bank.exponents) row_of = exponent_rd_data;
    else if (bank.number[2]) begin
      if (bank.number[1]) begin
        if (bank.number[0]) row_of = gen_bank[7].row;
        else row_of = gen_bank[6].row;
      end else if (bank.number[0]) row_of = gen_bank[5].row;
      else row_of = gen_bank[4].row;
    end else if (bank.number[1]) begin
      if (bank.number[0]) row_of = gen_bank[3].row;
      else row_of = gen_bank[2].row;
    end else if (bank.number[0]) row_of = gen_bank[1].row;
    else row_of = gen_bank[0].row;
  endfunction

  // Of each RAM number the row that the VPU has read.
  for (genvar r = 0; r < Rams; r++) begin : gen_ram
    logic [Width-1:0] row;
    bank_t            bank;
    assign bank = vpu_ram_bank_q[r];
    always_comb begin
      row = 'x;
      if (vpu_valid_q != '0) begin
        if (bank.exponents) row = exponent_rd_data;
        else if (bank.number[2]) begin
          if (bank.number[1]) begin
            if (bank.number[0]) row = gen_bank[7].wide[r];
            else row = gen_bank[6].wide[r];
          end else if (bank.number[0]) row = gen_bank[5].wide[r];
          else row = gen_bank[4].wide[r];
        end else if (bank.number[1]) begin
          if (bank.number[0]) row = gen_bank[3].wide[r];
          else row = gen_bank[2].wide[r];
        end else if (bank.number[0]) row = gen_bank[1].wide[r];
        else row = gen_bank[0].wide[r];
      end
    end
  end

  always_comb begin
    mxu_rd_data_o = 'x;
    if (mxu_valid_q) mxu_rd_data_o = row_of(mxu_bank_q);
  end
  always_comb begin
    store_rd_data_o = 'x;
    if (store_valid_q) store_rd_data_o = row_of(store_bank_q);
  end
  always_comb begin
    vpu_rd_data_o = 'x;
    if (vpu_valid_q != '0) begin
      for (int p = 0; p < Planes; p++) begin
        if (vpu_valid_q[p]) begin
          if (vpu_ram_q[p][1]) begin
            if (vpu_ram_q[p][0]) vpu_rd_data_o[p] = gen_ram[3].row;
            else vpu_rd_data_o[p] = gen_ram[2].row;
          end else if (vpu_ram_q[p][0]) vpu_rd_data_o[p] = gen_ram[1].row;
          else vpu_rd_data_o[p] = gen_ram[0].row;
        end
      end
    end
  end

  // Rows that a request may name.
  function automatic logic together(input logic [Planes-1:0] valid, input logic [Planes-1:0][15:0] rows,
                                    input logic blocks);
    logic [Rams-1:0] taken;
    logic            several;
    several  = (valid & (valid - Planes'(1))) != '0;
    taken    = '0;
    together = 1'b1;
    for (int p = 0; p < Planes; p++) begin
      if (valid[p]) begin
        if (32'(rows[p]) >= (blocks || several ? Rows : End) || taken[rows[p][1:0]]) together = 1'b0;
        taken[rows[p][1:0]] = 1'b1;
      end
    end
  endfunction
  `TPU_ASSERT_WHEN(VpuReadsTogether, vpu_rd, together(vpu_rd_valid_i, vpu_rd_rows_i, vpu_rd_blocks_i),
                   ("valid %b, rows %h of %0d, exponents %b\n", vpu_rd_valid_i, vpu_rd_rows_i, End, vpu_rd_blocks_i))
  `TPU_ASSERT_WHEN(VpuWritesTogether, vpu_wr, together(vpu_wr_valid_i, vpu_wr_rows_i, vpu_wr_blocks_i),
                   ("valid %b, rows %h of %0d, exponents %b\n", vpu_wr_valid_i, vpu_wr_rows_i, End, vpu_wr_blocks_i))
endmodule
