// SPDX-License-Identifier: Apache-2.0
// Writes the committed seeds: make_seeds FOLDER. Small files that together cover most of the formats.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "../driver/compiler/frontends/gguf/made_gguf.hpp"
#include "../driver/compiler/frontends/llama2/made_llama.hpp"
#include "../driver/compiler/frontends/lstm_file.hpp"
#include "../driver/compiler/frontends/model_builder.hpp"
#include "../driver/compiler/frontends/onnx/onnx_builder.hpp"
#include "../driver/runtime/container/random_graph.hpp"
#include "container_file.hpp"
#include "network_builder.hpp"
#include "npz.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"

namespace {

using namespace systole;

void write(const std::filesystem::path& path, const graph::Bytes& bytes, std::size_t from = 0) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data() + from), static_cast<std::streamsize>(bytes.size() - from));
}

graph::Graph convolution() {
  zoo::NetworkBuilder net("convolution", 1);
  const graph::TensorId image = net.conv(net.input({1, 4, 4, 2}), 3, 3, 1, zoo::Border::kSame, Activation::kRelu6);
  return net.finish(
      net.softmax(net.dense(net.flatten(net.add(image, image, Activation::kNone)), 3, Activation::kNone)));
}

graph::Graph pools() {
  zoo::NetworkBuilder net("pools", 2);
  const graph::TensorId image = net.depthwise(net.input({1, 5, 5, 4}), 3, 1, Activation::kRelu);
  return net.finish(net.global_average_pool(net.max_pool(image, 2, 1, zoo::Border::kValid)));
}

/// ONNX: y = Relu(x + 1) on float32, 1x4.
graph::Bytes onnx_add() {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 4}).constant<float>("one", {1}, {1.0F}).output("y");
  file.node("Add", {"x", "one"}, "s");
  file.node("Relu", {"s"}, "y");
  return file.bytes();
}

/// QLinearConv of uint8 with a bias, a maximum pool, and the result dequantized.
graph::Bytes onnx_quantized() {
  graph::test::OnnxBuilder file;
  file.input("x", {1, 2, 5, 5}, onnx::TensorProto::UINT8).output("y");
  file.constant<float>("xs", {}, {0.5F}).constant<std::uint8_t>("xz", {}, {128});
  file.constant<float>("ws", {2}, {0.5F, 0.25F}).constant<std::int8_t>("wz", {2}, {0, 0});
  file.constant<std::int8_t>("w", {2, 2, 3, 3}, graph::test::some<std::int8_t>(36))
      .constant<std::int32_t>("b", {2}, {1, -1});
  graph::test::set_ints(file.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "xs", "xz", "b"}, "c"), "pads",
                        {1, 1, 1, 1});
  graph::test::set_ints(file.node("MaxPool", {"c"}, "p"), "kernel_shape", {2, 2});
  file.node("DequantizeLinear", {"p", "xs", "xz"}, "y");
  return file.bytes();
}

/// Computed shapes, a slice, and a batched product.
graph::Bytes onnx_shapes() {
  graph::test::OnnxBuilder file;
  file.input("x", {2, 3, 4}).output("y");
  file.constant<std::int64_t>("from", {1}, {1})
      .constant<std::int64_t>("to", {1}, {3})
      .constant<std::int64_t>("axis", {1}, {2});
  file.node("Slice", {"x", "from", "to", "axis"}, "s");
  file.node("Shape", {"s"}, "n");
  file.node("Reshape", {"s", "n"}, "r");
  graph::test::set_ints(file.node("Transpose", {"r"}, "t"), "perm", {0, 2, 1});
  file.node("MatMul", {"r", "t"}, "y");
  return file.bytes();
}

/// Computed indices for gather and scatter, and a selection.
graph::Bytes onnx_positions() {
  graph::test::OnnxBuilder file(16);
  file.input("x", {4, 3}).output("y").constant<std::int64_t>("two", {1}, {2});
  file.node("TopK", {"x", "two"}, "most").add_output("where");
  graph::test::set_int(file.node("GatherElements", {"x", "where"}, "g"), "axis", 1);
  file.constant<std::int64_t>("place", {1, 2}, {1, -1}).constant<float>("update", {1}, {5});
  file.node("ScatterND", {"g", "place", "update"}, "s");
  file.node("Less", {"s", "most"}, "less");
  file.node("Where", {"less", "g", "most"}, "y");
  return file.bytes();
}

void set_body(onnx::NodeProto& node, const char* name, const graph::test::OnnxBuilder& body) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.model.graph();
}

/// A loop with a condition in each iteration, a branch in its body, and a scan over what it gives.
graph::Bytes onnx_loops() {
  graph::test::OnnxBuilder twice, plus, body, step, file(16);
  twice.node("Add", {"s", "s"}, "r");
  plus.node("Add", {"s", "x"}, "r");
  body.input("i", {}, onnx::TensorProto::INT64).input("on", {}, onnx::TensorProto::BOOL).input("s", {2});
  body.constant<std::int64_t>("one", {}, {1}).node("Less", {"i", "one"}, "go");
  auto& choice = body.node("If", {"go"}, "next");
  set_body(choice, "then_branch", twice.output("r"));
  set_body(choice, "else_branch", plus.output("r"));
  body.output("go").output("next").output("next");
  step.input("sum", {2}).input("row", {2}).node("Add", {"sum", "row"}, "more");
  file.input("x", {2}).constant<std::int64_t>("n", {}, {5});
  auto& loop = file.node("Loop", {"n", "", "x"}, "last");
  loop.add_output("all");
  set_body(loop, "body", body);
  auto& scan = file.node("Scan", {"last", "all"}, "y");
  scan.add_output("rows");
  graph::test::set_int(scan, "num_scan_inputs", 1);
  graph::test::set_ints(scan, "scan_input_directions", {1});
  set_body(scan, "body", step.output("more").output("more"));
  return file.output("y").output("rows").bytes();
}

/// A recurrence, an einsum equation, a transposed convolution and a resize, with attributes of all types.
graph::Bytes onnx_composed() {
  graph::test::OnnxBuilder file(16);
  file.input("x", {2, 1, 2}).output("y");
  file.constant<float>("w", {1, 4, 2}, graph::test::some<float>(8))
      .constant<float>("r", {1, 4, 1}, graph::test::some<float>(4));
  graph::test::set_int(file.node("LSTM", {"x", "w", "r"}, "h"), "hidden_size", 1);
  graph::test::set_text(file.node("Einsum", {"h", "h"}, "e"), "equation", "abcd,abce->acd");
  file.constant<float>("k", {1, 1, 2}, {1, 2});
  graph::test::set_ints(file.node("ConvTranspose", {"e", "k"}, "t"), "strides", {2});
  file.constant<float>("scales", {3}, {1, 1, 2});
  graph::test::set_text(file.node("Resize", {"t", "", "scales"}, "y"), "mode", "linear");
  return file.bytes();
}

/// Images with sizes, amounts and numbers that a file may have wrong.
graph::Bytes onnx_images() {
  graph::test::OnnxBuilder file(18);
  file.input("x", {1, 2, 4, 4}).output("y");
  graph::test::set_int(file.node("LRN", {"x"}, "l"), "size", 3);
  file.constant<std::int64_t>("amounts", {4}, {-1, 2, 1, 0}).constant<std::int64_t>("padded", {2}, {2, 3});
  graph::test::set_text(file.node("Pad", {"l", "amounts", "", "padded"}, "p"), "mode", "wrap");
  file.constant<std::int64_t>("sizes", {2}, {6, 3});
  auto& resize = file.node("Resize", {"p", "", "", "sizes"}, "r");
  graph::test::set_text(resize, "mode", "cubic");
  graph::test::set_ints(resize, "axes", {2, 3});
  graph::test::set_int(resize, "antialias", 1);
  graph::test::set_text(resize, "keep_aspect_ratio_policy", "not_larger");
  auto& pool = file.node("AveragePool", {"r"}, "y");
  graph::test::set_ints(pool, "kernel_shape", {2, 2});
  graph::test::set_int(pool, "ceil_mode", 1);
  return file.bytes();
}

/// The three forms of attention of com.microsoft.
graph::Bytes onnx_attention() {
  graph::test::OnnxBuilder file(18);
  const auto node = [&](const char* kind, const std::vector<std::string>& inputs, const char* output) -> auto& {
    auto& made = file.node(kind, inputs, output);
    made.set_domain("com.microsoft");
    graph::test::set_int(made, "num_heads", 2);
    return made;
  };
  file.input("x", {1, 2, 4}).input("past", {1, 2, 1, 2}).output("y");
  file.constant<float>("w", {4, 12}, graph::test::some<float>(48)).constant<float>("b", {12}, std::vector<float>(12));
  graph::test::set_ints(node("Attention", {"x", "w", "b"}, "a"), "qkv_hidden_sizes", {4, 4, 4});
  auto& heads = node("MultiHeadAttention", {"a", "x", "x", "", "", "", "past", "past"}, "m");
  graph::test::set_int(heads, "unidirectional", 1);
  file.constant<std::int32_t>("last", {1}, {1}).constant<std::int32_t>("all", {}, {2});
  graph::test::set_int(node("GroupQueryAttention", {"m", "m", "m", "", "", "last", "all"}, "y"), "kv_num_heads", 2);
  return file.bytes();
}

/// A language model of width 32, its matrices in all types that are read, with pieces or byte pairs as tokens.
gguf::test::MadeFile gguf_model(bool byte_pairs) {
  const std::vector<std::string> pieces{"<unk>", "<s>", "</s>", "<0x61>", "\xE2\x96\x81", "t", "e", "te"};
  const std::vector<std::string> bytes{"<s>", "a", "t", "e", "x", "te", "\xC4\xA0", "<user>"};
  gguf::test::MadeFile file = gguf::test::made_llama({32, 32, 1, 2, 1, 4}, byte_pairs ? bytes : pieces,
                                                     {0, 0, 0, 0, -3, -3, -3, -1}, {2, 3, 3, 6, 1, 1, 4, 5});
  const std::array<std::uint32_t, 4> types{gguf::test::kF32, gguf::test::kF16, gguf::test::kBf16, gguf::test::kQ8_0};
  std::size_t next = 0;
  for (auto& [name, tensor] : file.tensors) {
    if (tensor.dimensions.size() > 1) {
      // Bytes of small numbers, in every type.
      tensor.type = types[next++ % types.size()];
      const std::size_t count = tensor.data.size() / sizeof(float);
      const std::size_t size = tensor.type == gguf::test::kF32    ? count * sizeof(float)
                               : tensor.type == gguf::test::kQ8_0 ? count / 32 * 34
                                                                  : count * 2;
      tensor.data.assign(size, 0x2C);
    }
  }
  if (byte_pairs) {
    file.keys.erase("tokenizer.ggml.scores");
    file.text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "llama-bpe")
        .size("tokenizer.ggml.bos_token_id", 0)
        .array<std::int32_t>("tokenizer.ggml.token_type", gguf::test::kInt32, {3, 1, 1, 1, 1, 1, 1, 4})
        .array<std::string>("tokenizer.ggml.merges", gguf::test::kText, {"t e"});
  }
  return file;
}

void write_arrays(const std::filesystem::path& folder) {
  write(folder / "idx" / "pictures", {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6});
  write(folder / "idx" / "labels", {0, 0, 8, 1, 0, 0, 0, 2, 7, 9});
  const auto bytes = npy::serialize(graph::make_value(graph::ElementType::kInt8, {2, 2}, std::vector<std::int8_t>(4)));
  const auto reals = npy::serialize(graph::make_value(graph::ElementType::kFloat32, {3}, std::vector<float>(3)));
  write(folder / "npy" / "int8", bytes);
  write(folder / "npy" / "float32", reals);
  write(folder / "npz" / "two", npy::serialize_archive({{"a.npy", bytes}, {"folder/b.npy", reals}}));
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder = count > 1 ? arguments[1] : ".";
  write(folder / "onnx" / "add", onnx_add());
  write(folder / "onnx" / "quantized", onnx_quantized());
  write(folder / "onnx" / "shapes", onnx_shapes());
  write(folder / "onnx" / "positions", onnx_positions());
  write(folder / "onnx" / "composed", onnx_composed());
  write(folder / "onnx" / "loops", onnx_loops());
  write(folder / "onnx" / "images", onnx_images());
  write(folder / "onnx" / "attention", onnx_attention());
  write_arrays(folder);
  write(folder / "gguf" / "pieces", gguf_model(false).bytes());
  write(folder / "gguf" / "byte_pairs", gguf_model(true).bytes());
  write(folder / "llama2" / "checkpoint", llama2::test::checkpoint_bytes({4, 2, 1, 2, 1, 3, 2}));
  write(folder / "llama2" / "tokenizer",
        llama2::test::tokenizer_bytes(
            {{"<unk>", 0}, {"<0x61>", 0}, {"e", -5}, {" ", -5}, {"t", -5}, {"x", -5}, {"te", -2}, {" te", -1}}));
  write(folder / "tflite" / "convolution", graph::test::small_model());
  write(folder / "tflite" / "lstm", graph::test::LstmFile{}.bytes());
  for (const auto& [name, graph] : {std::pair{"convolution", convolution()}, std::pair{"pools", pools()}}) {
    write(folder / "container" / name, container::save(compile_network(graph, find_configuration("tiny"))),
          container::kHeaderBytes);
  }
  for (const int seed : {1, 2, 3}) {
    write(folder / "container" / fmt::format("graph{}", seed),
          container::save(test::random_graph(static_cast<std::uint64_t>(seed), 8)), container::kHeaderBytes);
  }
  return 0;
}
