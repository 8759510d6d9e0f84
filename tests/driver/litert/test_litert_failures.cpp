// SPDX-License-Identifier: Apache-2.0
// A device that fails, and interpreters that end while others run, in a delegate that a context by hand applies: one
// ADD of two int8 tensors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "faulty_backend.hpp"
#include "format_generated.h"
#include "loaded_delegate.hpp"

namespace systole::litert {
namespace {

/// TfLiteIntArray and TfLiteFloatArray.
template <class Element>
struct List {
  int size = 1;
  Element value[4] = {};
  const Array<Element>* get() const { return reinterpret_cast<const Array<Element>*>(this); }
};

/// An interpreter with one node, which the delegate may replace.
class OneAddition : public Context {
 public:
  OneAddition() : Context{} {
    quantization_ = {scale_.get(), point_.get(), 0};
    for (Tensor& tensor : all_) {
      tensor.type = Type{9};  // int8
      tensor.dims = shape_.get();
      tensor.bytes = 4;
      tensor.quantization = {Quantization::Kind::kAffine, &quantization_};
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i].data = bytes_[i].data();
    }
    tensors_size = all_.size();
    tensors = all_.data();
    node_.inputs = inputs_.get();
    node_.outputs = outputs_.get();
    node_.builtin_data = &add_;
    kernel_of_add_.builtin_code = static_cast<int>(tflite::OperatorCodeNumber::ADD);
    get_execution_plan = [](Context* context, Indices** nodes) {
      *nodes = const_cast<Indices*>(self(context).plan_.get());
      return Status::kOk;
    };
    get_node_and_registration = [](Context* context, int, Node** node, Registration** kernel) {
      *node = &self(context).node_;
      *kernel = &self(context).kernel_of_add_;
      return Status::kOk;
    };
    replace_nodes_with_kernels = [](Context* context, Registration kernel, const Indices* nodes, Delegate* delegate) {
      return self(context).replace(kernel, nodes, delegate);
    };
    report_error = say;
  }
  ~OneAddition() {
    if (kernel.free != nullptr) {
      kernel.free(this, macro_.user_data);
    }
  }

  Status invoke() { return kernel.invoke(this, &macro_); }

  std::string said;
  Registration kernel = {};  ///< the delegate's
  std::array<std::array<std::int8_t, 4>, 3> bytes_ = {{{1, 2, 3, 4}, {10, 20, 30, 40}, {}}};

 private:
  static OneAddition& self(Context* context) { return *static_cast<OneAddition*>(context); }

  static void say(Context* context, const char* format, ...) {
    std::array<char, 1000> text{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    self(context).said += text.data();
  }

  Status replace(const Registration& with, const Indices* nodes, Delegate* delegate) {
    const DelegateParameters parameters = {delegate, nodes, inputs_.get(), outputs_.get()};
    macro_.user_data = with.init(this, reinterpret_cast<const char*>(&parameters), 0);
    if (macro_.user_data == init_failed()) {
      return Status::kError;
    }
    kernel = with;
    return kernel.prepare(this, &macro_);
  }

  List<int> plan_{1, {0}}, inputs_{2, {0, 1}}, outputs_{1, {2}}, shape_{2, {1, 4}}, point_{1, {0}};
  List<float> scale_{1, {0.5F}};
  Quantization::Affine quantization_{};
  std::array<Tensor, 3> all_ = {};
  ActivationParams add_ = {};
  Node node_ = {}, macro_ = {};
  Registration kernel_of_add_ = {};
};

class Failures : public testing::Test {
 protected:
  std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
  LoadedDelegate delegate_{{}, Device(std::make_unique<FaultyBackend>(faults_))};
  OneAddition context_;
};

TEST_F(Failures, NoneIsReportedWithoutOne) {
  ASSERT_EQ(delegate_.prepare(&context_, &delegate_), Status::kOk) << context_.said;
  ASSERT_EQ(context_.invoke(), Status::kOk) << context_.said;
  EXPECT_THAT(context_.bytes_[2], testing::ElementsAre(11, 22, 33, 44));
  EXPECT_EQ(context_.said, "");
}

TEST_F(Failures, OfARunAreTheInterpretersErrors) {
  ASSERT_EQ(delegate_.prepare(&context_, &delegate_), Status::kOk) << context_.said;
  faults_->runs_throw = true;
  EXPECT_EQ(context_.invoke(), Status::kError);
  EXPECT_THAT(context_.said, testing::HasSubstr("systole: the simulation ends here"));
}

TEST_F(Failures, OfACopyAreTheInterpretersErrors) {
  ASSERT_EQ(delegate_.prepare(&context_, &delegate_), Status::kOk) << context_.said;
  faults_->copies_fail = true;
  EXPECT_EQ(context_.invoke(), Status::kError);
  EXPECT_THAT(context_.said, testing::HasSubstr("copy: bus error"));
}

TEST_F(Failures, ATensorThatChangedItsSizeIsNotRead) {
  ASSERT_EQ(delegate_.prepare(&context_, &delegate_), Status::kOk) << context_.said;
  context_.tensors[1].bytes = 3;
  EXPECT_EQ(context_.invoke(), Status::kError);
  EXPECT_THAT(context_.said, testing::HasSubstr("tensor 1 '' has 3 bytes; it was compiled for 4"));
}

TEST_F(Failures, AnInterpreterThatGivesNoNodesIsToldSo) {
  context_.get_execution_plan = [](Context*, Indices**) { return Status::kError; };
  EXPECT_EQ(delegate_.prepare(&context_, &delegate_), Status::kDelegateError);
  EXPECT_THAT(context_.said, testing::HasSubstr("does not give its execution plan"));
}

TEST_F(Failures, ADeviceWithoutRoomMakesNoKernel) {
  Device device(std::make_unique<FaultyBackend>(faults_));
  std::vector<Buffer> all;
  for (std::uint64_t bytes = small_memory().memory_bytes; bytes > 0; bytes /= 2) {
    try {
      for (;;) {
        all.push_back(device.allocate(bytes));
      }
    } catch (const Failure&) {  // the rest is smaller
    }
  }
  LoadedDelegate delegate({}, std::move(device));
  EXPECT_EQ(delegate.prepare(&context_, &delegate), Status::kError);
  EXPECT_THAT(context_.said, testing::HasSubstr("systole: device memory: "));
}

class Ends : public Failures {};

TEST_F(Ends, WaitForTheRunOfAnother) {
  auto other = std::make_unique<OneAddition>();
  ASSERT_EQ(delegate_.prepare(&context_, &delegate_), Status::kOk) << context_.said;
  ASSERT_EQ(delegate_.prepare(other.get(), &delegate_), Status::kOk) << other->said;
  std::future<void> end;
  bool waited = false;
  faults_->in_runs = [&] {
    if (!end.valid()) {
      end = std::async(std::launch::async, [&] { other.reset(); });
      waited = end.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout;
    }
  };
  ASSERT_EQ(context_.invoke(), Status::kOk) << context_.said;
  end.get();
  EXPECT_TRUE(waited);
}

TEST_F(Ends, DuringAReport) {
  LoadedDelegate delegate({.report = testing::TempDir() + "systole_ends.json"},
                          Device(std::make_unique<FaultyBackend>(faults_)));
  ASSERT_EQ(delegate.prepare(&context_, &delegate), Status::kOk) << context_.said;
  std::atomic<bool> stop = false;
  const auto runs = std::async(std::launch::async, [&] {
    while (!stop && context_.invoke() == Status::kOk) {}
  });
  for (int i = 0; i < 300; ++i) {
    OneAddition other;
    EXPECT_EQ(delegate.prepare(&other, &delegate), Status::kOk) << other.said;
  }
  stop = true;
  runs.wait();
  EXPECT_EQ(context_.said, "");
}

}  // namespace
}  // namespace systole::litert
