// SPDX-License-Identifier: Apache-2.0
#include "synchronize.hpp"

#include <algorithm>
#include <utility>

#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

isa::Instruction sync_instruction(int engine) {
  switch (engine) {
    case 0: return isa::SyncLoad{}.encode();
    case 1: return isa::SyncMxu{}.encode();
    case 2: return isa::SyncVpu{}.encode();
    default: return isa::SyncStore{}.encode();
  }
}

int semaphore(int producer, int consumer) { return kEngines * producer + consumer; }

std::size_t index(int value) { return static_cast<std::size_t>(value); }

/// Writes at most two waits and two signals into an instruction.
void write_semaphores(isa::Instruction& instruction, int engine, const std::vector<int>& waits,
                      const std::vector<int>& signals) {
  isa::Semaphores sem;
  if (!waits.empty()) {
    sem.wait0_sem = static_cast<std::uint8_t>(semaphore(waits[0], engine));
    sem.wait0_amount = 1;
  }
  if (waits.size() > 1) {
    sem.wait1_sem = static_cast<std::uint8_t>(semaphore(waits[1], engine));
    sem.wait1_amount = 1;
  }
  if (!signals.empty()) {
    sem.signal0_sem = static_cast<std::uint8_t>(semaphore(engine, signals[0]));
    sem.signal0_amount = 1;
  }
  if (signals.size() > 1) {
    sem.signal1_sem = static_cast<std::uint8_t>(semaphore(engine, signals[1]));
    sem.signal1_amount = 1;
  }
  isa::encode(sem, instruction);
}

}  // namespace

/// Upper bound on the pending signals of the pair once `producer` has signalled, whatever the engines' speeds: signals
/// up to it minus those taken by instructions that it knows to have committed.
int Synchronizer::ahead(int producer, int consumer_engine) const {
  const Entry& entry = entries_[index(producer)];
  const int engine = static_cast<int>(entry.event.work.engine);
  const auto& taken = waited_[index(engine)][index(consumer_engine)];
  const int known = entry.known[index(consumer_engine)];
  const auto count = std::upper_bound(taken.begin(), taken.end(), known) - taken.begin();
  return static_cast<int>(signalled_[index(engine)][index(consumer_engine)].size()) + 1 - static_cast<int>(count);
}

int Synchronizer::push(Entry entry) {
  const int engine = static_cast<int>(entry.event.work.engine);
  entry.sequence = ++count_[index(engine)];
  entry.known = clocks_[index(engine)];
  last_[index(engine)] = static_cast<int>(entries_.size());
  entries_.push_back(std::move(entry));
  return last_[index(engine)];
}

void Synchronizer::wait(Entry& entry, int producer) {
  Entry& from = entries_[index(producer)];
  const int engine = static_cast<int>(entry.event.work.engine);
  const int source = static_cast<int>(from.event.work.engine);
  from.signals.push_back(engine);
  entry.waits.push_back(source);
  signalled_[index(source)][index(engine)].push_back(from.sequence);
  waited_[index(source)][index(engine)].push_back(count_[index(engine)] + 1);
  Clock& clock = clocks_[index(engine)];
  for (int other = 0; other < kEngines; ++other) {
    clock[index(other)] = std::max(clock[index(other)], from.known[index(other)]);
  }
  clock[index(source)] = std::max(clock[index(source)], from.sequence);
}

/// Makes engine `from` wait for the last instruction of engine `to`, so that it knows what `to` has taken. The
/// instruction that needs this has the label.
int Synchronizer::bring_up_to_date(int from, int to, std::uint16_t label) {
  Entry sync;
  sync.label = label;
  sync.instruction = sync_instruction(from);
  sync.event.work.engine = static_cast<isa::Engine>(from);
  if (last_[index(to)] >= 0 && entries_[index(last_[index(to)])].sequence > clocks_[index(from)][index(to)]) {
    sync.event.after[index(to)] = last_[index(to)];
    if (ahead(last_[index(to)], from) > kMaxAhead) {
      throw InternalError("compiler: two engines signal each other more often than semaphores can count");
    }
    wait(sync, last_[index(to)]);
  }
  return push(std::move(sync));
}

int Synchronizer::append(const isa::Instruction& instruction, const Event& event, std::uint16_t label) {
  const int engine = static_cast<int>(event.work.engine);
  StreamPlaces after = event.after;
  for (int source = 0; source < kEngines; ++source) {
    int& producer = after[index(source)];
    if (producer >= 0 && entries_[index(producer)].sequence <= clocks_[index(engine)][index(source)]) {
      producer = -1;  // already known to have committed
    }
  }
  for (int source = 0; source < kEngines; ++source) {
    for (int other = 0; other < kEngines; ++other) {
      if (source != other && after[index(source)] >= 0 && after[index(other)] >= 0 &&
          entries_[index(after[index(other)])].known[index(source)] >= entries_[index(after[index(source)])].sequence) {
        after[index(source)] = -1;  // implied by the wait for the other engine
      }
    }
  }
  for (int source = 0; source < kEngines; ++source) {
    if (after[index(source)] >= 0 && ahead(after[index(source)], engine) > kMaxAhead) {
      after[index(source)] = bring_up_to_date(source, engine, label);
    }
  }
  Entry entry;
  entry.instruction = instruction;
  entry.event = event;
  entry.event.after = after;
  entry.label = label;
  for (const int producer : after) {
    if (producer >= 0) {
      wait(entry, producer);
    }
  }
  return push(std::move(entry));
}

Synchronizer::Result Synchronizer::finish() {
  Result result;
  std::vector<int> place(entries_.size());
  const auto emit = [&](const isa::Instruction& instruction, const Event& event, std::uint16_t label) {
    result.instructions.push_back(instruction);
    result.events.push_back(event);
    result.labels.push_back(label);
  };
  const auto sync = [&](int engine, std::uint16_t label, const std::vector<int>& waits, const std::vector<int>& signals,
                        const StreamPlaces& after) {
    isa::Instruction instruction = sync_instruction(engine);
    write_semaphores(instruction, engine, waits, signals);
    Event event;
    event.work.engine = static_cast<isa::Engine>(engine);
    event.after = after;
    emit(instruction, event, label);
    ++result.syncs;
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const int engine = static_cast<int>(entry.event.work.engine);
    for (int& producer : entry.event.after) {
      producer = producer < 0 ? -1 : place[index(producer)];
    }
    if (entry.waits.size() > 2) {
      const std::vector<int> extra(entry.waits.begin() + 2, entry.waits.end());
      StreamPlaces after = kNowhere;
      for (const int source : extra) {
        after[index(source)] = entry.event.after[index(source)];
      }
      sync(engine, entry.label, extra, {}, after);
      entry.waits.resize(2);
    }
    std::vector<int> more;
    if (entry.signals.size() > 2) {
      more.assign(entry.signals.begin() + 2, entry.signals.end());
      entry.signals.resize(2);
    }
    write_semaphores(entry.instruction, engine, entry.waits, entry.signals);
    emit(entry.instruction, entry.event, entry.label);
    place[i] = static_cast<int>(result.instructions.size()) - 1;
    if (!more.empty()) {
      sync(engine, entry.label, {}, more, kNowhere);
    }
  }
  return result;
}

}  // namespace systole::compiler
