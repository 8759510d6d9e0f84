// SPDX-License-Identifier: Apache-2.0
// The compiler's passes: each has a name, runs alone, and prints what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "check_macs.hpp"
#include "layer_listing.hpp"
#include "layer_passes.hpp"
#include "make_steps.hpp"
#include "simplify.hpp"
#include "systole/compiled_network.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "systole/pass_log.hpp"
#include "systole/zoo.hpp"

namespace systole::network {
namespace {

using testing::HasSubstr;

std::string name_of(Transformation which) {
  return std::string(transformation_texts()[static_cast<std::size_t>(which)].name);
}

std::vector<std::string> all_passes() {
  std::vector<std::string> names;
  for (const TransformationText& text : transformation_texts()) {
    if (text.of.empty()) {
      names.emplace_back(text.name);
    }
  }
  return names;
}

PassLog compiled(const graph::Graph& graph, std::vector<std::string> listed, std::vector<std::string> without = {}) {
  PassLog log(std::move(listed));
  compile_network(graph, find_configuration("default"), {std::move(without), {}, &log});
  return log;
}

/// The listing after the first run of a pass.
std::string listing_after(const PassLog& log, const std::string& pass) {
  for (const PassRun& run : log.runs()) {
    if (run.pass == pass) {
      return run.listing;
    }
  }
  return "no run of " + pass;
}

/// All passes run on every network, except those of files and of batches, and all print it.
TEST(Passes, AllAreLogged) {
  const PassLog log = compiled(zoo::network("resnet8", 1), all_passes());
  std::set<std::string> seen;
  for (const PassRun& run : log.runs()) {
    seen.insert(std::string(run.pass));
    EXPECT_FALSE(run.listing.empty()) << run.pass;
    EXPECT_GE(run.milliseconds, 0) << run.pass;
  }
  const std::set<std::string> elsewhere{"fold_constants", "move_transposes",     "split_transposes",
                                        "remove_unused",  "quantized_operators", "batch"};
  for (const std::string& name : all_passes()) {
    EXPECT_EQ(seen.count(name), elsewhere.count(name) == 0 ? 1U : 0U) << name;
  }
}

TEST(Passes, OfGraphsAreLogged) {
  graph::Graph graph = zoo::network("resnet8", 1);
  PassLog log(all_passes());
  Transformations transformations({"split_transposes"}, &log);
  graph::simplify(graph, 1 << 20, transformations);
  std::vector<std::string> seen;
  for (const PassRun& run : log.runs()) {
    seen.emplace_back(run.pass);
    EXPECT_THAT(run.listing, HasSubstr("Conv2d 3x3 pad 1,1,1,1"));
    EXPECT_EQ(run.after.count, 16U);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"fold_constants", "move_transposes", "split_transposes", "fold_constants",
                                            "remove_unused"}));
}

TEST(Passes, OnlyThoseAskedForAreListed) {
  const PassLog log = compiled(zoo::network("ad", 1), {"lower"});
  for (const PassRun& run : log.runs()) {
    EXPECT_EQ(run.listing.empty(), run.pass != "lower") << run.pass;
  }
}

TEST(Passes, UnknownNamesListAll) {
  try {
    PassLog log({"additions", "addition"});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'addition' is not a pass"));
    for (const std::string& name : all_passes()) {
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  }
  try {
    PassLog log({"heads"});
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "'heads' is part of the pass lower: name that one");
  }
}

TEST(Passes, ThoseWithoutAChoiceStay) {
  EXPECT_THROW(Transformations({"lower"}), InvalidArgument);
  EXPECT_EQ(Transformations().counts().count("lower"), 0U);
}

/// How a network of residual blocks becomes layers.
TEST(Passes, TellAStory) {
  const PassLog log = compiled(zoo::network("resnet8", 1), all_passes());
  const std::string lowered = listing_after(log, "lower"), added = listing_after(log, "additions"),
                    flat = listing_after(log, "flattening"), emitted = listing_after(log, "emit");
  EXPECT_THAT(lowered, HasSubstr("3   add                              vector unit       @0 1x32x32x16 int8, "
                                 "@2 1x32x32x16 int8 -> @3 1x32x32x16 int8                  ADD_1\n"));
  EXPECT_THAT(added, HasSubstr("2,3    conv 3x3 pad 1,1,1,1 + add       matrix unit       @1 1x32x32x16 int8, "
                               "@0 1x32x32x16 int8 -> @3 1x32x32x16 int8  2,359,296 MACs  CONV_2D_3 + ADD_1\n"));
  EXPECT_THAT(flat, HasSubstr("13,14  conv 1x1 "));
  EXPECT_THAT(emitted, HasSubstr(" cycles are expected\n"));
  for (const PassRun& run : log.runs()) {
    if (run.pass == "additions") {
      EXPECT_EQ(run.before.count, 16U);
      EXPECT_EQ(run.after.count, 13U);
      EXPECT_EQ(run.applied, 3);
    }
  }
}

TEST(Passes, SwitchedOffChangeNothing) {
  const PassLog log = compiled(zoo::network("resnet8", 1), {"additions"}, {"additions"});
  for (const PassRun& run : log.runs()) {
    if (run.pass == "additions") {
      EXPECT_EQ(run.applied, 0);
      EXPECT_EQ(run.before.count, run.after.count);
    }
  }
}

class Alone : public testing::TestWithParam<std::size_t> {};

/// A pass alone leaves layers that still do the work of the graph, and read what earlier ones compute.
TEST_P(Alone, LeavesWholeNetworks) {
  const LayerPass& pass = layer_passes()[GetParam()];
  const Configuration& configuration = find_configuration("default");
  const std::set<int> plain;
  for (const char* name : {"resnet8", "vww", "kws", "ad", "kwt1", "matmul_512_mx"}) {
    const graph::Graph graph = zoo::network(name, 1);
    const graph::IndexedGraph indexed(graph);
    Transformations transformations;
    for (Step& step : make_steps(indexed, configuration, {}, {}, transformations)) {
      auto* segment = std::get_if<Segment>(&step);
      if (segment == nullptr) {
        continue;
      }
      SegmentContext context{*segment, indexed, configuration, plain};
      run_pass(pass, context, transformations);
      check_macs(*segment, graph);
      std::set<graph::TensorId> known(segment->inputs.begin(), segment->inputs.end());
      for (const Layer& layer : segment->layers) {
        for (const graph::TensorId id : layer.inputs) {
          EXPECT_EQ(known.count(id), 1U) << name_of(pass.which) << " on " << name << ": " << layer.name;
        }
        known.insert({layer.output, layer.words_output});
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, Alone, testing::Range<std::size_t>(0, layer_passes().size()),
                         [](const testing::TestParamInfo<std::size_t>& info) {
                           return name_of(layer_passes()[info.param].which) + "_" + std::to_string(info.param);
                         });

}  // namespace
}  // namespace systole::network
