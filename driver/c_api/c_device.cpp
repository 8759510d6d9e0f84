// SPDX-License-Identifier: Apache-2.0
// The C API for devices, their memory, and matrix products.
#include <algorithm>
#include <utility>

#include "c_handles.hpp"
#include "c_statistics.hpp"
#include "c_status.hpp"
#include "systole/operators.hpp"

using namespace systole;
using c_api::guarded;
using c_api::required;

systole_status systole_device_open(const char* configuration, const char* backend, uint64_t memory_bytes,
                                   systole_device** device) {
  return guarded([&] {
    required(device, "device");
    BackendOptions options;
    options.configuration = required(configuration, "configuration");
    if (memory_bytes != 0) {
      options.memory_bytes = memory_bytes;
    }
    *device = new systole_device{std::make_shared<Device>(Device::open(options, required(backend, "backend")))};
  });
}

void systole_device_close(systole_device* device) { delete device; }

systole_status systole_device_reset(systole_device* device) {
  return guarded([&] { required(device, "device")->device->reset(); });
}

int systole_device_dim(const systole_device* device) {
  return device == nullptr ? 0 : device->device->configuration().dim;
}

systole_status systole_allocate(systole_device* device, uint64_t bytes, systole_buffer** buffer) {
  return guarded([&] {
    required(buffer, "buffer");
    Buffer memory = required(device, "device")->device->allocate(bytes);
    *buffer = new systole_buffer{device->device, std::move(memory)};
  });
}

void systole_buffer_free(systole_buffer* buffer) { delete buffer; }

uint64_t systole_buffer_address(const systole_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->buffer.address();
}

uint64_t systole_buffer_bytes(const systole_buffer* buffer) { return buffer == nullptr ? 0 : buffer->buffer.bytes(); }

systole_status systole_write(systole_buffer* buffer, uint64_t offset, const void* host, size_t bytes) {
  return guarded([&] {
    required(buffer, "buffer");
    buffer->device->write(buffer->buffer, bytes == 0 ? host : required(host, "host"), bytes, offset);
  });
}

systole_status systole_read(const systole_buffer* buffer, uint64_t offset, void* host, size_t bytes) {
  return guarded([&] {
    required(buffer, "buffer");
    buffer->device->read(buffer->buffer, bytes == 0 ? host : required(host, "host"), bytes, offset);
  });
}

systole_status systole_matmul(systole_device* device, int m, int n, int k, const int8_t* a, const int8_t* b,
                              int32_t* sums, systole_statistics* statistics) {
  return guarded([&] {
    required(device, "device");
    required(sums, "sums");
    const auto matrix = [](int rows, int columns, const std::int8_t* data, const char* name) {
      const auto count =
          rows < 1 || columns < 1 ? 0 : static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
      return HostMatrix8{rows, columns, {required(data, name), data + count}};
    };
    const Computed<std::int32_t> product = matmul_raw(*device->device, matrix(m, k, a, "a"), matrix(k, n, b, "b"));
    std::copy(product.tensor.data.begin(), product.tensor.data.end(), sums);
    if (statistics != nullptr) {
      *statistics = c_api::to_c(product.stats, product.estimated_cycles, device->device->configuration().dim);
    }
  });
}
