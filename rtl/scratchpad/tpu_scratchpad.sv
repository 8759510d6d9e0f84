// SPDX-License-Identifier: Apache-2.0
// Activation memory: eight banks of rows of Dim bytes, shared by the engines.
//
// The high bits of a row number select the bank, so that software can avoid conflicts by placement. Each bank has one
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
// Parameters: Dim (bytes per row), Rows (8 * 3 * 2^k or 8 * 2^k).
`include "tpu_assert.svh"
module tpu_scratchpad #(
  parameter int Dim = 16,
  parameter int Rows = 12288,
  localparam int Width = 8 * Dim
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Read port of the MXU: always granted.
  input  logic             mxu_rd_valid_i,
  input  logic [15:0]      mxu_rd_row_i,
  output logic [Width-1:0] mxu_rd_data_o,
  // Read port of the VPU.
  input  logic             vpu_rd_valid_i,
  output logic             vpu_rd_ready_o,
  input  logic [15:0]      vpu_rd_row_i,
  output logic [Width-1:0] vpu_rd_data_o,
  // Read port of STORE.
  input  logic             store_claim_i,
  input  logic             store_rd_valid_i,
  output logic             store_rd_ready_o,
  input  logic [15:0]      store_rd_row_i,
  output logic [Width-1:0] store_rd_data_o,
  // Write port of the VPU: whole rows, always granted.
  input  logic             vpu_wr_valid_i,
  input  logic [15:0]      vpu_wr_row_i,
  input  logic [Width-1:0] vpu_wr_data_i,
  // Write port of LOAD: bytes under a mask.
  input  logic             load_wr_valid_i,
  output logic             load_wr_ready_o,
  input  logic [15:0]      load_wr_row_i,
  input  logic [Width-1:0] load_wr_data_i,
  input  logic [Dim-1:0]   load_wr_mask_i,
  // Clearing.
  input  logic             clear_i,
  input  logic [15:0]      clear_row_i
);
  localparam int Banks = 8;
  localparam int BankRows = Rows / Banks;
  localparam int IndexWidth = $clog2(BankRows);
  // For banks of 3 * 2^k rows the bank number is the row number shifted right by k, divided by three; for banks of 2^k
  // rows the shift is enough.
  localparam int Thirds = (BankRows % 3 == 0) ? 3 : 1;
  localparam int LowWidth = $clog2(BankRows / Thirds);

  `TPU_ASSERT_INIT(RowsFitBanks, Rows == Banks * Thirds * (1 << LowWidth) && Rows <= 65536)
  `TPU_ASSERT_WHEN(MxuRowInRange, mxu_rd_valid_i, 32'(mxu_rd_row_i) < Rows)
  `TPU_ASSERT_WHEN(VpuRowInRange, vpu_rd_valid_i, 32'(vpu_rd_row_i) < Rows)
  `TPU_ASSERT_WHEN(MxuPausesForClaim, store_claim_i, !mxu_rd_valid_i)
  `TPU_ASSERT_WHEN(StoreRowInRange, store_rd_valid_i, 32'(store_rd_row_i) < Rows)
  `TPU_ASSERT_WHEN(VpuWriteInRange, vpu_wr_valid_i, 32'(vpu_wr_row_i) < Rows)
  `TPU_ASSERT_WHEN(LoadWriteInRange, load_wr_valid_i, 32'(load_wr_row_i) < Rows)

  // hi / 3 equals hi * 11 / 32 for hi below 24, which covers eight banks.
  function automatic [2:0] bank_of(input logic [15:0] row);
    logic [9:0] hi;
    hi = 10'(row >> LowWidth);
    bank_of = 3'((Thirds == 3) ? (hi * 10'd11) >> 5 : hi);
  endfunction
  // Row within its bank.
  function automatic [IndexWidth-1:0] index_in(input logic [15:0] row, input logic [2:0] bank);
    index_in = IndexWidth'(32'(row) - 32'(bank) * BankRows);
  endfunction

  logic [2:0]            mxu_rd_bank, vpu_rd_bank, store_rd_bank, vpu_wr_bank, load_wr_bank;
  logic [IndexWidth-1:0] mxu_rd_index, vpu_rd_index, store_rd_index, vpu_wr_index, load_wr_index;
  logic                  vpu_rd_grant, store_rd_grant, load_wr_grant;

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
    if (mxu_rd_valid_i) begin
      mxu_rd_bank = bank_of(mxu_rd_row_i);
      mxu_rd_index = index_in(mxu_rd_row_i, mxu_rd_bank);
    end
    if (vpu_rd_valid_i) begin
      vpu_rd_bank = bank_of(vpu_rd_row_i);
      vpu_rd_index = index_in(vpu_rd_row_i, vpu_rd_bank);
    end
    if (store_rd_valid_i) begin
      store_rd_bank = bank_of(store_rd_row_i);
      store_rd_index = index_in(store_rd_row_i, store_rd_bank);
      store_rd_grant = store_claim_i || (!(mxu_rd_valid_i && mxu_rd_bank == store_rd_bank)
                                         && !(vpu_rd_valid_i && vpu_rd_bank == store_rd_bank));
    end
    if (vpu_rd_valid_i) begin
      vpu_rd_grant = !(mxu_rd_valid_i && mxu_rd_bank == vpu_rd_bank)
                  && !(store_claim_i && store_rd_valid_i && store_rd_bank == vpu_rd_bank);
    end
    if (vpu_wr_valid_i) begin
      vpu_wr_bank = bank_of(vpu_wr_row_i);
      vpu_wr_index = index_in(vpu_wr_row_i, vpu_wr_bank);
    end
    if (load_wr_valid_i) begin
      load_wr_bank = bank_of(load_wr_row_i);
      load_wr_index = index_in(load_wr_row_i, load_wr_bank);
      load_wr_grant = !(vpu_wr_valid_i && vpu_wr_bank == load_wr_bank);
    end
  end

  assign vpu_rd_ready_o = vpu_rd_grant;
  assign store_rd_ready_o = store_rd_grant;
  assign load_wr_ready_o = load_wr_grant;

  // The bank that each port accesses, one-hot.
  logic [Banks-1:0] mxu_rd_sel, vpu_rd_sel, store_rd_sel, vpu_wr_sel, load_wr_sel, rd_sel, wr_sel;
  assign mxu_rd_sel = Banks'(mxu_rd_valid_i) << mxu_rd_bank;
  assign vpu_rd_sel = Banks'(vpu_rd_grant) << vpu_rd_bank;
  assign store_rd_sel = Banks'(store_rd_grant) << store_rd_bank;
  assign vpu_wr_sel = Banks'(vpu_wr_valid_i) << vpu_wr_bank;
  assign load_wr_sel = Banks'(load_wr_grant) << load_wr_bank;
  assign rd_sel = mxu_rd_sel | vpu_rd_sel | store_rd_sel;
  assign wr_sel = vpu_wr_sel | load_wr_sel;

  // Banks. Branches instead of muxes simulate faster, because in most cycles only one port reads and none writes.
  logic others_read, some_write;
  assign others_read = vpu_rd_grant || store_rd_grant;
  assign some_write = clear_i || wr_sel != '0;
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    logic                  wr_en;
    logic [IndexWidth-1:0] rd_index, wr_index;
    logic [Width-1:0]      wr_data, rd_data;
    logic [Dim-1:0]        wr_mask;

    always_comb begin
      rd_index = mxu_rd_index;
      if (others_read) begin
        if (!mxu_rd_sel[b]) rd_index = vpu_rd_sel[b] ? vpu_rd_index : store_rd_index;
      end
      wr_en    = 1'b0;
      wr_index = vpu_wr_index;
      wr_data  = vpu_wr_data_i;
      wr_mask  = '1;
      if (some_write) begin
        wr_en = wr_sel[b];
        if (!vpu_wr_sel[b]) begin
          wr_index = load_wr_index;
          wr_data  = load_wr_data_i;
          wr_mask  = load_wr_mask_i;
        end
        if (clear_i) begin
          wr_en    = 32'(clear_row_i) < BankRows;
          wr_index = clear_row_i[IndexWidth-1:0];
          wr_data  = '0;
          wr_mask  = '1;
        end
      end
    end

    tpu_ram #(.Width(Width), .Depth(BankRows), .LaneWidth(8)) u_ram (
      .clk_i,
      .rd_en_i(rd_sel[b]), .rd_addr_i(rd_index), .rd_data_o(rd_data),
      .wr_en_i(wr_en), .wr_addr_i(wr_index), .wr_data_i(wr_data), .wr_mask_i(wr_mask)
    );
  end

  // The bank that was granted selects the read data one cycle later.
  logic [2:0] mxu_bank_q, vpu_bank_q, store_bank_q;
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
        3'd0: mxu_rd_data_o = gen_bank[0].rd_data;
        3'd1: mxu_rd_data_o = gen_bank[1].rd_data;
        3'd2: mxu_rd_data_o = gen_bank[2].rd_data;
        3'd3: mxu_rd_data_o = gen_bank[3].rd_data;
        3'd4: mxu_rd_data_o = gen_bank[4].rd_data;
        3'd5: mxu_rd_data_o = gen_bank[5].rd_data;
        3'd6: mxu_rd_data_o = gen_bank[6].rd_data;
        default: mxu_rd_data_o = gen_bank[7].rd_data;
      endcase
    end
  end
  always_comb begin
    vpu_rd_data_o = '0;
    if (vpu_valid_q) begin
      case (vpu_bank_q)
        3'd0: vpu_rd_data_o = gen_bank[0].rd_data;
        3'd1: vpu_rd_data_o = gen_bank[1].rd_data;
        3'd2: vpu_rd_data_o = gen_bank[2].rd_data;
        3'd3: vpu_rd_data_o = gen_bank[3].rd_data;
        3'd4: vpu_rd_data_o = gen_bank[4].rd_data;
        3'd5: vpu_rd_data_o = gen_bank[5].rd_data;
        3'd6: vpu_rd_data_o = gen_bank[6].rd_data;
        default: vpu_rd_data_o = gen_bank[7].rd_data;
      endcase
    end
  end
  always_comb begin
    store_rd_data_o = '0;
    if (store_valid_q) begin
      case (store_bank_q)
        3'd0: store_rd_data_o = gen_bank[0].rd_data;
        3'd1: store_rd_data_o = gen_bank[1].rd_data;
        3'd2: store_rd_data_o = gen_bank[2].rd_data;
        3'd3: store_rd_data_o = gen_bank[3].rd_data;
        3'd4: store_rd_data_o = gen_bank[4].rd_data;
        3'd5: store_rd_data_o = gen_bank[5].rd_data;
        3'd6: store_rd_data_o = gen_bank[6].rd_data;
        default: store_rd_data_o = gen_bank[7].rd_data;
      endcase
    end
  end
endmodule
