// SPDX-License-Identifier: Apache-2.0
// Activations whose blocks are only loaded all together.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "activations.hpp"
#include "converted_activations.hpp"
#include "geometry.hpp"
#include "product.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

constexpr int kDim = 16, kRows = 64, kBlocks = 2;

Builder default_builder() {
  for (const Configuration& configuration : kConfigurations) {
    if (configuration.dim == kDim) {
      return Builder(configuration);
    }
  }
  throw std::logic_error("no configuration with this DIM");
}

/// A tile of rows, whose loads are recorded instead of becoming instructions.
class RecordedRows final : public Activations {
 public:
  explicit RecordedRows(std::vector<Range>& loaded) : loaded_(loaded) {}

  int tiles() const override { return 1; }
  TileShape shape(int) const override { return {kRows, 1}; }
  TilePlace place(int) const override { return {0, 1}; }
  int plane_rows(int) const override { return kRows; }
  bool packed() const override { return true; }
  void load(Builder&, int, Range blocks, Range, int) const override { loaded_.push_back(blocks); }
  isa::Conv conv(int, Range lines, int row) const override {
    isa::Conv conv;
    conv.act_row = static_cast<std::uint16_t>(row + lines.begin);
    conv.plane_stride = kRows;
    conv.in_width = conv.out_width = static_cast<std::uint16_t>(lines.size());
    return conv;
  }

 private:
  std::vector<Range>& loaded_;
};

/// Weights that are there already.
class NoLoads final : public Weights {
 public:
  Range blocks(int) const override { return {0, kBlocks}; }
  void load(Builder&, Range, Range, Range, int, int) const override {}
};

/// The loads for products of an int8 matrix, whose first CONV takes one block of some rows.
std::vector<Range> loads_of_ramp(const Activations& activations, const std::vector<Range>& loaded) {
  Builder builder = default_builder();
  const std::uint32_t address = builder.temporary(kRows * kDim * sizeof(std::int32_t));
  const Output output{address, kDim, kDim * static_cast<int>(sizeof(std::int32_t)), sizeof(std::int32_t)};
  ProductTuning tuning;
  tuning.ramp_positions = kRows / 2;
  tuning.ramp_blocks = 1;
  HeldWeights held;
  emit_product(builder, activations, NoLoads(), kBlocks, output, {}, tuning, held);
  return loaded;
}

TEST(PackedActivations, ARampLoadsAllBlocksTogether) {
  std::vector<Range> loaded;
  for (const Range& blocks : loads_of_ramp(RecordedRows(loaded), loaded)) {
    EXPECT_EQ(blocks, (Range{0, kBlocks}));
  }
  EXPECT_FALSE(loaded.empty());
}

TEST(PackedActivations, ARampOfLinesOfRowsLoadsAllBlocksTogether) {
  std::vector<Range> loaded;
  const RowLines lines(std::make_unique<RecordedRows>(loaded), kRows / 4);
  for (const Range& blocks : loads_of_ramp(lines, loaded)) {
    EXPECT_EQ(blocks, (Range{0, kBlocks}));
  }
  EXPECT_FALSE(loaded.empty());
}

void expect_some_blocks_are_refused(const Activations& activations, Builder& builder) {
  for (const Range& some : {Range{0, 1}, Range{1, kBlocks}}) {
    try {
      activations.load(builder, 0, some, {0, 1}, 0);
      ADD_FAILURE() << "loads blocks " << some.begin << " to " << some.end;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find("of 2 are to be loaded alone"), std::string::npos) << error.what();
    }
  }
  activations.load(builder, 0, {0, kBlocks}, {0, 1}, 0);
  EXPECT_FALSE(builder.empty());
}

TEST(PackedActivations, WindowsAreNotLoadedBlockByBlock) {
  Builder builder = default_builder();
  const TensorView image{builder.temporary(8 * 8 * 3), 1, 8, 8, 3};
  Window window;
  window.kernel_h = window.kernel_w = 3;
  const ConvGeometry geometry = make_geometry("windows", image, window, 0, {0, 1, 6, 6, kDim});
  expect_some_blocks_are_refused(PackedWindows(geometry, {6, 6}, kDim), builder);
}

TEST(PackedActivations, ConvertedRowsAreNotLoadedBlockByBlock) {
  Builder builder = default_builder();
  constexpr int kBytes = kBlocks * kDim * static_cast<int>(sizeof(float));
  const TensorView words{builder.temporary(kRows * kBytes), 1, 1, kRows, kBytes};
  const WordsConversion conversion(builder, words);
  const MatrixRows rows(0, kRows, kBlocks * kDim, kBlocks * kDim, kRows, kDim, PlaneForm::kBlocks);
  expect_some_blocks_are_refused(ConvertedActivations<MatrixRows>(rows, conversion), builder);
}

}  // namespace
}  // namespace systole::compiler
