// SPDX-License-Identifier: Apache-2.0
#include "network_source.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "fit_targets.hpp"
#include "freeze.hpp"
#include "imported.hpp"
#include "index_limit.hpp"
#include "llama.hpp"
#include "named_array.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

/// An option that would change nothing about the network is refused.
void check_options(const NetworkChoice& choice) {
  const std::vector<std::string> cnn = {"cnn"}, built = network_names();
  const auto check = [&](const char* option, bool given, const std::vector<std::string>& networks,
                         const char* instead) {
    if (given && std::find(networks.begin(), networks.end(), choice.name) == networks.end()) {
      throw InvalidArgument(
          fmt::format("--{}: for {}; {} is trained {}", option, fmt::join(networks, ", "), choice.name, instead));
    }
  };
  const NetworkChoice usual;
  const bool file = choice.graph.has_value();
  check("dropout", choice.dropout != usual.dropout, built, file ? "with the dropout of its file" : "without");
  check("scale", choice.scale != usual.scale, built, "with the channels that it has");
  check("batch-normalization", choice.batch_normalization, cnn,
        file ? "with the normalizations of its file" : "without");
}

/// Channels, height and width of pictures.
graph::Shape picture_shape(const std::string& network, const NamedArray& array) {
  constexpr std::int64_t kMostChannels = 4;
  const graph::Shape& shape = array.value.shape;
  if (shape.size() == 3) {
    return {1, shape[1], shape[2]};
  }
  if (shape.size() == 4 && shape[1] <= kMostChannels) {
    return {shape[1], shape[2], shape[3]};
  }
  if (shape.size() == 4 && shape[3] <= kMostChannels) {
    return {shape[3], shape[1], shape[2]};
  }
  throw InvalidArgument(
      fmt::format("{}: an array of shape {}; {} takes pictures, [N,H,W], [N,C,H,W] or [N,H,W,C] of 1 "
                  "to {} channels: reshape the array, or use mlp:... for numbers",
                  array.name, graph::to_string(shape), network, kMostChannels));
}

}  // namespace

bool is_built(const std::string& network) {
  const std::vector<std::string>& names = network_names();
  return is_mlp(network) || is_llama(network) || std::find(names.begin(), names.end(), network) != names.end();
}

void check_network_name(const std::string& network) {
  const std::string ending = std::filesystem::path(network).extension().string();
  const bool is_file = ending == ".onnx" || ending == ".tflite" || ending == ".systole";
  if (!is_built(network) && !is_file && !std::filesystem::exists(network)) {
    throw InvalidArgument(
        fmt::format("'{}' is no network that is built here, and no file; there are {}, mlp:INPUTS-SIZE-...-OUTPUTS, "
                    "llama:WIDTH-LAYERS-HEADS-CONTEXT, or give an ONNX file",
                    network, fmt::join(network_names(), ", ")));
  }
}

NetworkSource::NetworkSource(NetworkChoice choice, const std::vector<const Data*>& data, std::optional<LossKind> wanted,
                             std::vector<std::string> frozen, std::uint64_t seed)
    : choice_(std::move(choice)), frozen_(std::move(frozen)) {
  check_options(choice_);
  shape_.seed = seed;
  shape_.frozen = frozen_;
  shape_.scale = choice_.scale;
  shape_.dropout = choice_.dropout;
  shape_.batch_normalization = choice_.batch_normalization;
  const bool classes = are_classes(data.front()->targets);
  if (choice_.graph) {
    end_of_file(classes, wanted);
  } else if (is_mlp(choice_.name)) {
    end_of_mlp(classes, wanted);
  } else if (is_llama(choice_.name)) {
    fit_tokens(data, wanted);
  } else {
    fit_pictures(data, classes, wanted);
  }
  if (choice_.classes != 0 && choice_.classes != outputs_) {
    throw InvalidArgument(fmt::format("--classes: {}, but {} has {} output{}", choice_.classes, choice_.name, outputs_,
                                      outputs_ == 1 ? "" : "s"));
  }
  const Network single = network(1, Purpose::kEvaluation);
  for (const TensorId id : single.inputs) {
    const graph::Tensor& tensor = single.graph.tensor(id);
    inputs_.push_back({tensor.name,
                       tensor.type,
                       {tensor.shape.begin() + 1, tensor.shape.end()},
                       graph::index_limit(single.graph, id)});
  }
}

void NetworkSource::end_of_file(bool classes, std::optional<LossKind> wanted) {
  ending_ = ending_of(*choice_.graph, classes, wanted);
  loss_ = ending_->loss;
  outputs_ = ending_->outputs;
  text_ = ending_->text;
}

void NetworkSource::end_of_mlp(bool classes, std::optional<LossKind> wanted) {
  mlp_ = parse_mlp(choice_.name);
  outputs_ = mlp_->layers.back().outputs;
  loss_ = loss_after(last_of(*mlp_), outputs_, classes, wanted, choice_.name);
  text_ = text_of(last_of(*mlp_), loss_, outputs_, mlp_->layers.back().function);
}

/// The vocabulary is that of the samples, unless it is given.
void NetworkSource::fit_tokens(const std::vector<const Data*>& data, std::optional<LossKind> wanted) {
  if (wanted && *wanted != LossKind::kCrossEntropy) {
    throw InvalidArgument(
        fmt::format("--loss {}: a language model is trained with the cross entropy", name_of(*wanted)));
  }
  outputs_ = choice_.classes;
  for (const Data* one : data) {
    if (one->inputs.size() != 1) {
      throw InvalidArgument(fmt::format("{} takes tokens; give one array of them", choice_.name));
    }
    if (choice_.classes == 0) {
      outputs_ = std::max({outputs_, classes_in(one->targets), classes_in(one->inputs.front().array)});
    }
  }
  llama_ = parse_llama(choice_.name, outputs_);
}

void NetworkSource::fit_pictures(const std::vector<const Data*>& data, bool classes, std::optional<LossKind> wanted) {
  if (data.front()->inputs.empty()) {
    throw InvalidArgument(fmt::format("{} takes pictures; give an array of them", choice_.name));
  }
  const graph::Shape picture = picture_shape(choice_.name, data.front()->inputs.front().array);
  shape_.channels = picture[0];
  shape_.height = picture[1];
  shape_.width = picture[2];
  constexpr std::int64_t kFewest = 2;
  std::int64_t needed = classes ? kFewest : 1;
  for (const Data* one : data) {
    needed = std::max(needed, outputs_for(one->targets));
  }
  outputs_ = choice_.classes != 0 ? choice_.classes : needed;
  loss_ = loss_after(LastOperator::kOther, outputs_, classes, wanted, choice_.name);
  text_ = text_of(LastOperator::kOther, loss_, outputs_, {});
  shape_.classes = outputs_;
}

Network NetworkSource::network(std::int64_t batch, Purpose purpose) const {
  NetworkOptions shape = shape_;
  shape.batch = batch;
  shape.training = purpose == Purpose::kWholeBatch || purpose == Purpose::kMicroBatch;
  shape.micro_batch = purpose == Purpose::kMicroBatch;
  Network network;
  if (ending_) {
    network = imported(purpose == Purpose::kExport ? ending_->network : ending_->scores, shape);
  } else if (mlp_) {
    network = mlp(*mlp_, shape, purpose == Purpose::kExport || !takes_scores(last_of(*mlp_), loss_));
  } else if (llama_) {
    network = llama(*llama_, shape);
  } else {
    network = training::network(choice_.name, shape);
  }
  freeze(network, frozen_);
  return network;
}

}  // namespace systole::training
