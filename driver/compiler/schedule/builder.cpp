// SPDX-License-Identifier: Apache-2.0
#include "builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cycle_owner.hpp"
#include "fields.hpp"
#include "synchronize.hpp"
#include "systole/disassemble.hpp"
#include "systole/errors.hpp"
#include "systole/isa_check.hpp"

namespace systole::compiler {
namespace {

constexpr std::uint64_t kLine = 64;  // granularity of the dependency records for device memory, in bytes
constexpr std::uint64_t kLinesPerPage = 256;

/// Cycles of each label by the cost model; their sum is the program's (cycle_owner.hpp).
std::vector<std::int64_t> label_cycles(const Timeline& timeline, const Program& program) {
  struct Change {
    std::int64_t time;
    enum { kComputes, kComputedAll, kRetires } what;
    std::size_t instruction;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < timeline.commit.size(); ++i) {
    if (timeline.computes_until[i] > timeline.computes_from[i]) {
      changes.push_back({timeline.computes_from[i], Change::kComputes, i});
      changes.push_back({timeline.computes_until[i], Change::kComputedAll, i});
    }
    changes.push_back({timeline.commit[i], Change::kRetires, i});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  CycleOwner owner(program.label_of, program.labels.size());
  std::vector<std::int64_t> cycles(program.labels.size(), 0);
  std::int64_t now = 0;
  for (const Change& change : changes) {
    cycles[owner.owner()] += change.time - now;
    now = change.time;
    if (change.what == Change::kRetires) {
      owner.retired(change.instruction);
    } else if (change.what == Change::kComputes) {
      owner.computes(change.instruction);
    } else {
      owner.computes(std::nullopt);
    }
  }
  cycles[owner.owner()] += timeline.cycles - now;
  return cycles;
}

bool may_be_apart(isa::Opcode opcode) {
  return opcode == isa::Opcode::kVector || opcode == isa::Opcode::kTable || opcode == isa::Opcode::kMap;
}

bool reads_lookup_table(isa::Opcode opcode, const isa::Instruction& instruction) {
  return (opcode == isa::Opcode::kDrain && isa::Drain::decode(instruction).table != 0) ||
         (opcode == isa::Opcode::kMap && isa::Map::decode(instruction).table != 0);
}

bool reads_table_of_words(const kernel::Kernel& kernel) {
  return std::any_of(kernel.words.begin(), kernel.words.end(), [](kernel::Word word) {
    return kernel::get(word, kernel::kOpField) == static_cast<std::uint32_t>(kernel::Op::kTable);
  });
}

}  // namespace

ChipRings::ChipRings(const Configuration& c)
    : weights(0, c.weight_rows, true),
      params(0, c.param_rows, false),
      accumulators{RowRing(0, c.acc_rows / 2, false), RowRing(c.acc_rows / 2, c.acc_rows / 2, false)} {}

Builder::Builder(const Configuration& configuration, const MemoryTiming& memory)
    : configuration_(configuration),
      memory_(memory),
      rings_(configuration),
      workspace_rows_(configuration.scratch_rows) {
  rows_[0].resize(static_cast<std::size_t>(configuration.scratch_end()));
  rows_[1].resize(static_cast<std::size_t>(configuration.weight_rows));
  rows_[2].resize(static_cast<std::size_t>(configuration.param_rows));
  rows_[3].resize(static_cast<std::size_t>(configuration.acc_rows));
  rows_[4].resize(static_cast<std::size_t>(kernel::memory_rows(configuration.dim)));
  forget_kernels();
}

void Builder::forget_kernels() {
  tables_ = {};
  kernels_.clear();
  plain_kernels_.clear();
  followers_.clear();
  kernel_words_.assign(kernel::kMemoryWords, kernel::kUnknownWord);
  kernel_end_ = 0;
}

std::size_t Builder::begin_layer(std::string name, std::uint64_t useful_macs) {
  layer_ = program_.labels.size();
  program_.labels.push_back(std::move(name));
  program_.useful_macs += useful_macs;
  layer_macs_[layer_].useful = useful_macs;
  in_layer_ = true;
  return layer_;
}

std::uint64_t Builder::left_out(std::size_t layer) const {
  const auto found = layer_macs_.find(layer);
  const bool counts = found != layer_macs_.end() && found->second.useful == found->second.of_operators;
  return counts ? found->second.left_out : 0;
}

void Builder::begin_operator(std::string name, std::uint64_t useful_macs) {
  if (!in_layer_) {
    layer_ = program_.labels.size();
    program_.labels.push_back(std::move(name));
    program_.useful_macs += useful_macs;
    layer_macs_[layer_].useful = useful_macs;
  } else if (layer_ < program_.labels.size() && program_.labels[layer_].empty()) {
    program_.labels[layer_] = std::move(name);
  }
  layer_macs_[layer_].of_operators += useful_macs;
}

void Builder::set_workspace(int first, int rows) {
  if (first < 0 || rows < 0 || first + rows > configuration_.scratch_rows) {
    throw InternalError(fmt::format("compiler: workspace of rows {} to {}, the scratchpad has {}", first, first + rows,
                                    configuration_.scratch_rows));
  }
  workspace_begin_ = first;
  workspace_rows_ = rows;
}

Builder Builder::fork(std::size_t recent) const {
  Builder copy(configuration_, memory_);
  copy.ranges_ = ranges_;
  copy.rings_ = rings_;
  copy.workspace_begin_ = workspace_begin_;
  copy.workspace_rows_ = workspace_rows_;
  copy.is_fork_ = true;
  const std::size_t forgotten = items_.size() - std::min(items_.size(), recent);
  copy.first_ = first_ + static_cast<int>(forgotten);
  copy.items_.reserve(4 * recent);
  copy.items_.assign(items_.begin() + static_cast<std::ptrdiff_t>(forgotten), items_.end());
  copy.rows_ = rows_;
  copy.kernel_words_ = kernel_words_;
  copy.kernels_ = kernels_;
  copy.kernel_end_ = kernel_end_;
  copy.tables_ = tables_;
  copy.table_touches_ = table_touches_;
  copy.plain_kernels_ = plain_kernels_;
  copy.register_touches_ = register_touches_;
  copy.followers_ = followers_;
  copy.registers_kept_ = registers_kept_;
  copy.kernels_apart_ = kernels_apart_;
  copy.lane_ = lane_;
  copy.forked_from_ = this;
  for (Item& item : copy.items_) {
    for (int& producer : item.event.after) {
      producer = std::max(-1, producer - static_cast<int>(forgotten));
    }
  }
  return copy;
}

int Builder::last_access(int first, int rows) const {
  int last = -1;
  const auto begin = rows_[0].begin() + first;
  for (auto touch = begin; touch != begin + rows; ++touch) {
    const int reader = *std::max_element(touch->reader.begin(), touch->reader.end());
    last = std::max({last, reader, touch->writer < 0 ? -1 : touch->writer / kStreams});
  }
  return last;
}

std::vector<Builder::Touch>& Builder::touches(Memory memory) { return rows_[static_cast<std::size_t>(memory)]; }

void Builder::Visitor::comes_after(int writer) {
  if (writer >= 0) {
    int& last = after[static_cast<std::size_t>(writer % kStreams)];
    last = std::max(last, writer / kStreams);
  }
}

void Builder::Visitor::read(Touch* first, const Touch* last) {
  int writer = -1;  // cached from the previous row: most often the same
  for (; first != last; ++first) {
    if (first->writer != writer) {
      writer = first->writer;
      comes_after(writer);
    }
    first->reader[stream] = index;
  }
}

void Builder::Visitor::write(Touch* first, const Touch* last) {
  int writer = -1;
  const Touch touched{index * kStreams + static_cast<int>(stream), kNowhere};
  StreamPlaces readers = after;
  for (; first != last; ++first) {
    if (first->writer != writer) {
      writer = first->writer;
      comes_after(writer);
    }
    for (std::size_t e = 0; e < kStreams; ++e) {
      readers[e] = std::max(readers[e], first->reader[e]);
    }
    *first = touched;
  }
  for (std::size_t e = 0; e < kStreams; ++e) {
    after[e] = std::max(after[e], readers[e]);
  }
}

void Builder::Visitor::visit(Touch* first, const Touch* last, bool is_write) {
  is_write ? write(first, last) : read(first, last);
}

Builder::Page& Builder::page(std::uint64_t number) {
  const auto found = pages_.find(number);
  if (found != pages_.end()) {
    return found->second;
  }
  for (const Builder* from = forked_from_; from != nullptr; from = from->forked_from_) {
    const auto original = from->pages_.find(number);
    if (original != from->pages_.end()) {
      return pages_.emplace(number, original->second).first->second;
    }
  }
  return pages_.emplace(number, Page(kLinesPerPage)).first->second;
}

void Builder::visit_device(const Span& span, Visitor& visitor) {
  const std::uint64_t end = (span.end - 1) / kLine + 1;
  for (std::uint64_t line = span.begin / kLine; line < end;) {
    Page& lines = page(line / kLinesPerPage);
    const std::uint64_t end_here = std::min(end, (line / kLinesPerPage + 1) * kLinesPerPage);
    Touch* const first = lines.data() + line % kLinesPerPage;
    visitor.visit(first, first + (end_here - line), span.is_write);
    line = end_here;
  }
}

void Builder::visit_tables(const isa::Instruction& instruction, Visitor& visitor) {
  const auto opcode = static_cast<isa::Opcode>(instruction.words[0] & 0xFF);
  const auto visit = [&](Touch& table, bool writes) { visitor.visit(&table, &table + 1, writes); };
  if (opcode == isa::Opcode::kTable) {
    visit(table_touches_[isa::Table::decode(instruction).words], true);
  } else if (reads_lookup_table(opcode, instruction)) {
    visit(table_touches_[0], false);
  } else if (opcode == isa::Opcode::kVector && plain_kernels_.count(isa::Vector::decode(instruction).entry) == 0) {
    visit(table_touches_[1], false);
  }
}

/// Registers that are kept count as written, so that all other kernels come before or after. Registers that are not
/// hold nothing that another kernel needs.
void Builder::visit_registers(const isa::Instruction& instruction, Visitor& visitor) {
  if (static_cast<isa::Opcode>(instruction.words[0] & 0xFF) != isa::Opcode::kVector) {
    return;
  }
  const std::uint16_t entry = isa::Vector::decode(instruction).entry;
  if (!registers_kept_ && followers_.count(entry) != 0) {
    throw InternalError(fmt::format("compiler: the kernel at word {} reads vector registers that are not kept", entry));
  }
  visitor.visit(&register_touches_, &register_touches_ + 1, registers_kept_);
}

std::string missing(Part part, const Configuration& configuration) {
  return fmt::format("configuration {} has no {}", configuration.name, kParts[static_cast<std::size_t>(part)].title);
}

void Builder::append(const isa::Instruction& instruction) {
  if (!is_fork_) {  // the instructions kept by a fork are appended again
    if (const auto part = isa::missing_part(instruction, configuration_.parts)) {
      throw MissingPart(missing(*part, configuration_));
    }
    const auto violations = isa::check(instruction, configuration_.dim, configuration_.parts);
    if (!violations.empty()) {
      throw InternalError(fmt::format("compiler: {}: {}", violations.front().text, isa::disassemble(instruction)));
    }
  }
  const auto opcode = static_cast<isa::Opcode>(instruction.words[0] & 0xFF);
  const bool writes_table = opcode == isa::Opcode::kTable;
  const bool words = writes_table && isa::Table::decode(instruction).words != 0;
  if (writes_table) {
    tables_[words].clear();
  }
  Item item;
  item.instruction = instruction;
  item.event.work = work_of(instruction, configuration_, &kernel_words_);
  item.label = u16(layer_);
  item.event.lane = kernels_apart_ && may_be_apart(opcode) ? 1 : lane_;
  Visitor visitor{first_ + static_cast<int>(items_.size()), item.event.stream()};
  for (const Span& span : footprint(instruction, configuration_, &kernel_words_)) {
    if (span.memory == Memory::kDevice) {
      ranges_.check(span, instruction);
      visit_device(span, visitor);
      continue;
    }
    auto& rows = touches(span.memory);
    if (span.end > rows.size()) {
      throw InternalError(fmt::format("compiler: row {} of memory {} does not exist: {}", span.end - 1,
                                      static_cast<int>(span.memory), isa::disassemble(instruction)));
    }
    visitor.visit(rows.data() + span.begin, rows.data() + span.end, span.is_write);
  }
  visit_tables(instruction, visitor);
  visit_registers(instruction, visitor);
  // A stream keeps its order; dependencies that a fork has dropped committed long ago.
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    item.event.after[stream] = stream == visitor.stream ? -1 : std::max(-1, visitor.after[stream] - first_);
  }
  items_.push_back(std::move(item));
}

std::uint16_t Builder::place_kernel(const kernel::Kernel& kernel) {
  const auto found = kernels_.find(&kernel);
  if (found != kernels_.end()) {
    return found->second;
  }
  // Whole rows, because LOAD of the next kernel writes whole rows.
  const std::size_t row_words = std::max<std::size_t>(1, static_cast<std::size_t>(dim()) / sizeof(kernel::Word));
  std::vector<kernel::Word> words = kernel.words;
  words.resize((words.size() + row_words - 1) / row_words * row_words, 0);
  if (words.size() > kernel::kMemoryWords) {
    throw InternalError(fmt::format("compiler: kernel '{}' has {} words, the kernel memory {}", kernel.name,
                                    kernel.words.size(), kernel::kMemoryWords));
  }
  if (kernel_end_ + words.size() > kernel::kMemoryWords) {
    forget_kernels();
  }
  std::vector<std::uint8_t> bytes(words.size() * sizeof words[0]);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(words[i / sizeof words[0]] >> 8 * (i % sizeof words[0]));
  }
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  load.run_bytes = static_cast<std::uint32_t>(bytes.size());
  load.piece_step = load.piece_bytes = load.slot_bytes = u16(bytes.size());
  load.dst = u16(kernel_end_ * sizeof words[0] / static_cast<std::size_t>(dim()));
  load.dst_block = 1;
  load.valid_to = 1;
  load.src = constant(std::move(bytes));
  append(load);
  const auto entry = u16(kernel_end_);
  std::copy(words.begin(), words.end(), kernel_words_.begin() + static_cast<std::ptrdiff_t>(kernel_end_));
  kernel_end_ += words.size();
  kernels_.emplace(&kernel, entry);
  if (!reads_table_of_words(kernel)) {
    plain_kernels_.insert(entry);
  }
  if (kernel::reads_before_writing(kernel.words)) {
    followers_.insert(entry);
  }
  return entry;
}

std::uint32_t Builder::constant(std::vector<std::uint8_t> bytes) {
  const std::uint32_t address = ranges_.append(kConstantsWindow, bytes.size());
  program_.constants.push_back({ProgramRanges::offset(address), std::move(bytes)});
  return address;
}

std::vector<int> Builder::program_order() const {
  std::vector<Event> events;
  events.reserve(items_.size());
  for (const Item& item : items_) {
    events.push_back(item.event);
  }
  return start_order(events, configuration_, memory_, kernels_apart_ ? LaneOrder::kFillsGaps : LaneOrder::kTurns);
}

/// In the program, where an engine has one stream: what other engines do is waited for, by its places there.
Event Builder::placed_event(const Item& item, const std::vector<int>& place) const {
  Event event;
  event.work = item.event.work;
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    const std::size_t engine = stream % kEngines;
    const int producer = item.event.after[stream];
    if (producer >= 0 && engine != item.event.stream() % kEngines) {
      event.after[engine] = std::max(event.after[engine], place[static_cast<std::size_t>(producer)]);
    }
  }
  return event;
}

std::int64_t Builder::estimated_cycles() const {
  const std::vector<int> order = program_order();
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  }
  std::vector<Event> events;
  events.reserve(order.size());
  for (const int i : order) {
    events.push_back(placed_event(items_[static_cast<std::size_t>(i)], place));
  }
  return estimate(events, configuration_, memory_).cycles;
}

std::int64_t Builder::read_cycles() const {
  std::int64_t beats = 0;
  for (const Item& item : items_) {
    beats += std::max(1, isa::kInstructionBytes / configuration_.dim);
    beats += item.event.work.engine == isa::Engine::kLoad ? item.event.work.beats : 0;
  }
  return beats * memory_.read_interval;
}

Program Builder::finish() {
  Synchronizer synchronizer;
  std::vector<int> place(items_.size(), -1);
  for (const int i : program_order()) {
    const Item& item = items_[static_cast<std::size_t>(i)];
    place[static_cast<std::size_t>(i)] = synchronizer.append(item.instruction, placed_event(item, place), item.label);
  }
  Synchronizer::Result result = synchronizer.finish();
  const Timeline timeline = estimate(result.events, configuration_, memory_);
  program_.estimated_cycles = timeline.cycles;
  std::transform(result.instructions.begin(), result.instructions.end(), std::back_inserter(program_.instructions),
                 ProgramRanges::link);
  program_.binding_bytes = ranges_.bytes(kBindingsWindow);
  program_.constant_bytes = ranges_.bytes(kConstantsWindow);
  program_.scratch_bytes = ranges_.bytes(kScratchWindow);
  ranges_ = {};
  program_.label_of = std::move(result.labels);
  if (program_.labels.empty()) {
    program_.labels.emplace_back();
  }
  program_.label_cycles = label_cycles(timeline, program_);
  for (const auto& [layer, macs] : layer_macs_) {
    program_.useful_macs -= left_out(layer);
  }
  layer_macs_.clear();
  in_layer_ = false;
  layer_ = 0;
  program_.syncs = result.syncs;
  items_.clear();
  pages_.clear();
  for (auto& rows : rows_) {
    std::fill(rows.begin(), rows.end(), Touch{});
  }
  table_touches_ = {};
  register_touches_ = {};
  forget_kernels();
  return std::exchange(program_, Program{});
}

}  // namespace systole::compiler
