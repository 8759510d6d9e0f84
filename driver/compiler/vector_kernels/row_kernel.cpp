// SPDX-License-Identifier: Apache-2.0
#include "row_kernel.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "constant_scalars.hpp"
#include "kernel_writer.hpp"
#include "row_addresses.hpp"
#include "row_passes.hpp"

namespace systole::compiler {
namespace {

using kernel::Format;
using kernel::Op;
using Source = Operations::Source;

Op combining_lanes(Combine combine) {
  switch (combine) {
    case Combine::kMax:
    case Combine::kMin: return Op::kMaxLanes;
    case Combine::kSum: return Op::kSumLanes;
    case Combine::kFloatMax: return Op::kFmaxLanes;
    default: return Op::kFsumLanes;
  }
}

class Code {
 public:
  Code(const RowFunction& function, const RowShape& shape, const RowRegisters& at, const RowPasses& passes)
      : function_(function),
        shape_(shape),
        at_(at),
        passes_(passes),
        writer_(function.name()),
        addresses_(function, shape, writer_, folds(passes)),
        constants_(writer_) {}

  kernel::Kernel write() {
    take_parameters();
    count_constants();
    addresses_.take_scalars(std::max(constants_.distinct(), ConstantScalars::kTemporaries));
    constants_.set();
    for (const RowBody& body : passes_.before) {
      set_planes(body.planes);
      append(body);
    }
    if (of_planes()) {
      append_passes();
      return writer_.finish();
    }
    writer_.begin_loop(addresses_.strips());
    constants_.forget();
    writer_.rows(addresses_.left());
    append_passes();
    addresses_.next_strip();
    writer_.end_loop();
    return writer_.finish();
  }

 private:
  bool of_planes() const { return shape_.of == Strips::kOfPlanes; }

  static bool folds(const RowPasses& passes) {
    return std::any_of(passes.passes.begin(), passes.passes.end(),
                       [](const RowPass& pass) { return !pass.folds.empty(); });
  }

  void take_parameters() {
    std::set<std::string> names;
    for (const RowPass& pass : passes_.passes) {
      for (const RowStrips& strips : pass.strips) {
        for (const RowBody& body : strips.bodies) {
          names.insert(body.operations.parameters().begin(), body.operations.parameters().end());
        }
      }
    }
    for (const std::string& name : names) {
      parameters_[name] = writer_.argument(name);
    }
  }

  void append_passes() {
    for (const RowPass& pass : passes_.passes) {
      append(pass);
    }
  }

  void count_constants() {
    for (const RowBody& body : passes_.before) {
      constants_.count(body.operations);
    }
    for (const RowPass& pass : passes_.passes) {
      for (const RowStrips& strips : pass.strips) {
        for (const RowBody& body : strips.bodies) {
          constants_.count(body.operations);
        }
        if (strips.times > 1) {
          constants_.count(loops_of(strips));
        }
      }
    }
    for (const int planes : planes_of_strips()) {
      constants_.count(static_cast<std::uint32_t>(planes));
    }
  }

  /// The numbers of planes that strips have, if they are of planes, and some have fewer than others.
  std::set<int> planes_of_strips() const {
    std::set<int> planes;
    for (const RowPass& pass : passes_.passes) {
      planes.insert(pass.fold_planes);
      for (const RowStrips& strips : pass.strips) {
        for (const RowBody& body : strips.bodies) {
          planes.insert(body.planes);
        }
      }
    }
    for (const RowBody& body : passes_.before) {
      planes.insert(body.planes);
    }
    planes.insert(kernel::kStripRows);
    return of_planes() && planes.size() > 1 ? planes : std::set<int>();
  }

  /// The first of strips whose heads are computed ahead is outside of the loop.
  static std::uint32_t loops_of(const RowStrips& strips) {
    const bool ahead = strips.bodies.front().head != Operations::kNone;
    return static_cast<std::uint32_t>(strips.times - (ahead ? 1 : 0));
  }

  void append(const RowPass& pass) {
    addresses_.begin(pass);
    for (std::size_t i = 0; i < pass.strips.size(); ++i) {
      const RowStrips& strips = pass.strips[i];
      const bool last = i + 1 == pass.strips.size();
      if (strips.bodies.front().head != Operations::kNone) {
        append_ahead(pass, strips);
        continue;
      }
      set_planes(strips.bodies.front().planes);
      if (strips.times > 1) {
        writer_.begin_loop(constants_.scalar(loops_of(strips)).value);
        constants_.forget();
      }
      for (std::size_t b = 0; b < strips.bodies.size(); ++b) {
        append(strips.bodies[b]);
        if (pass.advances && !(last && strips.times == 1 && b + 1 == strips.bodies.size())) {
          addresses_.advance_operands(pass, strips.bodies[b].planes);
          if (addresses_.uses_result(pass)) {
            addresses_.advance_result(strips.bodies[b].planes);
          }
        }
      }
      if (strips.times > 1) {
        writer_.end_loop();
        constants_.forget();
      }
    }
    combine(pass);
  }

  /// Of the strips from now on, if they are of planes.
  void set_planes(int planes) {
    if (of_planes() && planes_ != planes) {
      writer_.rows(constants_.scalar(static_cast<std::uint32_t>(planes)).value);
      planes_ = planes;
    }
  }

  /// The next plane's head is computed before a plane is stored.
  void append_ahead(const RowPass& pass, const RowStrips& strips) {
    const RowBody& body = strips.bodies.front();
    emit(body, body.head);
    writer_.begin_loop(constants_.scalar(loops_of(strips)).value);
    constants_.forget();
    append_rest(body, [&] {
      addresses_.advance_operands(pass);
      emit(body, body.head);
    });
    addresses_.advance_result();
    writer_.end_loop();
    constants_.forget();
    append_rest(body, [] {});
  }

  template <class BeforeStore>
  void append_rest(const RowBody& body, const BeforeStore& before_store) {
    const std::vector<std::size_t>& order = body.operations.order();
    const std::size_t result = body.operations.results().front();
    const bool direct = stores_directly(body) && reads_not(body, result, body.head);
    for (const std::size_t number : order) {
      if (number != body.head && !(direct && number == result)) {
        emit(body, number);
      }
    }
    before_store();
    direct ? emit_store(body, result) : writer_.store(Op::kMove, addresses_.result(), value_of(body, result));
  }

  /// Whether value number `of` is no source of value number `number`.
  static bool reads_not(const RowBody& body, std::size_t number, std::size_t of) {
    const Operations::Value& value = body.operations.values()[number];
    const auto is = [&](const Source& source) { return source.kind == Source::Kind::kValue && source.number == of; };
    return !is(value.a) && !is(value.b);
  }

  /// The lanes of what a pass has folded, and the planes of its strips.
  void combine(const RowPass& pass) {
    if (!pass.folds.empty()) {
      set_planes(pass.fold_planes);
    }
    const auto of_pass =
        std::find_if(function_.steps().begin(), function_.steps().end(), [&](const RowFunction::Step& step) {
          return !pass.folds.empty() && !step.folds.empty() && step.folds[0].number == pass.folds[0].number;
        });
    for (std::size_t f = 0; f < pass.folds.size(); ++f) {
      const Combine combine = pass.folds[f].combine;
      const int count = combine == Combine::kFloatSum ? shape_.used_sums() : 1;
      const auto sum = [&](int i) { return at_.of_sum(*of_pass, f, i, shape_); };
      const auto complement = [&] {  // of the least it is the greatest
        if (combine == Combine::kMin) {
          writer_.operation(Op::kXor, sum(0), KernelWriter::vector(sum(0)), KernelWriter::immediate(~std::uint32_t{0}));
        }
      };
      complement();
      for (int i = 0; i < count; ++i) {
        writer_.operation(combining_lanes(combine), sum(i), KernelWriter::vector(sum(i)));
      }
      complement();
      for (int i = 0; i < count && of_planes(); ++i) {
        combine_planes(combine, sum(i), pass.fold_planes);
      }
      for (int distance = 1; distance < count; distance *= 2) {
        for (int i = 0; i + distance < count; i += 2 * distance) {
          writer_.operation(Op::kFadd, sum(i), KernelWriter::vector(sum(i)), KernelWriter::vector(sum(i + distance)));
        }
      }
    }
  }

  /// Planes meet in accumulators, in which each is read for all rows of a strip.
  void combine_planes(Combine combine, std::uint32_t sum, int planes) {
    set_planes(planes);
    writer_.store(Op::kMove, {Format::kAcc, addresses_.meeting()}, KernelWriter::vector(sum));
    set_planes(kernel::kStripRows);
    combine_neighbours(combining(combine), sum, at_.sums_end, 0, planes);
  }

  /// `to` becomes those of `planes` from the first on, neighbours first; registers from `free` on are for others.
  void combine_neighbours(Op op, std::uint32_t to, std::uint32_t free, int first, int planes) {
    if (planes == 1) {
      read_plane(Op::kMove, to, first);
      return;
    }
    const int half = planes == 2 ? 1 : 2 * ((planes + 2) / 4);
    combine_neighbours(op, to, free, first, half);
    if (planes - half == 1) {
      read_plane(op, to, first + half);
      return;
    }
    combine_neighbours(op, free, free + 1, first + half, planes - half);
    writer_.operation(op, to, KernelWriter::vector(to), KernelWriter::vector(free));
  }

  void read_plane(Op op, std::uint32_t to, int plane) {
    const KernelWriter::Scalar row = addresses_.temporary();
    writer_.add(row, addresses_.meeting(), plane);
    const KernelWriter::Source source = KernelWriter::in({Format::kAcc, row, addresses_.zero()});
    op == Op::kMove ? writer_.operation(op, to, source) : writer_.operation(op, to, KernelWriter::vector(to), source);
  }

  /// Whether the first result's operation can be the one that stores it.
  static bool stores_directly(const RowBody& body) {
    const std::size_t number = body.operations.results().front();
    const Operations::Value& value = body.operations.values()[number];
    return body.stores && number == body.operations.order().back() && value.uses == 1 && value.op != Op::kSumLanes &&
           !body.operations.in_memory(value.a) && !body.operations.in_memory(value.b);
  }

  void append(const RowBody& body) {
    const bool direct = stores_directly(body);
    const std::vector<std::size_t>& order = body.operations.order();
    const std::vector<std::size_t>& results = body.operations.results();
    for (const std::size_t number : order) {
      direct&& number == results.front() ? emit_store(body, number) : emit(body, number);
    }
    if (body.stores && !direct) {
      writer_.store(Op::kMove, addresses_.result(), value_of(body, results.front()));
    }
    for (std::size_t i = 0; i < body.wanted.size(); ++i) {
      if (body.wanted[i].number != Registers::Wanted::kNone &&
          body.registers->of(results[i]) != body.wanted[i].number) {
        writer_.operation(Op::kMove, body.wanted[i].number, value_of(body, results[i]));
      }
    }
  }

  static KernelWriter::Source value_of(const RowBody& body, std::size_t number) {
    return KernelWriter::vector(body.registers->of(number));
  }

  void emit(const RowBody& body, std::size_t number) {
    const Operations::Value& value = body.operations.values()[number];
    const KernelWriter::Source a = source(body, value.a);
    writer_.operation(value.op, body.registers->of(number), a, second(body, value));
  }

  void emit_store(const RowBody& body, std::size_t number) {
    const Operations::Value& value = body.operations.values()[number];
    const KernelWriter::Source a = source(body, value.a);
    writer_.store(value.op, addresses_.result(), a, second(body, value));
  }

  KernelWriter::Source second(const RowBody& body, const Operations::Value& value) {
    return ConstantScalars::has_two_immediates(value) ? constants_.scalar(value.b.number) : source(body, value.b);
  }

  KernelWriter::Source source(const RowBody& body, const Source& source) {
    switch (source.kind) {
      case Source::Kind::kValue: return KernelWriter::vector(body.registers->of(source.number));
      case Source::Kind::kOperand: return operand_source(body, source.number);
      case Source::Kind::kParameter:
        return KernelWriter::scalar(parameters_.at(body.operations.parameters()[source.number]));
      case Source::Kind::kConstant: break;
    }
    return constants_.source(source.number);
  }

  KernelWriter::Source operand_source(const RowBody& body, std::uint32_t number) const {
    if (number < addresses_.operands()) {
      return KernelWriter::in(addresses_.operand(number));
    }
    return is_kept_in_memory(function_, at_, number) ? KernelWriter::in(addresses_.result())
                                                     : KernelWriter::vector(body.register_of.at(number));
  }

  const RowFunction& function_;
  const RowShape& shape_;
  const RowRegisters& at_;
  const RowPasses& passes_;
  KernelWriter writer_;
  RowAddresses addresses_;
  ConstantScalars constants_;
  std::map<std::string, KernelWriter::Scalar> parameters_;
  int planes_ = kernel::kStripRows;  ///< in a strip, if it is of planes
};

}  // namespace

std::optional<kernel::Kernel> row_kernel(const RowFunction& function, int dim, Strips strips) {
  constexpr std::uint32_t kMeetingRegisters = 2;  // that planes take when they are combined
  const RowShape shape(function, dim, strips);
  for (const bool in_registers : {true, false}) {
    if (in_registers && (strips == Strips::kOfPlanes || !function.keeps())) {
      continue;
    }
    const RowRegisters at = assign_row_registers(function, shape, in_registers);
    const std::uint32_t end = at.sums_end + (strips == Strips::kOfPlanes ? kMeetingRegisters : 1);
    if (!at.fits || end > static_cast<std::uint32_t>(kernel::kVectors)) {
      continue;
    }
    if (const auto passes = row_passes(function, shape, at)) {
      kernel::Kernel kernel = Code(function, shape, at, *passes).write();
      if (kernel.words.size() <= kernel::kMemoryWords) {
        return kernel;
      }
    }
  }
  return std::nullopt;
}

}  // namespace systole::compiler
