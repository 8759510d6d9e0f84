// SPDX-License-Identifier: Apache-2.0
// Calls on buffers.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "api.hpp"
#include "client.hpp"
#include "strided_copy.hpp"
#include "systole/errors.hpp"

namespace systole::pjrt {
namespace {

void destroy(On<Buffer>& arguments) { delete arguments.object; }
void element_type(Get<Buffer, BufferType>& arguments) { arguments.result = buffer_type_of(arguments.object->type); }
void dimensions(List<Buffer, std::int64_t>& arguments) {
  give(arguments, arguments.object->shape.data(), arguments.object->shape.size());
}
void dynamic_dimensions(List<Buffer, std::size_t>& arguments) { give_none(arguments); }
void layout(Get<Buffer, MemoryLayout>& arguments) {
  const std::vector<std::int64_t>& order = arguments.object->minor_to_major;
  MemoryLayout& result = arguments.result;
  result.struct_size = sizeof(MemoryLayout);
  result.extension_start = nullptr;
  result.type = MemoryLayout::Type::kTiled;
  result.tiled = {{sizeof(MemoryLayout::Tiled), nullptr}, order.data(), order.size(), nullptr, nullptr, 0};
}
void size(Get<Buffer, std::size_t>& arguments) { arguments.result = arguments.object->bytes(); }
void device(Get<Buffer, pjrt::Device*>& arguments) { arguments.result = &arguments.object->device; }
void memory(Get<Buffer, Memory*>& arguments) { arguments.result = &arguments.object->device.memory; }
void remove(On<Buffer>& arguments) { arguments.object->held.reset(); }
void is_deleted(Get<Buffer, bool>& arguments) { arguments.result = arguments.object->held == nullptr; }
void is_on_cpu(Get<Buffer, bool>& arguments) { arguments.result = false; }

void ready(Get<Buffer, Event*>& arguments) {
  const std::shared_ptr<Contents>& contents = arguments.object->contents();
  arguments.result = new Event{{contents, &contents->ready}};
}

graph::Shape host_strides(const Buffer& buffer, const MemoryLayout* layout) {
  const std::size_t bytes = graph::element_size(buffer.type);
  if (layout == nullptr) {
    return row_major_strides(buffer.shape, bytes);
  }
  if (layout->type == MemoryLayout::Type::kStrides) {
    return {layout->strides.byte_strides, layout->strides.byte_strides + buffer.shape.size()};
  }
  if (layout->tiled.num_tiles != 0) {
    throw CallError({ErrorCode::kUnimplemented, "systole: a copy to the host in tiles; arrays there are dense"});
  }
  return strides_of(buffer.shape, bytes, layout->tiled.minor_to_major);
}

void to_host(BufferToHostBuffer& arguments) {
  const Buffer& buffer = *arguments.source;
  if (arguments.destination == nullptr) {
    arguments.destination_size = buffer.bytes();
    return;
  }
  if (arguments.destination_size < buffer.bytes()) {
    throw InvalidArgument(
        fmt::format("systole: {} bytes do not fit into {}", buffer.bytes(), arguments.destination_size));
  }
  const auto copy = [to = arguments.destination,
                     strides = host_strides(buffer, arguments.host_layout)](const graph::Value& value) {
    const std::size_t bytes = graph::element_size(value.type);
    copy_strided(value.shape, bytes, value.data.data(), row_major_strides(value.shape, bytes), to, strides);
  };
  auto copied = std::make_shared<Completion>();
  arguments.event = new Event{copied};
  read(buffer.device, buffer.contents(), copy, copied);
}

/// A buffer of another device with the same contents. Those never change, so devices of one core share them.
template <class Place>
void copy(BufferCopy<Place>& arguments) {
  const Buffer& from = *arguments.buffer;
  pjrt::Device* to;
  if constexpr (std::is_same_v<Place, Memory>) {
    to = arguments.place->device;
  } else {
    to = arguments.place;
  }
  std::shared_ptr<Contents> contents = from.contents();
  if (to->core != from.device.core) {
    auto copied = std::make_shared<Contents>();
    const auto take = [copied](const graph::Value& value) {
      copied->value = std::make_shared<const DeviceValue>(value);
    };
    read(from.device, std::move(contents), take, {copied, &copied->ready});
    contents = std::move(copied);
  }
  arguments.copy = new Buffer(*to, from.type, from.shape, std::move(contents));
}

}  // namespace

void add_buffers(Api& api) {
  set<&destroy>(api, slot("Buffer_Destroy"));
  set<&element_type>(api, slot("Buffer_ElementType"));
  set<&dimensions>(api, slot("Buffer_Dimensions"));
  set<&dimensions>(api, slot("Buffer_UnpaddedDimensions"));
  set<&dynamic_dimensions>(api, slot("Buffer_DynamicDimensionIndices"));
  set<&layout>(api, slot("Buffer_GetMemoryLayout"));
  set<&size>(api, slot("Buffer_OnDeviceSizeInBytes"));
  set<&device>(api, slot("Buffer_Device"));
  set<&memory>(api, slot("Buffer_Memory"));
  set<&remove>(api, slot("Buffer_Delete"));
  set<&is_deleted>(api, slot("Buffer_IsDeleted"));
  set<&is_on_cpu>(api, slot("Buffer_IsOnCpu"));
  set<&ready>(api, slot("Buffer_ReadyEvent"));
  set<&to_host>(api, slot("Buffer_ToHostBuffer"));
  set<&copy<pjrt::Device>>(api, slot("Buffer_CopyToDevice"));
  set<&copy<Memory>>(api, slot("Buffer_CopyToMemory"));
}

}  // namespace systole::pjrt
