// SPDX-License-Identifier: Apache-2.0
// The only file that includes MPI.
#include <fmt/core.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "launch.hpp"
#include "ranks.hpp"
#include "stop_notice.hpp"
#include "systole/errors.hpp"

namespace systole::ranks {
namespace {

constexpr std::size_t kMost = std::numeric_limits<int>::max();  // MPI counts in int
constexpr int kTag = 0;

void check(int code, const char* what) {
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw Failure(fmt::format("exchange between ranks: {}: {}", what, text));
  }
}

/// Initializes MPI and ends it.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    // The threads that MPI starts inherit this one's signal mask, so the notice comes first.
    notice_ = std::make_unique<StopNotice>();
    check(MPI_Init(nullptr, nullptr), "MPI_Init");
    // A failed exchange is an exception here, not the end of the process.
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    MPI_Comm here = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here), "MPI_Comm_split");
    check(MPI_Comm_size(here, &here_), "MPI_Comm_size");
    check(MPI_Comm_free(&here), "MPI_Comm_free");
    for (const char* name : kSizes) {
      unsetenv(name);
    }
  }
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return here_; }

  void send(int to, const Bytes& bytes) override {
    check(MPI_Send(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD), "MPI_Send");
  }

  Bytes receive(int from) override {
    MPI_Status status;
    check(MPI_Probe(from, kTag, MPI_COMM_WORLD, &status), "MPI_Probe");
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    Bytes bytes(static_cast<std::size_t>(count));
    check(MPI_Recv(bytes.data(), count, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    return bytes;
  }

  Bytes broadcast(int from, Bytes bytes) override {
    std::uint64_t size = bytes.size();
    check(MPI_Bcast(&size, 1, MPI_UINT64_T, from, MPI_COMM_WORLD), "MPI_Bcast");
    bytes.resize(size);
    for (std::size_t done = 0; done < size; done += kMost) {
      const std::size_t part = std::min<std::size_t>(kMost, size - done);
      check(MPI_Bcast(bytes.data() + done, count_of(part), MPI_BYTE, from, MPI_COMM_WORLD), "MPI_Bcast");
    }
    return bytes;
  }

  std::vector<Bytes> all_gather(const Bytes& mine) override {
    std::vector<Bytes> all;
    for (int from = 0; from < size_; ++from) {
      all.push_back(broadcast(from, from == rank_ ? mine : Bytes()));
    }
    return all;
  }

  void when_stopped(const std::string& text) override {
    if (rank_ == 0) {
      notice_->say(text);
    }
  }

  void finish_when_stopped(bool finish) override { notice_->let_finish(finish); }
  int stop_signal() const override { return notice_->signal(); }

  void abandon(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  static int count_of(std::size_t bytes) {
    if (bytes > kMost) {
      throw Failure(fmt::format("exchange between ranks: a message of {} bytes; {} is the most", bytes, kMost));
    }
    return static_cast<int>(bytes);
  }

  int rank_ = 0, size_ = 1, here_ = 1;
  std::unique_ptr<StopNotice> notice_;
};

}  // namespace

bool has_mpi() { return true; }

std::unique_ptr<Ranks> of_launch() {
  if (launched() == 1) {
    return alone();
  }
  return std::make_unique<MpiRanks>();
}

}  // namespace systole::ranks
