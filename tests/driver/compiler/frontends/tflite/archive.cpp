// SPDX-License-Identifier: Apache-2.0
#include "archive.hpp"

#include <fmt/core.h>
#include <zip.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "npy.hpp"

namespace systole::test {

void Archive::Closer::operator()(zip* archive) const { zip_discard(archive); }

Archive::Archive(const std::filesystem::path& path) : path_(path.string()), kind_(path.stem().string()) {
  int error = 0;
  archive_.reset(zip_open(path_.c_str(), ZIP_RDONLY, &error));
  if (!archive_) {
    throw std::runtime_error(fmt::format("{}: no readable zip archive, error {} of libzip", path_, error));
  }
  std::set<std::string> folders;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
    const std::string name = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    if (const auto end = name.find('/'); end != std::string::npos) {
      folders.insert(name.substr(0, end));
    }
  }
  folders_.assign(folders.begin(), folders.end());
}

graph::Bytes Archive::read_file(const std::string& name) const {
  zip_stat_t status;
  if (zip_stat(archive_.get(), name.c_str(), 0, &status) != 0) {
    throw std::runtime_error(fmt::format("{} has no {}", path_, name));
  }
  graph::Bytes bytes(status.size);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive_.get(), name.c_str(), 0), zip_fclose);
  if (!file || zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size())) {
    throw std::runtime_error(fmt::format("{}: {} cannot be read", path_, name));
  }
  return bytes;
}

std::vector<graph::Value> Archive::read_arrays(const std::string& prefix) const {
  std::vector<graph::Value> values;
  for (;;) {
    const std::string name = fmt::format("{}{}.npy", prefix, values.size());
    if (zip_name_locate(archive_.get(), name.c_str(), 0) < 0) {
      return values;
    }
    values.push_back(npy::parse(read_file(name), fmt::format("{}: {}", path_, name)));
  }
}

OperatorCase Archive::read(const std::string& folder) const {
  OperatorCase result{fmt::format("{}/{}", kind_, folder), read_file(folder + "/model.tflite"),
                      read_arrays(folder + "/in"), read_arrays(folder + "/out")};
  if (result.outputs.empty()) {
    throw std::runtime_error(fmt::format("{}: {} has no expected outputs", path_, folder));
  }
  return result;
}

std::vector<graph::Value> sample_of(const std::vector<graph::Value>& values, std::size_t sample, std::size_t samples) {
  std::vector<graph::Value> result;
  for (const graph::Value& value : values) {
    if (value.shape.empty() || value.shape[0] != static_cast<std::int64_t>(samples)) {
      throw std::runtime_error(fmt::format("an array of shape {}; its first axis is the {} samples",
                                           graph::to_string(value.shape), samples));
    }
    const auto size = static_cast<std::ptrdiff_t>(value.data.size() / samples);
    const auto begin = value.data.begin() + static_cast<std::ptrdiff_t>(sample) * size;
    result.push_back(
        {value.type, graph::Shape(value.shape.begin() + 1, value.shape.end()), graph::Bytes(begin, begin + size)});
  }
  return result;
}

}  // namespace systole::test
