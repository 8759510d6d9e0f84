// SPDX-License-Identifier: Apache-2.0
// The conformance list over every back end and configuration of this build. On the model every program passes the
// legality and race checkers first.
//
//   test_cosim --gtest_filter='model_default/*'     one back end and configuration
//   SYSTOLE_SEED=n                                  other operands, other stalls
//
// The `stalled` instances run on a memory that stalls every channel at random and answers reads out of order: what is
// right there does not rest on timing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "cases.hpp"
#include "cosim.hpp"
#include "functional_coverage.hpp"
#include "seed.hpp"
#include "systole/backends.hpp"
#include "systole/configurations.hpp"

namespace systole::cosim {
namespace {

struct Parameter {
  std::string backend;
  std::string configuration;
  bool stalled;
  Case test;
};

void PrintTo(const Parameter& p, std::ostream* out) {
  *out << p.backend << ' ' << p.configuration << ' ' << p.test.name;
}

/// One device for all cases of a back end and configuration: each case also checks that the previous one left it in
/// order.
class Operators : public ::testing::TestWithParam<Parameter> {
 protected:
  static std::unique_ptr<Device>& device() {
    static std::unique_ptr<Device> instance;
    return instance;
  }
  static void TearDownTestSuite() { device().reset(); }

  void SetUp() override {
    if (!device()) {
      BackendOptions options;
      options.configuration = GetParam().configuration;
      options.memory_bytes = std::uint64_t{64} << 20;
      options.seed = test::seed();
      if (GetParam().stalled) {
        options.stall_percent = 40;
        options.order = ResponseOrder::kRandom;
      }
      device() = std::make_unique<Device>(Device::open(test::traced(options), GetParam().backend));
    }
  }
};

TEST_P(Operators, AgreeWithGolden) {
  RunOptions options;
  options.check = GetParam().backend == "model";
  const std::uint64_t seed = test::seed() ^ std::hash<std::string>{}(GetParam().test.name);
  const auto difference = GetParam().test.run(*device(), options, seed);
  EXPECT_FALSE(difference.has_value()) << difference.value_or("");
  if (GetParam().backend == "rtl") {
    const int dim = device()->configuration().dim;
    test::ran(GetParam().test.operation, test::shape_class(dim, GetParam().test.extents), GetParam().stalled, "NONE");
  }
}

std::vector<Parameter> parameters(const std::string& backend, const std::string& configuration, bool stalled = false) {
  std::vector<Parameter> list;
  if (has_backend(backend)) {
    for (const Case& test : operator_cases(find_configuration(configuration).dim)) {
      list.push_back({backend, configuration, stalled, test});
    }
  }
  return list;
}

std::string name(const ::testing::TestParamInfo<Parameter>& info) { return info.param.test.name; }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Operators);
INSTANTIATE_TEST_SUITE_P(model_tiny, Operators, ::testing::ValuesIn(parameters("model", "tiny")), name);
INSTANTIATE_TEST_SUITE_P(model_small, Operators, ::testing::ValuesIn(parameters("model", "small")), name);
INSTANTIATE_TEST_SUITE_P(model_default, Operators, ::testing::ValuesIn(parameters("model", "default")), name);
INSTANTIATE_TEST_SUITE_P(model_large, Operators, ::testing::ValuesIn(parameters("model", "large")), name);
INSTANTIATE_TEST_SUITE_P(model_nano, Operators, ::testing::ValuesIn(parameters("model", "nano")), name);
INSTANTIATE_TEST_SUITE_P(model_default_int8, Operators, ::testing::ValuesIn(parameters("model", "default_int8")), name);
INSTANTIATE_TEST_SUITE_P(rtl_tiny, Operators, ::testing::ValuesIn(parameters("rtl", "tiny")), name);
INSTANTIATE_TEST_SUITE_P(rtl_small, Operators, ::testing::ValuesIn(parameters("rtl", "small")), name);
INSTANTIATE_TEST_SUITE_P(rtl_default, Operators, ::testing::ValuesIn(parameters("rtl", "default")), name);
INSTANTIATE_TEST_SUITE_P(rtl_large, Operators, ::testing::ValuesIn(parameters("rtl", "large")), name);
INSTANTIATE_TEST_SUITE_P(rtl_nano, Operators, ::testing::ValuesIn(parameters("rtl", "nano")), name);
INSTANTIATE_TEST_SUITE_P(rtl_default_int8, Operators, ::testing::ValuesIn(parameters("rtl", "default_int8")), name);
INSTANTIATE_TEST_SUITE_P(stalled_tiny, Operators, ::testing::ValuesIn(parameters("rtl", "tiny", true)), name);
INSTANTIATE_TEST_SUITE_P(stalled_default, Operators, ::testing::ValuesIn(parameters("rtl", "default", true)), name);

}  // namespace
}  // namespace systole::cosim
