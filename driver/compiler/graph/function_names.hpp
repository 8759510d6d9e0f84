// SPDX-License-Identifier: Apache-2.0
// The functions of Unary, Binary and Reduce: names that model files have for them, and what they have.
#pragma once

#include <optional>
#include <string_view>

#include "systole/graph.hpp"

namespace systole::graph {

/// The function of an operator of ONNX (such as LeakyRelu) or TensorFlow Lite (LOGISTIC), with the parameters that it
/// has where the file gives none. Nothing if its name is not that of a function.
std::optional<Unary> unary_of_onnx(std::string_view name);
std::optional<Unary> unary_of_tflite(std::string_view name);
std::optional<BinaryKind> binary_of_onnx(std::string_view name);
std::optional<BinaryKind> binary_of_tflite(std::string_view name);
std::optional<ReduceKind> reduce_of_onnx(std::string_view name);
std::optional<ReduceKind> reduce_of_tflite(std::string_view name);

/// The function by its name in words, as name_of() gives it.
std::optional<UnaryKind> unary_in_words(std::string_view words);
std::optional<BinaryKind> binary_in_words(std::string_view words);
std::optional<ReduceKind> reduce_in_words(std::string_view words);

/// ONNX's operator for the function; null if it has none.
const char* onnx_name_of(UnaryKind kind);
const char* onnx_name_of(BinaryKind kind);
const char* onnx_name_of(ReduceKind kind);

/// Whether it has a formula beside products in block floating point.
bool has_near_formula(UnaryKind kind);
bool has_near_formula(BinaryKind kind);

/// How many of alpha and beta the function takes.
int parameters_of(UnaryKind kind);

}  // namespace systole::graph
