// SPDX-License-Identifier: Apache-2.0
// Follows bytes through the scratchpad, from the LOADs that bring them to the STOREs that write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "constant_bytes.hpp"
#include "systole/address_windows.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "verify_transfers.hpp"

namespace systole::verifier {

/// Follows the LOADs and STOREs of a layer that copies, by the operations on the pages of isa/spec/pages.
class CopiedContent {
 public:
  /// The constants must outlive this.
  CopiedContent(const AddressWindows& windows, const ConstantBytes& constants, const Configuration& configuration)
      : windows_(windows),
        constants_(constants),
        dim_(configuration.dim),
        content_(static_cast<std::size_t>(configuration.scratch_end()) * static_cast<std::size_t>(configuration.dim),
                 kUnknown) {}

  void load(const isa::Load& load);
  /// The first byte that is not what it should be, in words.
  std::optional<std::string> store(const isa::Store& store, const CopiedBytes& copies) const;

 private:
  static constexpr std::int64_t kUnknown = INT64_MIN;

  std::int64_t& at(std::uint16_t row, std::int64_t lane);
  /// The value of a byte of the program's constants as a source; another source as it is.
  std::int64_t resolved(std::int64_t source) const;

  const AddressWindows windows_;
  const ConstantBytes& constants_;
  const int dim_;
  std::vector<std::int64_t> content_;  ///< for each byte its source, as in CopiedBytes
};

}  // namespace systole::verifier
