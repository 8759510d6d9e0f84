// SPDX-License-Identifier: Apache-2.0
// Networks with published layer shapes and random weights, quantized to int8 as TensorFlow Lite does it, or of float32
// with products in block floating point, for `systole bench --networks`. Cycle counts do not depend on the weights, so
// speed can be measured with them, but not accuracy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::zoo {

/// Residual network of 50 layers, 224 x 224 x 3, stride in the 3x3 convolutions (version 1.5). He et al., "Deep
/// Residual Learning for Image Recognition", table 1.
graph::Graph resnet50(std::uint64_t seed);
/// Inverted residuals of width 1.0, 224 x 224 x 3. Sandler et al., "MobileNetV2", table 2.
graph::Graph mobilenetv2(std::uint64_t seed);
/// Networks from a float32 picture of 224 x 224 in ONNX's order of axes, as files of ONNX have them.
/// Version 1.1. Iandola et al., "SqueezeNet"; the sizes of 1.1 are its authors' release.
graph::Graph squeezenet(std::uint64_t seed);
/// Width 1, 4 groups. Zhang et al., "ShuffleNet", table 1.
graph::Graph shufflenet(std::uint64_t seed);
/// With local response normalization. Szegedy et al., "Going Deeper with Convolutions", table 1.
graph::Graph inception_v1(std::uint64_t seed);
/// The four networks of the MLPerf Tiny benchmark. Banbury et al., "MLPerf Tiny Benchmark".
graph::Graph resnet8(std::uint64_t seed);  ///< image classification, 32 x 32 x 3
graph::Graph vww(std::uint64_t seed);      ///< visual wake words: MobileNetV1 of width 0.25, 96 x 96 x 3
graph::Graph kws(std::uint64_t seed);      ///< keyword spotting: depthwise-separable convolutions, 49 x 10
graph::Graph ad(std::uint64_t seed);       ///< anomaly detection: autoencoder of 640 inputs
/// Encoder of 12 layers, hidden 768, 12 heads, for 128 embedded tokens. Devlin et al., "BERT", section 3.
graph::Graph bert_base_128(std::uint64_t seed);
/// Vision transformer of width 192, 3 heads, patches of 16 x 16 of 224 x 224 x 3. Touvron et al., "Training
/// data-efficient image transformers & distillation through attention", table 1.
graph::Graph vit_tiny(std::uint64_t seed);
/// Keyword transformer of width 64, 1 head, behind its audio features. Berg et al., "Keyword Transformer", table 1.
graph::Graph kwt1(std::uint64_t seed);
/// resnet50, half of whose tiles of 16 x 16 weights are zeros, chosen at random; not in its first layer.
graph::Graph resnet50_pruned(std::uint64_t seed);
/// ResNet-50 of float32, whose products are in block floating point; without the softmax.
graph::Graph resnet50_mx(std::uint64_t seed);
/// Single products in block floating point, from float32 to float32.
graph::Graph matmul_512_mx(std::uint64_t seed);         ///< 512 x 512 by 512 x 512
graph::Graph conv3x3_28x28x128_mx(std::uint64_t seed);  ///< 3x3, 28 x 28 x 128 to 128

/// A token of a language model with weights of int8 behind a cache of 256 positions (see systole/generation.hpp), of
/// the shapes of llama2.c's checkpoints of 15 and 110 million parameters: width 288, 6 layers, 6 heads; 768, 12, 12.
graph::Graph llama_15m(std::uint64_t seed);
graph::Graph llama_110m(std::uint64_t seed);

/// The names of the networks, in the order above.
const std::vector<std::string>& names();
/// The network of this name. Throws InvalidArgument, listing the names, if there is none.
graph::Graph network(const std::string& name, std::uint64_t seed);

}  // namespace systole::zoo
