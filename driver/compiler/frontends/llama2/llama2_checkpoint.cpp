// SPDX-License-Identifier: Apache-2.0
#include "llama2_checkpoint.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "llama2_graph.hpp"
#include "model_bytes.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using graph::GraphError;

static_assert(std::endian::native == std::endian::little, "weights are taken as they are in the file");

constexpr const char* kRemedy = "export the model again, with version 0 of llama2.c's export.py";

struct Field {
  const char* name;
  int Sizes::*value;
  int most;
};
constexpr std::array<Field, 7> kHeader{{
    {"dim", &Sizes::width, 1 << 16},
    {"hidden_dim", &Sizes::hidden, 1 << 20},
    {"n_layers", &Sizes::layers, 1 << 10},
    {"n_heads", &Sizes::heads, 1 << 16},
    {"n_kv_heads", &Sizes::key_heads, 1 << 16},
    {"vocab_size", &Sizes::vocabulary, 1 << 20},
    {"seq_len", &Sizes::context, 1 << 20},
}};
constexpr std::size_t kHeaderBytes = kHeader.size() * sizeof(std::int32_t);

[[noreturn]] void refuse(const std::string& what) { throw GraphError(fmt::format("{}: {}", what, kRemedy)); }

struct Header {
  Sizes sizes;
  bool own_classifier = false;
};

Header parse_header(const Bytes& bytes) {
  if (bytes.size() < kHeaderBytes) {
    refuse(fmt::format("{} bytes are too few for the header of {}", bytes.size(), kHeaderBytes));
  }
  Header header;
  std::size_t offset = 0;
  for (const Field& field : kHeader) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    const bool of_vocabulary = field.value == &Sizes::vocabulary;
    // A negative number of tokens says that the classifier has weights of its own.
    const std::int64_t size = of_vocabulary ? std::abs(std::int64_t{value}) : value;
    if (size < 1 || size > field.most) {
      refuse(fmt::format("header field {} at byte {} is {}; legal are 1 to {}{}", field.name, offset, value, field.most,
                         of_vocabulary ? " and their negatives" : ""));
    }
    header.own_classifier = header.own_classifier || value < 0;
    header.sizes.*field.value = static_cast<int>(size);
    offset += sizeof value;
  }
  return header;
}

void check(const Sizes& sizes) {
  if (sizes.width % sizes.heads != 0 || sizes.head_width() % 2 != 0) {
    refuse(fmt::format("dim {} in n_heads {} parts; legal is a dim that is an even multiple of n_heads", sizes.width,
                       sizes.heads));
  }
  if (sizes.heads % sizes.key_heads != 0) {
    refuse(fmt::format("n_kv_heads is {}; legal are divisors of n_heads, {}", sizes.key_heads, sizes.heads));
  }
}

/// Numbers in the file; within 2^63 for legal sizes.
std::uint64_t numbers_of(const Header& header) {
  const auto wide = [](int value) { return static_cast<std::uint64_t>(value); };
  const Sizes& s = header.sizes;
  const std::uint64_t width = wide(s.width), attention = 2 * width * (width + wide(s.key_width()));
  const std::uint64_t layer = 2 * width + attention + 3 * width * wide(s.hidden);
  const std::uint64_t rotations = wide(s.context) * wide(s.head_width());
  return wide(s.vocabulary) * width * (header.own_classifier ? 2 : 1) + wide(s.layers) * layer + width + rotations;
}

/// The matrices, one after another.
class Matrices {
 public:
  explicit Matrices(const Bytes& bytes) : bytes_(bytes), offset_(kHeaderBytes) {}

  Weights take(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const auto count = static_cast<std::size_t>(rows * columns);
    const auto* first = bytes_.data() + offset_;
    for (std::size_t i = 0; i < count; ++i) {
      float value = 0;
      std::memcpy(&value, first + i * sizeof value, sizeof value);
      if (!std::isfinite(value)) {
        refuse(fmt::format("{}: the value in row {}, column {} (byte {}) is {}; legal are finite numbers", name,
                           i / static_cast<std::size_t>(columns), i % static_cast<std::size_t>(columns),
                           offset_ + i * sizeof value, value));
      }
    }
    offset_ += count * sizeof(float);
    return std::make_shared<const Bytes>(first, first + count * sizeof(float));
  }

  /// One for each layer.
  void take(std::vector<Layer>& layers, Weights Layer::*member, const char* name, std::int64_t rows,
            std::int64_t columns) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].*member = take(fmt::format("{} of layer {}", name, i), rows, columns);
    }
  }

  void skip(std::int64_t numbers) { offset_ += static_cast<std::size_t>(numbers) * sizeof(float); }

 private:
  const Bytes& bytes_;
  std::size_t offset_;
};

}  // namespace

Checkpoint parse_checkpoint(const Bytes& bytes, const std::string& name) {
  const Header header = parse_header(bytes);
  const Sizes& sizes = header.sizes;
  check(sizes);
  const std::uint64_t expected = kHeaderBytes + numbers_of(header) * sizeof(float);
  if (bytes.size() != expected) {
    refuse(
        fmt::format("the file has {} bytes; its header (dim {}, hidden_dim {}, n_layers {}, n_heads {}, n_kv_heads "
                    "{}, vocab_size {}{}, seq_len {}) says {}",
                    bytes.size(), sizes.width, sizes.hidden, sizes.layers, sizes.heads, sizes.key_heads,
                    header.own_classifier ? "-" : "", sizes.vocabulary, sizes.context, expected));
  }
  Checkpoint checkpoint{name,    sizes,  nullptr, std::vector<Layer>(static_cast<std::size_t>(sizes.layers)),
                        nullptr, nullptr};
  Matrices matrices(bytes);
  auto& layers = checkpoint.layers;
  checkpoint.embedding = matrices.take("token_embedding", sizes.vocabulary, sizes.width);
  matrices.take(layers, &Layer::attention_norm, "rms_att", 1, sizes.width);
  matrices.take(layers, &Layer::query, "wq", sizes.width, sizes.width);
  matrices.take(layers, &Layer::key, "wk", sizes.key_width(), sizes.width);
  matrices.take(layers, &Layer::value, "wv", sizes.key_width(), sizes.width);
  matrices.take(layers, &Layer::output, "wo", sizes.width, sizes.width);
  matrices.take(layers, &Layer::feed_norm, "rms_ffn", 1, sizes.width);
  matrices.take(layers, &Layer::gate, "w1", sizes.hidden, sizes.width);
  matrices.take(layers, &Layer::down, "w2", sizes.width, sizes.hidden);
  matrices.take(layers, &Layer::up, "w3", sizes.hidden, sizes.width);
  checkpoint.final_norm = matrices.take("rms_final", 1, sizes.width);
  matrices.skip(std::int64_t{sizes.context} * sizes.head_width());  // cosines and sines, which are computed instead
  checkpoint.classifier =
      header.own_classifier ? matrices.take("wcls", sizes.vocabulary, sizes.width) : checkpoint.embedding;
  return checkpoint;
}

Bytes checkpoint_file(const Checkpoint& checkpoint) {
  const Sizes& sizes = checkpoint.sizes;
  const bool own_classifier = checkpoint.classifier != checkpoint.embedding;
  Bytes bytes;
  for (const Field& field : kHeader) {
    const bool negative = own_classifier && field.value == &Sizes::vocabulary;
    const std::int32_t value = negative ? -(sizes.*field.value) : sizes.*field.value;
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  }
  const auto put = [&](const Weights& matrix) { bytes.insert(bytes.end(), matrix->begin(), matrix->end()); };
  put(checkpoint.embedding);
  for (Weights Layer::*member : {&Layer::attention_norm, &Layer::query, &Layer::key, &Layer::value, &Layer::output,
                                 &Layer::feed_norm, &Layer::gate, &Layer::down, &Layer::up}) {
    for (const Layer& layer : checkpoint.layers) {
      put(layer.*member);
    }
  }
  put(checkpoint.final_norm);
  const RotaryTables tables = rotary_tables(sizes.head_width(), 0, sizes.context);
  for (const std::vector<float>& table : {tables.cosines, tables.sines}) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(table.data());
    bytes.insert(bytes.end(), first, first + table.size() * sizeof(float));
  }
  if (own_classifier) {
    put(checkpoint.classifier);
  }
  return bytes;
}

Checkpoint read_checkpoint(const std::string& path) {
  const Bytes bytes = graph::read_model_bytes(path);
  try {
    return parse_checkpoint(bytes, std::filesystem::path(path).stem().string());
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace systole::llama2
