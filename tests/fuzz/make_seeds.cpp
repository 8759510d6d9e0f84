// SPDX-License-Identifier: Apache-2.0
// Writes the seeds, which are committed: make_seeds FOLDER. Small files that together have most of what the formats know.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "../cpp/container/random_graph.hpp"
#include "../cpp/import/model_builder.hpp"
#include "container/container.hpp"
#include "container/file.hpp"
#include "systole/configurations.hpp"
#include "zoo/network_builder.hpp"

namespace {

using namespace systole;

void write(const std::filesystem::path& path, const graph::Bytes& bytes, std::size_t from = 0) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data() + from), static_cast<std::streamsize>(bytes.size() - from));
}

graph::Graph convolution() {
  zoo::NetworkBuilder net("convolution", 1);
  const graph::TensorId image = net.conv(net.input({1, 4, 4, 2}), 3, 3, 1, zoo::Border::kSame, graph::Activation::kRelu6);
  return net.finish(net.softmax(net.dense(net.flatten(net.add(image, image, graph::Activation::kNone)), 3, graph::Activation::kNone)));
}

graph::Graph pools() {
  zoo::NetworkBuilder net("pools", 2);
  const graph::TensorId image = net.depthwise(net.input({1, 5, 5, 4}), 3, 1, graph::Activation::kRelu);
  return net.finish(net.global_average_pool(net.max_pool(image, 2, 1, zoo::Border::kValid)));
}

/// A message of Protocol Buffers, field by field.
class Message {
 public:
  Message& number(int field, std::uint8_t value) {
    bytes_.push_back(static_cast<std::uint8_t>(field << 3));
    bytes_.push_back(value);
    return *this;
  }
  template <class Contents>
  Message& field(int field, const Contents& contents) {
    bytes_.push_back(static_cast<std::uint8_t>(field << 3 | 2));
    bytes_.push_back(static_cast<std::uint8_t>(contents.size()));  // fewer than 128
    bytes_.insert(bytes_.end(), contents.begin(), contents.end());
    return *this;
  }
  const graph::Bytes& bytes() const { return bytes_; }

 private:
  graph::Bytes bytes_;
};

/// ONNX: y = Relu(x + 1) on float32, 1x4.
graph::Bytes onnx_model() {
  using namespace std::string_view_literals;
  constexpr std::uint8_t kFloat = 1;
  const auto shape = Message().field(1, Message().number(1, 1).bytes()).field(1, Message().number(1, 4).bytes());
  const auto type = Message().field(1, Message().number(1, kFloat).field(2, shape.bytes()).bytes());
  const auto value = [&](std::string_view name) { return Message().field(1, name).field(2, type.bytes()).bytes(); };
  const auto node = [](std::string_view lhs, std::string_view rhs, std::string_view to, std::string_view op) {
    Message message;
    message.field(1, lhs);
    if (!rhs.empty()) {
      message.field(1, rhs);
    }
    return message.field(2, to).field(4, op).bytes();
  };
  const auto one = Message().number(1, 1).number(2, kFloat).field(8, "one"sv).field(9, "\0\0\x80\x3F"sv);
  const auto graph = Message().field(1, node("x", "one", "s", "Add")).field(1, node("s", "", "y", "Relu")).field(2, "g"sv)
                         .field(5, one.bytes()).field(11, value("x")).field(12, value("y"));
  return Message().number(1, 8).field(7, graph.bytes()).field(8, Message().number(2, 13).bytes()).bytes();
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder = count > 1 ? arguments[1] : ".";
  write(folder / "onnx" / "add", onnx_model());
  write(folder / "tflite" / "convolution", graph::test::small_model());
  for (const auto& [name, graph] : {std::pair{"convolution", convolution()}, std::pair{"pools", pools()}}) {
    const auto memory = std::make_shared<AddressSpace>(kBufferAlignment, std::uint64_t{1} << 20);
    write(folder / "container" / name, container::save(compile_network(graph, find_configuration("tiny"), memory)), container::kHeaderBytes);
  }
  for (const int seed : {1, 2, 3}) {
    write(folder / "container" / fmt::format("graph{}", seed), container::save(test::random_graph(static_cast<std::uint64_t>(seed), 8)),
          container::kHeaderBytes);
  }
  return 0;
}
