// SPDX-License-Identifier: Apache-2.0
// Packing stage of STORE: shifts the bytes of rows to their destination lanes and merges them into beats with strobes.
//
// Latency: one cycle from an item to its beat. Throughput: one item and one beat per cycle; if the last item of a run
// extends into another beat, that beat takes one more cycle.
// Back-pressure: w_ready_i; a beat also waits until its burst has been issued (burst_valid_i).
//
// Protocol: item_*, burst_* and w_* are valid/ready streams; a burst is taken with its last beat. null_i: no more items
// will come, and the remaining beats of issued bursts are sent with strobes off. send_o pulses with every beat, real_o
// with the last beat of a burst that was sent with all its data.
//
// Parameters: Dim (4, 8, 16 or 32), bytes of a beat.
module tpu_store_pack #(
  parameter int Dim = 16,
  localparam int Log = $clog2(Dim)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Rows of bytes; see tpu_store_read.
  input  logic             item_valid_i,
  output logic             item_ready_o,
  input  logic [8*Dim-1:0] item_data_i,
  input  logic [Log-1:0]   item_shift_i,
  input  logic [Log:0]     item_count_i,
  input  logic             item_first_i,
  input  logic             item_end_i,
  input  logic             null_i,
  // Issued bursts: beats after the first.
  input  logic             burst_valid_i,
  output logic             burst_ready_o,
  input  logic [4:0]       burst_len_i,
  output logic             send_o,
  output logic             real_o,
  // Write data.
  output logic             w_valid_o,
  input  logic             w_ready_i,
  output logic [8*Dim-1:0] w_data_o,
  output logic [Dim-1:0]   w_strb_o,
  output logic             w_last_o
);
  logic [8*Dim-1:0] part_q;                  // bytes of the incomplete beat
  logic [Log-1:0]   part_from_q;             // its first byte
  logic             flush_q;                 // the run is over and its last beat is in part_q
  logic [Log-1:0]   flush_end_q;
  logic [4:0]       beat_q;                  // beats of the burst sent
  logic             w_valid_q, w_last_q;
  logic [8*Dim-1:0] w_data_q;
  logic [Dim-1:0]   w_strb_q;

  logic              can_send, send;
  logic [16*Dim-1:0] shifted;
  logic [8*Dim-1:0]  data;
  logic [Dim-1:0]    strobes;
  logic [Log+1:0]    stop;                   // lane after the item's last byte, in this beat or the next
  logic [Log-1:0]    from;
  logic              complete;
  always_comb begin
    can_send = burst_valid_i && (!w_valid_q || w_ready_i);
    send = 1'b0;
    shifted = '0;
    data = '0;
    strobes = '0;
    stop = '0;
    from = '0;
    complete = 1'b0;
    item_ready_o = 1'b0;
    if (flush_q) begin
      send = can_send;
      data = part_q;
      strobes = ~({Dim{1'b1}} << flush_end_q);
    end else if (item_valid_i) begin
      stop = {2'd0, item_shift_i} + {1'b0, item_count_i};
      from = item_first_i ? item_shift_i : part_from_q;
      complete = item_end_i || stop >= (Log+2)'(Dim);
      item_ready_o = can_send || !complete;
      send = can_send && complete;
      if (item_shift_i == '0) begin
        data = item_data_i;
      end else begin
        shifted = {{8*Dim{1'b0}}, item_data_i} << {item_shift_i, 3'd0};
        data = shifted[8*Dim-1:0] | (part_q & ~({8*Dim{1'b1}} << {item_shift_i, 3'd0}));
      end
      strobes = {Dim{1'b1}} << from;
      if (stop < (Log+2)'(Dim)) strobes = strobes & ~({Dim{1'b1}} << stop);
    end else if (null_i) begin
      send = can_send;
    end
  end

  assign burst_ready_o = send && beat_q == burst_len_i;
  assign send_o        = send;
  assign real_o        = burst_ready_o && (flush_q || item_valid_i);
  assign w_valid_o     = w_valid_q;
  assign w_data_o      = w_data_q;
  assign w_strb_o      = w_strb_q;
  assign w_last_o      = w_last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      w_valid_q <= 1'b0;
      flush_q <= 1'b0;
      beat_q <= '0;
    end else begin
      if (send) w_valid_q <= 1'b1;
      else if (w_ready_i) w_valid_q <= 1'b0;
      if (send) beat_q <= burst_ready_o ? '0 : beat_q + 5'd1;
      if (flush_q) flush_q <= !send;
      else if (send) flush_q <= item_valid_i && item_end_i && stop > (Log+2)'(Dim);
    end
  end

  always_ff @(posedge clk_i) begin
    if (send) begin
      w_data_q <= data;
      w_strb_q <= strobes;
      w_last_q <= burst_ready_o;
    end
    if (item_valid_i && item_ready_o) begin
      part_q <= complete ? shifted[16*Dim-1:8*Dim] : data;
      part_from_q <= complete ? '0 : from;
      flush_end_q <= stop[Log-1:0];
    end
  end
endmodule
