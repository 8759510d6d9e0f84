// SPDX-License-Identifier: Apache-2.0
// For planted.py: runs one case of the conformance list on tiny in lockstep and says in JSON where it diverged, with
// the program in which it did.
//
//   lockstep_probe CASE
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cases.hpp"
#include "systole/disassemble.hpp"
#include "systole/lockstep.hpp"

namespace systole {
namespace {

/// Lists the running program.
class Disassembled final : public Observer {
 public:
  void run_begins(const Listing& program, std::uint32_t, const std::string&, std::uint64_t) override {
    lines.clear();
    for (const isa::Instruction& instruction : program.instructions) lines.push_back(isa::disassemble(instruction));
  }
  std::vector<std::string> lines;
};

nlohmann::json probe(const std::string& name) {
  for (const cosim::Case& test : cosim::operator_cases(4)) {
    if (test.name != name) continue;
    BackendOptions options;
    options.configuration = "tiny";
    options.memory_bytes = std::uint64_t{64} << 20;
    options.lockstep = true;
    Device device = Device::open(options, "rtl");
    const auto listing = std::make_shared<Disassembled>();
    device.attach(listing);
    try {
      const auto difference = test.run(device, {}, 1);
      return {{"diverged", false}, {"golden", difference.value_or("")}};
    } catch (const LockstepDivergence& found) {
      const Divergence& d = found.divergence();
      return {{"diverged", true},
              {"problem", d.problem},
              {"command", d.index - d.first_index},
              {"engine", to_string(d.engine)},
              {"instruction", d.instruction},
              {"layer", d.layer},
              {"place", d.place},
              {"cycle", d.cycle},
              {"started", d.started},
              {"text", d.text()},
              {"listing", listing->lines}};
    }
  }
  throw std::runtime_error("no case is named " + name);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  try {
    fmt::print("{}\n", systole::probe(argc > 1 ? argv[1] : "").dump());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lockstep_probe: {}\n", error.what());
    return 1;
  }
}
