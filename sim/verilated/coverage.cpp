// SPDX-License-Identifier: Apache-2.0
// Coverage of Verilated models, in builds with SYSTOLE_COVERAGE only. The linker redirects the destructor of every
// model to this file (--wrap), so that tests and simulation need no code for it. The process adds up the counts of all
// models and writes one file, in Verilator's format, to the directory that SYSTOLE_COVERAGE_DIR names.
//
// A bit counts as toggled if it changed twice in one model, that is, rose and fell. The first change of a bit may be
// the one from its initial state to its value after reset, so one change per model and instance is not counted.
#include <unistd.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

namespace {

class Counts {
 public:
  explicit Counts(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::filesystem::create_directories(directory_);
  }
  ~Counts() {
    std::ofstream out(file(".dat"));
    out << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) out << "C '" << point << "' " << count << '\n';
  }

  void add(VerilatedCovContext& context) {
    const std::lock_guard lock(mutex_);
    const std::filesystem::path one = file(".model");
    context.forcePerInstance(true);
    context.write(one.c_str());
    context.clear();
    std::ifstream in(one);
    for (std::string line; std::getline(in, line);) add(line);
    in.close();
    std::filesystem::remove(one);
  }

 private:
  /// The format of a line is: C 'point' count. In the point, the instance name follows "\1h\2".
  void add(const std::string& line) {
    const std::size_t end = line.rfind("' ");
    if (line.rfind("C '", 0) != 0 || end == std::string::npos) return;
    const std::string point = line.substr(3, std::min(end, line.find("\001h\002")) - 3);
    std::uint64_t count = std::strtoull(line.c_str() + end + 2, nullptr, 10);
    if (count > 0 && point.find("\001page\002v_toggle") != std::string::npos) --count;
    counts_[point] += count;
  }
  std::filesystem::path file(const char* ending) const { return directory_ / (std::to_string(getpid()) + ending); }

  std::filesystem::path directory_;
  std::map<std::string, std::uint64_t> counts_;
  std::mutex mutex_;
};

}  // namespace

// The destructor of VerilatedSyms. The model's counters are in the derived class, whose memory is still valid here.
extern "C" void __real__ZN13VerilatedSymsD2Ev(VerilatedSyms* model);
extern "C" void __wrap__ZN13VerilatedSymsD2Ev(VerilatedSyms* model) {
  if (const char* directory = std::getenv("SYSTOLE_COVERAGE_DIR")) {
    static Counts counts(directory);
    counts.add(*model->_vm_contextp__->coveragep());
  }
  __real__ZN13VerilatedSymsD2Ev(model);
}
