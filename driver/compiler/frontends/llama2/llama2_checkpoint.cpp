// SPDX-License-Identifier: Apache-2.0
#include "llama2_checkpoint.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "llama2_graph.hpp"

namespace systole::llama2 {
namespace {

using graph::Bytes;
using graph::GraphError;

static_assert(std::endian::native == std::endian::little, "weights are taken as they are in the file");

constexpr const char* kRemedy = "export the model again, with llama2.c's export.py";

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
  int version = 0;
  Sizes sizes;
  bool own_classifier = false;
  int group = 0;          ///< version 2: numbers that share a scale
  std::size_t bytes = 0;  ///< before the weights
};

constexpr std::uint32_t kMagic = 0x616B3432;  // "ak42", with which version 1 and later begin
constexpr std::size_t kLaterHeaderBytes = 256;

template <class Number>
Number number_at(const Bytes& bytes, std::size_t offset) {
  Number value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Reads the fields of kHeader from byte `offset` on. In version 0, a negative vocabulary size means that the
/// classifier has its own weights.
void read_sizes(const Bytes& bytes, std::size_t offset, Header& header) {
  for (const Field& field : kHeader) {
    const auto value = number_at<std::int32_t>(bytes, offset);
    const bool may_be_negative = field.value == &Sizes::vocabulary && header.version == 0;
    const std::int64_t size = may_be_negative ? std::abs(std::int64_t{value}) : value;
    if (size < 1 || size > field.most) {
      refuse(fmt::format("header field {} at byte {} is {}; legal are 1 to {}{}", field.name, offset, value, field.most,
                         may_be_negative ? " and their negatives" : ""));
    }
    header.own_classifier = header.own_classifier || value < 0;
    header.sizes.*field.value = static_cast<int>(size);
    offset += sizeof value;
  }
}

Header parse_header(const Bytes& bytes) {
  const bool later = bytes.size() >= sizeof kMagic && number_at<std::uint32_t>(bytes, 0) == kMagic;
  Header header;
  header.bytes = later ? kLaterHeaderBytes : kHeaderBytes;
  if (bytes.size() < header.bytes) {
    refuse(fmt::format("{} bytes are too few for the header of {}", bytes.size(), header.bytes));
  }
  if (!later) {
    read_sizes(bytes, 0, header);
    return header;
  }
  constexpr std::size_t kVersionAt = 4, kSizesAt = 8, kSharedAt = kSizesAt + kHeaderBytes, kGroupAt = kSharedAt + 1;
  constexpr int kLast = 2, kMostGroup = 1 << 16;
  header.version = number_at<std::int32_t>(bytes, kVersionAt);
  if (header.version < 1 || header.version > kLast) {
    refuse(fmt::format("version {}; legal are 0 to {}", header.version, kLast));
  }
  read_sizes(bytes, kSizesAt, header);
  header.own_classifier = bytes[kSharedAt] == 0;
  if (header.version == kLast) {
    header.group = number_at<std::int32_t>(bytes, kGroupAt);
    const bool divides = header.group >= 1 && header.group <= kMostGroup && header.sizes.width % header.group == 0 &&
                         header.sizes.hidden % header.group == 0;
    if (!divides) {
      refuse(fmt::format("the group size at byte {} is {}; legal are divisors of dim and hidden_dim, {} and {}",
                         kGroupAt, header.group, header.sizes.width, header.sizes.hidden));
    }
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

/// Bytes behind the header; within 2^63 for legal sizes.
std::uint64_t bytes_of_weights(const Header& header) {
  const auto wide = [](int value) { return static_cast<std::uint64_t>(value); };
  const Sizes& s = header.sizes;
  const std::uint64_t width = wide(s.width), attention = 2 * width * (width + wide(s.key_width()));
  const std::uint64_t matrices = wide(s.vocabulary) * width * (header.own_classifier ? 2 : 1) +
                                 wide(s.layers) * (attention + 3 * width * wide(s.hidden));
  const std::uint64_t norms = wide(s.layers) * 2 * width + width;
  const std::uint64_t rotations = header.version == 0 ? wide(s.context) * wide(s.head_width()) : 0;
  const std::uint64_t numbers = (norms + rotations) * sizeof(float);
  return header.group == 0 ? numbers + matrices * sizeof(float)
                           : numbers + matrices + matrices / wide(header.group) * sizeof(float);
}

/// The matrices, one after another.
class Matrices {
 public:
  Matrices(const Bytes& bytes, const Header& header) : bytes_(bytes), group_(header.group), offset_(header.bytes) {}

  Weights take(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const auto count = static_cast<std::size_t>(rows * columns);
    const auto* first = bytes_.data() + offset_;
    for (std::size_t i = 0; i < count; ++i) {
      check_finite(name, number_at<float>(bytes_, offset_ + i * sizeof(float)), i, columns,
                   offset_ + i * sizeof(float));
    }
    offset_ += count * sizeof(float);
    return std::make_shared<const Bytes>(first, first + count * sizeof(float));
  }

  /// A matrix that may be in groups of bytes, each with a scale: the products, rounded once to float32.
  Weights take_matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    if (group_ == 0) {
      return take(name, rows, columns);
    }
    const auto count = static_cast<std::size_t>(rows * columns), group = static_cast<std::size_t>(group_);
    Bytes values(count * sizeof(float));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = offset_ + count + i / group * sizeof(float);
      const auto scale = number_at<float>(bytes_, at);
      check_finite(name, scale, i, columns, at);
      const float value = static_cast<float>(number_at<std::int8_t>(bytes_, offset_ + i)) * scale;
      check_finite(name, value, i, columns, offset_ + i);
      std::memcpy(values.data() + i * sizeof value, &value, sizeof value);
    }
    offset_ += count + count / group * sizeof(float);
    return std::make_shared<const Bytes>(std::move(values));
  }

  /// One for each layer.
  void take_norms(std::vector<Layer>& layers, Weights Layer::*member, const char* name, std::int64_t width) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].*member = take(of_layer(name, i), 1, width);
    }
  }
  void take_matrices(std::vector<Layer>& layers, Weights Layer::*member, const char* name, std::int64_t rows,
                     std::int64_t columns) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].*member = take_matrix(of_layer(name, i), rows, columns);
    }
  }

  void skip(std::int64_t numbers) { offset_ += static_cast<std::size_t>(numbers) * sizeof(float); }

 private:
  static std::string of_layer(const char* name, std::size_t layer) {
    return fmt::format("{} of layer {}", name, layer);
  }

  static void check_finite(const std::string& name, float value, std::size_t number, std::int64_t columns,
                           std::size_t offset) {
    if (!std::isfinite(value)) {
      refuse(fmt::format("{}: the value in row {}, column {} (byte {}) is {}; legal are finite numbers", name,
                         number / static_cast<std::size_t>(columns), number % static_cast<std::size_t>(columns), offset,
                         value));
    }
  }

  const Bytes& bytes_;
  const int group_;
  std::size_t offset_;
};

}  // namespace

Checkpoint parse_checkpoint(const Bytes& bytes, const std::string& name) {
  const Header header = parse_header(bytes);
  const Sizes& sizes = header.sizes;
  check(sizes);
  const std::uint64_t expected = header.bytes + bytes_of_weights(header);
  if (bytes.size() != expected) {
    refuse(
        fmt::format("the file has {} bytes; its header (dim {}, hidden_dim {}, n_layers {}, n_heads {}, n_kv_heads "
                    "{}, vocab_size {}{}, seq_len {}) says {}",
                    bytes.size(), sizes.width, sizes.hidden, sizes.layers, sizes.heads, sizes.key_heads,
                    header.own_classifier ? "-" : "", sizes.vocabulary, sizes.context, expected));
  }
  Checkpoint checkpoint{name,    sizes,  nullptr, std::vector<Layer>(static_cast<std::size_t>(sizes.layers)),
                        nullptr, nullptr};
  Matrices matrices(bytes, header);
  auto& layers = checkpoint.layers;
  const auto attention_norms = [&] { matrices.take_norms(layers, &Layer::attention_norm, "rms_att", sizes.width); };
  const auto feed_norms = [&] { matrices.take_norms(layers, &Layer::feed_norm, "rms_ffn", sizes.width); };
  const auto final_norm = [&] { checkpoint.final_norm = matrices.take("rms_final", 1, sizes.width); };
  const auto attention = [&] {
    matrices.take_matrices(layers, &Layer::query, "wq", sizes.width, sizes.width);
    matrices.take_matrices(layers, &Layer::key, "wk", sizes.key_width(), sizes.width);
    matrices.take_matrices(layers, &Layer::value, "wv", sizes.key_width(), sizes.width);
    matrices.take_matrices(layers, &Layer::output, "wo", sizes.width, sizes.width);
  };
  const auto feed_forward = [&] {
    matrices.take_matrices(layers, &Layer::gate, "w1", sizes.hidden, sizes.width);
    matrices.take_matrices(layers, &Layer::down, "w2", sizes.width, sizes.hidden);
    matrices.take_matrices(layers, &Layer::up, "w3", sizes.hidden, sizes.width);
  };
  const auto embedding = [&] {
    checkpoint.embedding = matrices.take_matrix("token_embedding", sizes.vocabulary, sizes.width);
  };
  if (header.version == 0) {
    embedding();
    attention_norms();
    attention();
    feed_norms();
    feed_forward();
    final_norm();
    matrices.skip(std::int64_t{sizes.context} * sizes.head_width());  // cosines and sines, which are computed instead
  } else {
    attention_norms();
    feed_norms();
    final_norm();
    embedding();
    attention();
    feed_forward();
  }
  checkpoint.classifier =
      header.own_classifier ? matrices.take_matrix("wcls", sizes.vocabulary, sizes.width) : checkpoint.embedding;
  return checkpoint;
}

Bytes checkpoint_file(const Checkpoint& checkpoint) {
  const Sizes& sizes = checkpoint.sizes;
  const Sizes of_files;
  if (sizes.rotary_base != of_files.rotary_base || sizes.norm_epsilon != of_files.norm_epsilon) {
    throw GraphError(fmt::format(
        "{}: angles of base {} and an epsilon of {}; a file of llama2.c has no place for them, legal are {} "
        "and {}: keep the model's own file",
        checkpoint.name, sizes.rotary_base, sizes.norm_epsilon, of_files.rotary_base, of_files.norm_epsilon));
  }
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
  const RotaryTables tables = rotary_tables(sizes, 0, sizes.context);
  for (const std::vector<float>& table : {tables.cosines, tables.sines}) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(table.data());
    bytes.insert(bytes.end(), first, first + table.size() * sizeof(float));
  }
  if (own_classifier) {
    put(checkpoint.classifier);
  }
  return bytes;
}

}  // namespace systole::llama2
