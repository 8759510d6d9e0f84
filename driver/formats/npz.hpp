// SPDX-License-Identifier: Apache-2.0
// Archives of arrays as NumPy's savez() and savez_compressed() write them (.npz): a ZIP file of members, each an .npy
// file, or any other bytes, as they are or deflated.
#pragma once

#include <map>
#include <string>

#include "npy.hpp"

namespace systole::npy {

/// Members by name, with the suffix: "w.npy".
using Archive = std::map<std::string, graph::Bytes>;

/// Throws NpyError, beginning with `name`, for a file that is truncated or damaged, or has members that are compressed
/// in another way.
Archive parse_archive(const graph::Bytes& bytes, const std::string& name);

/// The file's bytes, not compressed; the same for the same members. Throws NpyError for archives beyond 4 GiB.
graph::Bytes serialize_archive(const Archive& archive);

}  // namespace systole::npy
