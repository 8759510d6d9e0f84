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

  // Whether rows lie in one bank. Where they lie is known before whether they are requested.
  function automatic logic same(input bank_t a, input bank_t b);
    return a.exponents == b.exponents && (a.exponents || a.number == b.number);
  endfunction
  function automatic logic any_same(input logic [Planes-1:0] valid, input bank_t [Planes-1:0] bank, input bank_t other);
    any_same = 1'b0;
    for (int p = 0; p < Planes; p++) begin
      if (valid[p] && same(bank[p], other)) any_same = 1'b1;
    end
  endfunction
endpackage
