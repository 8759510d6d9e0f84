// SPDX-License-Identifier: Apache-2.0
// A device that computes wrong results: every comparison detects it, and the program reports it and how to look at it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

#include "classify.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "failure_kind.hpp"
#include "memory_plans.hpp"
#include "report_run.hpp"
#include "systole/file_error.hpp"
#include "systole/graph.hpp"
#include "systole/memory_error.hpp"

namespace systole::cli {
namespace {

TEST(Failure, PrintsCommandForWaves) {
  Session session{{"bin/systole", "matmul", "--config", "tiny", "--device", "model", "--json=a.json", "--seed", "7"},
                  kOk};
  DeviceOptions options;
  options.device = "model";
  Device device = open_device(options);
  MemoryPlans plans(device, options, 1);
  cli::Run run;
  run.name = "matmul";
  run.device = "model";
  run.difference = "1 of 16 elements differ, first at row 0";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  finish(run, plans, options, session);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("DIFFERENT"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "mismatch: matmul on model: 1 of 16 elements differ, first at row 0\n"
            "run it again with waves:\n"
            "  bin/systole matmul --config tiny --seed 7 --device rtl --trace waves/out/matmul.fst ; "
            "gtkwave waves/out/matmul.fst waves/views/system.gtkw\n");
  EXPECT_EQ(session.exit_code, kMismatch);
}

TEST(Failure, QuotesCommandForShell) {
  const Session session{{"systole", "digits", "--images", "my pictures/it's", "--trace", "old.fst", "--trace-from=3"},
                        kOk};
  EXPECT_EQ(waves_text(session, "digits"),
            "run it again with waves:\n  systole digits --images 'my pictures/it'\\''s' --device rtl --trace "
            "waves/out/digits.fst "
            "--trace-on-error ; gtkwave waves/out/digits.fst waves/views/system.gtkw");
}

TEST(Failure, OpensTheViewForKernels) {
  const Session session{{"systole", "kernel", "k.tpuk"}, kOk};
  EXPECT_EQ(waves_text(session, "k"),
            "run it again with waves:\n  systole kernel k.tpuk --device rtl --trace waves/out/k.fst --trace-on-error ; "
            "gtkwave waves/out/k.fst waves/views/vector.gtkw\n"
            "word_number_o in it is the number of a word in what --list prints");
}

TEST(Failure, NamesExistingWaves) {
  const std::string file = testing::TempDir() + "/systole failure.fst";
  const Session session{{"systole", "conv", "--trace", file, "--trace-on-error", "500", "--seed", "9"}, kOk};
  EXPECT_EQ(waves_text(session, "conv").find("run it again with waves:\n  systole conv --seed 9 --device rtl --trace "),
            0u);
  std::ofstream(file) << "waves";
  EXPECT_EQ(waves_text(session, "conv"), "waves of the last cycles:\n  gtkwave '" + file + "' waves/views/system.gtkw");
  std::filesystem::remove(file);
}

TEST(Failure, DeviceErrorDiffersFromBadInput) {
  const Session session{{"systole", "matmul"}, kOk};
  const auto code_of = [&](const std::exception& error) { return report_failure(error, session); };
  testing::internal::CaptureStderr();
  EXPECT_EQ(code_of(InputError("--pad")), kBadInput);
  EXPECT_EQ(code_of(std::invalid_argument("shape")), kBadInput);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: --pad\nerror: shape\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(code_of(DeviceError("window")), kDeviceError);
  EXPECT_EQ(code_of(DeviceTimeout("nothing moved")), kDeviceError);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(text.find("device error: window\nrun it again with waves:\n  systole matmul --device rtl --trace "
                      "waves/out/error.fst --trace-on-error ; "),
            0u)
      << text;
}

TEST(Failure, CodesSayWhoseFailureItIs) {
  for (const auto& [error, code] : std::initializer_list<std::pair<std::shared_ptr<std::exception>, int>>{
           {std::make_shared<InputError>("--pad"), kBadInput},
           {std::make_shared<FileError>("x: No space left on device"), kBadInput},
           {std::make_shared<std::bad_alloc>(), kBadInput},
           {std::make_shared<std::length_error>("vector::reserve"), kBadInput},
           {std::make_shared<MemoryError>("device memory", "open the device with more memory_bytes"), kBadInput},
           {std::make_shared<std::filesystem::filesystem_error>("x", std::error_code()), kBadInput},
           {std::make_shared<graph::GraphError>("operator"), kBadInput},
           {std::make_shared<nlohmann::json::other_error>(nlohmann::json::other_error::create(500, "x", nullptr)),
            kBadInput},
           {std::make_shared<Failure>("bus error"), kDeviceError},
           {std::make_shared<DeviceError>("window"), kDeviceError},
           {std::make_shared<AccountingError>("causes"), kDeviceError},
           {std::make_shared<InternalError>("a bug"), kInternal},
           {std::make_shared<std::logic_error>("a bug"), kInternal}}) {
    EXPECT_EQ(exit_code_of(*error), code) << error->what();
  }
}

TEST(Failure, RemediesAreThoseOfTheProgram) {
  const std::string text = input_error_text(MemoryError("device memory is full", "give more memory_bytes"));
  EXPECT_EQ(text, "device memory is full; use smaller sizes, or a network with smaller tensors");
  EXPECT_EQ(input_error_text(std::bad_alloc()).find("out of memory: "), 0u);
}

TEST(Failure, JsonExplainsAHang) {
  Device device = Device::open({}, "model");
  isa::SyncMxu waiting;
  waiting.sem.wait0_sem = 12;
  waiting.sem.wait0_amount = 1;
  Program program;
  program.instructions = {waiting.encode()};
  try {
    device.run(program);
    FAIL();
  } catch (const std::exception& error) {
    const auto json = failure_to_json(error, kDeviceError)["error"];
    EXPECT_EQ(json["text"], error.what());
    EXPECT_EQ(json["exit_code"], 3);
    EXPECT_EQ(json["hang"]["origin"], "program");
    EXPECT_EQ(json["hang"]["culprit"], "missing signal");
    EXPECT_EQ(json["hang"]["waits"][0]["semaphore"], 12);
  }
  EXPECT_TRUE(failure_to_json(DeviceError("window"), kDeviceError)["error"]["hang"].is_null());
  EXPECT_TRUE(failure_to_json(std::runtime_error("no"), kDeviceError)["error"]["hang"].is_null());
}

digits::Pictures shipped(std::size_t count) {
  return digits::parse_pictures(digits::shipped_pictures(), "shipped pictures", count);
}

TEST(Digits, ReportsWrongValueInAnyLayer) {
  const digits::Network network = digits::shipped_network();
  const digits::Pictures pictures = shipped(5);
  digits::ClassifyOptions options;
  options.batch = 2;  // the last batch is smaller
  for (const digits::Layer& broken : network.layers) {
    const auto run_layer = [&](const digits::Layer& layer, const HostTensor8& input, std::size_t batch) {
      Computed<std::int8_t> computed;
      computed.tensor = digits::reference(layer, input);
      if (layer.name == broken.name && batch == 1) {
        computed.tensor.data.back() = static_cast<std::int8_t>(computed.tensor.data.back() ^ 1);
      }
      return computed;
    };
    const digits::Outcome outcome = digits::classify(run_layer, network, pictures, options);
    EXPECT_FALSE(outcome.bit_exact());
    EXPECT_EQ(outcome.answers.size(), 5u);
    for (const digits::LayerOutcome& layer : outcome.layers) {
      EXPECT_EQ(layer.bit_exact(), layer.name != broken.name) << layer.difference;
      if (layer.name == broken.name) {
        EXPECT_EQ(layer.difference.find("layer " + broken.name + ", pictures from 3: 1 of "), 0u) << layer.difference;
      }
    }
  }
}

TEST(Digits, ReportsDifferenceImmediately) {
  const digits::Network network = digits::shipped_network();
  digits::ClassifyOptions options;
  options.golden_threads = 0;
  std::vector<std::string> events;
  options.differs = [&] { events.push_back("differs"); };
  const auto run_layer = [&](const digits::Layer& layer, const HostTensor8& input, std::size_t) {
    events.push_back(layer.name);
    Computed<std::int8_t> computed;
    computed.tensor = digits::reference(layer, input);
    computed.tensor.data.front() =
        static_cast<std::int8_t>(computed.tensor.data.front() ^ (layer.name == "conv1" ? 1 : 0));
    return computed;
  };
  EXPECT_FALSE(digits::classify(run_layer, network, shipped(2), options).bit_exact());
  ASSERT_GT(events.size(), 2u);
  EXPECT_EQ(events[0], "conv1");
  EXPECT_EQ(events[1], "differs");  // before the next layer runs
  EXPECT_EQ(std::count(events.begin(), events.end(), "differs"), 1);
}

TEST(Digits, LayersMatchForEveryBatchSize) {
  const digits::Network network = digits::shipped_network();
  const digits::Pictures pictures = shipped(7);
  Device device = Device::open({}, "model");
  std::vector<std::vector<int>> answers;
  for (const std::size_t batch : {1, 3, 20}) {
    digits::ClassifyOptions options;
    options.batch = batch;
    options.golden_threads = static_cast<unsigned>(batch);
    const digits::Outcome outcome = digits::classify(device, network, pictures, options);
    EXPECT_TRUE(outcome.bit_exact());
    answers.push_back(outcome.answers);
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
}

TEST(Digits, RejectsPicturesOfOtherSize) {
  digits::Pictures pictures{2, 2, {{1, 2, 3, 4}}};
  const auto never = [](const digits::Layer&, const HostTensor8&, std::size_t) -> Computed<std::int8_t> { throw 0; };
  EXPECT_THROW(digits::classify(never, digits::shipped_network(), pictures, {}), std::invalid_argument);
}

}  // namespace
}  // namespace systole::cli
