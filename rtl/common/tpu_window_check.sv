// SPDX-License-Identifier: Apache-2.0
// Translates an offset in one of the address windows to a device address and decides whether the access is allowed.
// Every address that leaves the core passes through one of these.
//
// Latency: combinational. An access is allowed when the window has the permission and holds all of its bytes.
//
// Parameters: Permission, bit of the window's permissions that this user needs (tpu_pkg::PERMISSION_*).
module tpu_window_check #(
  parameter int Permission = 0
) (
  // Windows as the registers hold them, window 0 lowest: base and size 32 bits each, permissions 3 bits each.
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_base_i,
  input  logic [32*tpu_pkg::WINDOWS-1:0] win_size_i,
  input  logic [3*tpu_pkg::WINDOWS-1:0]  win_perm_i,
  // The access.
  input  logic [1:0]                     window_i,
  input  logic [31:0]                    offset_i,
  input  logic [31:0]                    length_i,
  output logic                           allowed_o,
  output logic [31:0]                    address_o
);
  logic [2:0] perm;

  always_comb begin
    perm = win_perm_i[window_i*3 +: 3];
    allowed_o = perm[Permission]
             && {1'b0, offset_i} + {1'b0, length_i} <= {1'b0, win_size_i[window_i*32 +: 32]};
    address_o = win_base_i[window_i*32 +: 32] + offset_i;
  end
endmodule
