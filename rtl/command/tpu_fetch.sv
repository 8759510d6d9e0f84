// SPDX-License-Identifier: Apache-2.0
// Fetches instructions ahead of decode: from the ring, and after a JUMP from the jumped-to program, then from the ring
// again. It decides what to read (tpu_fetch_request) and keeps what was read in a RAM.
//
// Latency: the read address is valid one cycle after the doorbell; an instruction is offered to decode two cycles after
// its last beat. Throughput: one beat per cycle, up to Entries instructions buffered or in flight.
// Back-pressure: no read is requested while the buffer has no room for it; beats are always accepted.
//
// A window violation or bus error is passed on in place of its instruction, so that decode reports it for the right
// command and not earlier. What follows it is not kept, because decode gets no further.
//
// Ports: ring registers and windows are those of the CSR (stable while busy). ar_* and entry_* are valid/ready streams,
// r_* has no ready. entry_fault_o marks an address outside its window (entry_outside_o) or a bus error. jump_i is a
// pulse and discards all instructions fetched ahead. event_o is high in every cycle whose clock edge changes a register
// here, except after a write of ring registers or windows: what depends on them follows within two cycles, while no
// program runs.
//
// Parameters: Dim (bytes per beat: 4, 8, 16 or 32), Entries and Chunk (instructions, powers of two, Entries >= 2*Chunk,
// Chunk*64/Dim <= 256), Windows.
`include "tpu_assert.svh"
module tpu_fetch
  import tpu_command_pkg::*;
#(
  parameter int Dim = 16,
  parameter int Entries = 16,
  parameter int Chunk = 8,
  parameter int Windows = 4
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     halt_i,
  input  logic                     busy_i,
  output logic                     event_o,
  // Ring and windows.
  input  ring_t                    ring_i,
  input  logic [31:0]              tail_i,
  input  tpu_window_pkg::windows_t windows_i,
  // Read port.
  input  logic                     ar_ready_i,
  output tpu_axi_pkg::request_t    ar_o,
  input  tpu_axi_pkg::answer_t     r_i,
  input  logic [8*Dim-1:0]         r_data_i,
  // Instructions in dispatch order.
  output logic                     entry_valid_o,
  input  logic                     entry_ready_i,
  output logic                     entry_fault_o,
  output logic                     entry_outside_o,
  output logic [31:0]              entry_address_o,
  output logic [511:0]             entry_instr_o,
  // Jump.
  input  logic                     jump_i,
  input  jump_t                    jump_to_i
);
  localparam int Beats = 64 / Dim;
  localparam int BeatWidth = $clog2(Beats);
  localparam int DimWidth = $clog2(Dim);
  localparam int ChunkWidth = $clog2(Chunk);
  localparam int SlotWidth = $clog2(Entries);
  localparam int ChunkBeatWidth = ChunkWidth + BeatWidth;

  `TPU_ASSERT_INIT(DimIsLegal, Dim >= 4 && Dim <= 32 && (Dim & (Dim - 1)) == 0)
  `TPU_ASSERT_INIT(ChunkIsLegal, Entries >= 2 * Chunk && Chunk * Beats <= 256)

  typedef struct packed {
    logic                generation; // of the program, which changes with a JUMP
    logic                outside;    // no read: the first instruction, at this offset, is outside of its window
    logic [ChunkWidth:0] count;      // instructions
    logic [25:0]         address;    // in units of 64 bytes
  } read_t;

  // Requests.
  logic  take, request_event, read_ready, made_valid, generation_q;
  read_t made;
  assign take            = entry_valid_o && entry_ready_i;
  assign made.generation = generation_q;

  tpu_fetch_request #(.Entries(Entries), .Chunk(Chunk), .Beats(Beats), .Windows(Windows)) u_request (
    .clk_i, .rst_ni, .halt_i, .busy_i, .event_o(request_event),
    .ring_i, .tail_i, .windows_i, .jump_i, .jump_to_i, .taken_i(take),
    .ar_ready_i, .ar_o,
    .made_valid_o(made_valid), .made_ready_i(read_ready), .made_outside_o(made.outside), .made_count_o(made.count),
    .made_address_o(made.address)
  );

  // Reads in flight, oldest first, and what is outside of its window in their order.
  logic       read_valid, read_pop;
  read_t      read;
  logic [2:0] unused_reads_level;
  tpu_fifo #(.Width($bits(read_t)), .Depth(4)) u_reads (
    .clk_i, .rst_ni,
    .wr_valid_i(made_valid), .wr_ready_o(read_ready), .wr_data_i(made),
    .rd_valid_o(read_valid), .rd_ready_i(read_pop), .rd_data_o(read),
    .level_o(unused_reads_level)
  );

  // Beats of the read at hand. Reads of the program before a JUMP end before the next JUMP can arrive, so one bit of
  // generation is enough.
  logic [ChunkBeatWidth-1:0] beat_q;
  logic                      entry_last, read_last, outside, fresh;
  assign entry_last = r_i.valid && (&beat_q[BeatWidth-1:0]);
  assign read_last  = entry_last && (ChunkWidth+1)'(beat_q >> BeatWidth) + 1'b1 == read.count;
  assign outside    = read_valid && read.outside;
  assign read_pop   = read_last || outside;
  assign fresh      = read.generation == generation_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) beat_q <= '0;
    else if (r_i.valid) beat_q <= read_last ? '0 : beat_q + 1'b1;
  end

  // The first fault. bad_q: it is in the entry that arrives; faulty_q: in the last entry that was stored.
  logic                               bad_q, faulty_q, found, push;
  logic [ChunkBeatWidth+DimWidth-1:0] beat_offset;
  assign push        = (entry_last || outside) && fresh && !faulty_q;
  assign found       = fresh && !bad_q && !faulty_q && (outside || (r_i.valid && r_i.error));
  assign beat_offset = {read.address[ChunkWidth-1:0], 6'd0} + {beat_q, DimWidth'(0)};
  always_ff @(posedge clk_i) begin
    if (!rst_ni || jump_i) begin
      bad_q    <= 1'b0;
      faulty_q <= 1'b0;
    end else if (found || push) begin
      bad_q    <= (bad_q || found) && !push;
      faulty_q <= push && (bad_q || found);
    end
    if (found) begin
      entry_outside_o <= outside;
      // A read does not leave its block of Chunk instructions.
      entry_address_o <= outside ? {read.address, 6'd0} : {read.address[25:ChunkWidth], beat_offset};
    end
  end

  // Stored entries. The oldest stays at the output of the RAM.
  logic [SlotWidth:0] wr_slot_q, rd_slot_q;
  logic               valid_q, stored, fetch;
  assign stored        = wr_slot_q != rd_slot_q;
  assign fetch         = stored && (!valid_q || entry_ready_i);
  assign entry_valid_o = valid_q;
  assign entry_fault_o = faulty_q && !stored;

  tpu_ram #(.Width(512), .Depth(Entries), .LaneWidth(8*Dim)) u_entries (
    .clk_i,
    .rd_en_i(fetch), .rd_addr_i(rd_slot_q[SlotWidth-1:0]), .rd_data_o(entry_instr_o),
    .wr_en_i(r_i.valid && fresh), .wr_addr_i(wr_slot_q[SlotWidth-1:0]), .wr_data_i({Beats{r_data_i}}),
    .wr_mask_i(Beats'(1) << beat_q[BeatWidth-1:0])
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      generation_q <= 1'b0;
    end else if (jump_i) begin
      generation_q <= !generation_q;
    end
    if (!rst_ni || jump_i) begin
      valid_q   <= 1'b0;
      wr_slot_q <= '0;
      rd_slot_q <= '0;
    end else if (push || fetch || take) begin
      valid_q <= fetch || (valid_q && !take);
      if (push) wr_slot_q <= wr_slot_q + 1'b1;
      if (fetch) rd_slot_q <= rd_slot_q + 1'b1;
    end
  end

  // In processes of their own, a simulator looks at what depends on this clock alone only when it ran.
  logic own_event;
  always_comb begin
    own_event = outside;
    if (jump_i || take || fetch) own_event = 1'b1;
  end
  always_comb begin
    event_o = request_event;
    if (own_event || r_i.valid) event_o = 1'b1;
  end

  `TPU_ASSERT_WHEN(RoomIsReserved, push, wr_slot_q - rd_slot_q != (SlotWidth+1)'(Entries))
  `TPU_ASSERT_WHEN(BeatsAreRequested, r_i.valid, read_valid && !read.outside,
                   ("read_valid %b, read.outside %b\n", read_valid, read.outside))
endmodule
