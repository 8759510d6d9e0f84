// SPDX-License-Identifier: Apache-2.0
#include "statistics_dict.hpp"

namespace systole::python {

namespace py = pybind11;

namespace {

/// {"MXU": {"WORKING": cycles, ...}, ...}
py::dict causes_dict(const CauseTable& causes) {
  py::dict engines;
  for (int e = 0; e < kEngineCount; ++e) {
    py::dict cycles;
    for (int c = 0; c < kCauseCount; ++c) {
      cycles[isa::to_string(static_cast<isa::Cause>(c))] =
          causes[static_cast<std::size_t>(e)][static_cast<std::size_t>(c)];
    }
    engines[isa::to_string(static_cast<isa::Engine>(e))] = cycles;
  }
  return engines;
}

py::dict layer_dict(const LayerReport& layer) {
  py::dict dict;
  dict["name"] = layer.name;
  dict["shape"] = layer.shape;
  dict["on_device"] = true;
  dict["macs"] = layer.macs;
  dict["cycles"] = layer.cycles;
  dict["predicted_cycles"] = layer.predicted_cycles;
  dict["read_bytes"] = layer.read_bytes;
  dict["write_bytes"] = layer.write_bytes;
  dict["causes"] = causes_dict(layer.causes);
  dict["window"] = layer.last_cycle > 0 ? py::object(py::make_tuple(layer.first_cycle, layer.last_cycle)) : py::none();
  return dict;
}

py::dict host_dict(const StepReport& step) {
  py::dict dict;
  dict["name"] = step.name;
  dict["on_device"] = false;
  dict["reason"] = step.reason;
  return dict;
}

}  // namespace

py::dict to_dict(const RunStats& stats, std::int64_t predicted_cycles) {
  py::dict dict;
  dict["macs"] = stats.useful_macs;
  dict["cycles"] = stats.cycles;
  dict["predicted_cycles"] = predicted_cycles;
  dict["commands"] = stats.commands;
  dict["read_beats"] = stats.read_beats;
  dict["write_beats"] = stats.write_beats;
  dict["causes"] = causes_dict(stats.causes);
  dict["nonfinite"] = stats.nonfinite;
  return dict;
}

py::dict to_dict(const std::vector<StepReport>& steps) {
  RunStats sum;
  std::int64_t predicted = 0;
  py::list layers;
  for (const StepReport& step : steps) {
    if (!step.on_device) {
      layers.append(host_dict(step));
      continue;
    }
    sum += step.stats;
    predicted += step.predicted_cycles;
    for (const LayerReport& layer : step.layers) {
      layers.append(layer_dict(layer));
    }
  }
  py::dict dict = to_dict(sum, predicted);
  dict["layers"] = layers;
  py::list nonfinite;
  if (const StepReport* first = first_nonfinite(steps)) {
    for (const LayerReport& layer : first->layers) {
      nonfinite.append(layer.name);
    }
  }
  dict["nonfinite_in"] = nonfinite;
  return dict;
}

}  // namespace systole::python
