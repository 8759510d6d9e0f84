// SPDX-License-Identifier: Apache-2.0
// What JAX sees of the machine: a client with its devices, each with a memory, and the buffers in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "call_files.hpp"
#include "event.hpp"
#include "link.hpp"
#include "pjrt.hpp"
#include "routine.hpp"
#include "systole/device.hpp"
#include "worker.hpp"

namespace systole::pjrt {

/// How the devices of a client are opened, and what is written of their work.
struct Settings {
  std::string device = "model", configuration = "default";
  std::int64_t devices = 1;
  std::int64_t cores = 0;  ///< that the devices share, device number d being on core d % cores; 0: as many as devices
  std::int64_t memory = 4096;                             ///< of each core, in MiB
  std::string report, timeline;                           ///< folders (CallFolders)
  std::string trace, trace_scope;                         ///< a waveform (TraceOptions)
  std::string topology = "ring";                          ///< of the devices' links (ranks::topology_named)
  std::int64_t link_bandwidth = 80, link_latency = 1000;  ///< GB/s in each direction, and ns
  std::int64_t trace_from = 0, trace_to = -1;             ///< the first and the last cycle of it; -1: to the end
};

struct DeviceDescription {
  int id = 0;
  std::string kind, text;
};

struct Memory {
  pjrt::Device* device = nullptr;
  int id = 0;
  std::string text;
};

/// Statistics of a call: the steps of its networks, and the bytes that it copied between host and device. A step that a
/// loop repeats is listed once, with the sum of its runs.
class RunRecord {
 public:
  struct Totals {
    std::string program;
    std::vector<StepReport> steps;
    Arena::Copies copies;
    double exchange_cycles = 0;  ///< that exchanges between devices would take
  };
  /// What all calls did.
  struct Sums {
    std::int64_t calls = 0;                       ///< that have begun
    std::int64_t cycles = 0;                      ///< of the device
    std::map<std::string, std::int64_t> on_host;  ///< how often the host computed an operator, by its name
  };

  /// `now` are the copies so far.
  void begin(const std::string& program, const Arena::Copies& now);
  void add(const Network& network);
  void add_exchange(double cycles);
  void end(const Arena::Copies& now);
  Totals totals() const;
  Sums sums() const;

 private:
  mutable std::mutex mutex_;
  Arena::Copies before_;
  std::map<const Network*, std::size_t> first_;  ///< of the network's steps
  Totals totals_;
  Sums sums_;
};

struct Device {
  Device(Client& owner, int id, const Settings& settings, std::shared_ptr<Core> core);

  Client& client;
  DeviceDescription description;
  Memory memory;
  // Lists that JAX is given pointers to.
  pjrt::Device* self = this;
  Memory* its_memory = &memory;
  std::shared_ptr<Core> core;
  RunRecord last_run;
  CallFiles files;
  Worker worker;  // last: its work uses the other members
};

struct TopologyDescription {
  std::vector<DeviceDescription*> devices;
};

/// Lives until JAX has destroyed it and all its executables, in whatever order.
struct Client : std::enable_shared_from_this<Client> {
  explicit Client(const Settings& settings);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  std::vector<std::unique_ptr<pjrt::Device>> owned;
  std::vector<pjrt::Device*> devices;
  std::vector<Memory*> memories;
  TopologyDescription topology;
  ranks::Link link;              ///< between devices, in `links`
  std::string links;             ///< Settings::topology
  std::shared_ptr<Client> held;  ///< by JAX: itself, until it is destroyed
  std::mutex order;              ///< held while a call is given to several workers
  bool traces = false;           ///< whether there is a waveform

  /// The name of a program, with a number if another one has it. Thread-safe.
  std::string own_name(const std::string& program);

 private:
  std::mutex mutex_;
  std::map<std::string, int> programs_;  ///< how many have each name
};

/// Calls `work` with a device of JAX's client when the calls that were given to it have ended. Throws what it throws,
/// and InvalidArgument if JAX has not looked for devices yet, or if there is no device of this number.
void after_calls(std::size_t device, const std::function<void(pjrt::Device&)>& work);

/// Writes where the cycles of the last call on the device went (report::write_report).
void write_report(const std::string& path, std::size_t device);

/// All calls between the two are in one timeline. Throws InvalidArgument on the functional model, which has no time.
void begin_timeline(const std::string& path, std::size_t device);
void end_timeline(std::size_t device);

/// Completes the waveform when all calls have ended; no call may follow. Throws InvalidArgument if it would be empty,
/// FileError if it cannot be written. Without effect if none was asked for.
void finish_trace();

/// The contents of a buffer, when they are there.
struct Contents {
  Completion ready;
  SharedDeviceValue value;  ///< after `ready`
};

/// Has the worker of the device read the contents, which are there, before the calls that wait. Errors of the device,
/// and what `use` throws, are told to `done`.
void read(pjrt::Device& device, std::shared_ptr<Contents> contents, std::function<void(const graph::Value&)> use,
          std::shared_ptr<Completion> done);

struct Buffer {
  Buffer(pjrt::Device& place, graph::ElementType element, graph::Shape dimensions, std::shared_ptr<Contents> elements);

  /// Throws CallError if the buffer was deleted, or given away as a donation.
  const std::shared_ptr<Contents>& contents() const;
  std::size_t bytes() const;

  pjrt::Device& device;
  graph::ElementType type;
  graph::Shape shape;
  std::vector<std::int64_t> minor_to_major;
  std::shared_ptr<Contents> held;  ///< null when deleted
};

/// The type by its name in PJRT. Throws CallError for one that Systole does not have.
graph::ElementType element_type_of(BufferType type);
BufferType buffer_type_of(graph::ElementType type);

}  // namespace systole::pjrt
