// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process, so that what they do is tested without MPI.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks.hpp"

namespace systole::ranks {

/// Messages on their way, by sender and receiver.
class Mail {
 public:
  void put(int from, int to, const Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    waiting_[{from, to}].push_back(bytes);
    changed_.notify_all();
  }
  Bytes take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& queue = waiting_[{from, to}];
    changed_.wait(lock, [&] { return !queue.empty(); });
    Bytes bytes = std::move(queue.front());
    queue.pop_front();
    return bytes;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<Bytes>> waiting_;
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Mail& mail, int rank, int size) : mail_(mail), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int on_this_machine() const override { return size_; }
  void send(int to, const Bytes& bytes) override { mail_.put(rank_, to, bytes); }
  Bytes receive(int from) override { return mail_.take(from, rank_); }
  Bytes broadcast(int from, Bytes bytes) override {
    for (int to = 0; rank_ == from && to < size_; ++to) {
      mail_.put(from, to, bytes);
    }
    return mail_.take(from, rank_);
  }
  std::vector<Bytes> all_gather(const Bytes& mine) override {
    std::vector<Bytes> all;
    for (int from = 0; from < size_; ++from) {
      all.push_back(broadcast(from, mine));
    }
    return all;
  }
  void when_stopped(const std::string&) override {}
  void finish_when_stopped(bool) override {}
  int stop_signal() const override { return 0; }
  void abandon(int) override {}

 private:
  Mail& mail_;
  const int rank_, size_;
};

/// Calls work(ranks) for each of `size` ranks, each in a thread.
template <class Work>
void in_threads(int size, const Work& work) {
  Mail mail;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&mail, &work, rank, size] {
      ThreadRank ranks(mail, rank, size);
      work(ranks);
    });
  }
}

}  // namespace systole::ranks
