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
  logic [Engines-1:0] raised;
  logic [2:0]         engine, number;
  logic [7:0]         code;
  logic [31:0]        index, address;

  assign raised = fault_valid_i | overflow_i;
  assign any_o  = command_valid_i || raised != '0;

  always_comb begin
    engine  = 3'(tpu_pkg::ENGINE_COMMAND);
    code    = command_code_i;
    index   = command_index_i;
    address = command_address_i;
    number  = 3'(command_valid_i);
    if (raised != '0) begin
      for (int e = Engines - 1; e >= 0; e--) begin
        number = number + 3'(raised[e]);
        if (raised[e] && !command_valid_i) begin
          engine  = 3'(e);
          code    = overflow_i[e] ? tpu_pkg::ERROR_SEMAPHORE_OVERFLOW : fault_code_i[e*8 +: 8];
          index   = index_i[e*32 +: 32];
          address = overflow_i[e] ? 32'(overflow_semaphore_i[e*5 +: 5]) : fault_addr_i[e*32 +: 32];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      error_valid_o <= 1'b0;
    end else begin
      error_valid_o <= any_o;
    end
    if (any_o) begin
      error_engine_o  <= engine;
      error_code_o    <= code;
      error_index_o   <= index;
      error_address_o <= address;
      error_number_o  <= number;
    end
  end
endmodule
