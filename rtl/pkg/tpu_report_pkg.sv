// SPDX-License-Identifier: Apache-2.0
// Types of the faults, retirements and causes that go from an engine to the command processor.
package tpu_report_pkg;
  // A fault of an engine or the bus; valid is a pulse.
  typedef struct packed {
    logic        valid;
    logic [7:0]  code;                       // tpu_pkg::ERROR_*
    logic [31:0] addr;
  } fault_t;

  typedef struct packed {
    fault_t                     fault;       // of the oldest command
    logic                       retire;      // a pulse: the oldest command is done
    logic [tpu_pkg::CAUSES-1:0] cause;       // of this cycle, one-hot by tpu_pkg::CAUSE_*
  } report_t;
endpackage
