// SPDX-License-Identifier: Apache-2.0
#include "systole/device_value.hpp"

#include <fmt/core.h>

#include <utility>

#include "bytes.hpp"
#include "systole/errors.hpp"
#include "written_tiles.hpp"

namespace systole {
namespace {

Buffer written(Arena& arena, const graph::Bytes& bytes) {
  Buffer buffer = arena.allocate(bytes.size());
  arena.write(buffer, bytes.data());
  return buffer;
}

}  // namespace

DeviceValue::DeviceValue(graph::Value value) : type_(value.type), shape_(value.shape), host_(std::move(value)) {
  if (host_->data.size() != bytes()) {
    throw InvalidArgument(fmt::format("a value of {} bytes; {} of shape {} has {}", host_->data.size(),
                                      graph::name_of(type_), graph::to_string(shape_), bytes()));
  }
}

DeviceValue::DeviceValue(std::shared_ptr<Arena> arena, Buffer buffer, graph::ElementType type, graph::Shape shape)
    : type_(type), shape_(std::move(shape)), arena_(std::move(arena)), elements_(std::move(buffer)) {
  if (elements_.bytes() != bytes()) {
    throw InternalError("a value of other bytes than its buffer");
  }
}

std::size_t DeviceValue::bytes() const {
  return static_cast<std::size_t>(graph::count(shape_)) * graph::element_size(type_);
}

const graph::Value& DeviceValue::on_host() const {
  if (!host_) {
    graph::Value value{type_, shape_, graph::Bytes(bytes())};
    arena_->read(elements_, value.data.data());
    network::toggle(type_, value.data);
    host_ = std::move(value);
  }
  return *host_;
}

void DeviceValue::check(const std::shared_ptr<Arena>& arena) const {
  if (arena_ && arena_ != arena) {
    throw InvalidArgument(
        "a value in the arena of another client; copy its value, DeviceValue::on_host(), to a new DeviceValue");
  }
  arena_ = arena;
}

const Buffer& DeviceValue::on_device(const std::shared_ptr<Arena>& arena) const {
  check(arena);
  if (!elements_.space()) {
    elements_ = written(*arena, network::stored(*host_));
  }
  return elements_;
}

const Buffer& DeviceValue::as_tiles(const std::shared_ptr<Arena>& arena, const WrittenTiles& tiles) const {
  check(arena);
  const auto found = tiles_.find(tiles);
  return found != tiles_.end()
             ? found->second
             : tiles_
                   .emplace(tiles,
                            written(*arena, network::bytes_of(tiles, on_host(), arena->device().configuration().dim)))
                   .first->second;
}

}  // namespace systole
