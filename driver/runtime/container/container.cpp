// SPDX-License-Identifier: Apache-2.0
#include "systole/container.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "container_file.hpp"
#include "input_file.hpp"
#include "reader.hpp"
#include "systole/generated/isa.hpp"

namespace systole::container {
namespace {

void check_configuration(const format::Configuration& file, const Configuration& wanted) {
  const std::string name = file.name()->str();
  if (name != wanted.name) {
    throw ContainerError(
        fmt::format("compiled for configuration {}, not {}: run it with --config {}, or compile again with systole "
                    "compile --config {}",
                    name, wanted.name, name, wanted.name));
  }
  struct Size {
    const char* name;
    int in_file, wanted;
  };
  for (const Size& size :
       {Size{"dim", file.dim(), wanted.dim}, Size{"scratch_rows", file.scratch_rows(), wanted.scratch_rows},
        Size{"weight_rows", file.weight_rows(), wanted.weight_rows}, Size{"acc_rows", file.acc_rows(), wanted.acc_rows},
        Size{"param_rows", file.param_rows(), wanted.param_rows}}) {
    if (size.in_file != size.wanted) {
      throw ContainerError(fmt::format(
          "compiled for a configuration {} whose {} is {}; here it is {}: compile again with systole compile", name,
          size.name, size.in_file, size.wanted));
    }
  }
  if (file.parts() != wanted.parts) {
    throw ContainerError(
        fmt::format("compiled for a configuration {} with other parts ({:#x} instead of {:#x}): compile "
                    "again with systole compile",
                    name, file.parts(), wanted.parts));
  }
}

}  // namespace

Container::Container(graph::Bytes bytes) : bytes_(std::move(bytes)), root_(nullptr) {
  check_header(bytes_);
  const std::size_t size = bytes_.size() - kHeaderBytes;
  constexpr flatbuffers::uoffset_t kDepth = 16;  // more than the nesting of tables in network.fbs
  // A table and its reference take at least 8 bytes. If there are more tables than that, some share their bytes.
  const auto tables = static_cast<flatbuffers::uoffset_t>(std::min<std::size_t>(size / 8, 4'000'000));
  flatbuffers::Verifier verifier(bytes_.data() + kHeaderBytes, size, kDepth, tables);
  if (size >= FLATBUFFERS_MAX_BUFFER_SIZE || !format::VerifyContainerBuffer(verifier)) {
    throw ContainerError(
        fmt::format("damaged: a table or vector of the file is not within its {} bytes", bytes_.size()));
  }
  root_ = format::GetContainer(bytes_.data() + kHeaderBytes);
}

graph::Graph Container::graph() const {
  Reader reader(bytes_.size());
  return read_graph(*root_->graph(), reader);
}

std::int64_t Container::batch() const {
  const std::int64_t batch = root_->batch();
  const graph::Graph whole = graph();
  for (const auto* list : {&whole.inputs, &whole.outputs}) {
    for (const graph::TensorId id : *list) {
      const graph::Tensor& tensor = whole.tensor(id);
      if (batch < 1 || (batch > 1 && (tensor.shape.empty() || tensor.shape[0] % batch != 0))) {
        throw ContainerError(fmt::format("damaged: a batch of {}, which does not divide the first axis of '{}', {}",
                                         batch, tensor.name, graph::to_string(tensor.shape)));
      }
    }
  }
  return batch;
}

bool Container::compiled() const { return root_->compiled() != nullptr; }

std::string Container::configuration() const {
  return compiled() ? root_->compiled()->configuration()->name()->str() : std::string();
}

CompiledNetwork Container::network(const Configuration& configuration) const {
  if (!compiled()) {
    throw ContainerError("contains a graph without programs: compile it with systole compile");
  }
  const format::Compiled& from = *root_->compiled();
  check_configuration(*from.configuration(), configuration);
  if (from.isa_version() != isa::kIsaVersion) {
    throw ContainerError(fmt::format(
        "compiled for version {}.{} of the instructions; this program has {}.{}: compile again with systole compile",
        from.isa_version() >> 16, from.isa_version() & 0xFFFF, isa::kIsaVersion >> 16, isa::kIsaVersion & 0xFFFF));
  }
  Reader reader(bytes_.size());
  CompiledNetwork to{read_graph(*root_->graph(), reader), configuration, {}};
  WeightTiling weights(to.graph, configuration.dim);
  for (flatbuffers::uoffset_t i = 0; i < size_of(from.steps()); ++i) {
    const format::Step& step = *from.steps()->Get(i);
    if (step.program() != nullptr) {
      to.steps.emplace_back(read_device_step(*step.program(), to.graph, configuration, weights, reader));
    } else {
      to.steps.emplace_back(HostStep{step.operator_index(), reader.text(step.reason())});
    }
  }
  check_order(to);
  return to;
}

bool is_container_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return false;  // to open a pipe would wait for its writer
  }
  std::array<char, 8> first{};
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), first.size());
  return file && is_container(graph::Bytes(first.begin(), first.end()));
}

Container open_container(const std::string& path) {
  try {
    return Container(files::read_file(path));
  } catch (const FileError& error) {
    throw ContainerError(error.what());
  }
}

}  // namespace systole::container
