// SPDX-License-Identifier: Apache-2.0
// Inputs: regular files, read as a whole, or decompressed as far as the reader asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systole/file_error.hpp"

struct gzFile_s;

namespace systole::files {

/// All bytes of a regular file. Throws FileError, with the path and the system's reason.
std::vector<std::uint8_t> read_file(const std::string& path);
std::string read_text(const std::string& path);

/// Bytes in order, from a file or from memory, as a header asks for them: so a reader takes only memory for what there
/// is, and only as much as the header says.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// The next bytes, at most `count`; fewer only at the end. Throws FileError.
  std::vector<std::uint8_t> take(std::uint64_t count);
  const std::string& name() const { return name_; }

 protected:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  /// Returns the number of bytes, 0 at the end.
  virtual std::size_t read(std::uint8_t* to, std::size_t count) = 0;

 private:
  std::string name_;
};

/// A regular file, decompressed if it is gzip.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(const std::string& path);

 private:
  std::size_t read(std::uint8_t* to, std::size_t count) override;

  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file_;
};

/// Bytes that must outlive it.
class MemorySource final : public ByteSource {
 public:
  MemorySource(const std::vector<std::uint8_t>& bytes, std::string name) : ByteSource(std::move(name)), bytes_(bytes) {}

 private:
  std::size_t read(std::uint8_t* to, std::size_t count) override;

  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_ = 0;
};

}  // namespace systole::files
