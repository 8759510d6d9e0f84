// SPDX-License-Identifier: Apache-2.0
#include "profiler.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <string>

#include "profile_space.hpp"

namespace systole::pjrt {

struct ProfilerError {};  // none is made: no function fails

/// What JAX makes for a profile. The events of the devices are added while it is in the set of those that run.
struct Profiler {
  std::int64_t started_ns = 0;
  std::vector<ProfiledLayer> layers;
  std::string bytes;  ///< the layers, encoded
};

namespace {

struct Running {
  std::mutex mutex;
  std::set<Profiler*> profilers;
};

Running& running() {
  static auto* const one = new Running;  // never destroyed: calls may end after the process has begun to
  return *one;
}

constexpr int kProfilerExtension = 1;

void error_destroy(ProfilerErrorDestroy*) {}
void error_message(ProfilerErrorMessage* arguments) {
  arguments->message = "";
  arguments->message_size = 0;
}
ProfilerError* error_code(ProfilerErrorGetCode* arguments) {
  arguments->code = 0;
  return nullptr;
}

ProfilerError* create(ProfilerCreate* arguments) {
  arguments->profiler = new Profiler;
  return nullptr;
}

ProfilerError* start(OnProfiler* arguments) {
  const std::lock_guard<std::mutex> lock(running().mutex);
  arguments->profiler->started_ns = profile_time();
  running().profilers.insert(arguments->profiler);
  return nullptr;
}

ProfilerError* stop(OnProfiler* arguments) {
  const std::lock_guard<std::mutex> lock(running().mutex);
  running().profilers.erase(arguments->profiler);
  return nullptr;
}

ProfilerError* destroy(OnProfiler* arguments) {
  stop(arguments);
  delete arguments->profiler;
  return nullptr;
}

/// Some callers take the buffer that they find after the first call, others give one of this size to a second.
ProfilerError* collect(ProfilerCollectData* arguments) {
  std::string& bytes = arguments->profiler->bytes;
  auto* const own = reinterpret_cast<std::uint8_t*>(bytes.data());
  if (arguments->buffer == nullptr) {
    bytes = profile_space(arguments->profiler->layers);
    arguments->buffer = reinterpret_cast<std::uint8_t*>(bytes.data());
    arguments->buffer_size_in_bytes = bytes.size();
  } else if (arguments->buffer != own) {
    std::copy_n(own, std::min(bytes.size(), arguments->buffer_size_in_bytes), arguments->buffer);
  }
  return nullptr;
}

}  // namespace

const ProfilerExtension& profiler_extension() {
  static const ProfilerApi api{sizeof(ProfilerApi),
                               nullptr,
                               &error_destroy,
                               &error_message,
                               &error_code,
                               &create,
                               &destroy,
                               &start,
                               &stop,
                               &collect};
  static const ProfilerExtension extension{sizeof(ProfilerExtension), kProfilerExtension, nullptr, &api, 0};
  return extension;
}

std::int64_t profile_time() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void profile(int device, std::int64_t began_ns, const std::vector<StepReport>& steps) {
  const std::lock_guard<std::mutex> lock(running().mutex);
  if (running().profilers.empty()) {
    return;
  }
  std::int64_t begin = began_ns;  // a cycle is a nanosecond
  for (const StepReport& step : steps) {
    for (const LayerReport& layer : step.layers) {
      if (layer.cycles > 0) {
        for (Profiler* profiler : running().profilers) {
          if (begin >= profiler->started_ns) {
            profiler->layers.push_back({device, layer.name, begin, layer.cycles, layer.macs});
          }
        }
        begin += static_cast<std::int64_t>(layer.cycles);
      }
    }
  }
}

}  // namespace systole::pjrt
