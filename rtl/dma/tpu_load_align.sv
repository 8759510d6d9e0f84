// SPDX-License-Identifier: Apache-2.0
// Realignment stage of LOAD: makes one destination row of two adjacent beats of the line buffer.
//
// Latency: a row accepted at cycle t is offered at t+1. Throughput: one row per cycle.
// Back-pressure: while out_ready_i is low, a row waits and row_ready_o is low.
//
// Protocol: row_* and out_* are valid/ready streams; the line buffer is read in the cycle in which a row is accepted.
// An item without row_write_i has no row and only carries row_last_i.
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
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic             out_write_o,
  output logic             out_last_o,
  output logic [1:0]       out_turn_o,
  output logic [1:0]       out_space_o,
  output logic [15:0]      out_row_o,
  output logic [8*Dim-1:0] out_data_o,
  output logic [Dim-1:0]   out_mask_o
);
  // The beats are at the output of the line buffer.
  logic           valid_q, write_q, last_q;
  logic [1:0]     turn_q, space_q;
  logic [15:0]    row_q;
  logic [Log-1:0] shift_q;
  logic [Log:0]   from_q, to_q, first_q, end_q;
  logic [7:0]     fill_q;

  assign row_ready_o = !valid_q || out_ready_i;

  logic [8*Dim-1:0] keep;
  always_comb begin
    out_data_o = '0;
    out_mask_o = '0;
    keep = '0;
    if (valid_q && write_q) begin
      out_mask_o = ({Dim{1'b1}} << first_q) & ~({Dim{1'b1}} << end_q);
      if (from_q >= to_q) begin
        out_data_o = {Dim{fill_q}};
      end else begin
        out_data_o = beat_first_i;
        if (shift_q != '0) begin
          out_data_o = (8*Dim)'({beat_second_i, beat_first_i} >> {shift_q, 3'd0});
        end
        if (from_q != '0 || to_q != (Log+1)'(Dim)) begin
          keep = ({8*Dim{1'b1}} << {from_q, 3'd0}) & ~({8*Dim{1'b1}} << {to_q, 3'd0});
          out_data_o = (out_data_o & keep) | ({Dim{fill_q}} & ~keep);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (row_ready_o) valid_q <= row_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (row_valid_i && row_ready_o) begin
      write_q <= row_write_i;
      last_q  <= row_last_i;
      turn_q  <= row_turn_i;
      space_q <= row_space_i;
      row_q   <= row_row_i;
      shift_q <= row_shift_i;
      from_q  <= row_from_i;
      to_q    <= row_to_i;
      first_q <= row_first_i;
      end_q   <= row_end_i;
      fill_q  <= row_fill_i;
    end
  end

  assign out_valid_o = valid_q;
  assign out_write_o = write_q;
  assign out_last_o  = last_q;
  assign out_turn_o  = turn_q;
  assign out_space_o = space_q;
  assign out_row_o   = row_q;
endmodule
