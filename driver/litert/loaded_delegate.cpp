// SPDX-License-Identifier: Apache-2.0
#include "loaded_delegate.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "delegate_report.hpp"
#include "output_file.hpp"

namespace systole::litert {

/// Lives as long as the delegate and the kernels that it made.
class Loaded {
 public:
  Loaded(DelegateOptions options, Device device)
      : options_(std::move(options)), device_(std::make_shared<SharedDevice>(std::move(device))) {}

  /// The nodes that the device takes, behind their number.
  std::vector<int> place(Context& context) {
    std::vector<Placement> nodes = placements(context, device_->device);
    std::vector<int> taken = {0};
    for (const Placement& node : nodes) {
      if (node.reason.empty()) {
        taken.push_back(node.node);
      }
    }
    taken[0] = static_cast<int>(taken.size() - 1);
    remember(context, std::move(nodes));
    write_report();
    return taken;
  }

  std::shared_ptr<Partition> partition(Context& context, const DelegateParameters& parameters) {
    Part part;
    part.nodes.assign(parameters.nodes->begin(), parameters.nodes->end());
    for (const int tensor : present(parameters.inputs)) {
      if (!context.tensors[tensor].is_constant()) {
        part.inputs.push_back(tensor);
      }
    }
    part.outputs = present(parameters.outputs);
    auto made = std::make_shared<Partition>(device_, context, std::move(part));
    const std::lock_guard lock(device_->use);
    partitions_.push_back(made);
    return made;
  }

  void write_report() const {
    if (options_.report.empty()) {
      return;
    }
    std::vector<std::shared_ptr<const Partition>> partitions;  // ends after the lock: one of them may be the last owner
    const std::lock_guard lock(device_->use);
    std::vector<std::vector<Placement>> graphs;
    for (const auto& graph : graphs_) {
      graphs.push_back(graph.second);
    }
    for (const auto& partition : partitions_) {
      if (auto kept = partition.lock()) {
        partitions.push_back(std::move(kept));
      }
    }
    files::write_file(options_.report, report_text(options_, graphs, partitions));
  }

 private:
  void remember(const Context& context, std::vector<Placement> nodes) {
    const std::lock_guard lock(device_->use);
    const auto known =
        std::find_if(graphs_.begin(), graphs_.end(), [&](const auto& graph) { return graph.first == &context; });
    if (known == graphs_.end()) {
      graphs_.emplace_back(&context, std::move(nodes));
    } else {
      known->second = std::move(nodes);  // the interpreter has other shapes now
    }
  }

  DelegateOptions options_;
  std::shared_ptr<SharedDevice> device_;  ///< its mutex guards what follows
  std::vector<std::pair<const Context*, std::vector<Placement>>> graphs_;
  std::vector<std::weak_ptr<const Partition>> partitions_;
};

namespace {

struct Kernel {
  std::shared_ptr<const Loaded> loaded;
  std::shared_ptr<Partition> partition;
};

/// Calls the function. An error becomes a message of the interpreter, and the result `failed`.
template <class Result, class Function>
Result guarded(Context* context, Result failed, Function function) noexcept {
  try {
    return function();
  } catch (const std::exception& error) {
    context->report_error(context, "systole: %s", error.what());
  } catch (...) {
    context->report_error(context, "systole: an exception of unknown type");
  }
  return failed;
}

void* init(Context* context, const char* parameters, std::size_t) {
  return guarded(context, init_failed(), [&]() -> void* {
    const auto& part = *reinterpret_cast<const DelegateParameters*>(parameters);
    const std::shared_ptr<Loaded>& loaded = static_cast<LoadedDelegate*>(part.delegate)->loaded;
    return new Kernel{loaded, loaded->partition(*context, part)};
  });
}

void free_kernel(Context*, void* kernel) {
  if (kernel != init_failed()) {
    delete static_cast<Kernel*>(kernel);
  }
}

Status prepare_kernel(Context*, Node*) { return Status::kOk; }

Status invoke(Context* context, Node* node) {
  return guarded(context, Status::kError, [&] {
    const auto& kernel = *static_cast<Kernel*>(node->user_data);
    kernel.partition->run(*context);
    kernel.loaded->write_report();
    return Status::kOk;
  });
}

Status prepare(Context* context, Delegate* delegate) {
  return guarded(context, Status::kDelegateError, [&] {
    const std::vector<int> nodes = static_cast<LoadedDelegate*>(delegate)->loaded->place(*context);
    Registration kernel = {};
    kernel.init = init;
    kernel.free = free_kernel;
    kernel.prepare = prepare_kernel;
    kernel.invoke = invoke;
    kernel.custom_name = "Systole";
    kernel.version = 1;
    return context->replace_nodes_with_kernels(context, kernel, reinterpret_cast<const Indices*>(nodes.data()),
                                               delegate);
  });
}

}  // namespace

LoadedDelegate::LoadedDelegate(DelegateOptions options, Device device)
    : litert::Delegate{}, loaded(std::make_shared<Loaded>(std::move(options), std::move(device))) {
  this->prepare = litert::prepare;
}

}  // namespace systole::litert
