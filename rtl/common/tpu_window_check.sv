// SPDX-License-Identifier: Apache-2.0
// Translates an offset in one of the address windows to a device address and decides whether the access is allowed.
// All addresses that leave the core pass through one of these modules.
//
// Latency: combinational. An access is allowed if the window has the permission and contains all bytes of the access,
// and the window does not exceed the last address, so that base plus offset never wraps. Windows begin and end at
// multiples of 64 bytes (tpu_csr), so the whole beats of an allowed access are inside the window, too.
//
// Parameters: Permission, bit of the window's permissions that this user needs (tpu_pkg::PERMISSION_*); LengthWidth,
// bits of a length (at most 32).
module tpu_window_check #(
  parameter int Permission = 0,
  parameter int LengthWidth = 32
) (
  // Windows as the registers hold them, window 0 lowest: base and size 32 bits each, permissions 3 bits each.
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // The access.
  input  logic [1:0]                     window_i,
  input  logic [31:0]                    offset_i,
  input  logic [LengthWidth-1:0]         length_i,
  output logic                           allowed_o,
  output logic [31:0]                    address_o
);
  logic [2:0]  perm;
  logic [31:0] base, size;
  logic [32:0] window_end;
  logic [33:0] left;                         // bytes of the window behind the access, signed

  always_comb begin
    perm       = win_perm_i[window_i*3 +: 3];
    base       = {win_base_i[window_i*32+6 +: 26], 6'd0};
    size       = {win_size_i[window_i*32+6 +: 26], 6'd0};
    window_end = {1'b0, base} + {1'b0, size};
    left       = {2'd0, size} - {2'd0, offset_i} - 34'(length_i);
    allowed_o  = perm[Permission] && !left[33] && window_end <= {1'b1, 32'd0};
    address_o  = base + offset_i;
  end

  // Windows are multiples of 64 bytes; of the bytes left only the sign counts.
  logic unused;
  assign unused = ^{win_base_i, win_size_i, left};
endmodule
