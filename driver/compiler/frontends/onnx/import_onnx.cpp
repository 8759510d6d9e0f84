// SPDX-License-Identifier: Apache-2.0
#include "import_onnx.hpp"

#include <fmt/core.h>

#include <exception>
#include <set>
#include <utility>

#include "onnx_float_products.hpp"
#include "onnx_fuse_quantized.hpp"
#include "onnx_translation.hpp"
#include "simplify.hpp"

namespace systole::graph {

namespace {

const GraphPass kQuantizedOperators{Transformation::kQuantizedOperators,
                                    [](GraphSubject& s) -> std::int64_t { return onnx_file::fuse_quantized(s.graph); }};

struct Read {
  ModelContents contents;
  std::exception_ptr first_obstacle;
};

/// Restarts with one more input bound each time the translation needs a value.
Read translated(onnx_file::File& file, const std::string& name, const OnnxOptions& options) {
  std::set<std::string> bound;
  while (true) {
    try {
      onnx_file::Translation translation(file, name, options, bound);
      ModelContents contents = translation.run();
      return {std::move(contents), translation.first_obstacle()};
    } catch (const onnx_file::NeedsValues& needs) {
      bound.insert(needs.inputs.begin(), needs.inputs.end());
    }
  }
}

void finish(ModelContents& contents, std::int64_t most_constant_bytes, Transformations& transformations) {
  Graph& graph = contents.graph;
  GraphSubject subject{graph, most_constant_bytes};
  // Quantized operators come next to their conversions. Nothing is folded before: weights stay quantized until their
  // users are known.
  run_passes({kMoveTransposes, kRemoveUnused, kQuantizedOperators, kRemoveUnused}, subject, transformations);
  contents.remarks = onnx_file::float_products(graph);
  simplify(graph, most_constant_bytes, transformations);
  validate(graph);
  contents.transformations = transformations.counts();
}

/// An operator of ONNX is not replaced: files mean the same wherever they are read.
void check_operators(const OnnxOptions& options) {
  for (const auto& [name, function] : options.operators) {
    const std::size_t dot = name.rfind('.');
    const std::string domain = dot == std::string::npos ? "" : name.substr(0, dot);
    const std::string type = dot == std::string::npos ? name : name.substr(dot + 1);
    if (onnx_file::handler_of(domain == "ai.onnx" ? "" : domain, type) != nullptr) {
      throw GraphError(fmt::format(
          "operator '{}' is given, but it is a standard one and keeps its meaning; give yours a domain of its own, in "
          "the file too, such as 'my.{}'",
          name, type));
    }
  }
}

/// Frees the bytes before the graph is made: they, the parsed messages and the graph are each as large as the weights.
Read translated(Bytes bytes, const std::string& name, const OnnxOptions& options) {
  onnx_file::File file(bytes);
  bytes = Bytes();
  return translated(file, name, options);
}

Read read(Bytes bytes, const std::string& name, const OnnxOptions& options) {
  check_operators(options);
  Transformations transformations(options.without, options.log);
  const std::size_t most = onnx_file::most_constant_bytes(options, bytes.size());
  Read result = translated(std::move(bytes), name, options);
  try {
    finish(result.contents, static_cast<std::int64_t>(most), transformations);
  } catch (const GraphError&) {
    if (result.contents.obstacles.empty()) {
      throw;
    }
    result.contents.graph = Graph{name, {}, {}, {}, {}};  // what was read is not a consistent graph without the rest
  }
  return result;
}

}  // namespace

ModelContents read_onnx(Bytes bytes, const std::string& name, const OnnxOptions& options) {
  return read(std::move(bytes), name, options).contents;
}

Graph import_onnx(Bytes bytes, const std::string& name, const OnnxOptions& options) {
  Read result = read(std::move(bytes), name, options);
  if (result.contents.obstacles.size() == 1) {
    std::rethrow_exception(result.first_obstacle);
  }
  if (!result.contents.obstacles.empty()) {
    const std::string text = summary(result.contents.obstacles);
    try {
      std::rethrow_exception(result.first_obstacle);
    } catch (const OnnxNotSupported& error) {
      throw OnnxNotSupported(error.reason(), text);
    } catch (const GraphError&) {
      throw GraphError(text);
    }
  }
  return std::move(result.contents.graph);
}

}  // namespace systole::graph
