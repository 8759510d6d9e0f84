// SPDX-License-Identifier: Apache-2.0
// Constants of the vector unit in the layout of the parameter buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "builder.hpp"
#include "kernels.hpp"
#include "product.hpp"

namespace systole::compiler {

/// Nine rows of DIM bytes per column of DIM channels: bias, multipliers (int32 little-endian), shifts (int8). Missing
/// channels of the last column have bias and multiplier 0. Throws InvalidArgument when a count or a value is
/// wrong.
std::vector<std::uint8_t> channel_params(int dim, int channels, const std::vector<std::int32_t>& bias,
                                         const std::vector<QuantParam>& scale);

/// DIM int32 (four rows) per column; 0 for missing channels of the last column. Throws InvalidArgument when the
/// count is wrong.
std::vector<std::uint8_t> bias_rows(int dim, int channels, const std::vector<std::int32_t>& bias);

/// Scalar entries, two rows each: the multiplier in bytes 0 to 3, the shift in byte 0 of the second row.
std::vector<std::uint8_t> scalar_params(int dim, const std::vector<QuantParam>& scale);

/// Throws InvalidArgument, naming operator and value, unless ADD supports the parameters.
void check_add(const char* what, const AddParams& params);

/// Appends a LOAD of `rows` parameter rows from device memory.
void load_params(Builder& builder, std::uint32_t address, int rows, int row);

/// Adds a constant of parameter rows and appends its LOAD to the next rows of the buffer. Returns the first of them.
int place_params(Builder& builder, std::vector<std::uint8_t> bytes);

/// Loads the table of words, 1,024 bytes, or the look-up table, 256 bytes, unless it is there.
void place_table(Builder& builder, bool words, std::vector<std::uint8_t> bytes);

/// Loads the look-up table unless it is there.
void place_lookup_table(Builder& builder, const LookupTable& table);

/// Puts the parameters into device memory and fills in the stage. Throws InvalidArgument.
OutputStage make_stage(Builder& builder, int channels, const std::vector<std::int32_t>& bias,
                       const Requantize& requantize);

}  // namespace systole::compiler
