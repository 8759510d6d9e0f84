// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

namespace systole::container {

void Reader::spend(std::size_t bytes) {
  if (bytes > budget_) {
    throw ContainerError("damaged: tables overlap: together they are larger than the file");
  }
  budget_ -= bytes;
}

std::string Reader::text(const flatbuffers::String* string) {
  if (string == nullptr) {
    return {};
  }
  spend(string->size());
  return string->str();
}

}  // namespace systole::container
