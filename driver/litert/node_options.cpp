// SPDX-License-Identifier: Apache-2.0
#include "node_options.hpp"

#include <algorithm>
#include <iterator>

#include "litert_api.hpp"

namespace systole::litert {
namespace {

namespace format = systole::tflite;
using Builder = flatbuffers::FlatBufferBuilder;
using Code = format::OperatorCodeNumber;

// An unknown padding or mirroring, 0, becomes -1, which the importer refuses.
format::Padding written(Padding padding) { return static_cast<format::Padding>(static_cast<int>(padding) - 1); }
format::Mirroring written(Mirroring mode) { return static_cast<format::Mirroring>(static_cast<int>(mode) - 1); }
format::FusedActivation written(Activation activation) { return static_cast<format::FusedActivation>(activation); }

auto conv_2d(Builder& b, const ConvParams& p) {
  return format::CreateConv2DOptions(b, written(p.padding), p.stride_width, p.stride_height, written(p.activation),
                                     p.dilation_width, p.dilation_height);
}
auto depthwise_conv_2d(Builder& b, const DepthwiseConvParams& p) {
  return format::CreateDepthwiseConv2DOptions(b, written(p.padding), p.stride_width, p.stride_height,
                                              p.depth_multiplier, written(p.activation), p.dilation_width,
                                              p.dilation_height);
}
auto transpose_conv(Builder& b, const TransposeConvParams& p) {
  return format::CreateTransposeConvOptions(b, written(p.padding), p.stride_width, p.stride_height,
                                            written(p.activation));
}
auto pool(Builder& b, const PoolParams& p) {
  return format::CreatePool2DOptions(b, written(p.padding), p.stride_width, p.stride_height, p.filter_width,
                                     p.filter_height, written(p.activation));
}
auto fully_connected(Builder& b, const FullyConnectedParams& p) {
  return format::CreateFullyConnectedOptions(b, written(p.activation), static_cast<std::int8_t>(p.weights_format),
                                             p.keep_num_dims);
}
auto batch_matmul(Builder& b, const BatchMatMulParams& p) {
  return format::CreateBatchMatMulOptions(b, p.transpose_a, p.transpose_b);
}
auto add(Builder& b, const ActivationParams& p) { return format::CreateAddOptions(b, written(p.activation)); }
auto subtract(Builder& b, const ActivationParams& p) { return format::CreateSubOptions(b, written(p.activation)); }
auto multiply(Builder& b, const ActivationParams& p) { return format::CreateMulOptions(b, written(p.activation)); }
auto divide(Builder& b, const ActivationParams& p) { return format::CreateDivOptions(b, written(p.activation)); }
auto l2_normalization(Builder& b, const ActivationParams& p) {
  return format::CreateL2NormOptions(b, written(p.activation));
}
auto softmax(Builder& b, const SoftmaxParams& p) { return format::CreateSoftmaxOptions(b, p.beta); }
auto leaky_relu(Builder& b, const LeakyReluParams& p) { return format::CreateLeakyReluOptions(b, p.alpha); }
auto reduce(Builder& b, const ReducerParams& p) { return format::CreateReducerOptions(b, p.keep_dims); }
auto cumulative_sum(Builder& b, const CumsumParams& p) {
  return format::CreateCumsumOptions(b, p.exclusive, p.reverse);
}
auto concatenation(Builder& b, const ConcatenationParams& p) {
  return format::CreateConcatenationOptions(b, p.axis, written(p.activation));
}
auto strided_slice(Builder& b, const StridedSliceParams& p) {
  return format::CreateStridedSliceOptions(b, p.begin_mask, p.end_mask, p.ellipsis_mask, p.new_axis_mask,
                                           p.shrink_axis_mask, p.offset);
}
auto resize_bilinear(Builder& b, const ResizeParams& p) {
  return format::CreateResizeBilinearOptions(b, p.align_corners, p.half_pixel_centers);
}
auto resize_nearest(Builder& b, const ResizeParams& p) {
  return format::CreateResizeNearestNeighborOptions(b, p.align_corners, p.half_pixel_centers);
}
auto space_to_depth(Builder& b, const BlockParams& p) { return format::CreateSpaceToDepthOptions(b, p.block_size); }
auto depth_to_space(Builder& b, const BlockParams& p) { return format::CreateDepthToSpaceOptions(b, p.block_size); }
auto gather(Builder& b, const GatherParams& p) { return format::CreateGatherOptions(b, p.axis, p.batch_dims); }
auto pack(Builder& b, const PackParams& p) { return format::CreatePackOptions(b, p.count, p.axis); }
auto unpack(Builder& b, const PackParams& p) { return format::CreateUnpackOptions(b, p.count, p.axis); }
auto mirror_pad(Builder& b, const MirrorPadParams& p) { return format::CreateMirrorPadOptions(b, written(p.mode)); }

template <class Table, class Params>
NodeOptions write(flatbuffers::Offset<Table> (*function)(Builder&, const Params&), Builder& builder, const void* data) {
  return {format::OptionsTraits<Table>::enum_value, function(builder, *static_cast<const Params*>(data)).Union()};
}

template <auto function>
NodeOptions write_with(Builder& builder, const void* data) {
  return write(function, builder, data);
}

struct Entry {
  Code code;
  NodeOptions (*write)(Builder& builder, const void* data);
};

constexpr Entry kEntries[] = {
    {Code::CONV_2D, write_with<conv_2d>},
    {Code::DEPTHWISE_CONV_2D, write_with<depthwise_conv_2d>},
    {Code::TRANSPOSE_CONV, write_with<transpose_conv>},
    {Code::AVERAGE_POOL_2D, write_with<pool>},
    {Code::MAX_POOL_2D, write_with<pool>},
    {Code::FULLY_CONNECTED, write_with<fully_connected>},
    {Code::BATCH_MATMUL, write_with<batch_matmul>},
    {Code::ADD, write_with<add>},
    {Code::SUB, write_with<subtract>},
    {Code::MUL, write_with<multiply>},
    {Code::DIV, write_with<divide>},
    {Code::L2_NORMALIZATION, write_with<l2_normalization>},
    {Code::SOFTMAX, write_with<softmax>},
    {Code::LEAKY_RELU, write_with<leaky_relu>},
    {Code::MEAN, write_with<reduce>},
    {Code::SUM, write_with<reduce>},
    {Code::REDUCE_PROD, write_with<reduce>},
    {Code::REDUCE_MAX, write_with<reduce>},
    {Code::REDUCE_MIN, write_with<reduce>},
    {Code::REDUCE_ANY, write_with<reduce>},
    {Code::CUMSUM, write_with<cumulative_sum>},
    {Code::CONCATENATION, write_with<concatenation>},
    {Code::STRIDED_SLICE, write_with<strided_slice>},
    {Code::RESIZE_BILINEAR, write_with<resize_bilinear>},
    {Code::RESIZE_NEAREST_NEIGHBOR, write_with<resize_nearest>},
    {Code::SPACE_TO_DEPTH, write_with<space_to_depth>},
    {Code::DEPTH_TO_SPACE, write_with<depth_to_space>},
    {Code::GATHER, write_with<gather>},
    {Code::PACK, write_with<pack>},
    {Code::UNPACK, write_with<unpack>},
    {Code::MIRROR_PAD, write_with<mirror_pad>},
};

}  // namespace

NodeOptions write_options(Builder& builder, Code code, const void* data) {
  const auto* found =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](const Entry& entry) { return entry.code == code; });
  return data == nullptr || found == std::end(kEntries) ? NodeOptions{} : found->write(builder, data);
}

}  // namespace systole::litert
