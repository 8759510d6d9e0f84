// SPDX-License-Identifier: Apache-2.0
// Properties of tpu_window_check, for every base and size, which are multiples of 64, and every offset and
// length, also those that wrap.
`include "properties.svh"
module window_check_properties #(
  parameter int Permission = 0
) (
  input logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  input logic [1:0]                     window_i,
  input logic [31:0]                    offset_i,
  input logic [31:0]                    length_i,
  // A byte of the access.
  input logic [31:0]                    byte_i
);
  logic        allowed_o;
  logic [31:0] address_o;
  tpu_window_check #(.Permission(Permission)) u_check (.*);
  `CHECKED_ALWAYS

  // The window that is named, and the place of the byte, in numbers that do not wrap.
  logic [33:0] base, size, last, place;
  logic [2:0]  perm;
  assign base  = 34'(win_base_i[32*window_i+6 +: 26]) << 6;
  assign size  = 34'(win_size_i[32*window_i+6 +: 26]) << 6;
  assign perm  = win_perm_i[3*window_i +: 3];
  assign last  = 34'(offset_i) + 34'(length_i);
  assign place = 34'(address_o) + 34'(byte_i);

  `PROPERTY(Inside, allowed_o && byte_i < length_i, place >= base && place < base + size)
  `PROPERTY(WholeBeats, allowed_o && length_i != '0, 34'(address_o) >> 6 << 6 >= base &&
            (34'(address_o) + 34'(length_i) + 34'd63) >> 6 << 6 <= base + size)
  `PROPERTY(NoWrap, allowed_o && byte_i < length_i, place < 34'h1_0000_0000)
  `PROPERTY(Permitted, allowed_o, perm[Permission])
  `PROPERTY(Translated, allowed_o, 34'(address_o) == base + 34'(offset_i) || length_i == '0)
  `PROPERTY(NotRefused, perm[Permission] && last <= size && base + size <= 34'h1_0000_0000, allowed_o)
endmodule
