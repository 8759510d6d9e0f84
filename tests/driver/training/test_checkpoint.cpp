// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "networks.hpp"
#include "small_pictures.hpp"
#include "systole/errors.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Settings kSettings = {{"--batch", "16"}};

class Checkpoints : public testing::Test {
 protected:
  Checkpoints() {
    NetworkOptions options;
    options.batch = 16;
    options.height = options.width = 10;
    options.scale = 0.1;
    options.dropout = 0.2;
    step_ = training_step(cnn(options), optimizer_);
    options.training = false;
    evaluation_ = evaluation_step(cnn(options));
  }
  ~Checkpoints() override { std::filesystem::remove(path_); }

  Trainer trainer() const {
    return {step_,      evaluation_,
            optimizer_, {ScheduleKind::kConstant, 0.003},
            5,          [](const auto& graph, const auto& inputs) { return execute(graph, inputs); }};
  }
  void run(Trainer& trainer, int steps) const {
    for (int i = 0; i < steps; ++i) {
      trainer.step(data_, trainer.order(data_));
      if (trainer.state().batch == trainer.batches(data_)) {
        trainer.end_epoch(&data_);
      }
    }
  }
  void damage(std::streamoff at) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << std::string(64, '\x55');
  }

  const Optimizer optimizer_{OptimizerKind::kAdam};
  const Dataset data_ = small_pictures(50, 1, 10);  // three batches of an epoch
  const std::string path_ = testing::TempDir() + "checkpoint.npz";
  Step step_, evaluation_;
};

TEST_F(Checkpoints, GoOnWithTheSameBits) {
  Trainer whole = trainer(), first = trainer(), second = trainer();
  run(whole, 8);
  run(first, 4);
  save_checkpoint(path_, first.state(), step_, kSettings);
  second.state() = load_checkpoint(path_, step_, evaluation_, kSettings);
  run(second, 4);
  EXPECT_EQ(second.state().history.losses, whole.state().history.losses);
  ASSERT_EQ(second.state().values.size(), whole.state().values.size());
  for (std::size_t i = 0; i < whole.state().values.size(); ++i) {
    EXPECT_EQ(second.state().values[i].data, whole.state().values[i].data) << step_.variables[i].name;
  }
  ASSERT_EQ(second.state().history.epochs.size(), 2U);
  EXPECT_EQ(second.state().history.epochs[1].training.loss, whole.state().history.epochs[1].training.loss);
  EXPECT_EQ(second.state().best->loss, whole.state().best->loss);
  EXPECT_EQ(second.state().best->parameters[0].data, whole.state().best->parameters[0].data);
}

TEST_F(Checkpoints, OnlyForTheSameTraining) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  EXPECT_THAT(
      [&] {
        load_checkpoint(path_, step_, evaluation_, {{"--batch", "32"}});
      },
      ThrowsMessage<Failure>(HasSubstr("was made with --batch 16, not 32")));
}

TEST_F(Checkpoints, WithoutMicroBatchesHasOne) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  Settings settings = kSettings;
  settings["--micro-batches"] = "1";
  load_checkpoint(path_, step_, evaluation_, settings);
  settings["--micro-batches"] = "4";
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, settings); },
              ThrowsMessage<Failure>(HasSubstr("was made with --micro-batches 1, not 4")));
}

TEST_F(Checkpoints, DamageIsFound) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  damage(2000);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings); },
              ThrowsMessage<Failure>(HasSubstr("does not match its checksum")));
  std::filesystem::resize_file(path_, 3000);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings); },
              ThrowsMessage<Failure>(HasSubstr("not an archive of arrays")));
  std::filesystem::remove(path_);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings); },
              ThrowsMessage<Failure>(HasSubstr("cannot be opened")));
}

TEST_F(Checkpoints, AFileThatCannotBeReplacedStays) {
  EXPECT_THAT([&] { replace_file(testing::TempDir() + "no folder/x", {}); },
              ThrowsMessage<Failure>(HasSubstr("cannot be written: No such file")));
}

}  // namespace
}  // namespace systole::training
