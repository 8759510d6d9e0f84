// SPDX-License-Identifier: Apache-2.0
// Address windows: parts of device memory that a program may use. They begin and end at multiples of 64 bytes.
package tpu_window_pkg;
  typedef struct packed {
    logic [2:0]  permission;                 // tpu_pkg::PERMISSION_* are its bits
    logic [25:0] size;                       // in units of 64 bytes
    logic [25:0] base;
  } window_t;
  typedef window_t [tpu_pkg::WINDOWS-1:0] windows_t;
  typedef logic [$clog2(tpu_pkg::WINDOWS)-1:0] index_t;
endpackage
