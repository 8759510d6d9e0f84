// SPDX-License-Identifier: Apache-2.0
// Language models: systole.LanguageModel.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "device_session.hpp"
#include "systole/generation.hpp"

namespace py = pybind11;

namespace systole::python {
namespace {

using generation::Generator;

const char* name_of(generation::Ending ending) {
  switch (ending) {
    case generation::Ending::kText: return "text";
    case generation::Ending::kContext: return "context";
    default: return "tokens";
  }
}

/// Calls work() without the GIL, and alone on the device if there is one.
template <class Work>
auto in_turn(const std::shared_ptr<Session>& session, const Work& work) {
  if (session) {
    return exclusively(*session, work);
  }
  const py::gil_scoped_release others_run;
  return work();
}

/// A Generator on a device of Python's, or on the host.
class PythonGenerator {
 public:
  PythonGenerator(const std::string& model, const std::string& tokenizer, int context, const std::string& precision,
                  std::shared_ptr<Session> session)
      : session_(std::move(session)) {
    Device* device = session_ ? &session_->device : nullptr;
    const auto products = precision == "mx"     ? generation::Products::kBlocks
                          : precision == "int8" ? generation::Products::kInt8
                                                : generation::Products::kFloat32;
    // What was compiled for the device ends in a turn, too.
    generator_ = {new Generator(model, tokenizer, {device, products, context}),
                  [session = session_](Generator* generator) { in_turn(session, [&] { delete generator; }); }};
  }

  py::list generate(const std::vector<std::string>& prompts, int tokens, double temperature, double top_p,
                    std::uint64_t seed, const py::object& progress) {
    const auto tell = [&](std::size_t text, int, const std::string& piece) {
      const py::gil_scoped_acquire python;
      if (PyErr_CheckSignals() != 0) {
        throw py::error_already_set();
      }
      if (!progress.is_none()) {
        progress(text, py::bytes(piece).attr("decode")("utf-8", "replace"));
      }
    };
    const std::vector<generation::Text> texts = in_turn(session_, [&] {
      return generator_->generate(prompts, tokens, {temperature, top_p, seed}, tell);
    });
    py::list list;
    for (const generation::Text& text : texts) {
      py::dict dict;
      dict["text"] = py::bytes(text.continuation).attr("decode")("utf-8", "replace");
      dict["tokens"] = text.tokens;
      dict["prompt_tokens"] = text.prompt;
      dict["ending"] = name_of(text.ending);
      dict["cycles"] = generator_->cycles();
      list.append(dict);
    }
    return list;
  }

  int context() const { return generator_->context(); }

 private:
  std::shared_ptr<Session> session_;
  std::shared_ptr<Generator> generator_;
};

}  // namespace

void bind_generation(py::module_& module) {
  py::class_<PythonGenerator>(module, "Generator")
      .def(py::init<const std::string&, const std::string&, int, const std::string&, std::shared_ptr<Session>>())
      .def("generate", &PythonGenerator::generate)
      .def("context", &PythonGenerator::context);
}

}  // namespace systole::python
