// SPDX-License-Identifier: Apache-2.0
// Decides which instructions are read next, and requests them: those of the ring in its order, after a JUMP first the
// jumped-to program.
//
// A read covers up to Chunk instructions and stays inside one aligned block of Chunk*64 bytes, so it crosses neither
// 4 KiB nor the end of the ring. A read that would partly leave its window is tried again with one instruction, which
// finds the first one outside; nothing is requested behind that.
//
// Latency: the read address is valid one cycle after the doorbell or two after jump_i. What does not depend on the tail
// is prepared in two steps: the offset of the next instruction, then how many are read. Throughput: one read in three
// cycles. Back-pressure: no read is requested while the buffer has no room for it, or made_ready_i is low.
//
// Ports: ring registers and windows are those of the CSR (stable while busy). ar_* is a valid/ready stream. made_*
// tells of each read when it is requested, and of an instruction outside of its window, whose offset it gives;
// addresses are in units of 64 bytes. taken_i pulses when decode takes an instruction and with it frees its room.
// jump_i is a pulse; the room of all instructions is then free. event_o is high in every cycle whose clock edge changes
// a register here, but for the preparation while busy_i is low.
//
// Parameters: Entries, Chunk (instructions, powers of two), Beats (of an instruction), Windows.
module tpu_fetch_request
  import tpu_command_pkg::*;
#(
  parameter int Entries = 16,
  parameter int Chunk = 8,
  parameter int Beats = 4,
  parameter int Windows = 4,
  localparam int ChunkWidth = $clog2(Chunk)
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
  // Jump, and room that becomes free.
  input  logic                     jump_i,
  input  jump_t                    jump_to_i,
  input  logic                     taken_i,
  // Read address.
  input  logic                     ar_ready_i,
  output tpu_axi_pkg::request_t    ar_o,
  // The same for the order of beats.
  output logic                     made_valid_o,
  input  logic                     made_ready_i,
  output logic                     made_outside_o,
  output logic [ChunkWidth:0]      made_count_o,
  output logic [25:0]              made_address_o
);
  typedef logic [ChunkWidth:0] count_t;
  localparam int RoomWidth = $clog2(Entries) + 1;

  // Next instruction: ring entry ptr_q, unless jumped-to instructions are left.
  logic [31:0] ptr_q;
  logic [23:0] left_q;
  logic        in_jump;
  assign in_jump = left_q != '0;

  // Preparation of the next read, and the read when it is ready.
  typedef enum logic [1:0] {Offset, Limit, Ready} step_e;
  step_e                  step_q;
  logic [25:0]            offset_q, address_q;
  tpu_window_pkg::index_t window_q;
  count_t                 limit_q;
  logic                   allowed_q, single_q, fault_q;
  logic [RoomWidth-1:0]   reserved_q;

  // Step 1: the offset of a ring entry, and how many follow it up to the end of the ring. The offset of a jumped-to
  // instruction is counted on.
  logic [31:0]           ring_mask, ring_left;
  logic [25:0]           ring_slot;
  logic [ChunkWidth-1:0] ring_run_q;
  assign ring_mask  = ~(32'hffff_ffff << ring_i.log2);
  assign ring_slot  = 26'(ptr_q & ring_mask);
  assign ring_left  = ~ptr_q & ring_mask;

  // Step 2: as many as are left of the ring or the program, and of the block; run and block are one less.
  logic [31:0]             address;
  logic [ChunkWidth-1:0]   run, block;
  count_t                  limit;
  logic                    allowed, unused_bits;
  tpu_window_pkg::window_t window;
  assign window      = tpu_window_pkg::window_at(windows_i, window_q, Windows);
  assign unused_bits = ^{jump_to_i.target[5:0], address[5:0], window};
  always_comb begin
    if (in_jump) run = left_q > 24'(Chunk) ? '1 : left_q[ChunkWidth-1:0] - 1'b1;
    else run = ring_run_q;
    block = ~(window.base[ChunkWidth-1:0] + offset_q[ChunkWidth-1:0]);
    limit = {1'b0, run < block ? run : block} + 1'b1;
    if (single_q) limit = count_t'(1);
  end
  tpu_window_check #(.Permission(tpu_pkg::PERMISSION_EXECUTE), .Windows(Windows)) u_window (
    .windows_i, .window_i(window_q), .offset_i({offset_q, 6'd0}), .length_i({26'(limit), 6'd0}),
    .allowed_o(allowed), .address_o(address)
  );

  // Step 3: the tail, and room for a whole read. short: the tail comes first (all is signed, so a tail behind ptr_q
  // requests nothing).
  logic [31:0] available;
  logic        some, short, room, ready, attempt, request, give_up;
  count_t      count;
  assign available = tail_i - ptr_q;
  assign some      = in_jump || (tail_i != ptr_q && !available[31]);
  assign short     = !in_jump && available < 32'(limit_q);
  assign count     = short ? count_t'(available) : limit_q;
  assign room      = reserved_q <= RoomWidth'(Entries) - RoomWidth'(limit_q);
  // Conditions on registers first: most of the time they are false, and a simulation evaluates nothing more.
  always_comb begin
    ready = 1'b0;
    if (step_q == Ready && room && made_ready_i && !fault_q && busy_i && !halt_i) begin
      ready = some && !jump_i;
    end
  end
  assign attempt        = ready && (!ar_o.valid || ar_ready_i);
  assign request        = attempt && allowed_q;
  assign give_up        = attempt && !allowed_q && single_q;
  assign made_valid_o   = request || give_up;
  assign made_outside_o = !allowed_q;
  assign made_count_o   = count;
  assign made_address_o = allowed_q ? address_q : offset_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      step_q     <= Offset;
      ptr_q      <= '0;
      left_q     <= '0;
      single_q   <= 1'b0;
      fault_q    <= 1'b0;
      reserved_q <= '0;
    end else if (jump_i) begin
      step_q     <= Limit;
      ptr_q      <= jump_to_i.resume;
      left_q     <= jump_to_i.count;
      single_q   <= 1'b0;
      fault_q    <= 1'b0;
      reserved_q <= '0;
    end else if (attempt || taken_i || step_q != Ready) begin
      if (attempt) step_q <= Offset;
      else if (step_q == Offset) step_q <= Limit;
      else step_q <= Ready;
      reserved_q <= reserved_q + (made_valid_o ? RoomWidth'(count) : '0) - RoomWidth'(taken_i);
      if (request && in_jump) left_q <= left_q - 24'(limit_q);
      if (request && !in_jump) ptr_q <= short ? tail_i : ptr_q + 32'(limit_q);
      if (attempt && !allowed_q) single_q <= 1'b1;
      if (give_up) fault_q <= 1'b1;
    end
  end

  // While no program runs, the preparation follows the registers of the ring and the windows.
  always_ff @(posedge clk_i) begin
    if (jump_i) begin
      offset_q <= jump_to_i.target[31:6];
      window_q <= jump_to_i.window;
    end else if (in_jump) begin
      if (request) offset_q <= offset_q + 26'(limit_q);
    end else if (step_q == Offset || !busy_i) begin
      offset_q   <= ring_i.base + ring_slot;
      window_q   <= ring_i.window;
      ring_run_q <= ring_left >= 32'(Chunk) ? '1 : ring_left[ChunkWidth-1:0];
    end
    if (step_q == Limit || !busy_i) begin
      address_q <= address[31:6];
      limit_q   <= limit;
      allowed_q <= allowed;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) ar_o.valid <= 1'b0;
    else if (request) ar_o.valid <= 1'b1;
    else if (ar_ready_i) ar_o.valid <= 1'b0;
    if (request) begin
      ar_o.addr <= {address_q, 6'd0};
      ar_o.len  <= 8'(32'(count) * Beats - 1);
    end
  end

  // In processes of their own, a simulator looks at what depends on this clock alone only when it ran.
  logic own_event;
  always_comb begin
    own_event = ready && !ar_o.valid;
    if (step_q != Ready || jump_i || taken_i) own_event = 1'b1;
  end
  always_comb begin
    event_o = own_event;
    if (ar_o.valid) event_o = own_event || ar_ready_i;
  end
endmodule
