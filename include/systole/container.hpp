// SPDX-License-Identifier: Apache-2.0
// Files of networks (.systole): a graph with its constants and, if the network was compiled, its programs for one
// configuration of the core. Files are untrusted input: every defect is reported as a ContainerError, and reading
// allocates memory in proportion to the size of the file.
//
//   const graph::Bytes file = container::save(compile_network(graph, configuration));
//   const container::Container contents(file);
//   Network network(device, contents.network(device.configuration()));
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "systole/compiled_network.hpp"
#include "systole/errors.hpp"

namespace systole::container {

namespace format {
struct Container;
}

/// A file is damaged or does not fit. The text names the part, its value, the legal range and a remedy.
class ContainerError : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// True when the bytes begin with the signature of a .systole file.
bool is_container(const graph::Bytes& bytes);

/// True when the file at this path begins with the signature. False if the file cannot be read.
bool is_container_file(const std::string& path);

/// The contents of a file for a valid graph, or for a compiled network, that computes `batch` samples at once
/// (systole/batch.hpp). Throws ContainerError when the file would be larger than 2 GiB.
graph::Bytes save(const graph::Graph& graph, std::int64_t batch = 1);
graph::Bytes save(const CompiledNetwork& network, std::int64_t batch = 1);
/// The network's memory is free before the file is complete.
graph::Bytes save(CompiledNetwork&& network, std::int64_t batch = 1);

/// An open file. Its header, checksum and offsets have been verified.
class Container {
 public:
  /// Verifies the file. Throws ContainerError.
  explicit Container(graph::Bytes bytes);

  /// Reads the graph and validates it. Throws ContainerError.
  graph::Graph graph() const;

  /// Samples that the network computes at once, in the first axis of each input and output. Throws ContainerError if
  /// one of them has no such axis.
  std::int64_t batch() const;

  /// Whether the file contains programs, and the name of their configuration (empty without programs).
  bool compiled() const;
  std::string configuration() const;

  /// Reads the network with its programs. Throws ContainerError if the file has no programs, or programs for another
  /// configuration or another version of the instruction set; and if a program is not legal or accesses anything but
  /// its own ranges of memory, as their windows permit.
  CompiledNetwork network(const Configuration& configuration) const;

 private:
  graph::Bytes bytes_;
  const format::Container* root_;  // in bytes_
};

/// Opens the file at this path. Throws ContainerError.
Container open_container(const std::string& path);

}  // namespace systole::container
