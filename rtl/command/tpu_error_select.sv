// SPDX-License-Identifier: Apache-2.0
// Merges the errors of one cycle into one event. It describes the first error in the order COMMAND, LOAD, MXU, VPU,
// STORE, and has the number of all errors of the cycle.
//
// Latency: one cycle (any_o is combinational). Throughput: one event per cycle. Back-pressure: none. Ports: all valids
// are pulses. A semaphore overflow, caused by the retiring command of an engine, has priority over the engine's fault;
// both together count as one.
//
// Parameters: none.
module tpu_error_select #(
  localparam int Engines = tpu_pkg::ENGINES
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Decode and fetch.
  input  logic                  command_valid_i,
  input  logic [7:0]            command_code_i,
  input  logic [31:0]           command_index_i,
  input  logic [31:0]           command_address_i,
  // Engines, engine e at [W*e +: W].
  input  logic [Engines-1:0]    fault_valid_i,
  input  logic [8*Engines-1:0]  fault_code_i,
  input  logic [32*Engines-1:0] fault_addr_i,
  input  logic [Engines-1:0]    overflow_i,
  input  logic [5*Engines-1:0]  overflow_semaphore_i,
  input  logic [32*Engines-1:0] index_i,
  // Any error in this cycle.
  output logic                  any_o,
  // The event.
  output logic                  error_valid_o,
  output logic [2:0]            error_engine_o,
  output logic [7:0]            error_code_o,
  output logic [31:0]           error_index_o,
  output logic [31:0]           error_address_o,
  output logic [2:0]            error_number_o
);
  assign any_o = command_valid_i || fault_valid_i != '0 || overflow_i != '0;

  // Counted behind the register, because overflows are known late.
  logic [Engines:0] raised_q;
  always_comb begin
    error_number_o = '0;
    for (int e = 0; e <= Engines; e++) error_number_o = error_number_o + 3'(raised_q[e]);
  end

  // A task, because a simulator runs it, and copies its arguments, only when there is an event.
  task automatic report(input logic [Engines-1:0] raised, input logic [8*Engines-1:0] codes,
                        input logic [32*Engines-1:0] addresses);
    raised_q <= {raised, command_valid_i};
    error_engine_o  <= 3'(tpu_pkg::ENGINE_COMMAND);
    error_code_o    <= command_code_i;
    error_index_o   <= command_index_i;
    error_address_o <= command_address_i;
    for (int e = Engines - 1; e >= 0; e--) begin
      if (raised[e] && !command_valid_i) begin
        error_engine_o  <= 3'(e);
        error_code_o    <= overflow_i[e] ? tpu_pkg::ERROR_SEMAPHORE_OVERFLOW : codes[e*8 +: 8];
        error_index_o   <= index_i[e*32 +: 32];
        error_address_o <= overflow_i[e] ? 32'(overflow_semaphore_i[e*5 +: 5]) : addresses[e*32 +: 32];
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_valid_o <= 1'b0;
    else error_valid_o <= any_o;
  end

  always_ff @(posedge clk_i) begin
    if (any_o) report(fault_valid_i | overflow_i, fault_code_i, fault_addr_i);
  end
endmodule
