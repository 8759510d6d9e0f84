// SPDX-License-Identifier: Apache-2.0
// Address windows: parts of device memory that a program may use. They begin and end at multiples of 64 bytes. A
// configuration may have fewer than there are numbers of them; those that it has not are closed.
package tpu_window_pkg;
  typedef struct packed {
    logic [2:0]  permission;                 // tpu_pkg::PERMISSION_* are its bits
    logic [25:0] size;                       // in units of 64 bytes
    logic [25:0] base;
  } window_t;
  typedef window_t [tpu_pkg::WINDOWS-1:0] windows_t;
  typedef logic [$clog2(tpu_pkg::WINDOWS)-1:0] index_t;

  // One of the first `count` windows, which is a power of two; a closed window for every other number.
  function automatic window_t window_at(input windows_t windows, input index_t index, input int count);
    index_t there;
    there = index & index_t'(count - 1);
    return 32'(index) < count ? windows[there] : '0;
  endfunction
endpackage
