// SPDX-License-Identifier: Apache-2.0
// The network that a training is of, for any batch: one that is built here by its name, or that of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fit_inputs.hpp"
#include "llama2_checkpoint.hpp"
#include "mlp.hpp"
#include "systole/training.hpp"

namespace systole::training {

/// Whether a name is that of a network that is built here, and not of a file.
bool is_built(const std::string& network);

/// Throws InvalidArgument, with the networks that there are, for a name that is none of them, nor a file, nor ends as
/// files of networks do.
void check_network_name(const std::string& network);

class NetworkSource {
 public:
  /// `data` decide the pictures' size and the number of classes of what is built; both those to train and to validate
  /// with. Throws InvalidArgument or GraphError for networks that do not exist or cannot be trained, options that would
  /// change nothing, and as loss_after() and freeze() do.
  NetworkSource(NetworkChoice choice, const std::vector<const Data*>& data, std::optional<LossKind> wanted,
                std::vector<std::string> frozen, std::uint64_t seed);

  /// kEvaluation: up to the scores, as in training; kExport: as the file has it, with the operator after the scores.
  enum class Purpose { kWholeBatch, kMicroBatch, kEvaluation, kExport };
  /// Without loss. Throws as the constructor.
  Network network(std::int64_t batch, Purpose purpose) const;

  const std::string& name() const { return choice_.name; }
  LossKind loss() const { return loss_; }
  std::int64_t outputs() const { return outputs_; }
  /// Of a sample (Network::predictions).
  std::int64_t predictions() const { return llama_ ? llama_->context : 1; }
  /// Whether it is a file's graph.
  bool is_file() const { return ending_.has_value(); }
  /// Of a language model; null of others.
  const llama2::Sizes* language_model() const { return llama_ ? &*llama_ : nullptr; }
  const std::vector<InputKind>& inputs() const { return inputs_; }
  /// Ending::text.
  const std::string& text() const { return text_; }

 private:
  void end_of_file(bool classes, std::optional<LossKind> wanted);
  void end_of_mlp(bool classes, std::optional<LossKind> wanted);
  void fit_tokens(const std::vector<const Data*>& data, std::optional<LossKind> wanted);
  void fit_pictures(const std::vector<const Data*>& data, bool classes, std::optional<LossKind> wanted);

  NetworkChoice choice_;
  const std::vector<std::string> frozen_;
  NetworkOptions shape_;
  std::optional<Ending> ending_;  ///< of a file
  std::optional<Mlp> mlp_;
  std::optional<llama2::Sizes> llama_;
  std::vector<InputKind> inputs_;
  LossKind loss_ = LossKind::kCrossEntropy;
  std::int64_t outputs_ = 1;
  std::string text_;
};

}  // namespace systole::training
