// SPDX-License-Identifier: Apache-2.0
#include "train_log.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "exit_codes.hpp"
#include "standard_output.hpp"
#include "train_report.hpp"

namespace systole::cli {

TrainLog::TrainLog(const std::string& lines, const std::string& tensorboard, bool append)
    : path_(lines), file_(nullptr, &std::fclose) {
  if (!lines.empty() && lines != "-") {
    file_.reset(std::fopen(lines.c_str(), append ? "a" : "w"));
    if (!file_) {
      throw InputError(fmt::format("--log: {}: {}", lines, std::strerror(errno)));
    }
  }
  if (!tensorboard.empty()) {
    events_.emplace(tensorboard);
  }
}

void TrainLog::step(const training::State& state, double loss, double rate, double samples_per_second) {
  const std::size_t step = state.history.losses.size();
  line(nlohmann::ordered_json{{"step", step},
                              {"epoch", state.epoch + 1},
                              {"loss", loss},
                              {"learning_rate", rate},
                              {"samples_per_second", samples_per_second}}
           .dump());
  if (events_) {
    const auto number = static_cast<std::int64_t>(step);
    events_->scalar(number, "train/loss", loss);
    events_->scalar(number, "train/learning_rate", rate);
    events_->flush();
  }
}

void TrainLog::epoch(const training::State& state, double samples_per_second) {
  const training::EpochRecord& record = state.history.epochs.back();
  const std::size_t step = state.history.losses.size();
  nlohmann::ordered_json json = {{"step", step}, {"epoch", state.epoch}};
  json.update(to_json(record));
  json["samples_per_second"] = samples_per_second;
  line(json.dump());
  if (events_) {
    const auto write = [&](const char* part, const training::Score& score) {
      const auto number = static_cast<std::int64_t>(step);
      events_->scalar(number, fmt::format("{}/epoch_loss", part), score.loss);
      for (const auto& [name, value] : score.metrics) {
        events_->scalar(number, fmt::format("{}/{}", part, name), value);
      }
    };
    write("train", record.training);
    if (record.validation) {
      write("validation", *record.validation);
    }
    events_->flush();
  }
}

void TrainLog::line(const std::string& text) {
  if (path_ == "-") {
    print("{}\n", text);
    flush_output();
  } else if (file_ && (std::fprintf(file_.get(), "%s\n", text.c_str()) < 0 || std::fflush(file_.get()) != 0)) {
    throw InputError(fmt::format("--log: {}: {}", path_, std::strerror(errno)));
  }
}

}  // namespace systole::cli
