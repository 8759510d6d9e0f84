// SPDX-License-Identifier: Apache-2.0
#include "wave_file.hpp"

#include <fmt/core.h>
#include <gtkwave/fstapi.h>

#include <algorithm>
#include <filesystem>

#include "systole/errors.hpp"

namespace systole::sim {
namespace {

const std::string kTop = "TOP";

void leave(std::string& scope) {
  const auto dot = scope.rfind('.');
  scope.erase(dot == std::string::npos ? 0 : dot);
}

struct Collector {
  std::multimap<std::uint32_t, std::vector<WaveFile::Change>*> wanted;

  static void changed(void* self, std::uint64_t time, fstHandle handle, const unsigned char* value) {
    const auto range = static_cast<Collector*>(self)->wanted.equal_range(handle);
    for (auto item = range.first; item != range.second; ++item) {
      item->second->push_back({time, reinterpret_cast<const char*>(value)});
    }
  }
  static void changed_of_length(void* self, std::uint64_t time, fstHandle handle, const unsigned char* value,
                                std::uint32_t) {
    changed(self, time, handle, value);
  }
};

}  // namespace

WaveFile::WaveFile(const std::string& path) : reader_(fstReaderOpen(path.c_str()), fstReaderClose) {
  if (!reader_) throw Failure(path + (std::filesystem::exists(path) ? ": not an FST waveform" : ": no such file"));
  std::string scope;
  while (const fstHier* entry = fstReaderIterateHier(reader_.get())) {
    if (entry->htyp == FST_HT_SCOPE) {
      if (!scope.empty()) scope += '.';
      scope.append(entry->u.scope.name, entry->u.scope.name_length);
      scopes_.insert(scope);
    } else if (entry->htyp == FST_HT_UPSCOPE) {
      leave(scope);
    } else if (entry->htyp == FST_HT_VAR) {
      std::string name(entry->u.var.name, entry->u.var.name_length);
      name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
      handles_[scope + "." + name] = entry->u.var.handle;
    }
  }
}

std::string WaveFile::like(const std::string& name) const {
  constexpr int kMost = 8;
  std::string text;
  int found = 0;
  for (const auto& [known, handle] : handles_) {
    if (known.find(name) != std::string::npos && ++found <= kMost) {
      text += (found == 1 ? "; there are " : ", ") + known;
    }
  }
  return text + (found > kMost ? ", ..." : "");
}

std::uint64_t WaveFile::first_time() const { return fstReaderGetStartTime(reader_.get()); }
std::uint64_t WaveFile::last_time() const { return fstReaderGetEndTime(reader_.get()); }

std::set<std::string> WaveFile::names() const {
  std::set<std::string> names;
  for (const auto& [name, handle] : handles_) names.insert(name);
  return names;
}

std::map<std::string, std::vector<WaveFile::Change>> WaveFile::changes(const std::set<std::string>& of) const {
  std::map<std::string, std::vector<Change>> result;
  Collector collector;
  fstReaderClrFacProcessMaskAll(reader_.get());
  for (const std::string& name : of) {
    const auto found = handles_.find(name);
    if (found == handles_.end()) throw OutOfRange(name + ": no such signal in the waveform" + like(name));
    fstReaderSetFacProcessMask(reader_.get(), found->second);
    collector.wanted.emplace(found->second, &result[name]);
  }
  fstReaderIterBlocks2(reader_.get(), Collector::changed, Collector::changed_of_length, &collector, nullptr);
  return result;
}

std::string value_at(const std::vector<WaveFile::Change>& changes, std::uint64_t time) {
  const auto after = std::upper_bound(changes.begin(), changes.end(), time,
                                      [](std::uint64_t t, const WaveFile::Change& change) { return t < change.time; });
  return after == changes.begin() ? std::string() : std::prev(after)->value;
}

void check_scope(const std::string& scope, const std::set<std::string>& scopes) {
  if (scopes.count(kTop + "." + scope) != 0) return;
  std::string parent = kTop + "." + scope;
  while (!parent.empty() && scopes.count(parent) == 0) leave(parent);
  std::string names;
  for (const std::string& name : scopes) {
    const bool below = name.size() > parent.size() && name.compare(0, parent.size() + 1, parent + ".") == 0;
    if (below && name.find('.', parent.size() + 1) == std::string::npos) {
      names += (names.empty() ? "" : ", ") + name.substr(kTop.size() + 1);
    }
  }
  const std::string place = parent == kTop ? std::string("the top") : parent.substr(kTop.size() + 1);
  throw InvalidArgument(
      fmt::format("trace.scope: no instance {}; {} has {}", scope, place, names.empty() ? "no instances" : names));
}

}  // namespace systole::sim
