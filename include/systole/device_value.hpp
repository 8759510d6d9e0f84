// SPDX-License-Identifier: Apache-2.0
// A value that networks on one device take and give: in the host's memory, in an arena of the device, or in both. It
// never changes, and is copied from one to the other once, when it is first wanted there.
//
//   auto arena = std::make_shared<Arena>(device, bytes);
//   Network step(arena, compiled);
//   std::vector<SharedDeviceValue> state = ...;
//   for (...) state = step.run_in_arena(state);  // the state stays in device memory
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "systole/arena.hpp"
#include "systole/compiled_network.hpp"
#include "systole/graph_value.hpp"

namespace systole {

/// It is used by one thread at a time, as its device is, but may be destroyed by any.
class DeviceValue {
 public:
  /// A value in the host's memory. Throws InvalidArgument if it has not the bytes of its type and shape.
  explicit DeviceValue(graph::Value value);
  /// A value in device memory: `buffer` of the arena has its elements, dense and row-major, as the device stores them.
  DeviceValue(std::shared_ptr<Arena> arena, Buffer buffer, graph::ElementType type, graph::Shape shape);

  graph::ElementType type() const { return type_; }
  const graph::Shape& shape() const { return shape_; }
  std::size_t bytes() const;

  /// Throws what Device::read() throws.
  const graph::Value& on_host() const;
  /// The elements in the arena, as the device stores them. Throws InvalidArgument for a value in another arena, Failure
  /// if there is no room.
  const Buffer& on_device(const std::shared_ptr<Arena>& arena) const;
  /// The same as the weight tiles of a product in block floating point, for a float32 matrix of their sizes.
  const Buffer& as_tiles(const std::shared_ptr<Arena>& arena, const WrittenTiles& tiles) const;

 private:
  void check(const std::shared_ptr<Arena>& arena) const;

  graph::ElementType type_;
  graph::Shape shape_;
  mutable std::optional<graph::Value> host_;
  mutable std::shared_ptr<Arena> arena_;  ///< of the buffers; null as long as there are none
  mutable Buffer elements_;               ///< empty if the value is only in the host's memory
  mutable std::map<WrittenTiles, Buffer> tiles_;
};

using SharedDeviceValue = std::shared_ptr<const DeviceValue>;

}  // namespace systole
