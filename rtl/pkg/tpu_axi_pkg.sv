// SPDX-License-Identifier: Apache-2.0
// Payloads of the AXI4 channels between the engines and the guard. Data and strobes are ports
// of their own, because their width is that of a beat.
package tpu_axi_pkg;
  localparam int MAX_BEATS = 32;             // of a burst of LOAD or STORE

  // Read or write address.
  typedef struct packed {
    logic [7:0]  len;                        // beats after the first
    logic [31:0] addr;
  } request_t;

  // Identifiers of the readers.
  typedef enum logic {
    READER_FETCH = 1'b0,
    READER_LOAD  = 1'b1
  } reader_e;
endpackage
