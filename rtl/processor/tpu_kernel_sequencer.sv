// SPDX-License-Identifier: Apache-2.0
// Runs a kernel: executes its control and scalar micro-instructions and hands the vector ones on as steps, with the
// values of their scalars. isa/spec/pages/kernel.md defines kernels and their errors.
//
// A word takes two cycles: in the first, loops that end before it are repeated or left, and the word is read; in the
// second it is executed. All loops that end at the same word are handled in one cycle.
//
// Latency: the first word is read in the cycle after the start; a step is at the output in the cycle after its word was
// executed. Throughput: a word in two cycles, so loops and scalars cost nothing beside steps of eight cycles.
// Back-pressure: two steps wait at the output, so that whether a word is executed follows from registers. A vector word
// waits while there are two, the kernel's end while there is one; other words do not wait.
//
// Protocol: starts and steps are valid/ready streams. A step without rows is not handed on. done_o is a pulse after the
// last step was taken. In place of it fault_o is a pulse when a word cannot be executed, after all earlier steps were
// taken, and fault_word_o is the number of that word. The next start is accepted from the cycle of the pulse on. Words
// are valid in the cycle after rd_valid_o and hold until the next read. While busy_o and start_valid_i are low the
// clock may stop.
//
// Parameters: BlockFloat, 0 for a core that does not know the format of blocks.
`include "tpu_assert.svh"
module tpu_kernel_sequencer #(
  parameter int BlockFloat = 1,
  localparam int Args = tpu_kernel_pkg::ARGUMENTS,
  localparam int Planes = tpu_strip_pkg::Planes,
  localparam int WordAddr = $clog2(tpu_kernel_pkg::MEMORY_WORDS)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 busy_o,
  // Start: number of the first word, and the arguments, the first in the low bits.
  input  logic                 start_valid_i,
  output logic                 start_ready_o,
  input  logic [15:0]          start_entry_i,
  input  logic [32*Args-1:0]   start_args_i,
  // Kernel memory.
  output logic                 rd_valid_o,
  output logic [WordAddr-1:0]  rd_word_o,
  input  tpu_kernel_pkg::word_t rd_data_i,
  // Steps. Addresses count only with a memory operand.
  output logic                 step_valid_o,
  input  logic                 step_ready_i,
  output tpu_strip_pkg::step_t step_o,
  // End.
  output logic                 done_o,
  output logic                 fault_o,
  output logic [15:0]          fault_word_o
);
  localparam int Scalars = tpu_kernel_pkg::SCALARS;
  localparam int Levels = tpu_kernel_pkg::LOOP_DEPTH;
  localparam int Words = tpu_kernel_pkg::MEMORY_WORDS;
  localparam int EndWidth = WordAddr + 1; // the word behind the last one, too
  localparam int DepthWidth = $clog2(Levels + 1);
  localparam int Work = tpu_kernel_pkg::WORK_LOG2;
  localparam logic [63:0] VectorOps = tpu_kernel_pkg::GROUP_VECTOR1 | tpu_kernel_pkg::GROUP_VECTOR2 |
                                      tpu_kernel_pkg::GROUP_LANES;
  localparam logic [63:0] WideOps = tpu_kernel_pkg::GROUP_SCALAR_WIDE;
  localparam logic [63:0] ScalarOps = WideOps | tpu_kernel_pkg::GROUP_SCALAR;

  typedef enum logic [1:0] {StIdle, StFetch, StExecute, StFault} state_t;

  state_t                state_q;
  logic                  start, executing, execute;
  logic [15:0]           at_q;
  logic [3:0]            rows_q;
  logic [Scalars-1:0][31:0] scalars_q;
  logic [Work:0]         executed_q;           // words, at most 2**Work

  // Loops, the outermost in the low bits: first word, the word behind the body, runs after this one.
  logic [DepthWidth-1:0]           depth_q, depth;
  logic [Levels-1:0][WordAddr-1:0] begin_q;
  logic [Levels-1:0][EndWidth-1:0] end_q;
  logic [Levels-1:0][31:0]         left_q;

  assign start_ready_o = state_q == StIdle;
  assign start         = start_valid_i && start_ready_o;
  assign busy_o        = state_q != StIdle || done_o || fault_o;
  assign fault_word_o  = at_q;

  // Fetch. Of the open loops all that are in their last run and end here are left; `again` runs the one around them.
  logic        again, fetch;
  logic [15:0] target;
  logic [31:0] again_left;
  always_comb begin
    target     = at_q;
    depth      = depth_q;
    again      = 1'b0;
    again_left = '0;
    if (state_q == StFetch) begin
      depth = '0;
      for (int l = 0; l < Levels; l++) begin
        if (DepthWidth'(l) < depth_q &&
            (16'(end_q[l]) != at_q || left_q[l] != '0)) begin
          depth      = DepthWidth'(l + 1);
          again      = 16'(end_q[l]) == at_q;
          again_left = left_q[l];
          target     = again ? 16'(begin_q[l]) : at_q;
        end
      end
    end
  end
  assign fetch      = 32'(target) < Words && !executed_q[Work];
  assign rd_valid_o = state_q == StFetch && fetch;
  assign rd_word_o  = target[WordAddr-1:0];

  // Execution.
  logic [5:0]  op;
  logic [1:0]  a_kind, b_kind;
  logic [3:0]  a_number, b_number, row_scalar, plane_scalar;
  logic [15:0] immediate;
  logic        legal, vector, memory, end_op, right, go, hand_on;

  assign op           = rd_data_i.op;
  assign a_kind       = rd_data_i.a_kind;
  assign b_kind       = rd_data_i.b_kind;
  assign immediate    = rd_data_i.immediate;
  assign a_number     = rd_data_i.a;
  assign b_number     = rd_data_i.b;
  assign row_scalar   = rd_data_i.row_stride;
  assign plane_scalar = rd_data_i.plane_stride;
  assign end_op       = op == tpu_kernel_pkg::KOP_END;
  assign executing    = state_q == StExecute;

  tpu_kernel_legal #(.BlockFloat(BlockFloat)) u_legal (
    .valid_i(executing), .word_i(rd_data_i), .legal_o(legal), .vector_o(vector), .memory_o(memory)
  );

  // A loop may be opened: one level is left, and its body is not empty and ends where the loop around it ends, or
  // before.
  function automatic logic may_open(input logic [DepthWidth-1:0] open, input logic [Levels-1:0][EndWidth-1:0] ends,
                                    input logic [15:0] at, input logic [15:0] length);
    logic [EndWidth-1:0] limit;
    limit = EndWidth'(Words);
    for (int l = 0; l < Levels; l++) begin
      if (open == DepthWidth'(l + 1)) limit = ends[l];
    end
    may_open = open != DepthWidth'(Levels) && length != '0 && 17'(at) + 17'd1 + 17'(length) <= 17'(limit);
  endfunction

  // Steps that wait, and the one that is handed on next and taken next.
  tpu_strip_pkg::step_t [1:0] steps_q;
  logic                       some_q, both_q, next_q, taken_q, take;

  always_comb begin
    execute = 1'b0;
    right   = 1'b0;
    go      = 1'b0;
    hand_on = 1'b0;
    if (executing) begin // Branches here and below: an idle unit costs a simulation a few tests.
      right   = legal && !(end_op && depth_q != '0)
             && (op != tpu_kernel_pkg::KOP_LOOP || may_open(depth_q, end_q, at_q, immediate));
      execute = !(both_q && VectorOps[op]) && !(some_q && end_op);
      go      = execute && right;
      hand_on = go && vector && rows_q != '0;
    end
  end

  // What follows is computed in functions and tasks, because a simulator runs them only when they are called.
  function automatic logic [31:0] scalar(input logic [3:0] number);
    scalar = scalars_q[number];
  endfunction

  function automatic logic [31:0] source(input logic [1:0] kind, input logic [3:0] number);
    source = kind == tpu_kernel_pkg::SOURCE_SCALAR ? scalar(number) : {{16{immediate[15]}}, immediate};
  endfunction

  // One adder: a - b is a + ~b + 1.
  function automatic logic [31:0] sum(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] left_term, right_term;
    left_term  = op == tpu_kernel_pkg::KOP_SET ? '0 : a;
    right_term = WideOps[op] ? rd_data_i[tpu_kernel_pkg::WIDE_LSB +: tpu_kernel_pkg::WIDE_W] : b;
    if (op == tpu_kernel_pkg::KOP_SUB) right_term = ~b;
    sum = left_term + right_term + 32'(op == tpu_kernel_pkg::KOP_SUB);
  endfunction

  function automatic logic [3:0] strip_rows(input logic [31:0] count);
    if (count[31]) strip_rows = '0;
    else if (count > 32'(tpu_kernel_pkg::STRIP_ROWS)) strip_rows = 4'(tpu_kernel_pkg::STRIP_ROWS);
    else strip_rows = count[3:0];
  endfunction

  function automatic logic [15:0] stride(input logic [3:0] number);
    stride = number == '0 ? 16'd1 : 16'(scalar(number));
  endfunction

  function automatic logic [Planes-1:0][15:0] plane_rows(input logic [15:0] base, input logic [15:0] distance);
    plane_rows = {base + 16'd3 * distance, base + {distance[14:0], 1'b0}, base + distance, base};
  endfunction

  // Runs of a loop's body that are left: of one that is opened, and of one that runs again.
  function automatic logic [31:0] left();
    left = (executing ? scalar(a_number) : again_left) - 32'd1;
  endfunction

  // Goes on behind the word; a loop without runs is passed over.
  function automatic logic [15:0] body_end();
    body_end = at_q + 16'd1 + immediate;
  endfunction

  function automatic logic loop_runs();
    loop_runs = op == tpu_kernel_pkg::KOP_LOOP && $signed(scalar(a_number)) > 0;
  endfunction

  // No loop waits for a step, so this depends on registers only.
  task automatic open_loop;
    depth_q <= depth_q + 1'b1;
    for (int l = 0; l < Levels; l++) begin
      if (depth_q == DepthWidth'(l)) begin
        begin_q[l] <= at_q[WordAddr-1:0] + 1'b1;
        end_q[l]   <= EndWidth'(body_end());
        left_q[l]  <= left();
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      done_o  <= 1'b0;
      fault_o <= 1'b0;
    end else begin
      done_o  <= go && end_op;
      fault_o <= state_q == StFault && !some_q;
      case (state_q)
        StIdle:  if (start) state_q <= StFetch;
        StFetch: state_q <= fetch ? StExecute : StFault;
        StExecute: begin
          if (execute) state_q <= !right ? StFault : end_op ? StIdle : StFetch;
        end
        default: if (!some_q) state_q <= StIdle; // StFault
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      at_q       <= start_entry_i;
      depth_q    <= '0;
      executed_q <= '0;
    end else if (state_q == StFetch) begin
      at_q       <= target;
      depth_q    <= depth;
      executed_q <= executed_q + 1'b1;
      for (int l = 0; l < Levels; l++) begin
        if (again && depth == DepthWidth'(l + 1)) left_q[l] <= left();
      end
    end else begin
      if (go && !end_op) at_q <= op == tpu_kernel_pkg::KOP_LOOP && !loop_runs() ? body_end() : at_q + 16'd1;
      if (right && loop_runs()) open_loop;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      scalars_q <= (32*Scalars)'(start_args_i);
      rows_q    <= 4'(tpu_kernel_pkg::STRIP_ROWS);
    end else if (executing) begin  // None of these operations waits for a step.
      if (op == tpu_kernel_pkg::KOP_ROWS) begin
        rows_q <= strip_rows(scalar(a_number));
      end
      if (ScalarOps[op]) begin
        for (int i = 0; i < Scalars; i++) begin
          if (rd_data_i.d == 4'(i)) begin
            scalars_q[i] <= sum(scalar(a_number), scalar(b_number));
          end
        end
      end
    end
  end

  // Steps. step_ready_i is known late, so it moves single bits only.
  assign step_valid_o = some_q;
  always_comb begin
    take   = 1'b0;
    step_o = steps_q[0];
    if (some_q) begin
      take = step_ready_i;
      if (taken_q) step_o = steps_q[1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      some_q  <= 1'b0;
      both_q  <= 1'b0;
      next_q  <= 1'b0;
      taken_q <= 1'b0;
    end else if (some_q || hand_on) begin
      some_q  <= hand_on || both_q || !take;
      both_q  <= (hand_on ? some_q : both_q) && !take;
      next_q  <= next_q ^ hand_on;
      taken_q <= taken_q ^ take;
    end
  end

  always_ff @(posedge clk_i) begin
    if (hand_on) begin
      steps_q[next_q] <= '{
        operation: '{
          op:      op,
          d:       rd_data_i.d,
          a:       a_number,
          b:       b_number,
          a_kind:  a_kind,
          b_kind:  b_kind,
          a_value: source(a_kind, a_number),
          b_value: source(b_kind, b_number),
          even:    rd_data_i.rounding,
          store:   rd_data_i.store,
          load:    memory && !rd_data_i.store,
          format:  rd_data_i.format
        },
        rows:       rows_q,
        plane_rows: plane_rows(16'(scalar(rd_data_i.base)), stride(plane_scalar)),
        row_stride: stride(row_scalar)
      };
    end
  end

  `TPU_ASSERT_WHEN(StepIsHeld, both_q, !hand_on)
  `TPU_ASSERT_WHEN(StepHasRows, step_valid_o, step_o.rows != '0 && step_o.rows <= 4'(tpu_kernel_pkg::STRIP_ROWS),
                   ("%0d rows of a strip of %0d\n", step_o.rows, tpu_kernel_pkg::STRIP_ROWS))
  `TPU_ASSERT_WHEN(EndIsBehindSteps, done_o || fault_o, !step_valid_o && done_o != fault_o,
                   ("done_o %b, fault_o %b, step_valid_o %b\n", done_o, fault_o, step_valid_o))
  `TPU_ASSERT_WHEN(WordIsInMemory, execute, 32'(at_q) < Words, ("word %0d of %0d\n", at_q, Words))
endmodule
