// SPDX-License-Identifier: Apache-2.0
// Realignment stage of LOAD: makes one destination row of two adjacent beats of the line buffer. A row whose beats have
// not all arrived waits here, and reads them again in every cycle until they are there.
//
// Latency: a row accepted at cycle t is offered at t+1, if its beats are there. Throughput: one row per cycle.
// Back-pressure: while out_ready_i is low, or its beats are missing, a row waits and row_ready_o is low.
//
// Protocol: row_* and out_* are valid/ready streams. busy_o is high while a row is here, starved_o while its beats are
// missing; drop_i removes that row.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row.
module tpu_load_align #(
  parameter int Dim = 16,
  localparam int Log = $clog2(Dim),
  localparam int PosWidth = tpu_load_pkg::POS_W,
  localparam int AddrWidth = $clog2(tpu_pkg::LINE_BUFFER_BEATS)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Rows.
  input  tpu_load_pkg::row_t      row_i,
  output logic                    row_ready_o,
  output logic                    busy_o,
  output logic                    starved_o,
  input  logic                    drop_i,
  // The last beat that has arrived; all beats of the run have.
  input  logic [PosWidth-Log-1:0] last_seq_i,
  input  logic                    arrived_i,
  // The line buffer. The two beats are valid in the cycle after rd_en_o and held until the next.
  output logic                    rd_en_o,
  output logic [AddrWidth-1:0]    rd_addr_o,
  input  logic [8*Dim-1:0]        beat_first_i,
  input  logic [8*Dim-1:0]        beat_second_i,
  // Rows, whole.
  output tpu_load_pkg::whole_t    out_o,
  input  logic                    out_ready_i,
  output logic [Dim-1:0][7:0]     out_data_o,
  output logic [Dim-1:0]          out_mask_o
);
  logic                  valid_q, there_q;
  logic [PosWidth-1:0]   pos_q;
  tpu_load_pkg::target_t target_q;
  tpu_load_pkg::extent_t extent_q;

  // The row that is read now: the one that waits for its beats, or the next.
  logic                data, waits, take;
  logic [PosWidth-1:0] pos, beyond;
  assign data        = extent_q.from < extent_q.to;
  assign waits       = valid_q && data && !there_q;
  assign row_ready_o = !valid_q || (out_ready_i && !waits);
  assign take        = row_i.valid && row_ready_o;
  assign pos         = waits ? pos_q : row_i.pos;
  assign rd_en_o     = waits || take;
  assign rd_addr_o   = pos[Log+AddrWidth-1:Log];
  // Bytes that have arrived from the row's last lane on, signed. At the end of a run fewer are needed.
  assign beyond      = {last_seq_i, Log'(0)} - pos;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (row_ready_o) valid_q <= row_i.valid;
    else if (waits && drop_i) valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (rd_en_o) there_q <= arrived_i || !beyond[PosWidth-1];
    if (take) begin
      pos_q    <= row_i.pos;
      target_q <= row_i.target;
      extent_q <= row_i.extent;
    end
  end

  // Bytes from memory, byte 0 of the row first. Without bytes from memory nothing is shifted; for a row that waits a
  // simulation tests nothing more.
  logic [Log-1:0]      shift;
  logic [Dim-1:0]      from_memory;
  logic [Dim-1:0][7:0] shifted;
  always_comb begin
    shift       = '0;
    from_memory = '0;
    shifted     = beat_first_i;
    out_data_o  = '0;
    out_mask_o  = '0;
    if (out_o.valid) begin
      shift      = pos_q[Log-1:0];
      out_mask_o = ({Dim{1'b1}} << extent_q.first) & ~({Dim{1'b1}} << extent_q.limit);
      if (data) from_memory = ({Dim{1'b1}} << extent_q.from) & ~({Dim{1'b1}} << extent_q.to);
      if (shift != '0) shifted = (8*Dim)'({beat_second_i, beat_first_i} >> {shift, 3'd0});
      if (from_memory == '1) out_data_o = shifted;  // Most rows: a simulation then looks at no byte.
      else for (int i = 0; i < Dim; i++) out_data_o[i] = from_memory[i] ? shifted[i] : extent_q.fill;
    end
  end

  assign busy_o       = valid_q;
  assign starved_o    = waits;
  assign out_o        = '{valid: valid_q && !waits, target: target_q};

  // Some bits of a limit are always 0 where rows are narrower than 32 bytes.
  logic unused;
  assign unused = ^{beyond, extent_q};
endmodule
