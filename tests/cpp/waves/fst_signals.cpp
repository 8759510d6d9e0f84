// SPDX-License-Identifier: Apache-2.0
#include "fst_signals.hpp"

#include <gtkwave/fstapi.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace systole::test {

std::set<std::string> fst_signals(const std::string& file) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(file.c_str()), fstReaderClose);
  if (!reader) {
    throw std::runtime_error(file + ": not an FST file");
  }
  std::set<std::string> names;
  std::string scope;
  while (const fstHier* entry = fstReaderIterateHier(reader.get())) {
    if (entry->htyp == FST_HT_SCOPE) {
      scope += std::string(entry->u.scope.name, entry->u.scope.name_length) + ".";
    } else if (entry->htyp == FST_HT_UPSCOPE) {
      scope.pop_back();
      scope.erase(scope.rfind('.') + 1);
    } else if (entry->htyp == FST_HT_VAR) {
      std::string name(entry->u.var.name, entry->u.var.name_length);
      name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
      names.insert(scope + name);
    }
  }
  return names;
}

}  // namespace systole::test
