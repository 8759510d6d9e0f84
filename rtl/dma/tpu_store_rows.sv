// SPDX-License-Identifier: Apache-2.0
// Rows that STORE has read, on their way from the scratchpad to the packing stage: the data of a row come in the cycle
// after its grant, and wait here with what the walk says of the row.
//
// Latency: two cycles from a granted read to its item. Throughput: one row per cycle.
// Back-pressure: while item_ready_i is low, three rows are kept; room_o is low while no further row may be read.
//
// Protocol: item_* is a valid/ready stream; meta_i is taken with grant_i, data_i in the cycle after it.
//
// Parameters: Width, bits of a row; MetaWidth, bits of what comes with it.
module tpu_store_rows #(
  parameter int Width = 128,
  parameter int MetaWidth = 16
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  output logic                 room_o,
  input  logic                 grant_i,
  input  logic [MetaWidth-1:0] meta_i,
  input  logic [Width-1:0]     data_i,
  output logic                 item_valid_o,
  input  logic                 item_ready_i,
  output logic [MetaWidth-1:0] item_meta_o,
  output logic [Width-1:0]     item_data_o,
  output logic                 empty_o
);
  typedef struct packed {
    logic [MetaWidth-1:0] meta;
    logic [Width-1:0]     data;
  } item_t;

  logic                 in_flight_q;         // a row was granted in the last cycle
  logic [MetaWidth-1:0] meta_q;              // of that row
  logic [1:0]           level_q;
  item_t                first_q, second_q, third_q;

  logic       pop;
  logic [1:0] kept;                          // items without the one that leaves
  assign pop  = item_valid_o && item_ready_i;
  assign kept = level_q - 2'(pop);

  assign room_o       = !level_q[1] || (level_q == 2'd2 && !in_flight_q);
  assign item_valid_o = level_q != '0;
  assign item_meta_o  = first_q.meta;
  assign item_data_o  = first_q.data;
  assign empty_o      = !in_flight_q && level_q == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      in_flight_q <= 1'b0;
      level_q     <= '0;
    end else if (grant_i || in_flight_q || item_valid_o) begin
      in_flight_q <= grant_i;
      level_q     <= kept + 2'(in_flight_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (grant_i) meta_q <= meta_i;
    if (in_flight_q && kept == 2'd0) first_q <= '{meta: meta_q, data: data_i};
    else if (pop) first_q <= second_q;
    if (in_flight_q && kept == 2'd1) second_q <= '{meta: meta_q, data: data_i};
    else if (pop) second_q <= third_q;
    if (in_flight_q && kept == 2'd2) third_q <= '{meta: meta_q, data: data_i};
  end
endmodule
