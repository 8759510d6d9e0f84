// SPDX-License-Identifier: Apache-2.0
#include "picture_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "attributes.hpp"

namespace systole::quantizer {
namespace {

using graph::GraphError;
using graph::Shape;

/// Words of a header, separated by white space; comments extend from # to the end of the line.
class Header {
 public:
  Header(const graph::Bytes& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  std::string word() {
    while (at_ < bytes_.size() && (std::isspace(bytes_[at_]) != 0 || bytes_[at_] == '#')) {
      if (bytes_[at_] == '#') {
        at_ = static_cast<std::size_t>(std::find(here(), bytes_.end(), '\n') - bytes_.begin());
      } else {
        ++at_;
      }
    }
    const auto last = std::find_if(here(), bytes_.end(), [](std::uint8_t byte) { return std::isspace(byte) != 0; });
    const std::string result(here(), last);
    at_ += result.size();
    return result;
  }
  std::int64_t number(const char* what, std::int64_t most) {
    const std::string text = word();
    const bool digits = !text.empty() && text.size() < 10 &&
                        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::int64_t value = digits ? std::stoll(text) : 0;
    if (value < 1 || value > most) {
      throw GraphError(fmt::format("{}: a {} of '{}'; the range is 1 .. {}", name_, what, text, most));
    }
    return value;
  }
  /// Where the pixels begin, after one white space.
  std::size_t end() const { return at_ + 1; }

 private:
  graph::Bytes::const_iterator here() const { return bytes_.begin() + static_cast<std::ptrdiff_t>(at_); }

  const graph::Bytes& bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
};

Shape without_ones(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

/// The pixels in planar order: all values of a channel together.
std::vector<std::uint8_t> planes(const Picture& p) {
  std::vector<std::uint8_t> result;
  for (std::int64_t c = 0; c < p.channels; ++c) {
    for (std::int64_t i = 0; i < p.height * p.width; ++i) {
      result.push_back(p.pixels[static_cast<std::size_t>(i * p.channels + c)]);
    }
  }
  return result;
}

}  // namespace

Picture parse_pnm(const graph::Bytes& bytes, const std::string& name) {
  constexpr std::int64_t kMostSide = 1 << 14;
  Header header(bytes, name);
  const std::string magic = header.word();
  if (magic != "P5" && magic != "P6") {
    throw GraphError(fmt::format("{}: not a binary PGM or PPM picture, which begins with P5 or P6", name));
  }
  Picture picture;
  picture.channels = magic == "P5" ? 1 : 3;
  picture.width = header.number("width", kMostSide);
  picture.height = header.number("height", kMostSide);
  header.number("largest value", 255);
  const auto size = static_cast<std::size_t>(picture.height * picture.width * picture.channels);
  if (bytes.size() < header.end() || bytes.size() - header.end() < size) {
    throw GraphError(fmt::format("{}: {} bytes are too few for {} x {} pixels; the file is truncated", name,
                                 bytes.size(), picture.width, picture.height));
  }
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(header.end());
  picture.pixels.assign(first, first + static_cast<std::ptrdiff_t>(size));
  return picture;
}

graph::Value as_input(const Picture& picture, const graph::Tensor& tensor, const std::string& name) {
  const Shape wanted = without_ones(tensor.shape);
  const bool pixels_together = wanted == without_ones({picture.height, picture.width, picture.channels});
  if (!pixels_together && wanted != without_ones({picture.channels, picture.height, picture.width})) {
    throw GraphError(fmt::format("{}: a picture of height {}, width {} and {} channel{}; {} takes another size", name,
                                 picture.height, picture.width, picture.channels, picture.channels == 1 ? "" : "s",
                                 title(tensor)));
  }
  const std::vector<std::uint8_t> bytes = pixels_together ? picture.pixels : planes(picture);
  if (tensor.type == graph::ElementType::kUint8) {
    return graph::make_value(tensor.type, tensor.shape, bytes);
  }
  if (tensor.type != graph::ElementType::kFloat32) {
    throw GraphError(fmt::format("{}: pictures are float32 or uint8; {} takes another type", name, title(tensor)));
  }
  return graph::make_value(tensor.type, tensor.shape, std::vector<float>(bytes.begin(), bytes.end()));
}

}  // namespace systole::quantizer
