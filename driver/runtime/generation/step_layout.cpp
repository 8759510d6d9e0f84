// SPDX-License-Identifier: Apache-2.0
#include "step_layout.hpp"

#include <algorithm>
#include <cstring>

#include "llama2_block_graph.hpp"

namespace systole::generation {
namespace {

using graph::ElementType;
using graph::Value;

std::size_t at(std::int64_t value) { return static_cast<std::size_t>(value); }

/// `lines` of `count` numbers, `pitch` numbers apart.
Value lines_of(const std::vector<float>& cache, std::int64_t lines, std::int64_t pitch, std::int64_t count,
               graph::Shape shape) {
  const std::size_t part = at(count) * sizeof(float);
  Value value{ElementType::kFloat32, std::move(shape), graph::Bytes(at(lines) * part)};
  for (std::int64_t line = 0; line < lines; ++line) {
    std::memcpy(value.data.data() + at(line) * part, cache.data() + line * pitch, part);
  }
  return value;
}

/// The graph of llama2_graph.hpp: keys and values head by head, a cache as large as the context allows.
class FloatLayout final : public StepLayout {
 public:
  FloatLayout(const llama2::Checkpoint& checkpoint, int context) : checkpoint_(checkpoint), context_(context) {}

  int cached(int tokens, int) const override { return context_ - tokens; }
  bool has_room(int tokens, int filled) const override { return filled + tokens <= context_; }
  graph::Graph graph(const StepShape& step) const override {
    return llama2::step_graph(checkpoint_, {step.tokens, context_, step.sequences});
  }
  llama2::RotaryTables tables(int first, int tokens) const override {
    return llama2::rotary_tables(checkpoint_.sizes, first, tokens);
  }
  graph::Shape table_shape(int rows) const override { return {rows, 1, checkpoint_.sizes.head_width() / 2}; }
  graph::Shape mask_shape(const StepShape& step) const override { return {1, step.rows(), step.cached + step.tokens}; }
  int first_own(const StepShape& step) const override { return step.cached; }

  std::vector<float> cache(bool) const override { return std::vector<float>(at(heads() * context_ * width())); }
  Value input(const std::vector<float>& cache, bool, int, int positions) const override {
    return lines_of(cache, heads(), context_ * width(), positions * width(), {heads(), positions, width()});
  }
  void keep(std::vector<float>& cache, bool, const Value& added, int row, int filled, int count) const override {
    const auto values = graph::elements<float>(added);
    const std::int64_t rows = added.shape[1];
    for (std::int64_t head = 0; head < heads(); ++head) {
      std::copy_n(values.begin() + (head * rows + row) * width(), count * width(),
                  cache.begin() + (head * context_ + filled) * width());
    }
  }

 private:
  std::int64_t heads() const { return checkpoint_.sizes.key_heads; }
  std::int64_t width() const { return checkpoint_.sizes.head_width(); }

  const llama2::Checkpoint& checkpoint_;
  const int context_;
};

/// The graph of llama2_block_graph.hpp: positions of whole keys and values. There are graphs for several sizes of the
/// cache, so that a short text takes less time.
class BlockLayout final : public StepLayout {
 public:
  BlockLayout(const llama2::Checkpoint& checkpoint, int context, llama2::WeightType weights)
      : checkpoint_(checkpoint), room_(rounded_up(context)), weights_(weights) {}

  /// 16, 32, 48, 64, 96, 128, 192, ... up to the room, also for a single token's own position; 0 for several tokens at
  /// the beginning.
  int cached(int tokens, int filled) const override {
    const int needed = tokens == 1 ? filled + 1 : filled;
    int size = needed == 0 ? 0 : kUnit;
    while (size < needed) {
      const bool between = size > kUnit && size + size / 2 >= needed;
      size += between ? size / 2 : size;
    }
    return std::min(size, room_);
  }
  bool has_room(int, int) const override { return true; }
  graph::Graph graph(const StepShape& step) const override {
    return llama2::block_step_graph(checkpoint_, block_step(step));
  }
  llama2::RotaryTables tables(int first, int tokens) const override {
    return llama2::block_rotary_tables(checkpoint_.sizes, first, tokens);
  }
  graph::Shape table_shape(int rows) const override {
    return {rows, checkpoint_.sizes.width + checkpoint_.sizes.key_width()};
  }
  graph::Shape mask_shape(const StepShape& step) const override { return {step.rows(), 1, block_step(step).columns()}; }
  int first_own(const StepShape& step) const override { return block_step(step).columns() - step.tokens; }

  std::vector<float> cache(bool) const override { return std::vector<float>(at(room_ * width())); }
  Value input(const std::vector<float>& cache, bool values, int tokens, int positions) const override {
    if (!values || tokens == 1) {
      return lines_of(cache, 1, 0, positions * width(), {positions, width()});
    }
    std::vector<float> transposed(at(width() * positions));
    for (std::int64_t i = 0; i < std::int64_t{width()} * positions; ++i) {
      transposed[at(i)] = cache[at(i % positions * width() + i / positions)];
    }
    return graph::make_value(ElementType::kFloat32, {width(), positions}, transposed);
  }
  void keep(std::vector<float>& cache, bool, const Value& added, int row, int filled, int count) const override {
    const auto numbers = graph::elements<float>(added);
    std::copy_n(numbers.begin() + row * width(), count * width(), cache.begin() + filled * width());
  }

 private:
  llama2::BlockStep block_step(const StepShape& step) const {
    return {step.tokens, step.cached, step.sequences, weights_};
  }
  static constexpr int kUnit = 16;  // positions of a block
  static int rounded_up(int positions) { return (positions + kUnit - 1) / kUnit * kUnit; }
  std::int64_t width() const { return checkpoint_.sizes.key_width(); }

  const llama2::Checkpoint& checkpoint_;
  const int room_;
  const llama2::WeightType weights_;
};

}  // namespace

std::unique_ptr<const StepLayout> layout_of(const llama2::Checkpoint& checkpoint, int context, Products products) {
  if (products == Products::kFloat32) {
    return std::make_unique<FloatLayout>(checkpoint, context);
  }
  return std::make_unique<BlockLayout>(
      checkpoint, context, products == Products::kInt8 ? llama2::WeightType::kInt8 : llama2::WeightType::kBlocks);
}

}  // namespace systole::generation
