// SPDX-License-Identifier: Apache-2.0
// How many cases of each kind have no operator on the host, as recorded for a configuration:
// on_device_CONFIGURATION.txt.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

namespace systole::test {

/// By kind.
using DeviceCounts = std::map<std::string, std::size_t>;

/// Throws std::runtime_error, naming the line, for an invalid file; also if it cannot be read.
DeviceCounts read_device_counts(const std::filesystem::path& path);

/// Throws std::runtime_error if the file cannot be written.
void write_device_counts(const std::filesystem::path& path, const DeviceCounts& counts);

/// What is wrong with `count` cases of a kind on the device; empty if they are as recorded.
std::string count_difference(const DeviceCounts& recorded, const std::string& kind, std::size_t count);

}  // namespace systole::test
