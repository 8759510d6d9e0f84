// SPDX-License-Identifier: Apache-2.0
// Fetches instructions ahead of decode: from the ring, and after a JUMP from the jumped-to program, then from the ring
// again.
//
// Latency: the read address is valid one cycle after the doorbell; an instruction is offered to decode in the cycle
// after its last beat. Throughput: one beat per cycle, up to Entries instructions buffered or in flight.
// Back-pressure: no read is requested while the buffer has no room for it; beats are always accepted.
//
// A read covers up to Chunk instructions and stays inside one aligned block of Chunk*64 bytes, so it crosses neither
// 4 KiB nor the end of the ring. A window violation or bus error is passed on in place of its instruction, so that
// decode reports it for the right command and not earlier.
// A read that would partly leave its window is retried one instruction at a time, which finds the first one outside.
//
// Ports: ring registers and windows are those of the CSR (stable while busy). ar_* and entry_* are valid/ready streams,
// r_* has no ready. entry_fault_o marks an address outside its window (entry_outside_o) or a bus error. jump_i is a
// pulse and discards all instructions fetched ahead. event_o is high in every cycle whose clock edge changes a register
// here, except after a write of the ring registers: their values are copied one cycle after the write, while no program
// runs.
//
// Parameters: Dim (bytes per beat: 4, 8, 16 or 32), Entries and Chunk (instructions, powers of two, Entries >= 2*Chunk,
// Chunk*64/Dim <= 256).
`include "tpu_assert.svh"
module tpu_fetch #(
  parameter int Dim = 16,
  parameter int Entries = 16,
  parameter int Chunk = 8
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           halt_i,
  input  logic                           busy_i,
  output logic                           event_o,
  // Ring and windows.
  input  logic [31:0]                    ring_base_i,
  input  logic [4:0]                     ring_log2_i,
  input  logic [1:0]                     ring_window_i,
  input  logic [31:0]                    tail_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // Read port.
  output logic                           ar_valid_o,
  input  logic                           ar_ready_i,
  output logic [31:0]                    ar_addr_o,
  output logic [7:0]                     ar_len_o,
  input  logic                           r_valid_i,
  input  logic [8*Dim-1:0]               r_data_i,
  input  logic                           r_error_i,
  // Instructions in dispatch order.
  output logic                           entry_valid_o,
  input  logic                           entry_ready_i,
  output logic                           entry_fault_o,
  output logic                           entry_outside_o,
  output logic [31:0]                    entry_address_o,
  output logic [511:0]                   entry_instr_o,
  // Jump: next come jump_count_i instructions from jump_target_i, then ring entry jump_resume_i and those after it.
  input  logic                           jump_i,
  input  logic [31:0]                    jump_target_i,
  input  logic [23:0]                    jump_count_i,
  input  logic [1:0]                     jump_window_i,
  input  logic [31:0]                    jump_resume_i
);
  localparam int Beats = 64 / Dim;
  localparam int BeatWidth = $clog2(Beats);
  localparam int ChunkWidth = $clog2(Chunk);
  localparam int CountWidth = ChunkWidth + 1;
  localparam int RoomWidth = $clog2(Entries) + 1;
  localparam int ChunkBeatWidth = ChunkWidth + BeatWidth;
  localparam int ReadWidth = 2 + CountWidth + 32;

  `TPU_ASSERT_INIT(DimIsLegal, Dim >= 4 && Dim <= 32 && (Dim & (Dim - 1)) == 0)
  `TPU_ASSERT_INIT(ChunkIsLegal, Entries >= 2 * Chunk && Chunk * Beats <= 256)

  // Next instruction to fetch: ring entry ptr_q, unless jumped-to instructions are left.
  logic [31:0]           ptr_q, jump_offset_q;
  logic [23:0]           jump_left_q;
  logic [1:0]            jump_window_q;
  logic                  in_jump;
  // Its address, computed one cycle ahead to keep the request path short. Out of date for one cycle after an attempt.
  logic                  fresh_q;
  logic [31:0]           offset_q;
  logic [1:0]            window_q;
  logic [CountWidth-1:0] bound_q;
  logic                  single_q, fault_q, generation_q;
  logic [RoomWidth-1:0]  reserved_q;

  logic [31:0]           ring_mask, ring_slot, ring_left, available;
  logic [ChunkWidth-1:0] block_slot;
  logic [CountWidth-1:0] count;
  logic                  wanted, attempt, request, outside, give_up, permitted, allowed;
  logic [31:0]           window_left;
  logic [31:0]           address;
  logic                  take;

  assign in_jump = jump_left_q != '0;
  assign take = entry_valid_o && entry_ready_i;

  // Prepare.
  assign ring_mask = ~(32'hffff_ffff << ring_log2_i);
  assign ring_slot = ptr_q & ring_mask;
  assign ring_left = in_jump ? 32'(jump_left_q) : ring_mask - ring_slot + 32'd1;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fresh_q <= 1'b0;
    end else begin
      fresh_q <= !attempt && !jump_i;
    end
    if (!fresh_q || !busy_i) begin
      offset_q <= in_jump ? jump_offset_q : ring_base_i + {ring_slot[25:0], 6'd0};
      window_q <= in_jump ? jump_window_q : ring_window_i;
      bound_q  <= ring_left > 32'(Chunk) ? CountWidth'(Chunk) : CountWidth'(ring_left);
    end
  end

  // Request.
  assign available  = tail_i - ptr_q;
  assign block_slot = win_base_i[window_q*32+6 +: ChunkWidth] + offset_q[6 +: ChunkWidth];
  always_comb begin
    count = CountWidth'(Chunk) - CountWidth'(block_slot);
    if (count > bound_q) count = bound_q;
    // A tail behind ptr_q requests nothing (available is signed).
    if (!in_jump && available[31]) count = '0;
    else if (!in_jump && available < 32'(count)) count = CountWidth'(available);
    if (single_q && count != '0) count = CountWidth'(1);
  end

  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_EXECUTE)) u_window (
    .win_base_i, .win_size_i, .win_perm_i,
    .window_i(window_q), .offset_i(offset_q), .length_i(32'd0),
    .allowed_o(permitted), .address_o(address)
  );
  // Bytes left in the window, computed in parallel with the count.
  assign window_left = win_size_i[window_q*32 +: 32] - offset_q;
  assign allowed     = permitted && window_left >= 32'(count) << 6;

  logic read_ready;
  // Conditions on registers first: most of the time they are false, and a simulation evaluates nothing more.
  always_comb begin
    wanted = 1'b0;
    if (fresh_q && count != '0) begin
      wanted = !fault_q && read_ready && reserved_q <= RoomWidth'(Entries) - RoomWidth'(count);
    end
  end
  always_comb begin
    attempt = 1'b0;
    if (wanted) attempt = busy_i && !halt_i && !jump_i && (!ar_valid_o || ar_ready_i);
  end
  assign request = attempt && allowed;
  assign outside = attempt && !allowed;
  assign give_up = outside && count == CountWidth'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ptr_q        <= '0;
      jump_left_q  <= '0;
      single_q     <= 1'b0;
      fault_q      <= 1'b0;
      generation_q <= 1'b0;
      reserved_q   <= '0;
    end else if (jump_i) begin
      ptr_q         <= jump_resume_i;
      jump_left_q   <= jump_count_i;
      jump_offset_q <= jump_target_i;
      jump_window_q <= jump_window_i;
      single_q      <= 1'b0;
      fault_q       <= 1'b0;
      // Reads in flight now have the old generation. They end before the next JUMP can arrive, so one bit is enough.
      generation_q  <= !generation_q;
      reserved_q    <= '0;
    end else if (attempt || take) begin
      reserved_q <= reserved_q + (request ? RoomWidth'(count) : RoomWidth'(give_up)) - RoomWidth'(take);
      if (request && in_jump) begin
        jump_left_q   <= jump_left_q - 24'(count);
        jump_offset_q <= jump_offset_q + (32'(count) << 6);
      end
      if (request && !in_jump) ptr_q <= ptr_q + 32'(count);
      if (outside) single_q <= 1'b1;
      if (give_up) fault_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ar_valid_o <= 1'b0;
    end else if (request) begin
      ar_valid_o <= 1'b1;
    end else if (ar_ready_i) begin
      ar_valid_o <= 1'b0;
    end
    if (request) begin
      ar_addr_o <= address;
      ar_len_o  <= 8'(32'(count) * Beats - 1);
    end
  end

  // Reads in flight, oldest first: {generation, fault, number of instructions, address}. An entry with a fault has no
  // read.
  logic                  read_valid, read_generation, read_fault, read_pop, read_drop;
  logic [CountWidth-1:0] read_count;
  logic [31:0]           read_address;
  logic [2:0]            unused_reads_level;
  tpu_fifo #(.Width(ReadWidth), .Depth(4)) u_reads (
    .clk_i, .rst_ni,
    .wr_valid_i(request || give_up), .wr_ready_o(read_ready),
    .wr_data_i({generation_q, !allowed, count, allowed ? address : offset_q}),
    .rd_valid_o(read_valid), .rd_ready_i(read_pop),
    .rd_data_o({read_generation, read_fault, read_count, read_address}),
    .level_o(unused_reads_level)
  );

  // Assemble.
  logic [ChunkBeatWidth-1:0] beat_q;
  logic [511-8*Dim:0]        assembly_q;
  logic                      error_q;
  logic [31:0]               error_address_q, beat_address;
  logic                      entry_last, read_last, push, push_fault;
  logic [31:0]               push_address;

  assign beat_address = read_address + {{(32-ChunkBeatWidth-$clog2(Dim)){1'b0}}, beat_q, {$clog2(Dim){1'b0}}};
  assign entry_last   = r_valid_i && (&beat_q[BeatWidth-1:0]);
  assign read_last    = entry_last && CountWidth'(beat_q >> BeatWidth) + CountWidth'(1) == read_count;
  assign read_drop    = read_generation != generation_q;
  assign read_pop     = read_last || (read_valid && read_fault);
  assign push         = (entry_last || (read_valid && read_fault)) && !read_drop;

  always_comb begin
    push_fault   = read_fault || error_q || r_error_i;
    push_address = '0;
    if (push && push_fault) begin
      push_address = read_fault ? read_address : error_q ? error_address_q : beat_address;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q  <= '0;
      error_q <= 1'b0;
    end else if (r_valid_i) begin
      beat_q  <= read_last ? '0 : beat_q + 1'b1;
      error_q <= !entry_last && (error_q || r_error_i);
      if (!error_q) error_address_q <= beat_address;
      if (!entry_last) assembly_q[beat_q[BeatWidth-1:0]*(8*Dim) +: 8*Dim] <= r_data_i;
    end
  end

  logic                 push_ready;
  logic [RoomWidth-1:0] unused_entries_level;
  tpu_fifo #(.Width(546), .Depth(Entries)) u_entries (
    .clk_i, .rst_ni(rst_ni && !jump_i),
    .wr_valid_i(push), .wr_ready_o(push_ready),
    .wr_data_i({push_fault, read_fault, push_address, r_data_i, assembly_q}),
    .rd_valid_o(entry_valid_o), .rd_ready_i(entry_ready_i),
    .rd_data_o({entry_fault_o, entry_outside_o, entry_address_o, entry_instr_o}),
    .level_o(unused_entries_level)
  );

  assign event_o = attempt || !fresh_q || jump_i || take || (ar_valid_o && ar_ready_i) || r_valid_i
                || (read_valid && read_fault);

  `TPU_ASSERT_WHEN(RoomIsReserved, push, push_ready)
  `TPU_ASSERT_WHEN(BeatsAreRequested, r_valid_i, read_valid && !read_fault,
                   ("read_valid %b, read_fault %b\n", read_valid, read_fault))
endmodule
