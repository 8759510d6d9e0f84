// SPDX-License-Identifier: Apache-2.0
// A network from a file to a device in one call, whatever the file is.
//
//   Device device = Device::open({}, "rtl");
//   Network network = load_network(device, "model.tflite");
#pragma once

#include <string>

#include "systole/import_model.hpp"
#include "systole/network.hpp"

namespace systole {

/// A .tflite or .onnx model, or a .systole file with or without programs; the bytes of the file say which. A model is
/// compiled for the device; programs of a file are taken as they are. The device outlives the network. Throws,
/// beginning with the path:
///  - graph::GraphError: a path or model that cannot be read, operators that are not supported, ImportOptions that do
///    not fit
///  - container::ContainerError (systole/container.hpp): a damaged .systole file, or one for another configuration
///  - InvalidArgument: ImportOptions::dimensions for a .systole file, which has its sizes
///  - Failure: device memory is too small
Network load_network(Device& device, const std::string& path, const graph::ImportOptions& options = {});

}  // namespace systole
