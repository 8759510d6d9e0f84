// SPDX-License-Identifier: Apache-2.0
// The bus pins of tpu_core as a plain struct with the names of its ports, for tests of the checkers and of the memory
// without a Verilated model.
#pragma once

#include <array>
#include <cstdint>

namespace systole::check {

template <int Bytes>
struct PlainPins {
  using Data = std::array<std::uint8_t, Bytes>;
  std::uint8_t rst_ni = 1;
  std::uint8_t s_axil_awvalid_i = 0, s_axil_awready_o = 0, s_axil_wvalid_i = 0, s_axil_wready_o = 0, s_axil_wstrb_i = 0;
  std::uint8_t s_axil_bvalid_o = 0, s_axil_bready_i = 0, s_axil_bresp_o = 0;
  std::uint8_t s_axil_arvalid_i = 0, s_axil_arready_o = 0, s_axil_rvalid_o = 0, s_axil_rready_i = 0, s_axil_rresp_o = 0;
  std::uint16_t s_axil_awaddr_i = 0, s_axil_araddr_i = 0;
  std::uint32_t s_axil_wdata_i = 0, s_axil_rdata_o = 0;
  std::uint8_t m_axi_arvalid_o = 0, m_axi_arready_i = 0, m_axi_arid_o = 0, m_axi_arlen_o = 0, m_axi_arsize_o = 0,
               m_axi_arburst_o = 0;
  std::uint8_t m_axi_awvalid_o = 0, m_axi_awready_i = 0, m_axi_awid_o = 0, m_axi_awlen_o = 0, m_axi_awsize_o = 0,
               m_axi_awburst_o = 0;
  std::uint32_t m_axi_araddr_o = 0, m_axi_awaddr_o = 0;
  std::uint8_t m_axi_rvalid_i = 0, m_axi_rready_o = 0, m_axi_rid_i = 0, m_axi_rresp_i = 0, m_axi_rlast_i = 0;
  std::uint8_t m_axi_wvalid_o = 0, m_axi_wready_i = 0, m_axi_wlast_o = 0;
  std::uint8_t m_axi_bvalid_i = 0, m_axi_bready_o = 0, m_axi_bid_i = 0, m_axi_bresp_i = 0;
  std::uint32_t m_axi_wstrb_o = 0;
  Data m_axi_rdata_i{}, m_axi_wdata_o{};
};

}  // namespace systole::check
