// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_window_check, for every base and size, which are multiples of 64, and every offset and
// length, also those that wrap.
`include "properties.svh"
module window_check_properties #(
  parameter int Permission = 0,
  parameter int Windows = 8
) (
  input tpu_window_pkg::windows_t windows_i,
  input tpu_window_pkg::index_t   window_i,
  input logic [31:0]              offset_i,
  input logic [31:0]              length_i,
  // A byte of the access.
  input logic [31:0]              byte_i
);
  logic        allowed_o;
  logic [31:0] address_o;
  tpu_window_check #(.Permission(Permission), .Windows(Windows)) u_check (.*);
  `CHECKED_ALWAYS

  // The window that is named, and the place of the byte, in numbers that do not wrap.
  logic [33:0] base, size, last, place;
  logic [2:0]  perm;
  assign base  = 34'(windows_i[window_i].base) << 6;
  assign size  = 34'(windows_i[window_i].size) << 6;
  assign perm  = windows_i[window_i].permission;
  assign last  = 34'(offset_i) + 34'(length_i);
  assign place = 34'(address_o) + 34'(byte_i);

  `PROPERTY(Inside, allowed_o && byte_i < length_i, place >= base && place < base + size)
  `PROPERTY(WholeBeats, allowed_o && length_i != '0, 34'(address_o) >> 6 << 6 >= base &&
            (34'(address_o) + 34'(length_i) + 34'd63) >> 6 << 6 <= base + size)
  `PROPERTY(NoWrap, allowed_o && byte_i < length_i, place < 34'h1_0000_0000)
  `PROPERTY(Permitted, allowed_o, perm[Permission])
  `PROPERTY(Translated, allowed_o, 34'(address_o) == base + 34'(offset_i) || length_i == '0)
  `PROPERTY(OnlyItsWindows, allowed_o, 32'(window_i) < Windows)
  `PROPERTY(NotRefused, 32'(window_i) < Windows && perm[Permission] && last <= size && base + size <= 34'h1_0000_0000,
            allowed_o)
endmodule
