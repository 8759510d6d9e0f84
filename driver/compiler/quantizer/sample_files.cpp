// SPDX-License-Identifier: Apache-2.0
#include "sample_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "attributes.hpp"
#include "convert.hpp"
#include "idx.hpp"
#include "input_file.hpp"
#include "npy.hpp"
#include "picture_files.hpp"

namespace systole::quantizer {
namespace {

namespace fs = std::filesystem;
using graph::GraphError;
using graph::Shape;
using graph::Tensor;
using graph::Value;

std::size_t limited(std::size_t there, std::size_t count) { return count == 0 ? there : std::min(there, count); }

Shape without_ones(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

std::vector<Value> from_array(const std::string& path, const Tensor& tensor, std::size_t count) {
  Value all = npy::read(path);
  if (all.type == graph::ElementType::kFloat64 &&
      tensor.type == graph::ElementType::kFloat32) {  // NumPy arrays are often float64
    all = npy::as_type(all, tensor.type, path);
  }
  if (all.shape.empty() || all.shape[0] == 0 || all.type != tensor.type ||
      without_ones(Shape(all.shape.begin() + 1, all.shape.end())) != without_ones(tensor.shape)) {
    throw GraphError(
        fmt::format("{}: an array of {} {}; {} takes samples of its shape and type, the first axis the sample", path,
                    graph::to_string(all.shape), graph::name_of(all.type), title(tensor)));
  }
  const std::size_t size = all.data.size() / static_cast<std::size_t>(all.shape[0]);
  std::vector<Value> samples;
  for (std::size_t i = 0; i < limited(static_cast<std::size_t>(all.shape[0]), count); ++i) {
    const auto first = all.data.begin() + static_cast<std::ptrdiff_t>(i * size);
    samples.push_back({tensor.type, tensor.shape, graph::Bytes(first, first + static_cast<std::ptrdiff_t>(size))});
  }
  return samples;
}

std::vector<Value> from_idx(const std::string& path, const Tensor& tensor, std::size_t count) {
  const digits::Pictures pictures = digits::read_pictures(path, 0);
  std::vector<Value> samples;
  for (std::size_t i = 0; i < limited(pictures.pixels.size(), count); ++i) {
    samples.push_back(as_input({pictures.height, pictures.width, 1, pictures.pixels[i]}, tensor, path));
  }
  return samples;
}

std::vector<Value> from_folder(const std::string& path, const Tensor& tensor, std::size_t count) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".pgm" || entry.path().extension() == ".ppm") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  files.resize(limited(files.size(), count));
  std::vector<Value> samples;
  for (const std::string& file : files) {
    samples.push_back(as_input(parse_pnm(files::read_file(file), file), tensor, file));
  }
  if (samples.empty()) {
    throw GraphError(fmt::format("{}: holds no *.pgm and no *.ppm pictures", path));
  }
  return samples;
}

std::vector<Value> values_in(const std::string& path, const Tensor& tensor, std::size_t count) {
  if (fs::is_directory(path)) {
    return from_folder(path, tensor, count);
  }
  return fs::path(path).extension() == ".npy" ? from_array(path, tensor, count) : from_idx(path, tensor, count);
}

/// "'x' (1x8x16 float32), 'mask' (1x8 float32)"
std::string inputs_text(const graph::Graph& graph) {
  std::string result;
  for (const graph::TensorId id : graph.inputs) {
    const Tensor& tensor = graph.tensor(id);
    result += fmt::format("{}'{}' ({} {})", result.empty() ? "" : ", ", tensor.name, graph::to_string(tensor.shape),
                          graph::name_of(tensor.type));
  }
  return result;
}

/// The file of each input.
std::vector<std::string> paths_of(const std::vector<std::string>& files, const graph::Graph& graph) {
  std::vector<std::string> paths(graph.inputs.size());
  std::vector<std::string> unnamed;
  for (const std::string& file : files) {
    const auto named = std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](graph::TensorId id) {
      return file.rfind(std::string(graph.tensor(id).name).append("="), 0) == 0;
    });
    if (named == graph.inputs.end()) {
      unnamed.push_back(file);
      continue;
    }
    std::string& path = paths[static_cast<std::size_t>(named - graph.inputs.begin())];
    if (!path.empty()) {
      throw GraphError(
          fmt::format("{}: a second file for input '{}'; each input has one", file, graph.tensor(*named).name));
    }
    path = file.substr(graph.tensor(*named).name.size() + 1);
  }
  auto next = unnamed.begin();
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty() && next != unnamed.end()) {
      paths[i] = *next++;
    } else if (paths[i].empty()) {
      throw GraphError(fmt::format(
          "no samples of input '{}'; '{}' has {} inputs: {}; name a file for each, as {}=FILE or in this order",
          graph.tensor(graph.inputs[i]).name, graph.name, graph.inputs.size(), inputs_text(graph),
          graph.tensor(graph.inputs[i]).name));
    }
  }
  if (next != unnamed.end()) {
    throw GraphError(fmt::format("{}: one file too many; '{}' has {} input{}: {}", *next, graph.name,
                                 graph.inputs.size(), graph.inputs.size() == 1 ? "" : "s", inputs_text(graph)));
  }
  return paths;
}

template <class Element>
std::vector<std::int64_t> integers(const Value& value) {
  const std::vector<Element> typed = graph::elements<Element>(value);
  return {typed.begin(), typed.end()};
}

std::vector<std::int64_t> labels_of(const std::string& path) {
  if (fs::path(path).extension() != ".npy") {
    const std::vector<std::uint8_t> labels = digits::read_labels(path, 0);
    return {labels.begin(), labels.end()};
  }
  const Value array = npy::read(path);
  switch (array.type) {
    case graph::ElementType::kInt8: return integers<std::int8_t>(array);
    case graph::ElementType::kUint8: return integers<std::uint8_t>(array);
    case graph::ElementType::kInt32: return integers<std::int32_t>(array);
    case graph::ElementType::kInt64: return integers<std::int64_t>(array);
    default:
      throw GraphError(fmt::format("{}: labels of type {}; int8, uint8, int32 and int64 are read", path,
                                   graph::name_of(array.type)));
  }
}

template <class Element>
std::int64_t largest(const Value& value) {
  const std::vector<Element> typed = graph::elements<Element>(value);
  return std::max_element(typed.begin(), typed.end()) - typed.begin();
}

std::int64_t class_of(const Value& value) {
  switch (value.type) {
    case graph::ElementType::kFloat32: return largest<float>(value);
    case graph::ElementType::kInt8: return largest<std::int8_t>(value);
    case graph::ElementType::kUint8: return largest<std::uint8_t>(value);
    default:
      throw GraphError(fmt::format("a result of type {} cannot be read as a class; supported: float32, int8, uint8",
                                   graph::name_of(value.type)));
  }
}

}  // namespace

std::vector<Sample> read_samples(const std::vector<std::string>& files, const graph::Graph& graph, std::size_t count) {
  const std::vector<std::string> paths = paths_of(files, graph);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::vector<Value> values = values_in(paths[i], graph.tensor(graph.inputs[i]), count);
    if (i == 0) {
      samples.resize(values.size());
    }
    if (values.size() != samples.size()) {
      throw GraphError(fmt::format("{} samples in {}, {} in {}; every input must have the same number", samples.size(),
                                   paths[0], values.size(), paths[i]));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      samples[k].push_back(std::move(values[k]));
    }
  }
  return samples;
}

std::vector<std::int64_t> read_labels(const std::string& path, std::size_t count) {
  std::vector<std::int64_t> labels = labels_of(path);
  labels.resize(limited(labels.size(), count));
  return labels;
}

double accuracy(const graph::Graph& model, const graph::Graph& graph, const std::vector<Sample>& samples,
                const std::vector<std::int64_t>& labels) {
  if (labels.empty() || samples.size() != labels.size()) {
    throw GraphError(fmt::format("{} samples with {} labels; there is one for each", samples.size(), labels.size()));
  }
  const std::int64_t classes = graph::count(graph.tensor(graph.outputs.at(0)).shape);
  std::size_t right = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= classes) {
      throw GraphError(fmt::format("label {} is {}, beyond 0 to {}: '{}' has {} outputs", i, labels[i], classes - 1,
                                   graph.name, classes));
    }
    right += class_of(execute(graph, convert_sample(model, graph, samples[i])).at(0)) == labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(samples.size());
}

}  // namespace systole::quantizer
