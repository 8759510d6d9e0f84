// SPDX-License-Identifier: Apache-2.0
// The most likely cause of a hang, in one sentence.
//
// The chain begins with the earliest command of the program that has not committed, so everything before it has
// committed: its missing tokens were never signalled, are signalled too late, or were taken by a later command.
#include <fmt/core.h>

#include "command_history.hpp"

namespace systole::hang {
namespace {

using Node = HangReport::Node;
using Wait = HangReport::Wait;
using Culprit = HangReport::Culprit;

struct Verdict {
  Culprit culprit;
  std::string sentence;
};

std::string shortage(const Node& node) {
  return fmt::format("semaphore {} (holds {}, needs {})", node.semaphore, node.value, node.amount);
}

/// Compares the hardware's semaphores with the sum of what the executed commands signalled and took.
std::optional<Verdict> lost_token(const History& history) {
  for (std::size_t i = 0; i < history.dispatched(); ++i) {
    if (!history.is_end(i) && history.engine(i) == isa::Engine::kCommand) {
      return std::nullopt;  // a JUMP: the commands that follow are unknown
    }
  }
  for (int s = 0; s < isa::kSemaphores; ++s) {
    long long balance = 0;
    std::size_t last = kNone;
    for (std::size_t i = 0; i < history.dispatched(); ++i) {
      balance += history.committed(i) ? history.given(i, s) : 0;
      balance -= history.started(i) ? history.taken(i, s) : 0;
      last = history.started(i) && history.given(i, s) + history.taken(i, s) > 0 ? i : last;
    }
    const long long value = history.machine().semaphores[static_cast<std::size_t>(s)];
    // An engine that is not ready for its next command may already have been granted its waits.
    long long granted = 0;
    for (std::size_t e = 0; e < kEngines; ++e) {
      const HangState::Engine& engine = history.machine().engines[e];
      const bool may_be = engine.queued > 0 && !engine.waiting.value_or(engine.in_flight == 0);
      std::size_t next = may_be ? history.oldest(static_cast<isa::Engine>(e)) : kNone;
      while (next < history.dispatched() &&
             (history.started(next) || static_cast<std::size_t>(history.engine(next)) != e)) {
        ++next;
      }
      granted += next < history.dispatched() ? history.taken(next, s) : 0;
    }
    if (value > balance || value < balance - granted) {
      const std::string by =
          last == kNone ? "" : fmt::format("; the last of them that touched it is {}", name(history.describe(last)));
      return Verdict{
          Culprit::kLostToken,
          fmt::format("semaphore {} holds {}, but the commands that ran leave {} in it: the hardware {} signals{}", s,
                      value, balance, value < balance ? "lost" : "made up", by)};
    }
  }
  return std::nullopt;
}

std::string since(const Node& node) {
  const std::string cause = node.cause ? fmt::format(", its cause is {}", isa::to_string(*node.cause)) : std::string();
  return cause + (node.since ? fmt::format(" since cycle {}", *node.since) : std::string());
}

std::string burst_text(const OwedBurst& burst) {
  return fmt::format("the {} burst at {:#x} ({} beats)", burst.write ? "write" : "read", burst.address, burst.beats);
}

Verdict memory(const Node& node) {
  if (node.burst) {
    return {Culprit::kMemory,
            fmt::format("memory never answered {} of {}", burst_text(*node.burst), name(node.command))};
  }
  return {Culprit::kMemory,
          fmt::format("memory does not answer a {} of {}{}", node.engine == isa::Engine::kStore ? "write" : "read",
                      name(node.command), since(node))};
}

Verdict unfinished(const History& history, const Node& node) {
  const bool mover = node.engine == isa::Engine::kLoad || node.engine == isa::Engine::kStore;
  const bool answered = mover && history.machine().owed;
  return {Culprit::kUnfinished,
          fmt::format("{} has not finished #{} and waits for no semaphore{}{}", isa::to_string(node.engine),
                      node.command.index, answered ? ", and no memory transaction is outstanding" : "", since(node))};
}

Verdict not_started(const Node& node) {
  if (node.engine == isa::Engine::kCommand) {
    return {Culprit::kNotStarted,
            fmt::format("END (#{}) is not executed although every engine is done", node.command.index)};
  }
  return {Culprit::kNotStarted,
          fmt::format("{} has all tokens that it waits for, but its engine does not take it", name(node.command))};
}

Verdict fetch(const Node& node) {
  if (node.burst) {
    return {Culprit::kFetch, fmt::format("memory never answered {} of the instruction fetch; #{} has not arrived",
                                         burst_text(*node.burst), node.command.index)};
  }
  return {Culprit::kFetch,
          fmt::format("instruction #{} has not arrived at the dispatcher: its fetch was not answered, or not made",
                      node.command.index)};
}

/// True if the tokens that program order reserves for a command or an earlier one were signalled, but a later command
/// took them.
std::optional<Verdict> stolen(const History& history, const Node& node) {
  if (node.wait != Wait::kSemaphore) {
    return std::nullopt;
  }
  const std::size_t victim = node.command.index;
  long long kept = 0;
  for (std::size_t i = 0; i < victim; ++i) {
    kept += history.committed(i) ? history.given(i, node.semaphore) : 0;
    kept -= history.taken(i, node.semaphore);
  }
  if (kept < static_cast<long long>(node.amount)) {
    return std::nullopt;
  }
  for (std::size_t i = victim + 1; i < history.dispatched(); ++i) {
    if (history.started(i) && history.engine(i) != node.engine && history.taken(i, node.semaphore) > 0) {
      return Verdict{Culprit::kStolenToken,
                     fmt::format("{} consumed the token of semaphore {} that {}, earlier in the program, needs",
                                 name(history.describe(i)), node.semaphore, name(node.command))};
    }
  }
  return std::nullopt;
}

Verdict missing(const History& history, const Node& node) {
  unsigned long long given = 0, taken = 0;
  std::size_t last = kNone;
  for (std::size_t i = 0; i < history.size(); ++i) {
    given += history.given(i, node.semaphore);
    taken += history.taken(i, node.semaphore);
    last = history.given(i, node.semaphore) > 0 ? i : last;
  }
  const std::string by = last == kNone ? "no instruction of the program signals it"
                                       : fmt::format(
                                             "no remaining instruction signals it; the last one was {}, and in the "
                                             "whole program its signals add up to {}, its waits to {}",
                                             name(history.describe(last)), given, taken);
  return {Culprit::kMissingSignal, fmt::format("{} waits for {}, but {}", name(node.command), shortage(node), by)};
}

Verdict late(const Node& node) {
  return {Culprit::kLateSignal, fmt::format("{} waits for {}, which only {}, later in the program, signals",
                                            name(node.command), shortage(node), name(node.signallers.front().command))};
}

std::string link(const Node& node) {
  switch (node.wait) {
    case Wait::kSemaphore:
      return fmt::format("{} waits for {} that {} would signal", name(node.command), shortage(node),
                         name(node.signallers.front().command));
    case Wait::kDispatch: return fmt::format("{} has not been dispatched", name(node.command));
    case Wait::kFullQueue:
      return fmt::format("#{} cannot be dispatched because the queue of {} is full", node.command.index,
                         isa::to_string(node.command.engine));
    default: return fmt::format("END waits for {}", node.upstream ? isa::to_string(*node.upstream) : "nothing");
  }
}

Verdict circular(const HangReport& report) {
  std::string links;
  int engines = 0;
  for (std::size_t i = *report.loop; i < report.chain.size(); ++i) {
    const Node& node = *report.node(report.chain[i]);
    engines += node.wait == Wait::kSemaphore;
    links += fmt::format("{}{}", links.empty() ? "" : "; ", link(node));
  }
  const std::string who = engines == 1 ? fmt::format("{} waits for itself", isa::to_string(report.chain[*report.loop]))
                          : engines == 2 ? std::string("two engines wait for each other")
                                         : fmt::format("{} engines wait for each other in a circle", engines);
  return {Culprit::kCircularWait, fmt::format("{}: {}", who, links)};
}

Verdict judge(const History& history, const HangReport& report) {
  if (report.origin == HangReport::Origin::kDevice) {
    if (const auto verdict = lost_token(history)) {
      return *verdict;
    }
  }
  const Node& last = *report.node(report.chain.back());
  switch (last.wait) {
    case Wait::kMemory: return memory(last);
    case Wait::kUnfinished: return unfinished(history, last);
    case Wait::kNotStarted: return not_started(last);
    case Wait::kInstruction: return fetch(last);
    default: break;
  }
  for (const isa::Engine engine : report.chain) {
    if (const auto verdict = stolen(history, *report.node(engine))) {
      return *verdict;
    }
  }
  if (report.loop) {
    return circular(report);
  }
  if (last.wait == Wait::kSemaphore) {
    return missing(history, last);
  }
  return late(*report.node(report.chain[report.chain.size() - 2]));  // the functional model stops at the first
                                                                     // unsatisfied wait
}

const char* remedy_of(Culprit culprit) {
  switch (culprit) {
    case Culprit::kLostToken:
      return "look at rtl/command/tpu_semaphores.sv and at the retire pulses of the engines, in a waveform around that "
             "command";
    case Culprit::kMemory: return "check the memory system and the identifiers and lengths of its answers, then reset";
    case Culprit::kUnfinished:
      return "look at the engine in a waveform from that cycle on: it never asserts its retire pulse";
    case Culprit::kNotStarted: return "look at rtl/command/tpu_issue.sv and at the engine's cmd_ready in a waveform";
    case Culprit::kFetch:
      return "check that the ring's window covers memory that answers, and look at rtl/command/tpu_fetch.sv";
    case Culprit::kStolenToken:
      return "let only one engine wait for a semaphore; RunOptions::check (--check) refuses programs that depend on "
             "the order of engines";
    case Culprit::kMissingSignal: return "signal the semaphore in an earlier command, or remove the wait";
    case Culprit::kLateSignal: return "signal the semaphore in an earlier command of the program";
    case Culprit::kCircularWait:
      return "order the commands so that every signal comes earlier in the program than its wait";
  }
  return "";
}

}  // namespace

void find_culprit(const History& history, HangReport& report) {
  if (report.chain.empty()) {
    report.culprit = Culprit::kNotStarted;
    report.suspect = "every command has committed, but the interrupt does not come";
  } else {
    Verdict verdict = judge(history, report);
    report.culprit = verdict.culprit;
    report.suspect = std::move(verdict.sentence);
  }
  report.remedy = remedy_of(report.culprit);
}

}  // namespace systole::hang
