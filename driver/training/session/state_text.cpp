// SPDX-License-Identifier: Apache-2.0
#include "state_text.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "json_text.hpp"
#include "metrics.hpp"
#include "systole/errors.hpp"

namespace systole::training {
namespace {

using nlohmann::json;

constexpr int kFormat = 3;

json to_json(const Score& score) {
  json text = {{"loss", score.loss}, {"metrics", json::array()}};  // a list keeps their order
  for (const auto& [name, value] : score.metrics) {
    text["metrics"].push_back({{"name", name}, {"value", value}});
  }
  return text;
}

/// A short form: a wrong value may be an object of any depth.
std::string shown(const json& value) { return value.is_structured() ? value.type_name() : value.dump(); }

/// The members of an object.
class Members {
 public:
  Members(const json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) {
      throw Failure(fmt::format("{} is {}, not an object", place_.empty() ? "it" : place_, shown(object)));
    }
  }

  const json* find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& at(const char* name) const {
    const json* found = find(name);
    if (found == nullptr) {
      throw Failure(fmt::format("{} is missing", place(name)));
    }
    return *found;
  }

  const json& list(const char* name) const {
    const json& value = at(name);
    return value.is_array() ? value : (refuse(name, value, "a list"), value);
  }

  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most) const {
    const json& value = at(name);
    const bool fits = value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() < kBound);
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
      refuse(name, value,
             most == kAny ? fmt::format("a whole number of {} or more", least)
                          : fmt::format("a whole number from {} to {}", least, most));
    }
    return value;
  }

  double real(const char* name, double least, double most) const {
    const json& value = at(name);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most)) {
      refuse(name, value,
             most == std::numeric_limits<double>::max() ? fmt::format("a number of {} or more", least)
                                                        : fmt::format("a number from {} to {}", least, most));
    }
    return value;
  }
  std::string text(const char* name) const {
    const json& value = at(name);
    return value.is_string() ? value : (refuse(name, value, "a text"), value);
  }
  double finite(const char* name) const {
    const json& value = at(name);
    return value.is_number() && std::isfinite(value.get<double>()) ? value.get<double>()
                                                                   : (refuse(name, value, "a finite number"), 0);
  }

  std::string place(const char* name) const { return place_.empty() ? name : fmt::format("{}.{}", place_, name); }

  static constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

 private:
  static constexpr std::uint64_t kBound = std::uint64_t{1} << 63;

  [[noreturn]] void refuse(const char* name, const json& value, const std::string& expected) const {
    throw Failure(fmt::format("{} is {}; it must be {}", place(name), shown(value), expected));
  }

  const json& object_;
  const std::string place_;
};

/// Throws unless a member says what others give.
template <class Number>
void agree(const std::string& place, Number said, Number given, const char* by) {
  if (said != given) {
    throw Failure(fmt::format("{} is {}, but {} {}", place, said, by, given));
  }
}

Score score_from(const json& value, const std::string& place) {
  const Members members(value, place);
  Score score{members.finite("loss"), {}};
  for (const json& metric : members.list("metrics")) {
    const Members one(metric, fmt::format("{}[{}]", members.place("metrics"), score.metrics.size()));
    const std::string name = one.text("name");
    score.metrics.emplace_back(name, one.real("value", 0, is_share(name) ? 1 : std::numeric_limits<double>::max()));
  }
  return score;
}

std::vector<double> losses_from(const json& list) {
  std::vector<double> losses;
  for (const json& loss : list) {
    if (!loss.is_number() || !std::isfinite(loss.get<double>())) {
      throw Failure(fmt::format("losses[{}] is {}; it must be a finite number", losses.size(), shown(loss)));
    }
    losses.push_back(loss);
  }
  return losses;
}

std::vector<EpochRecord> epochs_from(const json& list) {
  std::vector<EpochRecord> epochs;
  for (const json& value : list) {
    const std::string place = fmt::format("epochs[{}]", epochs.size());
    const Members members(value, place);
    EpochRecord record{score_from(members.at("training"), members.place("training")), {}};
    if (const json* validation = members.find("validation")) {
      record.validation = score_from(*validation, members.place("validation"));
    }
    if (!epochs.empty() && epochs[0].validation.has_value() != record.validation.has_value()) {
      throw Failure(fmt::format("{} {} a validation, unlike epochs[0]", place, record.validation ? "has" : "lacks"));
    }
    epochs.push_back(record);
  }
  return epochs;
}

/// The sum of the losses of some steps, in the order in which the training adds them.
double sum_of(const std::vector<double>& losses, std::int64_t first, std::int64_t count) {
  const auto begin = losses.begin() + static_cast<std::ptrdiff_t>(first);
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count), 0.0);
}

void check_steps(const State& state, const EpochSize& size) {
  const std::vector<double>& losses = state.history.losses;
  agree("epoch", state.epoch, static_cast<std::int64_t>(state.history.epochs.size()), "the records of epochs are");
  agree("the number of losses", static_cast<std::int64_t>(losses.size()), state.epoch * size.batches + state.batch,
        "the steps up to this epoch and batch are");
  for (std::int64_t epoch = 0; epoch < state.epoch; ++epoch) {
    const double sum = sum_of(losses, epoch * size.batches, size.batches);
    agree(fmt::format("epochs[{}].training.loss", epoch),
          state.history.epochs[static_cast<std::size_t>(epoch)].training.loss, sum / static_cast<double>(size.batches),
          "the mean of its losses is");
  }
  agree("loss_sum", state.loss_sum, sum_of(losses, state.epoch * size.batches, state.batch),
        "the sum of this epoch's losses is");
}

/// The epoch whose validation has the smallest loss, the first of several; none without a validation. The first
/// `unpruned` do not count.
std::optional<Best> best_of(const std::vector<EpochRecord>& epochs, std::int64_t unpruned) {
  std::optional<Best> best;
  for (auto i = static_cast<std::size_t>(unpruned); i < epochs.size(); ++i) {
    const std::optional<Score>& validation = epochs[i].validation;
    if (validation && (!best || validation->loss < best->loss)) {
      best = Best{static_cast<std::int64_t>(i) + 1, validation->loss, {}};
    }
  }
  return best;
}

std::optional<Best> best_from(const json* value, const std::vector<EpochRecord>& epochs, std::int64_t unpruned) {
  const std::optional<Best> best = best_of(epochs, unpruned);
  if ((value != nullptr) != best.has_value()) {
    throw Failure(fmt::format("best is {}, but the epochs {} a validation{}", value == nullptr ? "missing" : "there",
                              best ? "have" : "lack", unpruned > 0 ? " of pruned weights" : ""));
  }
  if (best) {
    const Members members(*value, "best");
    agree("best.epoch", members.whole("epoch", 1, Members::kAny), best->epoch, "the smallest loss is that of epoch");
    agree("best.loss", members.finite("loss"), best->loss, "that epoch's validation has");
  }
  return best;
}

State state_from(const Members& members, const EpochSize& size) {
  State state;
  state.epoch = members.whole("epoch", 0, Members::kAny);
  state.batch = members.whole("batch", 0, size.batches);
  state.loss_sum = members.finite("loss_sum");
  state.metric_sum = members.real("metric_sum", 0, std::numeric_limits<double>::max());
  state.history.losses = losses_from(members.list("losses"));
  state.history.epochs = epochs_from(members.list("epochs"));
  check_steps(state, size);
  state.best = best_from(members.find("best"), state.history.epochs, size.unpruned);
  return state;
}

template <class Function>
auto read(const std::string& text, const Function& function) {
  try {
    const json parsed = files::parse_json(text, "its text", "the state of a training");
    const Members members(parsed, "");
    if (const std::int64_t format = members.whole("format", 0, Members::kAny); format != kFormat) {
      throw Failure(fmt::format("format is {}; this version reads {}", format, kFormat));
    }
    return function(members);
  } catch (const json::exception& error) {
    throw Failure(error.what());
  }
}

}  // namespace

std::string state_text(const State& state, const Settings& settings) {
  json text = {{"format", kFormat},
               {"settings", settings},
               {"epoch", state.epoch},
               {"batch", state.batch},
               {"loss_sum", state.loss_sum},
               {"metric_sum", state.metric_sum},
               {"losses", state.history.losses},
               {"epochs", json::array()}};
  for (const EpochRecord& record : state.history.epochs) {
    json epoch = {{"training", to_json(record.training)}};
    if (record.validation) {
      epoch["validation"] = to_json(*record.validation);
    }
    text["epochs"].push_back(epoch);
  }
  if (state.best) {
    text["best"] = {{"epoch", state.best->epoch}, {"loss", state.best->loss}};
  }
  return text.dump(1) + "\n";
}

Settings parse_settings(const std::string& text) {
  return read(text, [](const Members& members) { return members.at("settings").get<Settings>(); });
}

State parse_state(const std::string& text, const EpochSize& size) {
  return read(text, [&](const Members& members) { return state_from(members, size); });
}

}  // namespace systole::training
