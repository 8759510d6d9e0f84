// SPDX-License-Identifier: Apache-2.0
// A hang report as text.
#include <fmt/core.h>

#include "command_history.hpp"

namespace systole {
namespace {

using Node = HangReport::Node;
using Wait = HangReport::Wait;

std::string headline(const HangReport& r) {
  if (r.origin == HangReport::Origin::kProgram) {
    return fmt::format(
        "the program deadlocks in every order of execution; with the earliest command first, {} of {} commands commit",
        r.committed, r.commands);
  }
  const std::string time =
      r.cycle ? fmt::format("no progress for {} cycles, in cycle {} of the run", r.quiet_cycles, *r.cycle)
              : std::string("nothing moves");
  return fmt::format("{}; {} of {} commands dispatched, {} committed", time, r.dispatched, r.commands, r.committed);
}

std::string since(const Node& node) {
  return node.since ? fmt::format("; {} since cycle {}", node.cause ? isa::to_string(*node.cause) : "so", *node.since)
                    : std::string();
}

/// What the engine that a node waits for is doing instead.
std::string in_turn(const HangReport& r, isa::Engine engine) {
  const Node* node = r.node(engine);
  if (!node) {
    return "which has nothing left to do";
  }
  switch (node->wait) {
    case Wait::kSemaphore:
      return fmt::format("which waits with #{} for semaphore {}", node->command.index, node->semaphore);
    case Wait::kMemory: return fmt::format("which waits with #{} for memory", node->command.index);
    case Wait::kUnfinished: return fmt::format("which has not finished #{}", node->command.index);
    case Wait::kNotStarted: return fmt::format("which has not started #{}", node->command.index);
    case Wait::kDispatch: return fmt::format("whose #{} has not been dispatched", node->command.index);
    case Wait::kFullQueue: return fmt::format("which cannot dispatch #{}", node->command.index);
    case Wait::kInstruction: return fmt::format("which has not received #{}", node->command.index);
    case Wait::kEngines: return "which waits with END";
  }
  return "";
}

std::string reason(const HangReport& r, const Node& node) {
  switch (node.wait) {
    case Wait::kSemaphore: {
      std::string text = fmt::format("waits for semaphore {}, which holds {} of the {} it needs{}", node.semaphore,
                                     node.value, node.amount, since(node));
      for (const HangReport::Signaller& s : node.signallers) {
        text +=
            fmt::format("\n            could be signalled (+{}) by {}, {}", s.amount, hang::name_with_layer(s.command),
                        s.command.engine == node.engine ? "after it in the same queue" : in_turn(r, s.command.engine));
      }
      return node.signallers.empty() ? text + "\n            no remaining command signals it" : text;
    }
    case Wait::kMemory:
      return node.burst ? fmt::format("waits for memory, which owes {} beats of the {} at {:#x}{}", node.burst->beats,
                                      node.burst->write ? "write" : "read", node.burst->address, since(node))
                        : fmt::format("waits for memory{}", since(node));
    case Wait::kUnfinished: return fmt::format("is in flight and waits for nothing outside its engine{}", since(node));
    case Wait::kNotStarted: return fmt::format("has all tokens that it waits for, but is not started{}", since(node));
    case Wait::kDispatch: return "has not been dispatched";
    case Wait::kInstruction: return "has not arrived from memory";
    case Wait::kFullQueue:
      return fmt::format("cannot be dispatched: the queue of {} is full", isa::to_string(node.command.engine));
    case Wait::kEngines: return fmt::format("waits for the engines, first for {}", isa::to_string(*node.upstream));
  }
  return "";
}

/// "MXU #12 -> semaphore 5 -> VPU #13 -> semaphore 6 -> MXU #12".
std::string chain_text(const HangReport& r) {
  std::string text;
  for (const isa::Engine engine : r.chain) {
    const Node& node = *r.node(engine);
    const std::string who = fmt::format("{} #{}", isa::to_string(engine), node.command.index);
    switch (node.wait) {
      case Wait::kSemaphore: text += fmt::format("{} -> semaphore {} -> ", who, node.semaphore); break;
      case Wait::kDispatch: text += fmt::format("{} -> dispatch -> ", who); break;
      case Wait::kFullQueue: text += fmt::format("{} -> full queue -> ", who); break;
      case Wait::kMemory: text += fmt::format("{} -> memory", who); break;
      default: text += node.upstream ? who + " -> " : who; break;
    }
  }
  if (r.loop) {
    const Node& node = *r.node(r.chain[*r.loop]);
    return fmt::format("{}{} #{} again", text, isa::to_string(node.engine), node.command.index);
  }
  const Node& last = *r.node(r.chain.back());
  return last.wait == Wait::kSemaphore && !last.upstream ? text + "no signaller" : text;
}

/// Mnemonic, waits and signals.
std::string brief(const std::string& text) {
  std::string words = text.substr(0, text.find(' '));
  for (const char* kind : {"wait(", "signal("}) {
    for (std::size_t at = text.find(kind); at != std::string::npos; at = text.find(kind, at + 1)) {
      words.append(1, ' ').append(text, at, text.find(')', at) + 1 - at);
    }
  }
  return words;
}

}  // namespace

std::string HangReport::to_text() const {
  std::string text = fmt::format("{}\n  suspect: {}\n  what to do: {}", headline(*this), suspect, remedy);
  if (!nodes.empty()) {
    text += "\n  who waits for whom:";
  }
  for (const Node& node : nodes) {
    const std::string layer = node.command.layer.empty() ? std::string() : fmt::format(" of '{}'", node.command.layer);
    text += fmt::format("\n    {:<8}#{}{}: {}\n            {}", isa::to_string(node.engine), node.command.index, layer,
                        node.command.text, reason(*this, node));
  }
  if (chain.size() > 1 || loop) {
    text += fmt::format("\n  chain: {}", chain_text(*this));
  }
  if (origin == Origin::kDevice && !recent.empty()) {
    text += fmt::format("\n  last {} commands dispatched:", recent.size());
    for (const Command& command : recent) {
      text += fmt::format("\n    #{:<6}{:<8}{:<10}{}{}", command.index, isa::to_string(command.engine),
                          to_string(command.state), brief(command.text),
                          command.layer.empty() ? "" : fmt::format("  '{}'", command.layer));
    }
  }
  return text;
}

const char* to_string(HangReport::Wait wait) {
  switch (wait) {
    case HangReport::Wait::kSemaphore: return "semaphore";
    case HangReport::Wait::kMemory: return "memory";
    case HangReport::Wait::kUnfinished: return "unfinished";
    case HangReport::Wait::kNotStarted: return "not started";
    case HangReport::Wait::kDispatch: return "dispatch";
    case HangReport::Wait::kInstruction: return "instruction";
    case HangReport::Wait::kFullQueue: return "full queue";
    case HangReport::Wait::kEngines: return "engines";
  }
  return "?";
}

const char* to_string(HangReport::Culprit culprit) {
  switch (culprit) {
    case HangReport::Culprit::kLostToken: return "lost token";
    case HangReport::Culprit::kMemory: return "memory";
    case HangReport::Culprit::kUnfinished: return "unfinished";
    case HangReport::Culprit::kNotStarted: return "not started";
    case HangReport::Culprit::kFetch: return "fetch";
    case HangReport::Culprit::kStolenToken: return "stolen token";
    case HangReport::Culprit::kMissingSignal: return "missing signal";
    case HangReport::Culprit::kLateSignal: return "late signal";
    case HangReport::Culprit::kCircularWait: return "circular wait";
  }
  return "?";
}

const char* to_string(HangReport::State state) {
  switch (state) {
    case HangReport::State::kCommitted: return "committed";
    case HangReport::State::kInFlight: return "in flight";
    case HangReport::State::kQueued: return "queued";
    case HangReport::State::kNotDispatched: return "not dispatched";
  }
  return "?";
}

}  // namespace systole
