// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "cases.hpp"
#include "compare.hpp"
#include "elementwise.hpp"
#include "pooling.hpp"

namespace systole::cosim {
namespace {

HostTensor8 random_tensor(Source& source, int batch, int height, int width, int channels) {
  return {batch, height, width, channels,
          source.bytes(static_cast<std::size_t>(batch) * static_cast<std::size_t>(height) *
                       static_cast<std::size_t>(width) * static_cast<std::size_t>(channels))};
}

struct Image {
  int batch, height, width, channels;
};

Case max_case(const std::string& name, const Image& i, const Window& window) {
  return {
      "max_pool_" + name, "max_pool", {i.channels}, [=](Device& device, const RunOptions& options, std::uint64_t seed) {
        Source source(seed);
        const HostTensor8 input = random_tensor(source, i.batch, i.height, i.width, i.channels);
        const auto low = static_cast<std::int8_t>(source.range(-128, -100));
        const auto high = static_cast<std::int8_t>(source.range(60, 127));
        const auto result = max_pool(device, input, window, low, high, options);
        return golden::difference(golden::max_pool(to_golden(input), window, {low, high}), to_golden(result.tensor));
      }};
}

Case average_case(const std::string& name, const Image& i, const Window& window, bool count_padding) {
  return {"average_pool_" + name,
          "average_pool",
          {i.channels},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const HostTensor8 input = random_tensor(source, i.batch, i.height, i.width, i.channels);
            const int zero_point = source.range(-100, 100);
            const auto result = average_pool(device, input, window, count_padding, zero_point, -120, 100, options);
            const auto counting = count_padding ? golden::PaddingCount::kInclude : golden::PaddingCount::kExclude;
            return golden::difference(golden::average_pool(to_golden(input), window, {-120, 100}, counting, zero_point),
                                      to_golden(result.tensor));
          }};
}

Case add_case(const Image& i) {
  return {fmt::format("add_{}x{}x{}x{}", i.batch, i.height, i.width, i.channels),
          "add",
          {i.channels},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const HostTensor8 lhs = random_tensor(source, i.batch, i.height, i.width, i.channels);
            const HostTensor8 rhs = random_tensor(source, i.batch, i.height, i.width, i.channels);
            AddParams p;
            p.lhs_zero_point = source.range(-128, 127);
            p.rhs_zero_point = source.range(-128, 127);
            p.output_zero_point = source.range(-40, 40);
            p.lhs_scale = source.scale(0.1, 0.5);
            p.rhs_scale = source.scale(0.1, 0.5);
            p.output_scale = source.scale(1.0 / (1 << 20), 4.0 / (1 << 20));
            p.rounding = static_cast<Rounding>(source.range(0, 2));
            const auto result = add(device, lhs, rhs, p, options);
            return golden::difference(golden::add(to_golden(lhs), to_golden(rhs), p), to_golden(result.tensor));
          }};
}

Case multiply_case(const Image& i) {
  return {fmt::format("multiply_{}x{}x{}x{}", i.batch, i.height, i.width, i.channels),
          "multiply",
          {i.channels},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const HostTensor8 lhs = random_tensor(source, i.batch, i.height, i.width, i.channels);
            const HostTensor8 rhs = random_tensor(source, i.batch, i.height, i.width, i.channels);
            MultiplyParams p;
            p.lhs_zero_point = source.range(-128, 127);
            p.rhs_zero_point = source.range(-128, 127);
            p.output_zero_point = source.range(-40, 40);
            p.output_scale = source.scale(0.002, 0.03);
            p.clamp_min = -100;
            p.rounding = static_cast<Rounding>(source.range(0, 2));
            const auto result = multiply(device, lhs, rhs, p, options);
            return golden::difference(golden::multiply(to_golden(lhs), to_golden(rhs), p), to_golden(result.tensor));
          }};
}

Case lookup_case(const Image& i) {
  return {fmt::format("lookup_{}x{}x{}x{}", i.batch, i.height, i.width, i.channels),
          "lookup",
          {i.channels},
          [=](Device& device, const RunOptions& options, std::uint64_t seed) {
            Source source(seed);
            const HostTensor8 input = random_tensor(source, i.batch, i.height, i.width, i.channels);
            std::array<std::int8_t, 256> table{};
            for (auto& entry : table) {
              entry = static_cast<std::int8_t>(source.range(-128, 127));
            }
            const auto result = lookup(device, input, table, options);
            return golden::difference(golden::lookup(to_golden(input), table), to_golden(result.tensor));
          }};
}

}  // namespace

std::vector<Case> vector_cases(int dim) {
  std::vector<Case> list;
  const Window two{2, 2, 2, 2, 1, 1, 0, 0, 0, 0};
  const Window three{3, 3, 2, 2, 1, 1, 1, 1, 1, 1};
  const Window uneven{3, 2, 1, 2, 1, 2, 1, 0, 1, 1};
  list.push_back(max_case("2x2", {1, 8, 8, dim}, two));
  list.push_back(max_case("3x3_padded", {2, 9, 7, dim + 1}, three));
  list.push_back(max_case("uneven", {1, 6, 9, 3}, uneven));
  list.push_back(max_case("many_blocks", {1, 7, 7, 20 * dim}, three));
  list.push_back(average_case("2x2", {1, 8, 8, dim}, two, false));
  list.push_back(average_case("3x3_padded", {2, 9, 7, dim + 1}, three, false));
  list.push_back(average_case("3x3_padding_counted", {1, 9, 7, 3}, three, true));
  list.push_back(average_case("uneven", {1, 6, 9, 3}, uneven, false));
  list.push_back(average_case("global", {1, 7, 7, 3 * dim}, {7, 7, 1, 1, 1, 1, 0, 0, 0, 0}, false));
  list.push_back(max_case("one_channel", {1, 7, 6, 1}, three));
  list.push_back(average_case("one_channel", {1, 7, 6, 1}, three, false));
  list.push_back(average_case("many_blocks", {1, 5, 4, 9 * dim}, three, true));
  for (const Image& image : {Image{1, 4, 4, dim}, Image{2, 5, 3, dim + 1}, Image{1, 1, 1, 3},
                             Image{1, 40, 9, 2 * dim + 3}, Image{1, 5, 7, 1}, Image{1, 3, 2, 9 * dim}}) {
    list.push_back(add_case(image));
    list.push_back(multiply_case(image));
    list.push_back(lookup_case(image));
  }
  return list;
}

}  // namespace systole::cosim
