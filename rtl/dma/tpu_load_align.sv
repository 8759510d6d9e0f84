// SPDX-License-Identifier: Apache-2.0
// Realignment stage of LOAD: makes one destination row of two adjacent beats of the line buffer.
//
// Latency: a row accepted at cycle t is offered at t+2.
// Throughput: one row per cycle. Back-pressure: while wr_ready_i is low, both stages fill and then row_ready_o is low.
//
// Protocol: row_* and wr_* are valid/ready streams; the line buffer is read in the cycle in which a row is accepted. An
// item without row_write_i has no row and only carries row_last_i.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a row.
module tpu_load_align #(
  parameter int Dim = 16,
  localparam int Log = $clog2(Dim)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Rows: bytes [row_from_i, row_to_i) come from memory, the others of [row_first_i, row_end_i) are row_fill_i.
  input  logic             row_valid_i,
  output logic             row_ready_o,
  input  logic             row_write_i,
  input  logic             row_last_i,
  input  logic [1:0]       row_turn_i,
  input  logic [1:0]       row_space_i,
  input  logic [15:0]      row_row_i,
  input  logic [Log-1:0]   row_shift_i,
  input  logic [Log:0]     row_from_i,
  input  logic [Log:0]     row_to_i,
  input  logic [Log:0]     row_first_i,
  input  logic [Log:0]     row_end_i,
  input  logic [7:0]       row_fill_i,
  // The two beats, valid in the cycle after a row is accepted and held until the next.
  input  logic [8*Dim-1:0] beat_first_i,
  input  logic [8*Dim-1:0] beat_second_i,
  // Rows, whole.
  output logic             wr_valid_o,
  input  logic             wr_ready_i,
  output logic             wr_write_o,
  output logic             wr_last_o,
  output logic [1:0]       wr_turn_o,
  output logic [1:0]       wr_space_o,
  output logic [15:0]      wr_row_o,
  output logic [8*Dim-1:0] wr_data_o,
  output logic [Dim-1:0]   wr_mask_o,
  output logic             empty_o
);
  // Stage 1: the beats are at the output of the line buffer. Stage 2: the row is offered to the memory.
  logic             s1_valid_q, s1_write_q, s1_last_q;
  logic [1:0]       s1_turn_q, s1_space_q;
  logic [15:0]      s1_row_q;
  logic [Log-1:0]   s1_shift_q;
  logic [Log:0]     s1_from_q, s1_to_q, s1_first_q, s1_end_q;
  logic [7:0]       s1_fill_q;
  logic             s2_valid_q, s2_write_q, s2_last_q;
  logic [1:0]       s2_turn_q, s2_space_q;
  logic [15:0]      s2_row_q;
  logic [8*Dim-1:0] s2_data_q;
  logic [Dim-1:0]   s2_mask_q;
  logic             s2_ready;

  assign s2_ready    = !s2_valid_q || wr_ready_i;
  assign row_ready_o = !s1_valid_q || s2_ready;

  logic [8*Dim-1:0]  data, keep;
  logic [Dim-1:0]    mask;
  always_comb begin
    data = '0;
    keep = '0;
    mask = '0;
    if (s1_valid_q && s1_write_q) begin
      mask = ({Dim{1'b1}} << s1_first_q) & ~({Dim{1'b1}} << s1_end_q);
      if (s1_from_q >= s1_to_q) begin
        data = {Dim{s1_fill_q}};
      end else begin
        data = beat_first_i;
        if (s1_shift_q != '0) begin
          data = (8*Dim)'({beat_second_i, beat_first_i} >> {s1_shift_q, 3'd0});
        end
        if (s1_from_q != '0 || s1_to_q != (Log+1)'(Dim)) begin
          keep = ({8*Dim{1'b1}} << {s1_from_q, 3'd0}) & ~({8*Dim{1'b1}} << {s1_to_q, 3'd0});
          data = (data & keep) | ({Dim{s1_fill_q}} & ~keep);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s1_valid_q <= 1'b0;
      s2_valid_q <= 1'b0;
    end else begin
      if (row_ready_o) s1_valid_q <= row_valid_i;
      if (s2_ready) s2_valid_q <= s1_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (row_valid_i && row_ready_o) begin
      s1_write_q <= row_write_i;
      s1_last_q <= row_last_i;
      s1_turn_q <= row_turn_i;
      s1_space_q <= row_space_i;
      s1_row_q <= row_row_i;
      s1_shift_q <= row_shift_i;
      s1_from_q <= row_from_i;
      s1_to_q <= row_to_i;
      s1_first_q <= row_first_i;
      s1_end_q <= row_end_i;
      s1_fill_q <= row_fill_i;
    end
    if (s1_valid_q && s2_ready) begin
      s2_write_q <= s1_write_q;
      s2_last_q <= s1_last_q;
      s2_turn_q <= s1_turn_q;
      s2_space_q <= s1_space_q;
      s2_row_q <= s1_row_q;
      s2_data_q <= data;
      s2_mask_q <= mask;
    end
  end

  assign wr_valid_o = s2_valid_q;
  assign wr_write_o = s2_write_q;
  assign wr_last_o  = s2_last_q;
  assign wr_turn_o  = s2_turn_q;
  assign wr_space_o = s2_space_q;
  assign wr_row_o   = s2_row_q;
  assign wr_data_o  = s2_data_q;
  assign wr_mask_o  = s2_mask_q;
  assign empty_o    = !s1_valid_q && !s2_valid_q;
endmodule
