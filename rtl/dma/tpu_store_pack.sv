// SPDX-License-Identifier: Apache-2.0
// Packing stage of STORE: shifts the bytes of rows to their destination lanes and merges them into beats with strobes.
// A burst ends with its run, or with the last of 32 beats (tpu_burst_split).
//
// Latency: one cycle from an item to its beat. Throughput: one item and one beat per cycle; if the last item of a run
// extends into another beat, that beat takes one more cycle.
// Back-pressure: w_ready_i; a beat also waits until its burst has been issued (owed_i).
//
// Protocol: item_* and w_* are valid/ready streams. owed_i: beats are issued and not sent; owed_one_i: one is. null_i:
// no more items will come, and the remaining beats of issued bursts are sent with strobes off. send_o pulses with every
// beat, burst_o with the last beat of a burst, real_o if that was sent with all its data.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat.
module tpu_store_pack #(
  parameter int Dim = 16,
  localparam int Log = $clog2(Dim),
  localparam int BlockLog = $clog2(tpu_axi_pkg::MAX_BEATS)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Rows of bytes; see tpu_store_walk.
  input  logic                item_valid_i,
  output logic                item_ready_o,
  input  logic [8*Dim-1:0]    item_data_i,
  input  logic [BlockLog-1:0] item_beat_i,
  input  logic [Log-1:0]      item_shift_i,
  input  logic [Log:0]        item_count_i,
  input  logic                item_first_i,
  input  logic                item_end_i,
  input  logic                null_i,
  // Issued bursts.
  input  logic                owed_i,
  input  logic                owed_one_i,
  output logic                send_o,
  output logic                burst_o,
  output logic                real_o,
  // Write data.
  output logic                w_valid_o,
  input  logic                w_ready_i,
  output logic [8*Dim-1:0]    w_data_o,
  output logic [Dim-1:0]      w_strb_o,
  output logic                w_last_o
);
  logic [8*Dim-1:0]    part_q;               // bytes of the incomplete beat
  logic [Log-1:0]      part_from_q;          // its first byte
  logic                flush_q;              // the run is over and its last beat is in part_q
  logic [Log-1:0]      flush_end_q;
  logic [BlockLog-1:0] beat_q;               // number of the next beat, of 32
  logic                w_valid_q, w_last_q;
  logic [8*Dim-1:0]    w_data_q;
  logic [Dim-1:0]      w_strb_q;

  logic                can_send, send, run_ends, complete, last;
  logic [Dim-1:0]      lanes, strobes;       // bytes of this beat from the item, and bytes that are written
  logic [Log+1:0]      stop;                 // lane after the item's last byte, in this beat or the next
  logic [Log-1:0]      from;
  logic [BlockLog-1:0] beat;
  always_comb begin
    can_send = owed_i && (!w_valid_q || w_ready_i);
    send = 1'b0;
    run_ends = 1'b0;
    lanes = '0;
    strobes = '0;
    stop = '0;
    from = '0;
    complete = 1'b0;
    item_ready_o = 1'b0;
    beat = beat_q;
    if (flush_q) begin
      send = can_send;
      run_ends = 1'b1;
      strobes = ~({Dim{1'b1}} << flush_end_q);
    end else if (item_valid_i) begin
      stop = {2'd0, item_shift_i} + {1'b0, item_count_i};
      from = item_first_i ? item_shift_i : part_from_q;
      if (item_first_i) beat = item_beat_i;
      complete = item_end_i || stop >= (Log+2)'(Dim);
      run_ends = item_end_i && stop <= (Log+2)'(Dim);
      item_ready_o = can_send || !complete;
      send = can_send && complete;
      lanes = {Dim{1'b1}} << item_shift_i;
      strobes = {Dim{1'b1}} << from;
      if (stop < (Log+2)'(Dim)) strobes = strobes & ~({Dim{1'b1}} << stop);
    end else if (null_i) begin
      send = can_send;
      run_ends = owed_one_i;
    end
    last = run_ends || beat == '1;
  end

  // The item's bytes in their lanes, of this beat and the next; the bytes of this beat. They are functions, because a
  // simulator then computes them only for an item or a beat.
  function automatic logic [8*Dim-1:0] rotated(input logic [8*Dim-1:0] row, input logic [Log-1:0] shift);
    rotated = row;
    for (int s = 0; s < Log; s++) begin
      if (shift[s]) rotated = (rotated << 8*2**s) | (rotated >> 8*(Dim - 2**s));
    end
  endfunction
  function automatic logic [Dim-1:0][7:0] merged(input logic [Dim-1:0][7:0] part, input logic [Dim-1:0][7:0] row,
                                                 input logic [Dim-1:0] from_row);
    if (from_row == '1) merged = row;  // Most rows: a simulation then looks at no byte.
    else for (int i = 0; i < Dim; i++) merged[i] = from_row[i] ? row[i] : part[i];
  endfunction

  assign send_o    = send;
  assign burst_o   = send && last;
  assign real_o    = burst_o && (flush_q || item_valid_i);
  assign w_valid_o = w_valid_q;
  assign w_data_o  = w_data_q;
  assign w_strb_o  = w_strb_q;
  assign w_last_o  = w_last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      w_valid_q <= 1'b0;
      flush_q <= 1'b0;
    end else begin
      if (send) w_valid_q <= 1'b1;
      else if (w_ready_i) w_valid_q <= 1'b0;
      if (flush_q) flush_q <= !send;
      else if (send) flush_q <= item_valid_i && item_end_i && stop > (Log+2)'(Dim);
    end
  end

  always_ff @(posedge clk_i) begin
    if (send) begin
      w_data_q <= merged(part_q, rotated(item_data_i, item_shift_i), lanes);
      w_strb_q <= strobes;
      w_last_q <= last;
    end
    if (send || item_valid_i) beat_q <= beat + BlockLog'(send);
    if (item_valid_i && item_ready_o) begin
      part_q <= merged(part_q, rotated(item_data_i, item_shift_i), complete ? '1 : lanes);
      part_from_q <= complete ? '0 : from;
      flush_end_q <= stop[Log-1:0];
    end
  end
endmodule
