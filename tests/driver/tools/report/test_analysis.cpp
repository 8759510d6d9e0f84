// SPDX-License-Identifier: Apache-2.0
// Roofline, bounds and losses of hand-made runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis.hpp"
#include "example.hpp"
#include "synchronize.hpp"

namespace systole::report {
namespace {

using test::causes_of;
using test::layer_json;
using test::parsed;

Analysis analysed(const nlohmann::ordered_json& json) {
  const RunFile run = parsed(json);
  return analyse(run.layers[0], run.dim);
}

TEST(RooflineOf, UsesBusierDirection) {
  const auto roof = analysed(layer_json()).roofline;
  ASSERT_TRUE(roof);
  EXPECT_DOUBLE_EQ(roof->intensity, 76'800.0 / (300 * 16));
  EXPECT_DOUBLE_EQ(roof->achieved, 76.8);
  EXPECT_DOUBLE_EQ(roof->attainable, 256);
  EXPECT_EQ(roof->roof, Part::kArray);
}

TEST(RooflineOf, LowIntensityIsBusBound) {
  auto json = layer_json();
  json["read_beats"] = 900;
  auto roof = analysed(json).roofline;
  EXPECT_DOUBLE_EQ(roof->attainable, 76'800.0 / 900);
  EXPECT_EQ(roof->roof, Part::kReadChannel);
  json["write_beats"] = 950;
  roof = analysed(json).roofline;
  EXPECT_DOUBLE_EQ(roof->attainable, 76'800.0 / 950);
  EXPECT_EQ(roof->roof, Part::kWriteChannel);
}

TEST(RooflineOf, NeedsWorkAndTraffic) {
  auto json = layer_json();
  json.erase("read_beats");
  EXPECT_FALSE(analysed(json).roofline);
  json = layer_json();
  json["macs"] = 0;
  EXPECT_FALSE(analysed(json).roofline);
}

TEST(BoundOf, IsTheBusiestPart) {
  auto json = layer_json();
  EXPECT_EQ(analysed(json).bound.part, Part::kLoad);
  EXPECT_DOUBLE_EQ(analysed(json).bound.share, 0.7);
  EXPECT_TRUE(analysed(json).bound.limits());
  json["write_beats"] = 950;
  EXPECT_EQ(analysed(json).bound.part, Part::kWriteChannel);
  json["write_beats"] = 0;
  json["causes"]["LOAD"] = causes_of(1000, {});
  json["causes"]["MXU"] = causes_of(1000, {{isa::Cause::kWorking, 400}, {isa::Cause::kSemaphore, 200}});
  EXPECT_EQ(analysed(json).bound.part, Part::kArray);
  EXPECT_FALSE(analysed(json).bound.limits());
}

TEST(LossesOf, AddUpAndAreInOrder) {
  const Analysis analysis = analysed(layer_json());
  EXPECT_EQ(analysis.engine, isa::Engine::kMxu);
  EXPECT_DOUBLE_EQ(analysis.utilization, 0.3);
  double lost = 0;
  for (std::size_t i = 0; i < analysis.losses.size(); ++i) {
    lost += analysis.losses[i].share;
    EXPECT_TRUE(i == 0 || analysis.losses[i - 1].cycles >= analysis.losses[i].cycles);
  }
  EXPECT_NEAR(lost, 1 - analysis.utilization, 1e-9);
}

TEST(LossesOf, AreSentences) {
  const Analysis analysis = analysed(layer_json());
  std::vector<std::string> sentences;
  for (const Loss& loss : analysis.losses) {
    sentences.push_back(loss.sentence);
  }
  EXPECT_EQ(analysis.headline,
            "The array did useful work in 30.0 % of its slots; 70.0 % was lost, and 1.0 % multiplied padding.");
  EXPECT_THAT(sentences,
              testing::ElementsAre(
                  "30.0 % (as much as 300 cycles) went into rounding operands up to whole 16 x 16 tiles.",
                  "MXU had no instruction for 20.0 % (200 cycles): what it does next was yet to be dispatched.",
                  "MXU waited 19.0 % (190 cycles) for LOAD, on semaphore 1.",
                  "MXU waited 1.0 % (10 cycles) for VPU, on semaphore 9."));
  EXPECT_EQ(analysis.because, "LOAD was the limit: it worked in 70.0 % of the cycles.");
}

TEST(LossesOf, ExplainLateProducer) {
  auto json = layer_json();
  json["causes"]["LOAD"] = causes_of(1000, {{isa::Cause::kWorking, 300}, {isa::Cause::kMemoryLatency, 600}});
  EXPECT_EQ(analysed(json).because,
            "LOAD, waited for longest, worked in 30.0 %; most of its other cycles: memory latency (60.0 %).");
}

TEST(LossesOf, FallBackToTotalWaits) {
  auto json = layer_json();
  json.erase("semaphore_waits");
  const Analysis analysis = analysed(json);
  EXPECT_EQ(analysis.losses[1].sentence, "MXU waited 20.0 % (200 cycles) for other engines, on semaphores.");
  EXPECT_EQ(analysis.because, "");
}

TEST(LossesOf, UseBusiestEngineWithoutProducts) {
  auto json = layer_json();
  json["macs"] = 0;
  const Analysis analysis = analysed(json);
  EXPECT_EQ(analysis.engine, isa::Engine::kLoad);
  EXPECT_EQ(analysis.headline, "No multiply-accumulates. LOAD, the busiest engine, worked in 70.0 % of the cycles.");
  ASSERT_EQ(analysis.losses.size(), 2u);
  EXPECT_EQ(analysis.losses[1].sentence,
            "LOAD waited 10.0 % (100 cycles) for the first answer of the memory (latency).");
}

/// The compiler assigns the numbers; the report must use the same rule.
TEST(ProducerOf, AgreesWithTheCompiler) {
  const std::array<isa::Instruction, kEngineCount> instructions = {isa::Load{}.encode(), isa::Conv{}.encode(),
                                                                   isa::Maxpool{}.encode(), isa::Store{}.encode()};
  for (std::size_t from = 0; from < instructions.size(); ++from) {
    for (std::size_t to = 0; to < instructions.size(); ++to) {
      if (from == to) {
        continue;
      }
      compiler::Synchronizer synchronizer;
      compiler::Event producer, consumer;
      producer.work.engine = static_cast<isa::Engine>(from);
      consumer.work.engine = static_cast<isa::Engine>(to);
      consumer.after[from] = synchronizer.append(instructions[from], producer, 0);
      synchronizer.append(instructions[to], consumer, 0);
      const auto semaphores = isa::decode_semaphores(synchronizer.finish().instructions.at(1));
      ASSERT_EQ(semaphores.wait0_amount, 1);
      EXPECT_EQ(producer_of(semaphores.wait0_sem, consumer.work.engine), producer.work.engine);
    }
  }
  EXPECT_FALSE(producer_of(16, isa::Engine::kLoad));
  EXPECT_FALSE(producer_of(1, isa::Engine::kVpu));
}

}  // namespace
}  // namespace systole::report
