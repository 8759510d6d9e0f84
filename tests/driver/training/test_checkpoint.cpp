// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "networks.hpp"
#include "small_pictures.hpp"
#include "systole/execute.hpp"
#include "systole/file_error.hpp"

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

  Trainer trainer() const { return {stepper_, evaluation_}; }
  void run(Trainer& trainer, int steps) const {
    for (int i = 0; i < steps; ++i) {
      trainer.step(data_, trainer.order(data_));
      if (trainer.state().batch == trainer.batches(data_)) {
        trainer.end_epoch(data_.kind, &data_);
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
  const EpochSize size_ = {3, 16};
  Step step_, evaluation_;
  const Stepper stepper_{
      step_, optimizer_, {ScheduleKind::kConstant, 0.003}, 5, [](const auto& graph, const auto& inputs) {
        return execute(graph, inputs);
      }};
};

TEST_F(Checkpoints, GoOnWithTheSameBits) {
  Trainer whole = trainer(), first = trainer(), second = trainer();
  run(whole, 8);
  run(first, 4);
  save_checkpoint(path_, first.state(), step_, kSettings);
  second.state() = load_checkpoint(path_, step_, evaluation_, kSettings, size_);
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

/// The state of a training that is stopped during a validation.
TEST_F(Checkpoints, GoOnBeforeAValidation) {
  Trainer whole = trainer(), first = trainer(), second = trainer();
  run(whole, 4);
  for (int i = 0; i < 3; ++i) {
    first.step(data_, first.order(data_));
  }
  save_checkpoint(path_, first.state(), step_, kSettings);
  second.state() = load_checkpoint(path_, step_, evaluation_, kSettings, size_);
  EXPECT_EQ(second.state().batch, second.batches(data_));
  second.end_epoch(data_.kind, &data_);
  run(second, 1);
  EXPECT_EQ(second.state().history.losses, whole.state().history.losses);
  ASSERT_EQ(second.state().history.epochs.size(), 1U);
  EXPECT_EQ(second.state().history.epochs[0].validation->loss, whole.state().history.epochs[0].validation->loss);
  EXPECT_EQ(second.state().best->epoch, 1);
}

TEST_F(Checkpoints, OnlyForTheSameTraining) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  EXPECT_THAT(
      [&] {
        load_checkpoint(path_, step_, evaluation_, {{"--batch", "32"}}, size_);
      },
      ThrowsMessage<Failure>(HasSubstr("was made with --batch 16, not 32")));
}

TEST_F(Checkpoints, DamageIsFound) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  damage(2000);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings, size_); },
              ThrowsMessage<Failure>(HasSubstr("does not match its checksum")));
  std::filesystem::resize_file(path_, 3000);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings, size_); },
              ThrowsMessage<Failure>(HasSubstr("not an archive of arrays")));
  std::filesystem::remove(path_);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings, size_); },
              ThrowsMessage<Failure>(HasSubstr("No such file")));
}

TEST_F(Checkpoints, ValuesAreFinite) {
  Trainer broken = trainer();
  graph::Value& value = broken.state().values[0];
  auto elements = graph::elements<float>(value);
  elements[3] = std::numeric_limits<float>::infinity();
  value = make_value(value.type, value.shape, elements);
  save_checkpoint(path_, broken.state(), step_, kSettings);
  EXPECT_THAT([&] { load_checkpoint(path_, step_, evaluation_, kSettings, size_); },
              ThrowsMessage<Failure>(HasSubstr("conv1.weight.npy: element 3 is inf")));
}

/// After an epoch of three steps with a validation, and a step.
class StateTexts : public Checkpoints {
 protected:
  StateTexts() {
    Trainer trainer = this->trainer();
    run(trainer, 4);
    text_ = nlohmann::json::parse(state_text(trainer.state(), kSettings));
  }

  void refused(const char* pointer, const nlohmann::json& value, const char* why) const {
    nlohmann::json changed = text_;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THAT([&] { parse_state(changed.dump(), size_); }, ThrowsMessage<Failure>(HasSubstr(why)))
        << pointer << " = " << value;
  }

  nlohmann::json text_;
};

TEST_F(StateTexts, AreReadAgain) {
  const State state = parse_state(text_.dump(), size_);
  EXPECT_EQ(state.epoch, 1);
  EXPECT_EQ(state.batch, 1);
  EXPECT_EQ(state.history.losses.size(), 4U);
  EXPECT_EQ(parse_settings(text_.dump()), kSettings);
}

TEST_F(StateTexts, NumbersHaveTheirRanges) {
  const std::int64_t huge = std::int64_t{1} << 62;
  refused("/format", 1, "format is 1; this version reads 3");
  refused("/batch", -1, "batch is -1; it must be a whole number from 0 to 3");
  refused("/batch", huge, "batch is 4611686018427387904; it must be a whole number from 0 to 3");
  refused("/batch", 1.9, "batch is 1.9; it must be a whole number");
  refused("/batch", "1", "batch is \"1\"; it must be a whole number");
  refused("/epoch", -5, "epoch is -5; it must be a whole number of 0 or more");
  refused("/epoch", std::uint64_t{1} << 63, "epoch is 9223372036854775808; it must be a whole number");
  refused("/metric_sum", "x", "metric_sum is \"x\"; it must be a number of 0 or more");
  refused("/metric_sum", -7, "metric_sum is -7; it must be a number of 0 or more");
  refused("/loss_sum", nullptr, "loss_sum is null; it must be a finite number");
  refused("/losses", nlohmann::json::object(), "losses is object; it must be a list");
  refused("/losses/2", "x", "losses[2] is \"x\"; it must be a finite number");
  refused("/epochs/0", 4, "epochs[0] is 4, not an object");
  refused("/epochs/0/training/metrics/0/value", 1.5,
          "epochs[0].training.metrics[0].value is 1.5; it must be a number from 0 to 1");
  refused("/epochs/0/training/metrics/0/name", 3, "epochs[0].training.metrics[0].name is 3; it must be a text");
  refused("/epochs/0/validation/loss", nullptr, "epochs[0].validation.loss is null");
}

TEST_F(StateTexts, NumbersAgree) {
  refused("/epoch", 2, "epoch is 2, but the records of epochs are 1");
  refused("/batch", 2, "the number of losses is 4, but the steps up to this epoch and batch are 5");
  refused("/losses", nlohmann::json::array(),
          "the number of losses is 0, but the steps up to this epoch and batch are 4");
  refused("/losses/0", 1000, "epochs[0].training.loss is");
  refused("/losses/3", 1000, "the sum of this epoch's losses is 1000");
  refused("/loss_sum", 1e308, "loss_sum is 1e+308, but the sum of this epoch's losses is");
  refused("/best/epoch", 2, "best.epoch is 2, but the smallest loss is that of epoch 1");
  refused("/best/loss", -1, "best.loss is -1, but that epoch's validation has");
  nlohmann::json without = text_;
  without.erase("best");
  EXPECT_THAT([&] { parse_state(without.dump(), size_); }, ThrowsMessage<Failure>(HasSubstr("best is missing")));
  without.erase("metric_sum");
  EXPECT_THAT([&] { parse_state(without.dump(), size_); }, ThrowsMessage<Failure>(HasSubstr("metric_sum is missing")));
}

TEST_F(StateTexts, AreJson) {
  EXPECT_THROW(parse_state("{", size_), Failure);
  EXPECT_THROW(parse_state("[]", size_), Failure);
  EXPECT_THROW(parse_settings(R"({"format": 3, "settings": 3})"), Failure);
}

TEST_F(Checkpoints, AFileThatCannotBeReplacedStays) {
  save_checkpoint(path_, trainer().state(), step_, kSettings);
  const auto before = std::filesystem::last_write_time(path_);
  EXPECT_THAT([&] { save_checkpoint(path_ + "/x", trainer().state(), step_, kSettings); },
              ThrowsMessage<FileError>(HasSubstr("Not a directory")));
  EXPECT_EQ(std::filesystem::last_write_time(path_), before);
}

}  // namespace
}  // namespace systole::training
