// SPDX-License-Identifier: Apache-2.0
#include "operator_cases.hpp"
#include "systole/execute.hpp"

int main(int argc, char** argv) {
  using namespace systole;
  test::Backend backend;
  backend.help =
      "TensorFlow Lite's operators on the host, one by one, against recorded results.\n"
      "  test_tflite_operators --data vectors/tflite_ops --list kinds.txt --kind CONV_2D --verbose";
  backend.names = {"host"};
  backend.open = [](const std::string&, const std::string&) -> test::MakeRunnable {
    return [](const graph::Graph& graph) {
      return test::Runnable{[graph](const std::vector<graph::Value>& inputs) { return graph::execute(graph, inputs); },
                            "by request"};
    };
  };
  return test::run_operator_cases(argc, argv, backend);
}
