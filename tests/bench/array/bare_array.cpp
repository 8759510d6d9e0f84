// SPDX-License-Identifier: Apache-2.0
#include "bare_array.hpp"

#include "Varray_dim16.h"
#include "Varray_dim32.h"
#include "Varray_dim4.h"
#include "Varray_dim8.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <verilated.h>

#include <cstring>
#include <stdexcept>

namespace systole::bench {
namespace {

double user_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

class XorShift {
 public:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  /// Fills a port, whatever its width, with random bytes.
  template <typename Port>
  void fill(Port& port) {
    std::uint64_t words[(sizeof(Port) + 7) / 8];
    for (auto& word : words) word = next();
    std::memcpy(&port, words, sizeof(Port));
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

template <typename Model>
class BareArray {
 public:
  BareArray() : model_(&context_) {
    context_.fatalOnError(false);
    model_.act_valid_i = model_.act_swap_i = model_.wt_valid_i = 0;
    model_.rst_ni = 0;
    clock();
    model_.rst_ni = 1;
    for (int row = 0; row < dim; ++row) write_shadow(row);  // For the first swap; every later one has its own.
  }
  ~BareArray() { model_.final(); }

  double busy_hz(std::uint64_t cycles) {
    return measure(cycles, [this](std::uint64_t cycle) {
      model_.act_valid_i = 1;
      model_.act_swap_i = cycle % swap_period == 0;
      random_.fill(model_.act_data_i);
      // Row k in the first cycle in which the last swap no longer needs it, dim-1+k cycles after that swap.
      const std::uint64_t row = (cycle + swap_period - (dim - 1)) % swap_period;
      model_.wt_valid_i = cycle >= dim - 1 && row < dim;
      if (model_.wt_valid_i) {
        model_.wt_row_i = row;
        random_.fill(model_.wt_data_i);
      }
      clock();
    });
  }

  double idle_hz(std::uint64_t cycles) {
    model_.wt_valid_i = 0;
    return measure(cycles, [this](std::uint64_t) { clock(); });
  }

 private:
  static constexpr int dim = sizeof(Model::act_data_i);
  static constexpr std::uint64_t swap_period = 32;
  static_assert(dim <= swap_period);

  void clock() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  void write_shadow(int row) {
    model_.wt_valid_i = 1;
    model_.wt_row_i = row;
    random_.fill(model_.wt_data_i);
    clock();
  }

  template <typename Step>
  double measure(std::uint64_t cycles, Step step) {
    const double begin = user_seconds();
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) step(cycle);
    const double seconds = user_seconds() - begin;
    if (context_.errorCount() != 0) throw std::runtime_error("bare array: an assertion of the RTL failed");
    return seconds > 0 ? static_cast<double>(cycles) / seconds : 0;
  }

  VerilatedContext context_;
  Model model_;
  XorShift random_;
};

/// Calls `run` with a bare array of the size asked for.
template <typename Run>
double with_array(int dim, Run run) {
  switch (dim) {
    case 4: {
      BareArray<Varray_dim4> array;
      return run(array);
    }
    case 8: {
      BareArray<Varray_dim8> array;
      return run(array);
    }
    case 16: {
      BareArray<Varray_dim16> array;
      return run(array);
    }
    case 32: {
      BareArray<Varray_dim32> array;
      return run(array);
    }
    default:
      throw std::invalid_argument(fmt::format("bare array: no model of side {}; there are 4, 8, 16 and 32", dim));
  }
}

}  // namespace

double bare_array_hz(int dim, std::uint64_t cycles) {
  return with_array(dim, [cycles](auto& array) { return array.busy_hz(cycles); });
}

double idle_array_hz(int dim, std::uint64_t cycles) {
  return with_array(dim, [cycles](auto& array) { return array.idle_hz(cycles); });
}

}  // namespace systole::bench
