// SPDX-License-Identifier: Apache-2.0
// `systole matmul`
#include <memory>

#include "commands.hpp"
#include "report_run.hpp"
#include "workloads.hpp"

namespace systole::cli {

void add_matmul(CLI::App& program, Session& session) {
  auto* command = program.add_subcommand(
      "matmul",
      "Matrix product of random int8 matrices, m x k times k x n, compared with the golden model bit for bit");
  struct Values {
    DeviceOptions device;
    MatmulShape shape;
  };
  auto values = std::make_shared<Values>();
  const auto size = [&](const char* option, int& value, const char* help) {
    command->add_option(option, value, help)->check(CLI::Range(1, 65536))->capture_default_str();
  };
  size("--m", values->shape.m, "rows of the left matrix and of the result");
  size("--n", values->shape.n, "columns of the right matrix and of the result");
  size("--k", values->shape.k, "columns of the left matrix, rows of the right one");
  command->add_flag("--raw", values->shape.raw, "int32 sums instead of bias and requantization to int8");
  add_device_options(*command, values->device);
  command->footer(
      "Examples:\n"
      "  systole matmul --m 256 --n 256 --k 256\n"
      "  systole matmul --m 100 --n 7 --k 33 --raw --config tiny --stall 30\n"
      "  systole matmul --config tiny --trace waves/out/matmul.fst ; scripts/waves --open waves/out/matmul.fst\n"
      "  systole matmul --m 4096 --n 4096 --k 4096 --device model --json -");
  command->callback([values, &session] {
    check_layer(values->device.trace, {"matmul"});
    Device device = open_device(values->device);
    MemoryPlans plans(device, values->device, 1);
    finish(run_matmul(device, "matmul", values->shape, settings_of(values->device)), plans, values->device, session);
    finish_recordings(values->device, device);
  });
}

}  // namespace systole::cli
