// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"
#include "stop_notice.hpp"
#include "systole/errors.hpp"

namespace systole::ranks {
namespace {

class Alone final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int on_this_machine() const override { return 1; }
  void send(int, const Bytes&) override { throw InternalError("one process has no other to send to"); }
  Bytes receive(int) override { throw InternalError("one process has no other to receive from"); }
  Bytes broadcast(int, Bytes bytes) override { return bytes; }
  std::vector<Bytes> all_gather(const Bytes& mine) override { return {mine}; }
  void when_stopped(const std::string& text) override {
    if (notice_) {
      notice_->say(text);
    }
  }
  void finish_when_stopped(bool finish) override {
    notice_.reset();
    if (finish) {
      notice_ = std::make_unique<StopNotice>();
      notice_->let_finish(true);
    }
  }
  int stop_signal() const override { return notice_ ? notice_->signal() : 0; }
  void abandon(int) override {}

 private:
  std::unique_ptr<StopNotice> notice_;
};

}  // namespace

std::unique_ptr<Ranks> alone() { return std::make_unique<Alone>(); }

}  // namespace systole::ranks
