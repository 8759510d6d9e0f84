// SPDX-License-Identifier: Apache-2.0
// Checks instructions, numbers them and dispatches them in order to the four command queues. Executes JUMP and END.
//
// Latency: none, an instruction goes to its queue in the cycle in which it is offered. Whether it is legal is known in
// the next cycle; if it is not, halt_i keeps it in its queue. JUMP and END are executed in that cycle at the earliest.
// Throughput: one instruction in two cycles. Back-pressure: an instruction waits until its queue has room. END waits
// until every engine is idle and every signal has been taken; an END with `clear` then waits until the memories are
// cleared, and nothing is dispatched meanwhile. After an error (of this module or, through halt_i, any other) nothing
// is dispatched until reset.
//
// Ports: doorbell_i pulses together with the new tail. entry_* is a valid/ready stream from fetch; entry_fault_i marks
// an address outside its window (entry_outside_i) or a bus error. push_* has one valid and ready per queue and a common
// payload, entry_instr_i. jump_o and end_o.valid are pulses. error_valid_o pulses in the cycle after that of the error,
// and halt_i has to be high from then on. event_o is high in every cycle whose clock edge changes a register here.
//
// Parameters: Dim (side of the array) and Parts (those that the core has, by tpu_pkg::PART_*), for the legality rules.
`include "tpu_instr.svh"
module tpu_decode
  import tpu_command_pkg::*;
#(
  parameter int Dim = 16,
  parameter logic [tpu_pkg::PARTS-1:0] Parts = '1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        halt_i,
  output logic                        event_o,
  // Ring.
  input  logic                        doorbell_i,
  input  logic [31:0]                 tail_i,
  input  logic [4:0]                  ring_log2_i,
  output logic [31:0]                 head_o,
  // Instructions read ahead.
  input  logic                        entry_valid_i,
  output logic                        entry_ready_o,
  input  logic                        entry_fault_i,
  input  logic                        entry_outside_i,
  input  logic [31:0]                 entry_address_i,
  input  logic [511:0]                entry_instr_i,
  // Command queues.
  output logic [tpu_pkg::ENGINES-1:0] push_valid_o,
  input  logic [tpu_pkg::ENGINES-1:0] push_ready_i,
  output logic [31:0]                 push_index_o,
  // Jump.
  output logic                        jump_o,
  output jump_t                       jump_to_o,
  // Clearing of the memories: requested by a pulse, in progress from the next cycle on while clearing_i is high.
  output logic                        clear_o,
  input  logic                        clearing_i,
  // END: idle_i means that every queue is empty and every command committed.
  input  logic                        idle_i,
  input  logic [tpu_pkg::SEMAPHORES-1:0][7:0] semaphore_i,
  output end_t                        end_o,
  // State: a doorbell was rung and the END has not completed (busy); an END waits here and nothing follows it (ending).
  output logic                        busy_o,
  output logic                        ending_o,
  // First error.
  output logic                        error_valid_o,
  output logic [7:0]                  error_code_o,
  output logic [31:0]                 error_address_o
);
  logic        busy_q, cleared_q, clearing_q, error_q, ring_error_q;
  logic [31:0] index_q, head_q;
  logic [23:0] jump_left_q;

  // The offered instruction: its legality is known, and it is in its queue.
  logic known_q, legal_q, pushed_q, legal;
  tpu_legal #(.Dim(Dim), .Parts(Parts)) u_legal (
    .valid_i(entry_valid_i && !known_q), .instr_i(entry_instr_i), .legal_o(legal)
  );

  // The instructions that are executed here.
  jump_instr_t as_jump;
  end_instr_t  as_end;
  logic        unused_bits;
  assign as_jump       = entry_instr_i;
  assign as_end        = entry_instr_i;
  assign unused_bits   = ^{as_jump, as_end};
  assign jump_to_o     = '{resume: head_q + 32'd1, window: as_jump.window, count: as_jump.count,
                           target: as_jump.target};

  // The first digit of an opcode names the engine.
  logic [tpu_pkg::ENGINES-1:0] engine;
  always_comb begin
    for (int e = 0; e < tpu_pkg::ENGINES; e++) engine[e] = as_end.opcode[7:4] == tpu_pkg::SYNC_OPCODES[e][7:4];
  end

  // Entries from the head to the tail, less one. The tail is checked in the cycle after the doorbell.
  logic [31:0] ahead, ring_mask;
  logic        drained, in_jump, rung_q, ring_error;
  assign ahead      = tail_i + ~head_q;
  assign drained    = tail_i == head_q;
  assign in_jump    = jump_left_q != '0;
  assign ring_mask  = ~(32'hffff_ffff << ring_log2_i);
  assign ring_error = rung_q && !halt_i && !drained && (ahead & ~ring_mask) != '0;

  logic push, done, is_jump, is_end, at_end, more, error;

  // After END the core stays busy if the ring has more instructions, or if the jumped-to program continues.
  assign at_end = known_q && !entry_fault_i && legal_q && as_end.opcode == tpu_pkg::OP_END;
  always_comb begin
    more = 1'b0;
    // Outside of a JUMP `ahead` tells; that this sum is zero is known without its carries.
    if (at_end) more = in_jump ? jump_left_q != 24'd1 || !drained : (tail_i ^ ~head_q) != (tail_i | ~head_q) << 1;
  end

  always_comb begin
    done         = 1'b0;
    is_jump      = 1'b0;
    is_end       = 1'b0;
    push_valid_o = '0;
    error        = 1'b0;
    clear_o      = 1'b0;
    if (entry_valid_i && !halt_i && !clearing_q) begin
      if (!pushed_q && !entry_fault_i) push_valid_o = engine;
      if (known_q) begin
        if (entry_fault_i || !legal_q) begin
          error = 1'b1;
        end else if (engine != '0) begin
          done = pushed_q || (engine & push_ready_i) != '0;
        end else if (as_jump.opcode == tpu_pkg::OP_JUMP) begin
          is_jump = !in_jump;
          done    = !in_jump;
          error   = in_jump;
        end else if (idle_i) begin
          error   = semaphore_i != '0;
          clear_o = !error && as_end.clear && !cleared_q;
          is_end  = !error && !clear_o;
          done    = is_end;
        end
      end
    end
  end
  assign push = (push_valid_o & push_ready_i) != '0;

  // The first semaphore that is not zero: a tree over pairs of parts.
  function automatic logic [4:0] first_held(input logic [tpu_pkg::SEMAPHORES-1:0][7:0] counts);
    logic [tpu_pkg::SEMAPHORES-1:0]      any;
    logic [tpu_pkg::SEMAPHORES-1:0][4:0] place;
    place = '0;
    for (int s = 0; s < tpu_pkg::SEMAPHORES; s++) any[s] = counts[s] != '0;
    for (int level = 0; level < 5; level++) begin
      for (int n = 0; n < tpu_pkg::SEMAPHORES / 2 >> level; n++) begin
        place[n]        = any[2*n] ? place[2*n] : place[2*n+1];
        place[n][level] = !any[2*n];
        any[n]          = any[2*n] || any[2*n+1];
      end
    end
    return place[0];
  endfunction

  // The record of the error, in the cycle after it.
  always_comb begin
    error_code_o    = tpu_pkg::ERROR_RING;
    error_address_o = tail_i;
    if (error_q && !ring_error_q) begin
      if (entry_fault_i) begin
        error_code_o    = entry_outside_i ? tpu_pkg::ERROR_WINDOW : tpu_pkg::ERROR_AXI_READ;
        error_address_o = entry_address_i;
      end else if (!legal_q) begin
        error_code_o    = tpu_pkg::ERROR_ILLEGAL_INSTRUCTION;
        error_address_o = entry_instr_i[31:0];
      end else if (as_jump.opcode == tpu_pkg::OP_JUMP) begin
        error_code_o    = tpu_pkg::ERROR_JUMP;
        error_address_o = as_jump.target;
      end else begin
        error_code_o    = tpu_pkg::ERROR_SEMAPHORE_AT_END;
        error_address_o = 32'(first_held(semaphore_i));
      end
    end
  end

  // These conditions depend on this clock's registers. In a process of their own, a simulator does not evaluate them
  // in every cycle.
  logic own_event;
  always_comb begin
    own_event = 1'b0;
    if ((entry_valid_i && !known_q) || push || done || clear_o) own_event = 1'b1;
    if (doorbell_i || rung_q || error || error_q) own_event = 1'b1;
  end
  assign entry_ready_o = done;
  assign event_o       = own_event || clearing_q != clearing_i;
  assign head_o        = head_q;
  assign push_index_o  = index_q;
  assign jump_o        = is_jump;
  assign end_o         = '{valid: is_end, clear: as_end.clear, tag: as_end.tag};
  assign ending_o      = at_end && !more;
  assign error_valid_o = error_q;
  // Writing the same tail again starts nothing.
  assign busy_o        = busy_q || (doorbell_i && !drained);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      index_q      <= '0;
      head_q       <= '0;
      jump_left_q  <= '0;
      busy_q       <= 1'b0;
      clearing_q   <= 1'b1;
      cleared_q    <= 1'b0;
      known_q      <= 1'b0;
      pushed_q     <= 1'b0;
      error_q      <= 1'b0;
      rung_q       <= 1'b0;
      ring_error_q <= 1'b0;
    end else if (event_o) begin
      error_q      <= error || ring_error;
      rung_q       <= doorbell_i;
      ring_error_q <= ring_error;
      known_q      <= entry_valid_i && !done;
      pushed_q     <= (pushed_q || push) && !done;
      cleared_q    <= clear_o || (cleared_q && !done);
      clearing_q   <= clear_o || clearing_i;
      if (done) begin
        index_q <= index_q + 32'd1;
        if (is_jump) jump_left_q <= as_jump.count;
        if (in_jump) jump_left_q <= jump_left_q - 24'd1;
        else head_q <= head_q + 32'd1;
      end
      if (is_end) busy_q <= more;
      else if (doorbell_i && !drained) busy_q <= 1'b1;
    end
    if (entry_valid_i && !known_q) legal_q <= legal;
  end
endmodule
