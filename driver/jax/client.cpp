// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <utility>

#include "network_json.hpp"
#include "output_file.hpp"
#include "systole/errors.hpp"
#include "systole/file_error.hpp"

namespace systole::pjrt {
namespace {

using graph::ElementType;

constexpr std::array<std::pair<BufferType, ElementType>, 12> kTypes = {{
    {BufferType::kPred, ElementType::kBool},
    {BufferType::kS8, ElementType::kInt8},
    {BufferType::kS16, ElementType::kInt16},
    {BufferType::kS32, ElementType::kInt32},
    {BufferType::kS64, ElementType::kInt64},
    {BufferType::kU8, ElementType::kUint8},
    {BufferType::kU16, ElementType::kUint16},
    {BufferType::kU32, ElementType::kUint32},
    {BufferType::kU64, ElementType::kUint64},
    {BufferType::kF16, ElementType::kFloat16},
    {BufferType::kF32, ElementType::kFloat32},
    {BufferType::kBF16, ElementType::kBfloat16},
}};

/// The client, which JAX makes and holds, for those who ask about its runs.
struct Clients {
  std::mutex mutex;
  Client* last = nullptr;
};

Clients& clients() {
  static auto* const one = new Clients;  // never destroyed: JAX may let go of its client when the process ends
  return *one;
}

systole::Device opened(const Settings& settings) {
  BackendOptions options;
  options.configuration = settings.configuration;
  options.memory_bytes = static_cast<std::uint64_t>(settings.memory) << 20;
  options.trace.file = settings.trace;
  options.trace.scope = settings.trace_scope;
  options.trace.from = static_cast<std::uint64_t>(settings.trace_from);
  options.trace.to = static_cast<std::uint64_t>(settings.trace_to);  // -1 is TraceOptions::kLastCycle
  return systole::Device::open(options, settings.device);
}

void make_folder_of(const char* option, const std::string& path) {
  try {
    files::make_folder_of(path);
  } catch (const FileError& error) {
    throw InvalidArgument(fmt::format("systole_jax: {}: {}; name another place", option, error.what()));
  }
}

/// Makes the folders of reports, timelines and waveforms. Throws InvalidArgument if that fails, or for the functional
/// model, which has no cycles.
void check_outputs(const Settings& settings, std::int64_t cores) {
  for (const auto& [name, value] : {std::pair("report", settings.report), std::pair("timeline", settings.timeline),
                                    std::pair("trace", settings.trace)}) {
    if (!value.empty() && settings.device != "rtl") {
      throw InvalidArgument(fmt::format(
          "systole: {} is {}, but the functional model has no time to show; use device rtl (SYSTOLE_JAX_DEVICE=rtl)",
          name, value));
    }
  }
  if (!settings.trace.empty() && cores > 1) {
    throw InvalidArgument(fmt::format(
        "systole: trace is {}, which has the waveform of one core, and there are {}; let the devices share one "
        "(SYSTOLE_JAX_CORES=1)",
        settings.trace, cores));
  }
  for (const auto& [name, folder] : {std::pair("report", settings.report), std::pair("timeline", settings.timeline)}) {
    if (!folder.empty()) {
      make_folder_of(name, folder + "/program");
    }
  }
  if (!settings.trace.empty()) {
    make_folder_of("trace", settings.trace);
  }
}

}  // namespace

ElementType element_type_of(BufferType type) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& pair) { return pair.first == type; });
  if (found == kTypes.end()) {
    throw CallError(
        {ErrorCode::kUnimplemented,
         type == BufferType::kF64
             ? "systole: an array of float64; use float32, which JAX makes unless jax_enable_x64 is set"
             : "systole: an array of complex numbers, or of a type below 8 bits, or of floats of 8 bits; the "
               "device has float32, float16, bfloat16, integers of 8 to 64 bits and bool. Keep it on "
               "another device, as with jax.default_device"});
  }
  return found->second;
}

BufferType buffer_type_of(ElementType type) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& pair) { return pair.second == type; });
  return found == kTypes.end() ? BufferType::kInvalid : found->first;
}

Device::Device(Client& owner, int id, const Settings& settings, std::shared_ptr<Core> shared)
    : client(owner),
      description{id, fmt::format("Systole {} {}", settings.configuration, settings.device),
                  fmt::format("systole:{}", id)},
      memory{this, id, fmt::format("memory of systole:{}", id)},
      core(std::move(shared)),
      files({settings.report, settings.timeline}, settings.devices > 1 ? fmt::format(".device{}", id) : "") {}

void RunRecord::begin(const std::string& program, const Arena::Copies& now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  before_ = now;
  first_.clear();
  totals_ = {program, {}, {}, 0};
  ++sums_.calls;
}

void RunRecord::add(const Network& network) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const StepReport& step : network.steps()) {
    if (step.on_device) {
      sums_.cycles += step.stats.cycles;
    } else {
      ++sums_.on_host[step.name];
    }
  }
  std::vector<StepReport>& steps = totals_.steps;
  const auto [found, is_new] = first_.emplace(&network, steps.size());
  if (is_new) {
    steps.insert(steps.end(), network.steps().begin(), network.steps().end());
    return;
  }
  for (std::size_t i = 0; i < network.steps().size(); ++i) {
    const StepReport& step = network.steps()[i];
    StepReport& sum = steps[found->second + i];
    sum.stats += step.stats;
    sum.predicted_cycles += step.predicted_cycles;
    for (std::size_t layer = 0; layer < step.layers.size(); ++layer) {
      systole::add(sum.layers[layer], step.layers[layer]);
    }
  }
}

void RunRecord::add_exchange(double cycles) {
  const std::lock_guard<std::mutex> lock(mutex_);
  totals_.exchange_cycles += cycles;
}

void RunRecord::end(const Arena::Copies& now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  totals_.copies = {now.to_device - before_.to_device, now.to_host - before_.to_host};
}

RunRecord::Totals RunRecord::totals() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return totals_;
}

RunRecord::Sums RunRecord::sums() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sums_;
}

Client::Client(const Settings& settings)
    : link{static_cast<double>(settings.link_bandwidth), static_cast<double>(settings.link_latency)},
      links(settings.topology) {
  constexpr std::int64_t kMost = 256;
  if (settings.devices < 1 || settings.devices > kMost) {
    throw InvalidArgument(fmt::format("systole: {} devices; 1 .. {} are possible", settings.devices, kMost));
  }
  const std::int64_t number = settings.cores == 0 ? settings.devices : settings.cores;
  if (number < 1 || number > settings.devices) {
    throw InvalidArgument(
        fmt::format("systole: {} cores; 1 .. {}, the number of devices, are possible", number, settings.devices));
  }
  ranks::topology_named(links, static_cast<int>(settings.devices));  // throws for what is none
  check_outputs(settings, number);
  std::vector<std::shared_ptr<Core>> cores;
  for (std::int64_t core = 0; core < number; ++core) {
    cores.push_back(std::make_shared<Core>(opened(settings)));
  }
  for (int id = 0; id < settings.devices; ++id) {
    owned.push_back(std::make_unique<pjrt::Device>(*this, id, settings, cores[static_cast<std::size_t>(id % number)]));
    devices.push_back(owned.back().get());
    memories.push_back(&devices.back()->memory);
    topology.devices.push_back(&devices.back()->description);
  }
  traces = !settings.trace.empty();
  const std::lock_guard<std::mutex> lock(clients().mutex);
  clients().last = this;
}

Client::~Client() {
  const std::lock_guard<std::mutex> lock(clients().mutex);
  if (clients().last == this) {
    clients().last = nullptr;
  }
}

std::string Client::own_name(const std::string& program) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int number = ++programs_[program];
  return number == 1 ? program : fmt::format("{}_{}", program, number);
}

namespace {

void after_calls(pjrt::Device& device, const std::function<void(pjrt::Device&)>& work) {
  const auto ended = std::make_shared<Completion>();
  std::exception_ptr error;
  device.worker.add([&device, &work, &error, ended] {
    try {
      work(device);
    } catch (...) {
      error = std::current_exception();
    }
    ended->complete();
  });
  ended->wait();
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace

void after_calls(std::size_t device, const std::function<void(pjrt::Device&)>& work) {
  const std::lock_guard<std::mutex> lock(clients().mutex);
  if (clients().last == nullptr) {
    throw InvalidArgument("systole_jax: JAX has not used the device yet; call jax.devices() first");
  }
  const auto& devices = clients().last->devices;
  if (device >= devices.size()) {
    throw InvalidArgument(fmt::format("systole_jax: device {}; there are {}, counted from 0", device, devices.size()));
  }
  after_calls(*devices[device], work);
}

void write_report(const std::string& path, std::size_t device) {
  after_calls(device, [&](pjrt::Device& of) {
    const RunRecord::Totals totals = of.last_run.totals();
    if (totals.program.empty()) {
      throw InvalidArgument("systole_jax: a report, but the device has had no call yet");
    }
    report::write_report(path, report_of(totals.program, of.core->device.configuration(), totals.steps));
  });
}

void begin_timeline(const std::string& path, std::size_t device) {
  after_calls(device, [&](pjrt::Device& of) {
    if (of.core->device.backend().name() != "rtl") {
      throw InvalidArgument("systole_jax: a timeline, but the functional model has no time to show; use device rtl");
    }
    of.files.begin_timeline(path, of.core->device.configuration());
  });
}

void end_timeline(std::size_t device) {
  after_calls(device, [](pjrt::Device& of) { of.files.end_timeline(); });
}

void finish_trace() {
  const std::lock_guard<std::mutex> lock(clients().mutex);
  if (clients().last == nullptr || !clients().last->traces) {
    return;
  }
  for (pjrt::Device* device : clients().last->devices) {  // which share a core
    after_calls(*device, [](pjrt::Device&) {});
  }
  systole::Device& device = clients().last->devices[0]->core->device;
  if (!device.finish_recordings()) {
    throw InvalidArgument(fmt::format("systole_jax: trace: no cycle was recorded: cycles 0 to {} were simulated",
                                      device.backend().simulated_cycles() - 1));
  }
}

void read(pjrt::Device& device, std::shared_ptr<Contents> contents, std::function<void(const graph::Value&)> use,
          std::shared_ptr<Completion> done) {
  Contents& from = *contents;
  from.ready.on_done([&device, contents = std::move(contents), use = std::move(use),
                      done = std::move(done)](const std::optional<Error>& failed) mutable {
    if (failed) {
      done->complete(failed);
      return;
    }
    device.worker.add_first(
        [core = device.core, contents = std::move(contents), use = std::move(use), done = std::move(done)] {
          try {
            use(core->on_host(contents->value));
            done->complete();
          } catch (...) {
            done->complete(current_error());
          }
        });
  });
}

Buffer::Buffer(pjrt::Device& place, ElementType element, graph::Shape dimensions, std::shared_ptr<Contents> elements)
    : device(place),
      type(element),
      shape(std::move(dimensions)),
      minor_to_major(shape.size()),
      held(std::move(elements)) {
  std::iota(minor_to_major.rbegin(), minor_to_major.rend(), 0);
}

const std::shared_ptr<Contents>& Buffer::contents() const {
  if (!held) {
    throw CallError({ErrorCode::kInvalidArgument, "systole: the buffer was deleted, or donated to a call"});
  }
  return held;
}

std::size_t Buffer::bytes() const { return static_cast<std::size_t>(graph::count(shape)) * graph::element_size(type); }

}  // namespace systole::pjrt
