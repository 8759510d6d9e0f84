// SPDX-License-Identifier: Apache-2.0
// Merges the errors of one cycle into one event. It describes the first error in the order COMMAND, LOAD, MXU, VPU,
// STORE, and has the number of all errors of the cycle.
//
// Latency: a fault of an engine is reported one cycle later, or more while an earlier command of the engine has signals
// to give (owing_i), because until then index_i is that command's. Errors of decode and overflows, which come from
// registers, are reported in the cycle in which they are given. halt_o rises with or before the event. Throughput: one
// event per cycle. Back-pressure: none.
//
// Ports: all valids are pulses, of overflow_i one bit at most is high. An overflow, caused by a retired command of an
// engine, has priority over the engine's fault; both together count as one.
//
// Parameters: none.
module tpu_error_select
  import tpu_command_pkg::*;
  import tpu_report_pkg::fault_t;
#(
  localparam int Engines = tpu_pkg::ENGINES
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // Decode and fetch.
  input  logic                     command_valid_i,
  input  logic [7:0]               command_code_i,
  input  logic [31:0]              command_index_i,
  input  logic [31:0]              command_address_i,
  // Engines.
  input  fault_t [Engines-1:0]     fault_i,
  input  logic [Engines-1:0]       overflow_i,
  input  logic [4:0]               overflow_semaphore_i,
  // Oldest uncommitted command of each engine, and whether it has retired.
  input  logic [Engines-1:0][31:0] index_i,
  input  logic [Engines-1:0]       owing_i,
  // There is or was an error.
  output logic                     halt_o,
  // High in every cycle whose clock edge changes a register here.
  output logic                     event_o,
  // The event.
  output error_t                   error_o
);
  // Faults that were not reported; the first of them, and its record.
  logic [Engines-1:0] fault_q, first_q;
  logic [7:0]         code_q;
  logic [31:0]        address_q;
  logic               halted_q;

  logic [Engines-1:0] fault_valid, faults, raised, engine;
  logic               any;
  for (genvar e = 0; e < Engines; e++) begin : gen_valid
    assign fault_valid[e] = fault_i[e].valid;
  end
  assign faults        = (fault_q & owing_i) == '0 ? fault_q : '0;
  assign raised        = faults | overflow_i;
  assign any         = command_valid_i || raised != '0;
  assign halt_o        = halted_q || command_valid_i || (fault_q | overflow_i) != '0;
  assign event_o       = any || fault_valid != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q  <= '0;
      halted_q <= 1'b0;
    end else begin
      fault_q  <= (fault_q & ~faults) | fault_valid;
      halted_q <= halt_o;
    end
  end

  // A task, because a simulator runs it, and copies its arguments, only when there is a fault.
  task automatic record(input logic [Engines-1:0] valid, input fault_t [Engines-1:0] fault);
    first_q <= valid & (~valid + 1'b1);
    for (int e = Engines - 1; e >= 0; e--) begin
      if (valid[e]) begin
        code_q    <= fault[e].code;
        address_q <= fault[e].addr;
      end
    end
  endtask
  always_ff @(posedge clk_i) begin
    if (fault_valid != '0 && (fault_q & ~faults) == '0) record(fault_valid, fault_i);
  end

  // The engine that is named, one-hot.
  logic [Engines-1:0] named;
  assign named  = overflow_i | (faults != '0 ? first_q : '0);
  assign engine = named & (~named + 1'b1);

  always_comb begin
    error_o.valid = any;
    error_o.number = '0;
    error_o.engine = 3'(tpu_pkg::ENGINE_COMMAND);
    error_o.code = command_code_i;
    error_o.index = command_index_i;
    error_o.address = command_address_i;
    if (any) begin
      error_o.number = 3'(command_valid_i);
      for (int e = 0; e < Engines; e++) error_o.number = error_o.number + 3'(raised[e]);
      if (!command_valid_i) begin
        for (int e = 0; e < Engines; e++) begin
          if (engine[e]) begin
            error_o.engine = 3'(e);
            error_o.index  = index_i[e];
          end
        end
        error_o.code    = (engine & overflow_i) != '0 ? tpu_pkg::ERROR_SEMAPHORE_OVERFLOW : code_q;
        error_o.address = (engine & overflow_i) != '0 ? 32'(overflow_semaphore_i) : address_q;
      end
    end
  end
endmodule
