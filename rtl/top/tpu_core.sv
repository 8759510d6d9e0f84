// SPDX-License-Identifier: Apache-2.0
// Systole core: four engines (LOAD, MXU, VPU, STORE) run commands from a ring in device memory and meet through
// semaphores; see rtl/README.md for the picture and isa/spec/pages for instructions and registers.
//
// Latency and throughput: those of the blocks (rtl/README.md).
// Protocol: registers on AXI4-Lite (32 bit); memory on AXI4 (8*Dim bit data, INCR bursts of whole beats inside 4 KiB,
// read identifier 0 for instructions and 1 for LOAD, write identifier 0; read data and write responses are always
// taken); irq_o is a level, cleared by writing 1 to IRQ_STATUS. Synchronous active-low reset; CONTROL.RESET may be
// written at any time and leaves no bus transaction unfinished. It and an END that asks for it clear every memory that
// an instruction can read, in ClearRows cycles; rst_ni does not.
//
// Parameters: Dim, ScratchRows, WeightRows, AccRows, ParamRows, Windows: array side, rows, windows, whose legal sizes
// are the [[size]] tables of isa/spec/configurations.toml; VectorProcessor, BlockFloat, Depthwise, TurningLoads,
// CauseCounters: 0 leaves out that part, of which the [[part]] tables tell; QueueDepth, commands per engine queue
// (power of two); ClockGating, 1 for a chip whose technology has clock gates: changes no cycle.
`include "tpu_assert.svh"
module tpu_core #(
  parameter int Dim = 16,
  parameter int ScratchRows = 12288,
  parameter int WeightRows = 4096,
  parameter int AccRows = 1024,
  parameter int ParamRows = 256,
  parameter int Windows = 4,
  parameter int VectorProcessor = 1,
  parameter int BlockFloat = 1,
  parameter int Depthwise = 1,
  parameter int TurningLoads = 1,
  parameter int CauseCounters = 1,
  parameter int QueueDepth = tpu_pkg::QUEUE_DEPTH,
  parameter int ClockGating = 0,
  localparam int Width = 8 * Dim
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             test_en_i,  // keeps the gated clocks running while scan chains are shifted
  output logic             irq_o,
  // Registers, AXI4-Lite.
  input  logic             s_axil_awvalid_i,
  output logic             s_axil_awready_o,
  input  logic [11:0]      s_axil_awaddr_i,
  input  logic             s_axil_wvalid_i,
  output logic             s_axil_wready_o,
  input  logic [31:0]      s_axil_wdata_i,
  input  logic [3:0]       s_axil_wstrb_i,
  output logic             s_axil_bvalid_o,
  input  logic             s_axil_bready_i,
  output logic [1:0]       s_axil_bresp_o,
  input  logic             s_axil_arvalid_i,
  output logic             s_axil_arready_o,
  input  logic [11:0]      s_axil_araddr_i,
  output logic             s_axil_rvalid_o,
  input  logic             s_axil_rready_i,
  output logic [31:0]      s_axil_rdata_o,
  output logic [1:0]       s_axil_rresp_o,
  // Device memory, AXI4.
  output logic             m_axi_arvalid_o,
  input  logic             m_axi_arready_i,
  output logic             m_axi_arid_o,
  output logic [31:0]      m_axi_araddr_o,
  output logic [7:0]       m_axi_arlen_o,
  output logic [2:0]       m_axi_arsize_o,
  output logic [1:0]       m_axi_arburst_o,
  input  logic             m_axi_rvalid_i,
  output logic             m_axi_rready_o,
  input  logic             m_axi_rid_i,
  input  logic [Width-1:0] m_axi_rdata_i,
  input  logic [1:0]       m_axi_rresp_i,
  input  logic             m_axi_rlast_i,
  output logic             m_axi_awvalid_o,
  input  logic             m_axi_awready_i,
  output logic             m_axi_awid_o,
  output logic [31:0]      m_axi_awaddr_o,
  output logic [7:0]       m_axi_awlen_o,
  output logic [2:0]       m_axi_awsize_o,
  output logic [1:0]       m_axi_awburst_o,
  output logic             m_axi_wvalid_o,
  input  logic             m_axi_wready_i,
  output logic [Width-1:0] m_axi_wdata_o,
  output logic [Dim-1:0]   m_axi_wstrb_o,
  output logic             m_axi_wlast_o,
  input  logic             m_axi_bvalid_i,
  output logic             m_axi_bready_o,
  input  logic             m_axi_bid_i,
  input  logic [1:0]       m_axi_bresp_i
);
  `TPU_ASSERT_INIT(DimIsSupported, Dim == 4 || Dim == 8 || Dim == 16 || Dim == 32)
  `TPU_ASSERT_INIT(PartsAreBits, (VectorProcessor | BlockFloat | Depthwise | TurningLoads | CauseCounters) >> 1 == 0)
  `TPU_ASSERT_INIT(BlocksHaveAProcessor, BlockFloat <= VectorProcessor)

  // The parts of this core, for the legality of instructions and for the register PARTS.
  localparam logic [tpu_pkg::PARTS-1:0] Parts =
    tpu_top_pkg::parts(VectorProcessor, BlockFloat, Depthwise, TurningLoads, CauseCounters);
  localparam int Engines = tpu_pkg::ENGINES;
  localparam int Causes = tpu_pkg::CAUSES;
  localparam int WeightAddr = $clog2(WeightRows);
  localparam int ParamAddr = $clog2(ParamRows);
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS);
  // Behind the rows of the scratchpad lie those of their exponents, of which a row has one for each BlockLanes.
  localparam int BlockLanes = Dim < 16 ? Dim : 16;
  localparam int Exponents = Dim / BlockLanes;
  localparam int ScratchEnd = ScratchRows + (BlockFloat != 0 ? ScratchRows / BlockLanes : 0);
  localparam int HalfRows = AccRows / 2;
  localparam int ClearRows = tpu_top_pkg::clear_rows(Dim, ScratchRows, WeightRows, AccRows, ParamRows);

  // Reset of everything but the registers that survive it.
  logic core_rst_n;

  // Clocks of the blocks that rest between instructions: bus edge, LOAD, STORE, vector unit, and control (command
  // processor with the registers). MXU, memories and counters run on clk_i.
  logic               bus_clk, load_clk, store_clk, vpu_clk, control_clk;
  logic [Engines-1:0] engine_active;
  logic               command_event, bus_event, csr_event;

  // Clearing of the memories.
  logic        clear_request, clearing, resetting;
  logic [15:0] clear_row;

  tpu_clear #(.Rows(ClearRows)) u_clear (
    .clk_i, .rst_ni, .start_i(clear_request || resetting), .active_o(clearing), .row_o(clear_row)
  );

  tpu_clock_gate #(.Gated(ClockGating)) u_bus_clock (
    .clk_i, .rst_ni, .test_en_i, .en_i(bus_event), .wake_i(m_axi_rvalid_i || m_axi_bvalid_i), .clk_o(bus_clk));
  tpu_clock_gate #(.Gated(ClockGating)) u_load_clock (
    .clk_i, .rst_ni(core_rst_n), .test_en_i, .en_i(engine_active[tpu_pkg::ENGINE_LOAD]), .wake_i(1'b0),
    .clk_o(load_clk));
  tpu_clock_gate #(.Gated(ClockGating)) u_store_clock (
    .clk_i, .rst_ni(core_rst_n), .test_en_i, .en_i(engine_active[tpu_pkg::ENGINE_STORE]), .wake_i(1'b0),
    .clk_o(store_clk));
  tpu_clock_gate #(.Gated(ClockGating)) u_vpu_clock (
    .clk_i, .rst_ni(core_rst_n), .test_en_i, .en_i(engine_active[tpu_pkg::ENGINE_VPU] || clearing), .wake_i(1'b0),
    .clk_o(vpu_clk));
  tpu_clock_gate #(.Gated(ClockGating), .Linger(0)) u_control_clock (
    .clk_i, .rst_ni, .test_en_i, .en_i(command_event || csr_event),
    .wake_i(s_axil_awvalid_i || s_axil_wvalid_i || s_axil_arvalid_i), .clk_o(control_clk));

  // -------------------------------------------------------------------------------------------------------------
  // Between command processor and engines, an element for each engine, by tpu_pkg::ENGINE_*.
  logic [Engines-1:0]        cmd_valid, cmd_ready;
  logic [Engines-1:0][511:0] cmd_instr;
  tpu_report_pkg::report_t [Engines-1:0] report;

  // -------------------------------------------------------------------------------------------------------------
  // Memories that have one writer and one reader need no arbiter.
  logic                  wt_rd_valid;
  logic [WeightAddr-1:0] wt_rd_row;
  logic [Width-1:0]      wt_rd_data;
  logic                  prm_rd_valid;
  logic [15:0]           prm_rd_row;
  logic [Width-1:0]      prm_rd_data;
  logic                  load_wr_ready, scratch_wr_ready;
  tpu_load_pkg::write_t  load_wr;
  logic [Width-1:0]      load_wr_data;
  logic [Dim-1:0]        load_wr_mask;
  logic [3:0]            load_wr_to; // by space
  logic                  unused_prm_row;

  always_comb begin
    load_wr_to = '0;
    if (load_wr.valid) load_wr_to[load_wr.space] = 1'b1;
  end
  assign load_wr_ready = load_wr.space != tpu_pkg::SPACE_SCRATCH || scratch_wr_ready;
  assign unused_prm_row = ^prm_rd_row;

  tpu_ram #(.Width(Width), .Depth(WeightRows), .LaneWidth(8)) u_weights (
    .clk_i,
    .rd_en_i(wt_rd_valid), .rd_addr_i(wt_rd_row), .rd_data_o(wt_rd_data),
    .wr_en_i(clearing || load_wr_to[tpu_pkg::SPACE_WEIGHT]),
    .wr_addr_i(clearing ? clear_row[WeightAddr-1:0] : load_wr.row[WeightAddr-1:0]),
    .wr_data_i(clearing ? '0 : load_wr_data), .wr_mask_i(clearing ? '1 : load_wr_mask)
  );

  tpu_ram #(.Width(Width), .Depth(ParamRows), .LaneWidth(8)) u_params (
    .clk_i,
    .rd_en_i(prm_rd_valid), .rd_addr_i(prm_rd_row[ParamAddr-1:0]), .rd_data_o(prm_rd_data),
    .wr_en_i(clearing || load_wr_to[tpu_pkg::SPACE_PARAM]),
    .wr_addr_i(clearing ? clear_row[ParamAddr-1:0] : load_wr.row[ParamAddr-1:0]),
    .wr_data_i(clearing ? '0 : load_wr_data), .wr_mask_i(clearing ? '1 : load_wr_mask)
  );

  logic                knl_rd_valid;
  logic [WordAddr-1:0] knl_rd_word;
  logic [63:0]         knl_rd_data;

  tpu_kernel_memory #(.Dim(Dim), .VectorProcessor(VectorProcessor)) u_kernels (
    .clk_i, .rst_ni(core_rst_n), .wr_valid_i(load_wr_to[tpu_pkg::SPACE_KERNEL]),
    .wr_row_i(load_wr.row), .wr_data_i(load_wr_data), .wr_mask_i(load_wr_mask), .rd_valid_i(knl_rd_valid),
    .rd_word_i(knl_rd_word), .rd_data_o(knl_rd_data), .clear_i(clearing), .clear_row_i(clear_row)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Scratchpad.
  logic               mxu_rd_valid, mxu_rd_blocks, vpu_rd_ready, vpu_rd_blocks, vpu_wr_blocks, nonfinite;
  logic               store_claim, store_rd_valid, store_rd_ready;
  logic [3:0]         vpu_rd_valid, vpu_wr_valid; // of the planes of a word
  logic [15:0]        mxu_rd_row, store_rd_row;
  logic [63:0]        vpu_rd_rows, vpu_wr_rows;
  logic [Width-1:0]   mxu_rd_data, store_rd_data;
  logic [4*Width-1:0] vpu_rd_data, vpu_wr_data;
  logic [8*Exponents-1:0] mxu_rd_exponents, vpu_rd_exponents, vpu_wr_exponents;

  tpu_scratchpad #(.Dim(Dim), .Rows(ScratchRows), .BlockFloat(BlockFloat)) u_scratchpad (
    .clk_i, .rst_ni(core_rst_n), .mxu_rd_valid_i(mxu_rd_valid), .mxu_rd_blocks_i(mxu_rd_blocks),
    .mxu_rd_row_i(mxu_rd_row), .mxu_rd_data_o(mxu_rd_data), .mxu_rd_exponents_o(mxu_rd_exponents),
    .vpu_rd_valid_i(vpu_rd_valid),
    .vpu_rd_ready_o(vpu_rd_ready), .vpu_rd_blocks_i(vpu_rd_blocks), .vpu_rd_rows_i(vpu_rd_rows),
    .vpu_rd_data_o(vpu_rd_data), .vpu_rd_exponents_o(vpu_rd_exponents), .store_claim_i(store_claim),
    .store_rd_valid_i(store_rd_valid), .store_rd_ready_o(store_rd_ready), .store_rd_row_i(store_rd_row),
    .store_rd_data_o(store_rd_data), .vpu_wr_valid_i(vpu_wr_valid), .vpu_wr_blocks_i(vpu_wr_blocks),
    .vpu_wr_rows_i(vpu_wr_rows), .vpu_wr_data_i(vpu_wr_data), .vpu_wr_exponents_i(vpu_wr_exponents),
    .load_wr_valid_i(load_wr_to[tpu_pkg::SPACE_SCRATCH]), .load_wr_ready_o(scratch_wr_ready),
    .load_wr_row_i(load_wr.row), .load_wr_data_i(load_wr_data), .load_wr_mask_i(load_wr_mask), .clear_i(clearing),
    .clear_row_i(clear_row)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Matrix unit and accumulators.
  logic              mac_valid, mac_accumulate, mac_block, mac_begin, mac_complete;
  logic              acc_rd_valid, acc_rd_ready, acc_wr_valid, acc_wr_ready;
  logic [15:0]       mac_row, acc_rd_row, acc_wr_row;
  logic [32*Dim-1:0] mac_data, acc_rd_data, acc_wr_data;
  logic [7:0]        mac_act_exponent;
  logic [Width-1:0]  mac_weight_exponents;
  logic              padded_vector;

  tpu_mxu #(
    .Dim(Dim), .ScratchRows(ScratchEnd), .BlockRows(ScratchRows), .WeightRows(WeightRows), .AccRows(AccRows),
    .ClockGating(ClockGating), .BlockFloat(BlockFloat), .Depthwise(Depthwise)
  ) u_mxu (
    .clk_i, .rst_ni(core_rst_n), .test_en_i,
    .cmd_valid_i(cmd_valid[tpu_pkg::ENGINE_MXU]), .cmd_ready_o(cmd_ready[tpu_pkg::ENGINE_MXU]),
    .cmd_instr_i(cmd_instr[tpu_pkg::ENGINE_MXU]), .report_o(report[tpu_pkg::ENGINE_MXU]),
    .padded_vector_o(padded_vector), .hold_i(store_claim), .rd_valid_o(mxu_rd_valid), .rd_blocks_o(mxu_rd_blocks),
    .rd_row_o(mxu_rd_row), .rd_data_i(mxu_rd_data), .rd_exponents_i(mxu_rd_exponents), .wt_rd_valid_o(wt_rd_valid),
    .wt_rd_row_o(wt_rd_row), .wt_rd_data_i(wt_rd_data), .mac_valid_o(mac_valid), .mac_row_o(mac_row),
    .mac_accumulate_o(mac_accumulate), .mac_data_o(mac_data), .mac_block_o(mac_block), .mac_begin_o(mac_begin),
    .mac_complete_o(mac_complete), .mac_act_exponent_o(mac_act_exponent),
    .mac_weight_exponents_o(mac_weight_exponents)
  );

  tpu_accumulator #(.Dim(Dim), .AccRows(AccRows), .BlockFloat(BlockFloat)) u_accumulator (
    .clk_i, .rst_ni(core_rst_n), .mac_valid_i(mac_valid), .mac_row_i(mac_row), .mac_accumulate_i(mac_accumulate),
    .mac_data_i(mac_data), .mac_block_i(mac_block), .mac_begin_i(mac_begin), .mac_complete_i(mac_complete),
    .mac_act_exponent_i(mac_act_exponent), .mac_weight_exponents_i(mac_weight_exponents),
    .vec_rd_valid_i(acc_rd_valid), .vec_rd_ready_o(acc_rd_ready), .vec_rd_row_i(acc_rd_row),
    .vec_rd_data_o(acc_rd_data), .vec_wr_valid_i(acc_wr_valid), .vec_wr_ready_o(acc_wr_ready),
    .vec_wr_row_i(acc_wr_row), .vec_wr_data_i(acc_wr_data), .clear_i(clearing),
    .clear_row_i(clear_row[$clog2(HalfRows)-1:0])
  );

  // -------------------------------------------------------------------------------------------------------------
  // Vector unit.
  tpu_vpu #(
    .Dim(Dim), .ScratchRows(ScratchEnd), .BlockRows(ScratchRows), .AccRows(AccRows), .ParamRows(ParamRows),
    .VectorProcessor(VectorProcessor), .BlockFloat(BlockFloat)
  ) u_vpu (
    .clk_i(vpu_clk), .rst_ni(core_rst_n),
    .cmd_valid_i(cmd_valid[tpu_pkg::ENGINE_VPU]), .cmd_ready_o(cmd_ready[tpu_pkg::ENGINE_VPU]),
    .cmd_instr_i(cmd_instr[tpu_pkg::ENGINE_VPU]), .report_o(report[tpu_pkg::ENGINE_VPU]), .nonfinite_o(nonfinite),
    .rd_valid_o(vpu_rd_valid), .rd_ready_i(vpu_rd_ready), .rd_blocks_o(vpu_rd_blocks), .rd_rows_o(vpu_rd_rows),
    .rd_data_i(vpu_rd_data), .rd_exponents_i(vpu_rd_exponents), .wr_valid_o(vpu_wr_valid),
    .wr_rows_o(vpu_wr_rows), .wr_data_o(vpu_wr_data), .wr_blocks_o(vpu_wr_blocks), .wr_exponents_o(vpu_wr_exponents),
    .vec_rd_valid_o(acc_rd_valid), .vec_rd_ready_i(acc_rd_ready), .vec_rd_row_o(acc_rd_row),
    .vec_rd_data_i(acc_rd_data), .vec_wr_valid_o(acc_wr_valid), .vec_wr_ready_i(acc_wr_ready),
    .vec_wr_row_o(acc_wr_row), .vec_wr_data_o(acc_wr_data), .prm_rd_valid_o(prm_rd_valid), .prm_rd_row_o(prm_rd_row),
    .prm_rd_data_i(prm_rd_data), .word_valid_o(knl_rd_valid), .word_number_o(knl_rd_word), .word_i(knl_rd_data),
    .clear_i(clearing), .clear_row_i(clear_row)
  );

  // -------------------------------------------------------------------------------------------------------------
  // LOAD and STORE.
  tpu_window_pkg::windows_t windows;

  logic                  load_ar_ready, fetch_ar_ready;
  tpu_axi_pkg::request_t load_ar, fetch_ar, aw;
  tpu_axi_pkg::answer_t  load_r, fetch_r, b;
  logic [Width-1:0] r_data;

  tpu_load #(
    .Dim(Dim), .Windows(Windows), .ScratchRows(ScratchEnd), .WeightRows(WeightRows), .ParamRows(ParamRows),
    .TurningLoads(TurningLoads)
  ) u_load (
    .clk_i(load_clk), .rst_ni(core_rst_n), .windows_i(windows),
    .cmd_valid_i(cmd_valid[tpu_pkg::ENGINE_LOAD]), .cmd_ready_o(cmd_ready[tpu_pkg::ENGINE_LOAD]),
    .cmd_instr_i(cmd_instr[tpu_pkg::ENGINE_LOAD]), .report_o(report[tpu_pkg::ENGINE_LOAD]),
    .ar_ready_i(load_ar_ready), .ar_o(load_ar), .r_i(load_r), .r_data_i(r_data),
    .wr_o(load_wr), .wr_ready_i(load_wr_ready), .wr_data_o(load_wr_data), .wr_mask_o(load_wr_mask)
  );

  logic             aw_ready, w_valid, w_ready, w_last;
  logic [Width-1:0] w_data;
  logic [Dim-1:0]   w_strb;

  tpu_store #(.Dim(Dim), .Windows(Windows), .ScratchRows(ScratchEnd), .BlockRows(ScratchRows)) u_store (
    .clk_i(store_clk), .rst_ni(core_rst_n), .windows_i(windows),
    .cmd_valid_i(cmd_valid[tpu_pkg::ENGINE_STORE]), .cmd_ready_o(cmd_ready[tpu_pkg::ENGINE_STORE]),
    .cmd_instr_i(cmd_instr[tpu_pkg::ENGINE_STORE]), .report_o(report[tpu_pkg::ENGINE_STORE]),
    .rd_claim_o(store_claim), .rd_valid_o(store_rd_valid), .rd_ready_i(store_rd_ready), .rd_row_o(store_rd_row),
    .rd_data_i(store_rd_data), .aw_ready_i(aw_ready), .aw_o(aw),
    .w_valid_o(w_valid), .w_ready_i(w_ready), .w_data_o(w_data), .w_strb_o(w_strb), .w_last_o(w_last),
    .b_i(b)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Command processor.
  logic                      halt, doorbell, busy;
  tpu_command_pkg::end_t     program_end;
  tpu_command_pkg::ring_t    ring;
  logic [31:0]               tail, head, commands, waiting_semaphores;
  tpu_command_pkg::error_t   error;
  logic [Engines-1:0]        engine_busy, engine_waiting;
  logic [tpu_pkg::SEMAPHORES-1:0][7:0] semaphores;
  logic [Engines-1:0][31:0]  oldest_index;
  logic [Engines-1:0][15:0]  engine_level;
  logic [Engines-1:0][Causes-1:0] cause;
  // Observation: which command committed, per engine. Simulation reads these by name.
  logic [Engines-1:0]        retire_valid;
  logic [Engines-1:0][31:0]  retire_index;
  logic                      unused_retire;
  assign unused_retire = ^{retire_valid, retire_index};

  tpu_command #(
    .Dim(Dim), .Windows(Windows), .WeightRows(WeightRows), .QueueDepth(QueueDepth), .Parts(Parts)
  ) u_command (
    .clk_i(control_clk), .rst_ni(core_rst_n),
    .halt_i(halt), .doorbell_i(doorbell), .tail_i(tail), .ring_i(ring), .windows_i(windows),
    .ar_ready_i(fetch_ar_ready), .ar_o(fetch_ar), .r_i(fetch_r), .r_data_i(r_data),
    .cmd_valid_o(cmd_valid), .cmd_ready_i(cmd_ready), .cmd_instr_o(cmd_instr), .report_i(report),
    .cause_o(cause), .retire_valid_o(retire_valid), .retire_index_o(retire_index),
    .event_o(command_event), .engine_active_o(engine_active),
    .busy_o(busy), .engine_busy_o(engine_busy), .engine_waiting_o(engine_waiting),
    .waiting_semaphores_o(waiting_semaphores), .oldest_index_o(oldest_index), .engine_level_o(engine_level),
    .semaphore_o(semaphores), .head_o(head), .commands_o(commands),
    .clear_o(clear_request), .clearing_i(clearing), .end_o(program_end), .error_o(error)
  );

  // -------------------------------------------------------------------------------------------------------------
  // Registers and the bus edge.
  logic                        reset_request, read_beat, write_beat;
  logic [31:0]                 watchdog;
  tpu_report_pkg::fault_t      bus_fault;
  tpu_axi_pkg::lite_request_t  registers_in;
  tpu_axi_pkg::lite_response_t registers_out;
  assign registers_in = '{
    aw_valid: s_axil_awvalid_i, aw_addr: s_axil_awaddr_i, w_valid: s_axil_wvalid_i, w_data: s_axil_wdata_i,
    w_strb: s_axil_wstrb_i, b_ready: s_axil_bready_i, ar_valid: s_axil_arvalid_i, ar_addr: s_axil_araddr_i,
    r_ready: s_axil_rready_i
  };
  assign s_axil_awready_o = registers_out.aw_ready, s_axil_wready_o = registers_out.w_ready,
         s_axil_bvalid_o = registers_out.b_valid, s_axil_bresp_o = registers_out.b_resp;
  assign s_axil_arready_o = registers_out.ar_ready, s_axil_rvalid_o = registers_out.r_valid,
         s_axil_rdata_o = registers_out.r_data, s_axil_rresp_o = registers_out.r_resp;
  tpu_axi_pkg::master_t        pins_out;
  tpu_axi_pkg::slave_t         pins_in;
  assign pins_in = '{
    ar_ready: m_axi_arready_i, aw_ready: m_axi_awready_i, w_ready: m_axi_wready_i, r_valid: m_axi_rvalid_i,
    r_id: m_axi_rid_i, r_last: m_axi_rlast_i, r_resp: m_axi_rresp_i, b_valid: m_axi_bvalid_i, b_id: m_axi_bid_i,
    b_resp: m_axi_bresp_i
  };
  assign m_axi_arvalid_o = pins_out.ar_valid, m_axi_arid_o = pins_out.ar_id, m_axi_araddr_o = pins_out.ar_addr,
         m_axi_arlen_o = pins_out.ar_len, m_axi_arsize_o = pins_out.ar_size, m_axi_arburst_o = pins_out.ar_burst,
         m_axi_rready_o = pins_out.r_ready;
  assign m_axi_awvalid_o = pins_out.aw_valid, m_axi_awid_o = pins_out.aw_id, m_axi_awaddr_o = pins_out.aw_addr,
         m_axi_awlen_o = pins_out.aw_len, m_axi_awsize_o = pins_out.aw_size, m_axi_awburst_o = pins_out.aw_burst,
         m_axi_wvalid_o = pins_out.w_valid, m_axi_wlast_o = pins_out.w_last, m_axi_bready_o = pins_out.b_ready;

  tpu_csr #(
    .Dim(Dim), .ScratchRows(ScratchRows), .WeightRows(WeightRows), .AccRows(AccRows), .ParamRows(ParamRows),
    .QueueDepth(QueueDepth), .Windows(Windows), .Parts(Parts), .ClockGating(ClockGating)
  ) u_csr (
    .clk_i(control_clk), .count_clk_i(clk_i), .rst_ni, .test_en_i, .core_rst_ni(core_rst_n), .event_o(csr_event),
    .irq_o, .s_axil_i(registers_in), .s_axil_o(registers_out),
    .reset_request_o(reset_request), .resetting_i(resetting), .clearing_i(clearing), .watchdog_o(watchdog),
    .bus_fault_i(bus_fault),
    .read_beat_i(read_beat), .write_beat_i(write_beat), .padded_vector_i(padded_vector), .nonfinite_i(nonfinite),
    .windows_o(windows), .halt_o(halt), .doorbell_o(doorbell), .tail_o(tail), .ring_o(ring), .cause_i(cause),
    .busy_i(busy), .engine_busy_i(engine_busy), .engine_waiting_i(engine_waiting),
    .waiting_semaphores_i(waiting_semaphores), .oldest_index_i(oldest_index), .engine_level_i(engine_level),
    .semaphore_i(semaphores), .head_i(head), .commands_i(commands), .end_i(program_end),
    .error_i(error)
  );

  tpu_axi_guard #(.Dim(Dim)) u_guard (
    .clk_i(bus_clk), .rst_ni, .event_o(bus_event),
    .reset_request_i(reset_request), .resetting_o(resetting), .core_rst_no(core_rst_n),
    .watchdog_i(watchdog), .fault_o(bus_fault),
    .read_beat_o(read_beat), .write_beat_o(write_beat),
    .fetch_ar_ready_o(fetch_ar_ready), .fetch_ar_i(fetch_ar), .load_ar_ready_o(load_ar_ready), .load_ar_i(load_ar),
    .fetch_r_o(fetch_r), .load_r_o(load_r), .r_data_o(r_data),
    .aw_ready_o(aw_ready), .aw_i(aw), .w_valid_i(w_valid), .w_ready_o(w_ready), .w_data_i(w_data), .w_strb_i(w_strb),
    .w_last_i(w_last), .b_o(b), .m_axi_o(pins_out), .m_axi_i(pins_in), .m_axi_rdata_i, .m_axi_wdata_o, .m_axi_wstrb_o
  );
endmodule
