// SPDX-License-Identifier: Apache-2.0
// Networks in files: a graph with its constants, and, when it was compiled, the programs for one configuration of the
// core. A file is untrusted: whatever is wrong with it is a ContainerError, and reading allocates in proportion to the
// file.
//
//   const graph::Bytes file = container::save(compile_network(graph, configuration, memory));
//   const container::Container contents(file);
//   Network network(device, contents.network(device.configuration(), device.memory()));
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "systole/compiled_network.hpp"
#include "systole/errors.hpp"

namespace systole::container {

namespace format {
struct Container;
}

/// What is wrong with a file; the text names the thing, its value, what is legal and what to do.
class ContainerError : public ErrorOf<std::runtime_error> {
 public:
  using ErrorOf::ErrorOf;
};

/// Whether the bytes begin as such a file does.
bool is_container(const graph::Bytes& bytes);

/// The file of a valid graph, or of a network that was compiled, which is only read. Throws ContainerError for what
/// exceeds 2 GiB.
graph::Bytes save(const graph::Graph& graph);
graph::Bytes save(const CompiledNetwork& network);

/// A file whose header, check sum and offsets are right.
class Container {
 public:
  /// Throws ContainerError.
  explicit Container(graph::Bytes bytes);

  /// The graph, valid. Throws ContainerError.
  graph::Graph graph() const;

  /// Whether there are programs, and the name of the configuration that they are for, empty without.
  bool compiled() const;
  std::string configuration() const;

  /// The network with its programs, at the addresses that they were compiled for. Throws ContainerError for a file
  /// without programs, of a configuration with another name or other sizes, for another version of the instructions,
  /// for programs that are not legal or touch anything but `memory`, and when `memory` is too small or occupied in
  /// their place.
  CompiledNetwork network(const Configuration& configuration, const std::shared_ptr<AddressSpace>& memory) const;

 private:
  graph::Bytes bytes_;
  const format::Container* root_;  // in bytes_
};

}  // namespace systole::container
