// SPDX-License-Identifier: Apache-2.0
// Reads networks from TensorFlow Lite and ONNX files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "systole/array.hpp"
#include "systole/graph.hpp"
#include "systole/graph_value.hpp"
#include "systole/pass_log.hpp"
#include "systole/transformations.hpp"

namespace systole::graph {

/// Elements, or a text that is read as elements of the type that the file declares: "3", "1.5", "true", or lists such
/// as "[0, 2]". A number without brackets is also a list of one.
using GivenConstant = std::variant<Value, std::string>;

struct ImportOptions {
  /// Sizes, at least 1, of the dynamic dimensions of an ONNX file. A key is the name of the dimension in the file, or
  /// INPUT:AXIS, such as "ids:1". The default of a first dimension (the batch) is 1.
  std::map<std::string, std::int64_t> dimensions;
  /// Values of inputs of an ONNX file, by name. They become constants of the network, which no longer has these inputs:
  /// for parameters that ONNX calls inputs, such as axes, shapes and limits.
  std::map<std::string, GivenConstant> constants;
  /// Operators that depend on constants only are computed while reading. Their results take at most this many bytes
  /// plus four times the size of the file at any time; the sum over all results is at most eight times as much.
  std::int64_t constant_bytes = std::int64_t{64} << 20;
  /// Names of transformations that are not applied (systole/transformations.hpp). Where the network is compiled as
  /// well, as by load_network(), those of the compiler, too.
  std::vector<std::string> without;
  /// Is told what the passes do while reading; may be null.
  PassLog* log = nullptr;
  /// Operators that ONNX does not have, by domain and type, such as "my.Softsign". Each stands for what its function
  /// makes of the operands: it runs, and is differentiated, as that.
  std::map<std::string, OperatorFunction> operators = {};
  /// For a training: what it computes otherwise than a network that is run stays an operator of an ONNX file
  /// (BatchNormalize, Dropout), instead of a factor and a summand for each channel, and of nothing.
  bool training = false;
};

/// A part of a well-formed file that is not supported, so that the network cannot run.
struct Obstacle {
  int place = -1;      ///< index of the operator in the file, from 0; -1 if it does not concern an operator
  std::string type;    ///< operator type in the file; empty if it does not concern an operator
  std::string name;    ///< name of the operator, input or constant
  std::string kind;    ///< one text for all obstacles of a kind: "unknown operator", "element type", "dynamic shape"
  std::string text;    ///< the full message: the thing, its place, the value, the legal range
  std::string remedy;  ///< what the user can do
  /// Options of the command line that remove it, such as "--dimension sequence=SIZE" and "--constant axes=VALUE"; they
  /// stand for ImportOptions. None if no option does.
  std::vector<std::string> options = {};
};

/// An operator of the file that is not in the graph.
struct UnreadOperator {
  int place = 0;
  std::string type, name;
  bool waits = false;  ///< the operator may be supported, but its input has an unknown shape, because that comes from
                       ///< another unread operator
};

/// A dynamic dimension of an ONNX file.
struct OpenDimension {
  std::string name;  ///< key for ImportOptions::dimensions
  std::string input;
  int axis = 0;
  std::optional<std::int64_t> size;  ///< the size that was used, if any
};

/// The contents of a file, as far as they are supported.
struct ModelContents {
  std::string format;  ///< for example "ONNX, operator set 13"
  /// The network. If there are obstacles, the supported part of it: results of unread operators are inputs of the graph
  /// if their shapes are known, and the inputs of unread operators are outputs of the graph.
  Graph graph;
  std::map<std::string, int> places;  ///< Operator::name to the index of the operator in the file, from 0
  std::vector<Obstacle> obstacles;
  std::vector<UnreadOperator> unread;
  std::vector<OpenDimension> open;
  TransformationCounts transformations;  ///< how often each was applied while reading
  std::vector<std::string> remarks;      ///< what is right, but slower than the file lets expect: a line each
};

/// Reads a model file, and continues after unsupported parts, which it lists as obstacles. The format is recognized by
/// the content, or else by the file name extension. The graph's name is the file name without extension. Throws
/// GraphError, beginning with the path, for a file that cannot be opened, is damaged or has an unknown format, for
/// operators that form a cycle, for ImportOptions::dimensions that are not dynamic in the file, and for
/// ImportOptions::constants that are not inputs of the file or have another type or shape; InvalidArgument for an
/// unknown transformation.
ModelContents read_model(const std::string& path, const ImportOptions& options = {});

/// Reads a model file without unsupported parts: the graph is the network, validated. Throws what read_model() throws,
/// and GraphError with the summary() of the obstacles if there are any.
ModelContents read_whole_model(const std::string& path, const ImportOptions& options = {});

/// The network of a model file: the graph of read_whole_model().
Graph import_model(const std::string& path, const ImportOptions& options = {});

/// The text of a single obstacle, or "3 obstacles: control flow (Loop, 2 times), ..." and the text of the first.
std::string summary(const std::vector<Obstacle>& obstacles);

}  // namespace systole::graph
