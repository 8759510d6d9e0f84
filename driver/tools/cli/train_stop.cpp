// SPDX-License-Identifier: Apache-2.0
#include "train_stop.hpp"

#include <fmt/core.h>

#include <cstring>
#include <utility>

#include "packing.hpp"

namespace systole::cli {

TrainStop::TrainStop(ranks::Ranks& ranks) : ranks_(ranks), request_(ranks) {}

void TrainStop::tell(const std::string& left) const {
  ranks_.when_stopped(
      ranks_.several()
          ? fmt::format("systole train: stopped, because another rank or the launch has ended; {}\n", left)
          : std::string("\nsystole train: this step ends first, then the files are written; a second signal ends at "
                        "once\n"));
}

void TrainStop::ask() {
  for (const ranks::Bytes& bytes : ranks_.all_gather(ranks::bytes_of(request_.signal()))) {
    signal_ = signal_ != 0 ? signal_ : ranks::value_of<int>(bytes);
  }
}

void TrainStop::check_alone() const {
  if (!ranks_.several()) {
    request_.check();
  }
}

std::string TrainStop::name() const { return fmt::format("SIG{}", sigabbrev_np(signal_)); }

void TrainStop::report(const training::State& state, const training::EpochSize& size, const std::string& left) const {
  if (ranks_.is_first()) {
    fmt::print(stderr, "systole train: stopped by {} after step {}, {} of {} batches of epoch {}; {}\n", name(),
               state.history.losses.size(), state.batch, size.batches, state.epoch + 1, left);
  }
}

void TrainStop::report_before_first_step() const {
  if (ranks_.is_first()) {
    fmt::print(stderr, "systole train: stopped by {} before the first step; nothing is written\n", name());
  }
}

}  // namespace systole::cli
