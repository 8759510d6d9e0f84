// SPDX-License-Identifier: Apache-2.0
// The processes of one launch, `mpirun -n 4 systole ...`: each has a number, its rank, and a device of its own. They
// exchange bytes. Nothing is computed on the way: a library's reduction adds in an order that depends on the number of
// ranks; ours is ordered_sum.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole::ranks {

using Bytes = std::vector<std::uint8_t>;

/// All functions that exchange are called by all ranks, in the same order, and wait for those concerned.
class Ranks {
 public:
  virtual ~Ranks() = default;
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// How many of the ranks are on this machine, this one included.
  virtual int on_this_machine() const = 0;
  bool is_first() const { return rank() == 0; }
  bool several() const { return size() > 1; }

  virtual void send(int to, const Bytes& bytes) = 0;
  virtual Bytes receive(int from) = 0;
  /// What rank `from` gave, on all.
  virtual Bytes broadcast(int from, Bytes bytes) = 0;
  /// What each rank gave, in the order of the ranks, on all.
  virtual std::vector<Bytes> all_gather(const Bytes& mine) = 0;

  /// Sets the text that rank 0 prints when it is stopped from outside: alone, by the user; with others, because another
  /// rank has ended or the launch was interrupted. Alone, only during a StopRequest.
  virtual void when_stopped(const std::string& text) = 0;
  /// For StopRequest: whether the first signal leaves it to the caller to end.
  virtual void finish_when_stopped(bool finish) = 0;
  /// The signal that this process has got during a StopRequest; 0 without one.
  virtual int stop_signal() const = 0;
  /// Ends all ranks with this exit code. Alone: nothing; the caller ends the process.
  virtual void abandon(int exit_code) = 0;
};

/// One process.
std::unique_ptr<Ranks> alone();

/// The ranks of the launch that started this process. Programs that this process starts do not belong to them. Throws
/// Failure if there are several and this build has no MPI.
std::unique_ptr<Ranks> of_launch();

/// Whether this build has MPI.
bool has_mpi();

}  // namespace systole::ranks
