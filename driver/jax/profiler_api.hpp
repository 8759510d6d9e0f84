// SPDX-License-Identifier: Apache-2.0
// The profiler extension of the PJRT C API, by which jax.profiler talks to a device. tests/driver/jax compares the
// layout with the headers in TensorFlow's Python package.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systole::pjrt {

struct Profiler;
struct ProfilerError;

struct ProfilerErrorDestroy {
  std::size_t struct_size;
  void* priv;
  ProfilerError* error;
};
struct ProfilerErrorMessage {
  std::size_t struct_size;
  void* priv;
  const ProfilerError* error;
  const char* message;
  std::size_t message_size;
};
struct ProfilerErrorGetCode {
  std::size_t struct_size;
  void* priv;
  const ProfilerError* error;
  int code;
};
struct ProfilerCreate {
  std::size_t struct_size;
  const char* options;
  std::size_t options_size;
  Profiler* profiler;
};
/// The argument of destroy, start and stop.
struct OnProfiler {
  std::size_t struct_size;
  Profiler* profiler;
};
/// Called without a buffer for the size, and then with one.
struct ProfilerCollectData {
  std::size_t struct_size;
  Profiler* profiler;
  std::uint8_t* buffer;
  std::size_t buffer_size_in_bytes;
};

struct ProfilerApi {
  std::size_t struct_size;
  void* priv;
  void (*error_destroy)(ProfilerErrorDestroy*);
  void (*error_message)(ProfilerErrorMessage*);
  ProfilerError* (*error_get_code)(ProfilerErrorGetCode*);
  ProfilerError* (*create)(ProfilerCreate*);
  ProfilerError* (*destroy)(OnProfiler*);
  ProfilerError* (*start)(OnProfiler*);
  ProfilerError* (*stop)(OnProfiler*);
  ProfilerError* (*collect_data)(ProfilerCollectData*);
};

/// An element of the list that Api's extension_start begins.
struct ProfilerExtension {
  std::size_t struct_size;
  int type;
  void* next;
  const ProfilerApi* profiler_api;
  std::int64_t traceme_context_id;
};

}  // namespace systole::pjrt
