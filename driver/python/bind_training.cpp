// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "device_session.hpp"
#include "export_onnx.hpp"
#include "graph_runner.hpp"
#include "learning_rate.hpp"
#include "loss.hpp"
#include "network_source.hpp"
#include "numpy_values.hpp"
#include "optimizer.hpp"
#include "systole/errors.hpp"
#include "systole/training.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

using training::Data, training::LossKind, training::NamedArray, training::NetworkChoice, training::NamedValues;
using training::OptimizerKind, training::Options, training::ScheduleKind;

/// Arrays of samples: by the network's input, and what messages call them.
using Inputs = std::vector<std::tuple<std::string, std::string, py::array>>;

/// The value of this name among those that an option has.
template <class Kind>
Kind named(const char* option, const std::string& name, std::initializer_list<Kind> kinds) {
  std::vector<std::string> names;
  for (const Kind kind : kinds) {
    names.push_back(training::name_of(kind));
    if (names.back() == name) {
      return kind;
    }
  }
  throw InvalidArgument(fmt::format("{}: '{}'; it is one of {}", option, name, fmt::join(names, ", ")));
}

/// What an option takes, in words.
template <class Member>
constexpr const char* kTakes = nullptr;
template <>
constexpr const char* kTakes<std::int64_t> = "a whole number";
template <>
constexpr const char* kTakes<std::size_t> = "a whole number, 0 or more";
template <>
constexpr const char* kTakes<double> = "a number";
template <>
constexpr const char* kTakes<bool> = "True or False";
template <>
constexpr const char* kTakes<std::string> = "a text";
template <>
constexpr const char* kTakes<std::vector<std::string>> = "a list of texts";
template <>
constexpr const char* kTakes<std::vector<double>> = "a list of numbers";

struct WrongType {
  const char* takes;
};

/// Throws WrongType.
template <class Member>
Member taken(const py::handle& value) {
  try {
    return value.cast<Member>();
  } catch (const py::cast_error&) {
    throw WrongType{kTakes<Member>};
  }
}

/// What sets each option. Ranges are checked by the training itself.
using Setters = std::map<std::string, std::function<void(NetworkChoice&, Options&, const py::handle&)>>;

template <class Member>
auto option(Member Options::*member) {
  return
      [member](NetworkChoice&, Options& options, const py::handle& value) { options.*member = taken<Member>(value); };
}
template <class Part, class Member>
auto option(Part Options::*part, Member Part::*member) {
  return
      [=](NetworkChoice&, Options& options, const py::handle& value) { options.*part.*member = taken<Member>(value); };
}
template <class Member>
auto choice(Member NetworkChoice::*member) {
  return
      [member](NetworkChoice& network, Options&, const py::handle& value) { network.*member = taken<Member>(value); };
}

void set_loss(NetworkChoice&, Options& options, const py::handle& value) {
  options.loss_kind = named("loss", taken<std::string>(value),
                            {LossKind::kCrossEntropy, LossKind::kBinary, LossKind::kMeanSquare, LossKind::kHuber});
}

void set_class_weights(NetworkChoice&, Options& options, const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    if (taken<std::string>(value) != "balanced") {
      throw InvalidArgument(
          fmt::format("class_weights: '{}'; give a number for each class, or 'balanced'", taken<std::string>(value)));
    }
    options.balanced = true;
    return;
  }
  options.loss.class_weights = taken<std::vector<double>>(value);
}

void set_precision(NetworkChoice&, Options& options, const py::handle& value) {
  if (taken<std::string>(value) != "mx") {
    throw InvalidArgument(
        fmt::format("precision: '{}'; expected 'mx', or None for float32", taken<std::string>(value)));
  }
  options.blocks = true;
}

const Setters& setters() {
  using training::Loss, training::Optimizer, training::Schedule;
  static const Setters all = {
      {"loss", set_loss},
      {"huber_delta", option(&Options::loss, &Loss::huber_delta)},
      {"label_smoothing", option(&Options::loss, &Loss::label_smoothing)},
      {"class_weights", set_class_weights},
      {"optimizer",
       [](NetworkChoice&, Options& options, const py::handle& value) {
         options.optimizer.kind =
             named("optimizer", taken<std::string>(value),
                   {OptimizerKind::kSgd, OptimizerKind::kMomentum, OptimizerKind::kAdam, OptimizerKind::kAdamW});
       }},
      {"momentum", option(&Options::optimizer, &Optimizer::momentum)},
      {"beta1", option(&Options::optimizer, &Optimizer::beta1)},
      {"beta2", option(&Options::optimizer, &Optimizer::beta2)},
      {"epsilon", option(&Options::optimizer, &Optimizer::epsilon)},
      {"weight_decay", option(&Options::optimizer, &Optimizer::weight_decay)},
      {"clip_norm", option(&Options::optimizer, &Optimizer::clip_norm)},
      {"schedule",
       [](NetworkChoice&, Options& options, const py::handle& value) {
         options.schedule.kind = named("schedule", taken<std::string>(value),
                                       {ScheduleKind::kConstant, ScheduleKind::kStep, ScheduleKind::kCosine});
       }},
      {"learning_rate", option(&Options::schedule, &Schedule::rate)},
      {"warm_up", option(&Options::schedule, &Schedule::warm_up)},
      {"steps", option(&Options::schedule, &Schedule::steps)},
      {"step_every", option(&Options::schedule, &Schedule::every)},
      {"step_factor", option(&Options::schedule, &Schedule::factor)},
      {"epochs", option(&Options::epochs)},
      {"batch", option(&Options::batch)},
      {"micro_batches", option(&Options::micro_batches)},
      {"patience", option(&Options::patience)},
      {"hold_out", option(&Options::hold_out)},
      {"standardize", option(&Options::standardize)},
      {"seed", option(&Options::seed)},
      {"freeze", option(&Options::freeze)},
      {"prune", option(&Options::pruning, &training::Pruning::share)},
      {"prune_tile", option(&Options::pruning, &training::Pruning::tile)},
      {"precision", set_precision},
      {"scale", choice(&NetworkChoice::scale)},
      {"dropout", choice(&NetworkChoice::dropout)},
      {"batch_normalization", choice(&NetworkChoice::batch_normalization)},
      {"classes", choice(&NetworkChoice::classes)}};
  return all;
}

void set(NetworkChoice& network, Options& options, const py::dict& given) {
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    const auto setter = setters().find(name);
    if (setter == setters().end()) {
      std::vector<std::string> names;
      for (const auto& [known, function] : setters()) {
        names.push_back(known);
      }
      throw InvalidArgument(fmt::format("train: there is no option '{}'; there are {}", name, fmt::join(names, ", ")));
    }
    if (value.is_none()) {
      continue;
    }
    try {
      setter->second(network, options, value);
    } catch (const WrongType& wrong) {
      throw InvalidArgument(fmt::format("{}: {}; give {}", name, py::repr(value).cast<std::string>(), wrong.takes));
    }
  }
}

NetworkChoice network_of(const std::string& name, const std::shared_ptr<graph::Graph>& graph) {
  NetworkChoice network;
  network.name = name;
  if (graph) {
    network.graph = *graph;
  }
  return network;
}

Data data_of(const Inputs& inputs, const std::string& name, const py::array& targets) {
  Data data;
  for (const auto& [input, label, array] : inputs) {
    data.inputs.push_back({input, {label, to_value(array, label)}});
  }
  data.targets = {name, to_value(targets, name)};
  return data;
}

/// Other threads of Python run while a graph does, and the device is free between two graphs. What was compiled for it
/// ends in a turn, too.
training::Runner runner_of(const std::shared_ptr<Session>& session, bool blocks) {
  if (!session) {
    const training::Runner host = training::on_host(blocks);
    return [host](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
      const py::gil_scoped_release others_run;
      return host(graph, inputs);
    };
  }
  const std::shared_ptr<training::GraphRunner> graphs(
      new training::GraphRunner(&session->device, run_options(py::none(), false), blocks),
      [session](training::GraphRunner* runner) { exclusively(*session, [&] { delete runner; }); });
  return [session, graphs](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    return exclusively(*session, [&] { return graphs->run(graph, inputs); });
  };
}

py::dict to_dict(const training::Score& score) {
  py::dict dict;
  dict["loss"] = score.loss;
  for (const auto& [name, value] : score.metrics) {
    dict[name.c_str()] = value;
  }
  return dict;
}

py::dict to_dict(const training::EpochRecord& record) {
  py::dict dict;
  dict["training"] = to_dict(record.training);
  if (record.validation) {
    dict["validation"] = to_dict(*record.validation);
  }
  return dict;
}

py::dict to_dict(const NamedValues& values) {
  py::dict dict;
  for (const auto& [name, value] : values) {
    dict[name.c_str()] = to_array(value);
  }
  return dict;
}

/// A text with the names that the command's options have in Python: "give batch=50 or less" for "give --batch 50 ...".
std::string in_python(const std::string& text) {
  static const std::regex option("--([a-z][a-z0-9-]*)( ([0-9][0-9.]*|cross-entropy|binary|mean-square|huber)\\b)?");
  std::string result;
  auto from = text.begin();
  for (std::sregex_iterator found(text.begin(), text.end(), option), end; found != end; ++found) {
    std::string name = (*found)[1];
    std::replace(name.begin(), name.end(), '-', '_');
    result.append(from, (*found)[0].first);
    from = (*found)[0].second;
    const std::string value = (*found)[3];
    const bool is_number = !value.empty() && value[0] <= '9';
    const char* quote = is_number ? "" : "'";
    result += value.empty() ? name : fmt::format("{}={}{}{}", name, quote, value, quote);
  }
  return result.append(from, text.end());
}

/// Calls a function of the training, whose errors name options as the command does.
template <class Function>
auto with_names_of_python(const Function& function) {
  try {
    return function();
  } catch (const graph::GraphError& error) {
    throw graph::GraphError(in_python(error.what()));
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(in_python(error.what()));
  } catch (const Failure& error) {
    if (typeid(error) != typeid(Failure)) {
      throw;
    }
    throw Failure(in_python(error.what()));
  }
}

/// Calls a function of Python's, which may be None; whether the training goes on. Ctrl-C ends it.
bool go_on(const py::object& progress, const py::dict& record) {
  if (PyErr_CheckSignals() != 0) {
    throw py::error_already_set();
  }
  return progress.is_none() || !progress(record).equal(py::bool_(false));
}

py::dict train(const std::string& name, const std::shared_ptr<graph::Graph>& graph, const Data& data,
               const std::optional<Data>& validation, const py::dict& given, const std::shared_ptr<Session>& session,
               const py::object& progress, const std::string& checkpoint, const std::string& resume) {
  NetworkChoice network = network_of(name, graph);
  Options options;
  set(network, options, given);
  training::Observers observers;
  observers.warning = [](const std::string& line) {
    if (PyErr_WarnEx(PyExc_UserWarning, in_python(line).c_str(), 2) != 0) {
      throw py::error_already_set();
    }
  };
  observers.step = [&](const training::History& history, double rate) {
    py::dict record;
    record["step"] = history.losses.size();
    record["loss"] = history.losses.back();
    record["learning_rate"] = rate;
    return go_on(progress, record);
  };
  observers.epoch = [&](const training::History& history) {
    py::dict record = to_dict(history.epochs.back());
    record["epoch"] = history.epochs.size();
    return go_on(progress, record);
  };
  const training::Result result = with_names_of_python([&] {
    return training::train(network, data, validation ? &*validation : nullptr, options,
                           runner_of(session, options.blocks), observers, {checkpoint, resume});
  });
  py::list epochs;
  for (const training::EpochRecord& record : result.history.epochs) {
    epochs.append(to_dict(record));
  }
  py::dict dict;
  dict["losses"] = py::cast(result.history.losses);
  dict["epochs"] = epochs;
  dict["best_epoch"] = result.best_epoch == 0 ? py::object(py::none()) : py::object(py::int_(result.best_epoch));
  dict["parameters"] = to_dict(result.parameters);
  py::list columns;
  for (const training::Column& column : result.columns) {
    columns.append(py::dict(py::arg("name") = column.name, py::arg("mean") = column.mean,
                            py::arg("deviation") = column.deviation));
  }
  dict["columns"] = columns;
  dict["network"] = std::make_shared<graph::Graph>(result.network);
  return dict;
}

/// A TrainingStep whose states are a number and a dictionary of arrays.
class PythonStep {
 public:
  PythonStep(const std::string& name, const std::shared_ptr<graph::Graph>& graph, const Data& example,
             const py::dict& given, const std::shared_ptr<Session>& session)
      : step_(make(name, graph, example, given, session)) {}

  py::tuple initial() const { return to_tuple(step_.initial()); }

  py::tuple run(std::int64_t number, const py::dict& values, const Data& batch) const {
    const auto [state, loss] = step_(state_of(number, values), batch);
    return py::make_tuple(to_tuple(state), loss);
  }

  std::shared_ptr<graph::Graph> network(std::int64_t number, const py::dict& values) const {
    return std::make_shared<graph::Graph>(step_.network(state_of(number, values)));
  }

  std::size_t parameters() const { return step_.parameters(); }

 private:
  static training::TrainingStep make(const std::string& name, const std::shared_ptr<graph::Graph>& graph,
                                     const Data& example, const py::dict& given,
                                     const std::shared_ptr<Session>& session) {
    NetworkChoice network = network_of(name, graph);
    Options options;
    set(network, options, given);
    return with_names_of_python(
        [&] { return training::TrainingStep(network, example, options, runner_of(session, options.blocks)); });
  }

  static training::TrainingStep::State state_of(std::int64_t number, const py::dict& values) {
    training::TrainingStep::State state{number, {}};
    for (const auto& [name, array] : values) {
      const auto text = name.cast<std::string>();
      state.values.emplace_back(text, to_value(array.cast<py::array>(), text));
    }
    return state;
  }

  static py::tuple to_tuple(const training::TrainingStep::State& state) {
    return py::make_tuple(state.step, to_dict(state.values));
  }

  const training::TrainingStep step_;
};

}  // namespace

void bind_training(py::module_& module) {
  py::class_<Data>(module, "TrainingData").def(py::init(&data_of));
  module.def("train", &train);
  module.def("is_built_network", [](const std::string& name) {
    training::check_network_name(name);
    return training::is_built(name);
  });
  module.def("to_onnx", [](const graph::Graph& graph, const std::string& path) {
    training::check_name_of_network(path, false);
    const graph::Bytes bytes = training::to_onnx(graph);
    return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  py::class_<PythonStep>(module, "TrainingStep")
      .def(py::init<const std::string&, const std::shared_ptr<graph::Graph>&, const Data&, const py::dict&,
                    const std::shared_ptr<Session>&>())
      .def("initial", &PythonStep::initial)
      .def("run", &PythonStep::run)
      .def("network", &PythonStep::network)
      .def("parameters", &PythonStep::parameters);
}

}  // namespace systole::python
