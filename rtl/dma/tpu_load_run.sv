// SPDX-License-Identifier: Apache-2.0
// Runs of LOAD's destination side: which run the walk is in, where its bytes lie among those that arrive, and where its
// rows begin. All addresses are computed incrementally.
//
// Latency: next_* tell of the next run, or while setup_i of a command's first, in the same cycle; the run's own outputs
// follow in the cycle after go_i. Throughput: one run per cycle. Back-pressure: none.
//
// Positions count the bytes of the beats that arrive, modulo 2**POS_W from reset. A run begins in the beat after the
// last one of the run before; a run outside the valid rows has no beats.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat; Windows.
module tpu_load_run #(
  parameter int Dim = 16,
  parameter int Windows = 4,
  localparam int Log = $clog2(Dim),
  localparam int PosWidth = tpu_load_pkg::POS_W
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  tpu_window_pkg::windows_t       windows_i,
  input  tpu_load_pkg::runs_t            runs_i,
  // The command's first cycle; a run begins.
  input  logic                           setup_i,
  input  logic                           go_i,
  output logic [PosWidth-1:0]            next_start_o,
  output logic [15:0]                    next_row_o,
  // The run: its iterations, as in tpu_load_source; whether it reads; positions of its first byte and behind its last.
  output logic [15:0]                    n0_o,
  output logic [15:0]                    left1_o,
  output logic                           last_o,
  output logic                           reads_o,
  output logic [PosWidth-1:0]            start_o,
  output logic [PosWidth-1:0]            end_o,
  // The beat behind the run, and the address of a beat of the run after an error.
  output logic [PosWidth-Log-1:0]        after_o,
  input  logic                           error_i,
  input  logic [PosWidth-Log-1:0]        error_seq_i,
  output logic [31:0]                    error_addr_o
);
  logic [15:0]         n0_q, left1_q, outer_row_q, row_q; // n0_q: inner iterations up to this one
  logic [31:0]         outer_addr_q, addr_q;
  logic                reads_q;
  logic [PosWidth-1:0] start_q, end_q;

  logic        last0, outer_go, reads;
  logic [15:0] i0, row;                      // inner iteration of the next run
  assign last0    = n0_q == runs_i.count0;
  assign outer_go = setup_i || last0;
  assign i0       = outer_go ? '0 : n0_q;
  // Valid rows begin at one iteration and end before another.
  assign reads    = (i0 == runs_i.valid_from || (reads_q && !outer_go)) && i0 != runs_i.valid_to;

  // One sum for the address of the first run, of the next, and of a beat with an error.
  tpu_window_pkg::window_t window;
  logic [31:0]             addr_from, addr_step, addr;
  logic [PosWidth-Log-1:0] error_beat;
  assign window     = tpu_window_pkg::window_at(windows_i, runs_i.window, Windows);
  assign error_beat = error_seq_i - start_q[PosWidth-1:Log];
  always_comb begin
    addr_from = last0 ? outer_addr_q : addr_q;
    addr_step = last0 ? runs_i.src_stride1 : runs_i.src_stride0;
    if (setup_i) begin
      addr_from = {window.base, 6'd0};
      addr_step = runs_i.src;
    end
    if (error_i) begin
      addr_from = addr_q;
      addr_step = 32'({error_beat, Log'(0)});
    end
  end
  assign addr         = addr_from + addr_step;
  assign error_addr_o = {addr[31:Log], Log'(0)};

  always_comb begin
    row = (last0 ? outer_row_q : row_q) + (last0 ? runs_i.dst_stride1 : runs_i.dst_stride0);
    if (setup_i) row = runs_i.dst;
  end

  // The first beat of the next run.
  logic [PosWidth-1:0] next_end;
  assign after_o      = end_q[PosWidth-1:Log] + (PosWidth-Log)'(end_q[Log-1:0] != '0);
  assign next_start_o = {after_o, addr[Log-1:0]};
  assign next_row_o   = row;
  assign next_end     = next_start_o + PosWidth'(runs_i.run_bytes);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) end_q <= '0;
    else if (go_i) end_q <= reads ? next_end : {after_o, Log'(0)};
  end
  always_ff @(posedge clk_i) begin
    if (go_i) begin
      n0_q    <= i0 + 16'd1;
      addr_q  <= addr;
      row_q   <= row;
      reads_q <= reads;
      start_q <= next_start_o;
      if (outer_go) begin
        outer_addr_q <= addr;
        outer_row_q  <= row;
        left1_q      <= setup_i ? runs_i.count1 : left1_q - 16'd1;
      end
    end
  end

  assign n0_o    = n0_q;
  assign left1_o = left1_q;
  assign last_o  = last0 && left1_q == 16'd1;
  assign reads_o = reads_q;
  assign start_o = start_q;
  assign end_o   = end_q;

  // Addresses were checked by the source.
  logic unused;
  assign unused = ^{window.size, window.permission};
endmodule
