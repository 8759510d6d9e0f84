// SPDX-License-Identifier: Apache-2.0
// A delegate that takes no node: it writes what it sees of the graph to the file of its only option, as the one of
// driver/litert would hand it to the importer.
#include <exception>
#include <fstream>
#include <memory>
#include <string>

#include "context_model.hpp"

using namespace systole::litert;

namespace {

struct Probe : Delegate {
  std::string path;
};

Status prepare(Context* context, Delegate* delegate) {
  try {
    const systole::graph::Bytes bytes = model_of(*context, whole_plan(*context));
    std::ofstream file(static_cast<Probe*>(delegate)->path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file ? Status::kOk : Status::kDelegateError;
  } catch (const std::exception& error) {
    context->report_error(context, "%s", error.what());
    return Status::kDelegateError;
  }
}

}  // namespace

extern "C" {

Delegate* tflite_plugin_create_delegate(const char* const*, const char* const* values, std::size_t,
                                        void (*)(const char*)) {
  auto made = std::make_unique<Probe>();
  made->prepare = prepare;
  made->path = values[0];
  return made.release();
}

void tflite_plugin_destroy_delegate(Delegate* delegate) { delete static_cast<Probe*>(delegate); }

}  // extern "C"
