// SPDX-License-Identifier: Apache-2.0
// Networks of strangers beside each other: a program that goes beyond its own memory is refused when its file is read;
// if it runs nevertheless, the core stops it at the first such access, and its neighbour computes as before.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "network_builder.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"
#include "systole/container.hpp"
#include "systole/generated/registers.hpp"
#include "systole/network.hpp"

namespace systole::cosim {
namespace {

constexpr isa::Opcode kLoad = isa::Opcode::kLoad, kStore = isa::Opcode::kStore;

graph::Bytes file_of(const char* name, int outputs) {
  zoo::NetworkBuilder net(name, 1);
  return container::save(compile_network(
      net.finish(net.softmax(net.dense(net.input({1, 24}), outputs, Activation::kRelu))), find_configuration("tiny")));
}

CompiledNetwork read(const graph::Bytes& file) {
  return container::Container(file).network(find_configuration("tiny"));
}

Program& first_program(CompiledNetwork& network) { return std::get<DeviceStep>(network.steps.at(0)).program; }

std::size_t place_of(const Program& program, isa::Opcode opcode) {
  const auto found = std::find_if(program.instructions.begin(), program.instructions.end(),
                                  [&](const auto& i) { return static_cast<isa::Opcode>(isa::get(i, 0, 8)) == opcode; });
  return static_cast<std::size_t>(found - program.instructions.begin());
}

/// A single run of 16 bytes, in place of the first LOAD or STORE of the program.
std::size_t access(Program& program, isa::Opcode opcode, int window, std::uint32_t offset) {
  const std::size_t at = place_of(program, opcode);
  isa::Instruction& instruction = program.instructions.at(at);
  if (opcode == kLoad) {
    isa::Load load;
    load.sem = isa::decode_semaphores(instruction);
    load.window = static_cast<std::uint8_t>(window);
    load.src = offset;
    load.run_bytes = load.piece_step = load.piece_bytes = load.slot_bytes = 16;
    load.dst_block = load.valid_to = 1;
    instruction = load.encode();
  } else {
    isa::Store store;
    store.sem = isa::decode_semaphores(instruction);
    store.window = static_cast<std::uint8_t>(window);
    store.dst = offset;
    store.piece_bytes = 16;
    store.src_block = 1;
    instruction = store.encode();
  }
  return at;
}

/// Something that a program tries.
struct Attempt {
  const char* what;
  isa::Opcode opcode;
  int window;
  std::uint64_t target;  ///< device address, or an offset if `relative`
  bool relative;
};

/// The neighbour's memory and results, which must stay as they are.
class Neighbour {
 public:
  Neighbour(Device& device, const graph::Bytes& file, std::uint64_t seed)
      : device_(device), compiled_(read(file)), input_(Source(seed).bytes(24)) {
    device.place(first_program(compiled_));
    windows_ = first_program(compiled_).windows();
    run();
    before_ = memory();
  }

  std::uint64_t address() const { return windows_[kBindingsWindow].base; }
  std::uint64_t constants() const { return windows_[kConstantsWindow].base; }
  void expect_unharmed() {
    EXPECT_EQ(memory(), before_);
    EXPECT_NO_THROW(run());
    EXPECT_EQ(memory(), before_) << "computes something else than before";
  }

 private:
  /// Computes all that is not the input again.
  void run() {
    fill(windows_[kScratchWindow]);
    fill(windows_[kBindingsWindow]);
    Program& program = first_program(compiled_);
    device_.write(program.bindings(), input_.data(), input_.size());
    device_.run(program);
  }
  void fill(const AddressWindow& window) {
    const std::vector<std::uint8_t> bytes(window.size, 0xA5);
    device_.backend().wait_copy(device_.backend().copy_to_device(window.base, bytes.data(), bytes.size()));
  }
  std::vector<std::uint8_t> memory() const {
    std::vector<std::uint8_t> all;
    for (const AddressWindow& window : windows_) {
      std::vector<std::uint8_t> bytes(window.size);
      device_.backend().read_memory(window.base, bytes.data(), bytes.size());
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
  }

  Device& device_;
  CompiledNetwork compiled_;
  std::vector<std::int8_t> input_;
  AddressWindows windows_;
  std::vector<std::uint8_t> before_;
};

/// The reader's answer to the changed network as a file.
std::string refusal(const CompiledNetwork& network) {
  try {
    read(container::save(network));
  } catch (const container::ContainerError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_window_error(Device& device, Program& program, std::size_t index, std::uint32_t offset, const char* name) {
  try {
    device.run(program);
    ADD_FAILURE() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code, isa::ErrorCode::kWindow) << error.what();
    EXPECT_EQ(error.index, index) << error.what();
    EXPECT_EQ(error.address, offset) << error.what();
    const std::string place = *name == 0 ? "" : fmt::format(" of '{}'", name);
    EXPECT_NE(std::string(error.what()).find(fmt::format("WINDOW in command {}{}", index, place)), std::string::npos)
        << error.what();
  }
}

std::vector<Attempt> attempts(const Neighbour& neighbour, std::uint64_t ring, const AddressWindows& own) {
  std::vector<Attempt> all;
  for (const isa::Opcode opcode : {kLoad, kStore}) {
    for (const int window : {kBindingsWindow, kConstantsWindow, kScratchWindow}) {
      all.push_back({"a neighbour's bindings", opcode, window, neighbour.address(), false});
      all.push_back({"a neighbour's constants", opcode, window, neighbour.constants(), false});
      all.push_back({"the ring", opcode, window, ring, false});
      all.push_back(
          {"the end of its own range", opcode, window, own[static_cast<std::size_t>(window)].size - 15, true});
      all.push_back({"the last address", opcode, window, 0xFFFF'FFFF, true});
    }
    all.push_back({"its own instructions", opcode, kRingWindow, 0, true});
  }
  all.push_back({"its own constants", kStore, kConstantsWindow, 0, true});
  return all;
}

Device tiny_device(const std::string& backend) {
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{16} << 20;
  return Device::open(options, backend);
}

void guests_on(const std::string& backend) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  Device device = tiny_device(backend);
  const graph::Bytes file = file_of("guest", 9);
  CompiledNetwork honest = read(file);
  device.place(first_program(honest));  // so that the neighbour is between two of them
  Neighbour neighbour(device, file_of("neighbour", 7), test::seed());
  const std::uint64_t ring = device.backend().read_register(reg::kWindowBase + kRingWindow * reg::kWindowBaseStride);
  CompiledNetwork first = read(file);
  device.place(first_program(first));
  const AddressWindows own = first_program(first).windows();
  for (const Attempt& attempt : attempts(neighbour, ring, own)) {
    SCOPED_TRACE(fmt::format("{} {} through window {}", attempt.opcode == kLoad ? "LOAD" : "STORE", attempt.what,
                             attempt.window));
    CompiledNetwork hostile = read(file);
    Program& program = first_program(hostile);
    device.place(program);
    const std::uint64_t base = program.windows()[static_cast<std::size_t>(attempt.window)].base;
    const auto offset = static_cast<std::uint32_t>(attempt.relative ? attempt.target : attempt.target - base);
    const std::size_t index = access(program, attempt.opcode, attempt.window, offset);
    EXPECT_NE(refusal(hostile).find(fmt::format("command {}", index)), std::string::npos) << refusal(hostile);
    expect_window_error(device, program, index, offset, program.label(index).c_str());
    neighbour.expect_unharmed();
  }
  EXPECT_NO_THROW(device.run(first_program(honest)));
}

/// A program cannot execute anything but what the driver has put into the ring.
void jumps_on(const std::string& backend) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  Device device = tiny_device(backend);
  const graph::Bytes file = file_of("guest", 9);
  for (const int window : {kBindingsWindow, kConstantsWindow, kScratchWindow}) {
    CompiledNetwork hostile = read(file);
    Program& program = first_program(hostile);
    isa::Jump jump;
    jump.window = static_cast<std::uint8_t>(window);
    jump.count = 1;
    program.instructions = {jump.encode()};
    program.label_of = {0};
    EXPECT_NE(refusal(hostile).find("must not contain END or JUMP"), std::string::npos);
    expect_window_error(device, program, 1, 0, "");
    CompiledNetwork honest = read(file);
    EXPECT_NO_THROW(device.run(first_program(honest)));
  }
}

TEST(model_tiny, GuestsStayInTheirMemory) { guests_on("model"); }
TEST(rtl_tiny, GuestsStayInTheirMemory) { guests_on("rtl"); }
TEST(model_tiny, GuestsDoNotExecuteData) { jumps_on("model"); }
TEST(rtl_tiny, GuestsDoNotExecuteData) { jumps_on("rtl"); }

/// Two files, and one of them twice, on one device: each computes what it computes alone.
void shared_on(const std::string& backend) {
  if (!has_backend(backend)) {
    GTEST_SKIP() << "this build has no back end " << backend;
  }
  BackendOptions options;
  options.configuration = "tiny";
  options.memory_bytes = std::uint64_t{16} << 20;
  const graph::Bytes first = file_of("first", 9), second = file_of("second", 7);
  const auto result = [](Network& network, std::uint64_t seed) {
    const auto input = Source(seed).bytes(24);
    const graph::Value value{graph::ElementType::kInt8, {1, 24}, graph::Bytes(input.begin(), input.end())};
    return network.run({value}).at(0).data;
  };
  std::vector<graph::Bytes> expected;
  for (const graph::Bytes* file : {&first, &second}) {
    Device device = Device::open(options, backend);
    Network alone(device, read(*file));
    expected.push_back(result(alone, test::seed()));
  }
  Device device = Device::open(options, backend);
  Network one(device, read(first)), two(device, read(second)), again(device, read(first));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(result(one, test::seed()), expected[0]);
    EXPECT_EQ(result(two, test::seed()), expected[1]);
    EXPECT_EQ(result(again, test::seed()), expected[0]);
  }
}

TEST(model_tiny, FilesShareADevice) { shared_on("model"); }
TEST(rtl_tiny, FilesShareADevice) { shared_on("rtl"); }

}  // namespace
}  // namespace systole::cosim
