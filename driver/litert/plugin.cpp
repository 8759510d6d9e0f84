// SPDX-License-Identifier: Apache-2.0
// The two functions of libsystole_delegate.so that load_delegate() calls.
#include <exception>
#include <memory>
#include <string>

#include "loaded_delegate.hpp"
#include "output_file.hpp"

extern "C" {

systole::litert::Delegate* tflite_plugin_create_delegate(const char* const* keys, const char* const* values,
                                                         std::size_t count, void (*report_error)(const char*)) {
  using namespace systole;
  try {
    litert::DelegateOptions options = litert::read_options(keys, values, count);
    if (!options.report.empty()) {
      files::check_output(options.report);
    }
    BackendOptions backend;
    backend.configuration = options.configuration;
    Device device = Device::open(backend, options.device);
    return std::make_unique<litert::LoadedDelegate>(std::move(options), std::move(device)).release();
  } catch (const std::exception& error) {
    if (report_error != nullptr) {
      report_error(("systole: " + std::string(error.what())).c_str());
    }
    return nullptr;
  }
}

void tflite_plugin_destroy_delegate(systole::litert::Delegate* delegate) {
  delete static_cast<systole::litert::LoadedDelegate*>(delegate);
}

}  // extern "C"
