// SPDX-License-Identifier: Apache-2.0
// A network from a file, whatever its format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

struct ImportOptions {
  /// Sizes, 1 or more, of dimensions that an ONNX file leaves open: by the name that the file gives them, or as
  /// INPUT:AXIS, such as "ids:1". A first dimension that is not among them is 1.
  std::map<std::string, std::int64_t> dimensions;
  /// What depends on constants alone is computed while reading. The results that are in use at one time take at most
  /// this many bytes and four times the size of the file; all results together eight times as much.
  std::int64_t constant_bytes = std::int64_t{64} << 20;
};

/// What keeps a network from running although its file can be read.
struct Obstacle {
  int place = -1;      ///< of the operator in the file, from 0; -1 for what is no operator's
  std::string type;    ///< of the operator, as the file calls it; empty for what is no operator's
  std::string name;    ///< of the operator, or of the input or constant
  std::string kind;    ///< the same words for all of a kind: "unknown operator", "element type", "dynamic shape"
  std::string text;    ///< in full: the thing, its place, the value, what is legal
  std::string remedy;  ///< what a user can do
};

/// An operator of the file that is not in the graph.
struct UnreadOperator {
  int place = 0;
  std::string type, name;
  bool waits = false;  ///< nothing is known against it: it takes what an operator gives that was not read, whose shape
                       ///< is not known
};

/// A dimension that an ONNX file leaves open.
struct OpenDimension {
  std::string name;  ///< as ImportOptions::dimensions takes it
  std::string input;
  int axis = 0;
  std::optional<std::int64_t> size;  ///< what was taken for it, if anything was
};

/// All that a file says, as far as it can be read.
struct ModelContents {
  std::string format;  ///< "ONNX, operator set 13"
  /// The network. With obstacles: what could be read of it, in which results of operators that were not read are inputs
  /// where their shapes are known, and what such operators take are outputs.
  Graph graph;
  std::map<std::string, int> places;  ///< by Operator::name, which operator of the file it was made of, from 0
  std::vector<Obstacle> obstacles;
  std::vector<UnreadOperator> unread;
  std::vector<OpenDimension> open;
};

/// Reads on where something is not supported, and says what. The graph is named as the file without folder and ending.
/// The content says what it is, the ending where that leaves it open. Throws GraphError, beginning with the path, for a
/// path or file that cannot be read: truncated, damaged, of no known format, with operators that depend on each other
/// in a circle; and for dimensions in the options that the file does not leave open.
ModelContents read_model(const std::string& path, const ImportOptions& options = {});

/// The network of a model file, valid. Throws what read_model() does, and GraphError where there are obstacles: the
/// text of the only one, or what is missing by kind, with counts.
Graph import_model(const std::string& path, const ImportOptions& options = {});

/// "3 obstacles: control flow (Loop, 2 times), ..." with the text of the first; the text alone of one.
std::string summary(const std::vector<Obstacle>& obstacles);

}  // namespace systole::graph
