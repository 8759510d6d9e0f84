// SPDX-License-Identifier: Apache-2.0
// Payloads of the AXI4 channels between the engines and the guard. Data and strobes are ports
// of their own, because their width is that of a beat. Of AXI4-Lite, everything that the master drives, and that the
// slave does.
package tpu_axi_pkg;
  localparam int MAX_BEATS = 32;             // of a burst of LOAD or STORE

  // Read or write address that is offered.
  typedef struct packed {
    logic        valid;
    logic [7:0]  len;                        // beats after the first
    logic [31:0] addr;
  } request_t;

  // Answer to a read, for one beat, or to a write.
  typedef struct packed {
    logic valid;
    logic error;
  } answer_t;

  // A run of bytes that is read or written; of a span that is not allowed nothing is requested.
  typedef struct packed {
    logic        valid;
    logic        allowed;
    logic        last;                       // of its command
    logic [31:0] addr;
  } span_t;

  // A burst that is issued.
  typedef struct packed {
    logic       valid;
    logic       last;                        // of a span that is the last
    logic       span_done;                   // of its span
    logic [5:0] beats;
  } issue_t;

  // Pins of the core: those that it drives, and those that the memory does.
  typedef struct packed {
    logic        ar_valid;
    logic        ar_id;
    logic        aw_valid;
    logic        aw_id;
    logic        r_ready;
    logic        b_ready;
    logic        w_valid;
    logic        w_last;
    logic [2:0]  ar_size;
    logic [1:0]  ar_burst;
    logic [2:0]  aw_size;
    logic [1:0]  aw_burst;
    logic [7:0]  ar_len;
    logic [7:0]  aw_len;
    logic [31:0] ar_addr;
    logic [31:0] aw_addr;
  } master_t;
  typedef struct packed {
    logic       ar_ready;
    logic       aw_ready;
    logic       w_ready;
    logic       r_valid;
    logic       r_id;
    logic       r_last;
    logic [1:0] r_resp;
    logic       b_valid;
    logic       b_id;
    logic [1:0] b_resp;
  } slave_t;
  typedef struct packed {
    logic        aw_valid;
    logic        w_valid;
    logic        b_ready;
    logic        ar_valid;
    logic        r_ready;
    logic [11:0] aw_addr;
    logic [11:0] ar_addr;
    logic [3:0]  w_strb;
    logic [31:0] w_data;
  } lite_request_t;
  typedef struct packed {
    logic        aw_ready;
    logic        w_ready;
    logic        b_valid;
    logic [1:0]  b_resp;
    logic        ar_ready;
    logic        r_valid;
    logic [1:0]  r_resp;
    logic [31:0] r_data;
  } lite_response_t;

  // Identifiers of the readers.
  typedef enum logic {
    READER_FETCH = 1'b0,
    READER_LOAD  = 1'b1
  } reader_e;
endpackage
