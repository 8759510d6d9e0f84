// SPDX-License-Identifier: Apache-2.0
#include "picture_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace systole::cli {
namespace {

constexpr std::string_view kShades = " .:-=+*#%@";
constexpr int kGap = 2;

struct Box {
  int top, bottom, left, right;  ///< half-open
};

/// Bounding box of the ink of all pictures: at least one row and column.
Box ink(const digits::Pictures& pictures, std::size_t count) {
  Box box{pictures.height, 0, pictures.width, 0};
  for (std::size_t i = 0; i < count; ++i) {
    for (int y = 0; y < pictures.height; ++y) {
      for (int x = 0; x < pictures.width; ++x) {
        if (pictures.pixels[i][static_cast<std::size_t>(y * pictures.width + x)] >= 256 / kShades.size()) {
          box = {std::min(box.top, y), std::max(box.bottom, y + 1), std::min(box.left, x), std::max(box.right, x + 1)};
        }
      }
    }
  }
  return box.bottom > 0 ? box : Box{0, 1, 0, 1};
}

/// A character is twice as high as wide, so it represents two rows.
char shade(const digits::Pictures& pictures, std::size_t picture, const Box& box, int y, int x) {
  const auto pixel = [&](int row) {
    return row < box.bottom ? int{pictures.pixels[picture][static_cast<std::size_t>(row * pictures.width + x)]} : 0;
  };
  const int grey = (pixel(y) + pixel(y + 1)) / 2;
  return kShades[static_cast<std::size_t>(grey) * kShades.size() / 256];
}

std::string caption(std::size_t picture, const std::vector<int>& answers, const std::vector<std::uint8_t>& labels,
                    int width, const Style& style) {
  std::string text = fmt::format("{}", answers[picture]);
  const bool wrong = !labels.empty() && answers[picture] != labels[picture];
  if (wrong) {
    text += fmt::format(" wrong: {}", labels[picture]);
  }
  const int before = std::max(0, width - static_cast<int>(text.size())) / 2;
  const int after = std::max(0, width - before - static_cast<int>(text.size()));
  return std::string(static_cast<std::size_t>(before), ' ') + style(wrong ? Paint::kBad : Paint::kBold, text) +
         std::string(static_cast<std::size_t>(after), ' ');
}

}  // namespace

std::string draw_pictures(const digits::Pictures& pictures, std::size_t count, const std::vector<int>& answers,
                          const std::vector<std::uint8_t>& labels, const Style& style) {
  const Box box = ink(pictures, count);
  const int width = std::max(10, box.right - box.left);  // room for a caption
  const auto across = static_cast<std::size_t>(std::max(1, (style.width - kGap) / (width + kGap)));
  const std::string gap(kGap, ' ');
  std::string text;
  for (std::size_t first = 0; first < count; first += across) {
    const std::size_t last = std::min(count, first + across);
    for (int y = box.top; y < box.bottom; y += 2) {
      std::string line;
      for (std::size_t i = first; i < last; ++i) {
        line += gap;
        for (int x = 0; x < width; ++x) {
          line += box.left + x < box.right ? shade(pictures, i, box, y, box.left + x) : ' ';
        }
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    for (std::size_t i = first; i < last; ++i) {
      text += gap + caption(i, answers, labels, width, style);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n\n";
  }
  return text;
}

}  // namespace systole::cli
