// SPDX-License-Identifier: Apache-2.0
// wave_values FILE              first and last cycle of a waveform, its instances and signals, as JSON
// wave_values FILE SIGNAL...    value changes of the signals, as JSON: name to list of [time in ps, binary value]
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>

#include "wave_file.hpp"

int main(int argc, char** argv) {
  using systole::sim::WaveFile;
  const bool help = argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h");
  if (argc < 2 || help) {
    fmt::print(help ? stdout : stderr,
               "usage: {} FILE              first and last time, instances and signals of a waveform, as JSON\n"
               "       {} FILE SIGNAL...    value changes of the signals: lists of [time in ps, binary value]\n",
               argv[0], argv[0]);
    return help ? 0 : 2;
  }
  try {
    const WaveFile file(argv[1]);
    nlohmann::ordered_json json;
    if (argc == 2) {
      json["first_time"] = file.first_time();
      json["last_time"] = file.last_time();
      json["scopes"] = file.scopes();
      json["signals"] = file.names();
    } else {
      for (const auto& [name, changes] : file.changes({argv + 2, argv + argc})) {
        json[name] = nlohmann::ordered_json::array();
        for (const WaveFile::Change& change : changes) json[name].push_back({change.time, change.value});
      }
    }
    fmt::print("{}\n", json.dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
