// SPDX-License-Identifier: Apache-2.0
// The single-operator networks of one kind: a zip archive with a folder for each.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

struct zip;

namespace systole::test {

/// A network of one operator, samples of its inputs, and the expected outputs; the first axis of each value is the
/// sample.
struct OperatorCase {
  std::string name;    ///< KIND/NNN
  graph::Bytes model;  ///< a .tflite file
  std::vector<graph::Value> inputs, outputs;
};

/// One of the samples of each value. Throws std::runtime_error unless the first axis of each is the samples.
std::vector<graph::Value> sample_of(const std::vector<graph::Value>& values, std::size_t sample, std::size_t samples);

class Archive {
 public:
  /// Throws std::runtime_error, naming the file, when it cannot be read.
  explicit Archive(const std::filesystem::path& path);

  /// Folders in the archive, in order.
  const std::vector<std::string>& folders() const { return folders_; }
  /// Reads model.tflite, in0.npy, in1.npy ..., out0.npy ... of one folder. Throws std::runtime_error for missing or
  /// damaged files.
  OperatorCase read(const std::string& folder) const;

 private:
  struct Closer {
    void operator()(zip* archive) const;
  };

  graph::Bytes read_file(const std::string& name) const;
  std::vector<graph::Value> read_arrays(const std::string& prefix) const;

  std::string path_, kind_;
  std::unique_ptr<zip, Closer> archive_;
  std::vector<std::string> folders_;
};

}  // namespace systole::test
