// SPDX-License-Identifier: Apache-2.0
// Translates an offset in one of the address windows to a device address and decides whether the access is allowed.
// All addresses that leave the core pass through one of these modules.
//
// Latency: combinational. An access is allowed if the window has the permission and contains all bytes of the access,
// and the window does not exceed the last address, so that base plus offset never wraps. Windows begin and end at
// multiples of 64 bytes (tpu_csr), so the whole beats of an allowed access are inside the window, too.
//
// Parameters: Permission, bit of the window's permissions that this user needs (tpu_pkg::PERMISSION_*); LengthWidth,
// bits of a length (at most 32); Windows that the configuration has.
module tpu_window_check #(
  parameter int Permission = 0,
  parameter int LengthWidth = 32,
  parameter int Windows = tpu_pkg::WINDOWS
) (
  input  tpu_window_pkg::windows_t       windows_i,
  // The access.
  input  tpu_window_pkg::index_t         window_i,
  input  logic [31:0]                    offset_i,
  input  logic [LengthWidth-1:0]         length_i,
  output logic                           allowed_o,
  output logic [31:0]                    address_o
);
  tpu_window_pkg::window_t window;
  logic [31:0]             base, size;
  logic [32:0]             window_end;
  logic [33:0]             left;             // bytes of the window behind the access, signed

  always_comb begin
    window     = tpu_window_pkg::window_at(windows_i, window_i, Windows);
    base       = {window.base, 6'd0};
    size       = {window.size, 6'd0};
    window_end = {1'b0, base} + {1'b0, size};
    left       = {2'd0, size} - {2'd0, offset_i} - 34'(length_i);
    allowed_o  = window.permission[Permission] && !left[33] && window_end <= {1'b1, 32'd0};
    address_o  = base + offset_i;
  end

  // Only the sign of the bytes left counts.
  logic unused;
  assign unused = ^{window, left};
endmodule
