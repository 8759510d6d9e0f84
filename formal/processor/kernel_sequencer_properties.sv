// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_kernel_sequencer, for every content of the kernel memory, also words that are no instructions.
`include "properties.svh"
module kernel_sequencer_properties #(
  localparam int Args = tpu_kernel_pkg::ARGUMENTS,
  localparam int Words = tpu_kernel_pkg::MEMORY_WORDS,
  localparam int WordAddr = $clog2(Words),
  localparam int Levels = tpu_kernel_pkg::LOOP_DEPTH
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               start_valid_i,
  input logic [15:0]        start_entry_i,
  input logic [32*Args-1:0] start_args_i,
  input logic [63:0]        rd_data_i,
  input logic               step_ready_i
);
  logic                 busy_o, start_ready_o, rd_valid_o, step_valid_o, done_o, fault_o;
  logic [WordAddr-1:0]  rd_word_o;
  logic [15:0]          fault_word_o;
  tpu_strip_pkg::step_t step_o;
  tpu_kernel_sequencer u_sequencer (.*);
  `CHECKED_OUTSIDE_RESET

  // Words that were read since the start; the step that was offered and not taken.
  localparam int Work = tpu_kernel_pkg::WORK_LOG2;
  logic [Work:0]        read_q;
  logic                 held_q, begun_q;
  tpu_strip_pkg::step_t step_q;
  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni && step_valid_o && !step_ready_i;
    step_q    <= step_o;
    if (start_valid_i && start_ready_o) begin
      read_q  <= '0;
      begun_q <= 1'b1;
    end else if (rd_valid_o) begin
      read_q <= read_q + 1'b1;
    end
    if (!rst_ni) begun_q <= 1'b0;
  end

  // Loops: the bodies of those that are open lie in the memory, each within that around it.
  logic [Levels-1:0] nested;
  always_comb begin
    nested = '1;
    for (int l = 0; l < Levels; l++) begin
      if (32'(u_sequencer.depth_q) > l) begin
        if (32'(u_sequencer.end_q[l]) > Words) nested[l] = 1'b0;
        if (32'(u_sequencer.end_q[l]) <=
            32'(u_sequencer.begin_q[l])) nested[l] = 1'b0;
        if (l > 0 && u_sequencer.end_q[l] >
                     u_sequencer.end_q[l > 0 ? l-1 : 0]) nested[l] = 1'b0;
      end
    end
  end

  `PROPERTY(WordInMemory, rd_valid_o, 32'(u_sequencer.target) < Words && 32'(rd_word_o) == 32'(u_sequencer.target))
  `PROPERTY(LoopsInMemory, begun_q && u_sequencer.depth_q > 1, nested == '1)
  `PROPERTY(Counted, rd_valid_o, begun_q && u_sequencer.executed_q == read_q && !read_q[Work])
  `PROPERTY(StepStable, held_q, step_valid_o && step_o == step_q)
  `PROPERTY(StepHasRows, step_valid_o, step_o.rows != '0 && step_o.rows <= 4'(tpu_kernel_pkg::STRIP_ROWS))
  `PROPERTY(EndBehindSteps, done_o || fault_o, !step_valid_o && done_o != fault_o)
  `PROPERTY(IdleReadsNothing, start_ready_o, !rd_valid_o)

  `INVARIANT(Read, !(u_sequencer.state_q inside {2'd1, 2'd2}) || u_sequencer.executed_q == read_q)
  `INVARIANT(Begun, begun_q || u_sequencer.state_q == 2'd0)
  `INVARIANT(Nested, !begun_q || nested == '1)
  `INVARIANT(Depth, !begun_q || 32'(u_sequencer.depth_q) <= Levels)
  `INVARIANT(Rows, !begun_q || u_sequencer.rows_q <= 4'(tpu_kernel_pkg::STRIP_ROWS))
  `INVARIANT(At, u_sequencer.state_q != 2'd2 || 32'(u_sequencer.at_q) < Words)
  `INVARIANT(StepBegun, begun_q || !step_valid_o)
  `INVARIANT(Steps, u_sequencer.next_q == (u_sequencer.taken_q ^ (u_sequencer.some_q && !u_sequencer.both_q)))
  `INVARIANT(StepsRows, !u_sequencer.both_q || (u_sequencer.some_q
             && u_sequencer.steps_q[!u_sequencer.taken_q].rows != '0
             && u_sequencer.steps_q[!u_sequencer.taken_q].rows <= 4'(tpu_kernel_pkg::STRIP_ROWS)))
endmodule
