// SPDX-License-Identifier: Apache-2.0
// Loads a network from a file of any supported format to a device.
//
//   Device device = Device::open({}, "rtl");
//   Network network = load_network(device, "model.tflite");
#pragma once

#include <string>

#include "systole/import_model.hpp"
#include "systole/network.hpp"

namespace systole {

/// Loads a .tflite or .onnx model, or a .systole file with or without programs; the content shows which it is. A model
/// is compiled for the device; the programs of a .systole file are used as they are. The device must outlive the
/// network. Throws, with texts that begin with the path:
///  - graph::GraphError: the file or model cannot be read, operators are not supported, or ImportOptions do not match
///    the model
///  - container::ContainerError (systole/container.hpp): a .systole file is damaged or for another configuration
///  - InvalidArgument: ImportOptions::dimensions or constants were given for a .systole file, which is fixed, or
///    ImportOptions::without for one that has programs, or it names an unknown transformation
///  - Failure: device memory is too small
Network load_network(Device& device, const std::string& path, const graph::ImportOptions& options = {});

}  // namespace systole
