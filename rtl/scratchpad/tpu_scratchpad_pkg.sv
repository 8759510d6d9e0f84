// SPDX-License-Identifier: Apache-2.0
// How the rows of the scratchpad are divided, and where one lies.
package tpu_scratchpad_pkg;
  localparam int Banks = 8;
  localparam int Rams = 4;    // of a bank
  localparam int Planes = 4;  // rows of a request of the VPU

  // A bit for each bank, the last for that of the exponents.
  typedef logic [Banks:0] banks_t;

  typedef struct packed {
    logic       exponents;  // the row is one of exponents
    logic [2:0] number;     // of its bank otherwise
  } bank_t;
endpackage
