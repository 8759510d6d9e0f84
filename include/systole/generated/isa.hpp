// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <array>
#include <cstdint>

#include "systole/bits.hpp"
#include "systole/requantize.hpp"

namespace systole::isa {

inline constexpr std::uint32_t kIsaVersion = 0x0001000a;  ///< major in the high half
inline constexpr std::uint32_t kIdentity = 0x53595354;
inline constexpr int kInstructionBytes = 64;
inline constexpr int kSemaphores = 32;
inline constexpr int kWindows = 8;
inline constexpr int kLineBufferBeats = 256;
inline constexpr int kWindowPieceBeats = 126;
inline constexpr int kDepthwiseColumns = 254;
inline constexpr int kWorkLog2 = 28;
inline constexpr int kQueueDepth = 8;
inline constexpr int kSemaphoreMax = 255;

/// Parts of the core that run instructions.
enum class Engine : std::uint8_t {
  kLoad = 0,  ///< device memory to scratchpad, weight ring, parameter buffer or kernel memory
  kMxu = 1,  ///< matrix unit: scratchpad and weights through the array into accumulators
  kVpu = 2,  ///< vector unit: accumulators or scratchpad to scratchpad
  kStore = 3,  ///< scratchpad to device memory
  kCommand = 4,  ///< fetch, decode, semaphores and the ring itself
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Engine value) {
  switch (value) {
    case Engine::kLoad: return "LOAD";
    case Engine::kMxu: return "MXU";
    case Engine::kVpu: return "VPU";
    case Engine::kStore: return "STORE";
    case Engine::kCommand: return "COMMAND";
  }
  return "?";
}

/// Destination memory of a LOAD.
enum class Space : std::uint8_t {
  kScratch = 0,  ///< scratchpad rows, and behind them the rows of their exponents
  kWeight = 1,  ///< weight ring rows, modulo its size
  kParam = 2,  ///< parameter buffer rows
  kKernel = 3,  ///< kernel memory rows: its 64-bit words as little-endian bytes
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Space value) {
  switch (value) {
    case Space::kScratch: return "SCRATCH";
    case Space::kWeight: return "WEIGHT";
    case Space::kParam: return "PARAM";
    case Space::kKernel: return "KERNEL";
  }
  return "?";
}

/// Elements that a LOAD transposes in the rows of each inner run loop.
enum class Turn : std::uint8_t {
  kNone = 0,  ///< none: rows stay rows
  kBytes = 1,  ///< byte i of row k becomes byte k of row i, in DIM rows
  kWords = 2,  ///< word i of row k becomes word k of row i, in DIM/4 rows
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Turn value) {
  switch (value) {
    case Turn::kNone: return "NONE";
    case Turn::kBytes: return "BYTES";
    case Turn::kWords: return "WORDS";
  }
  return "?";
}

/// Rounding of a requantization.
using systole::Rounding;
static_assert(static_cast<int>(Rounding::kDouble) == 0);
static_assert(static_cast<int>(Rounding::kSingle) == 1);
static_assert(static_cast<int>(Rounding::kEven) == 2);

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Rounding value) {
  switch (value) {
    case Rounding::kDouble: return "DOUBLE";
    case Rounding::kSingle: return "SINGLE";
    case Rounding::kEven: return "EVEN";
  }
  return "?";
}

/// What an engine did in a cycle: bit position in its one-hot cause.
enum class Cause : std::uint8_t {
  kWorking = 0,  ///< useful work: an activation vector entered the array or the lines of the depthwise unit (MXU), a row was read, the multiplier was the limit or a vector operation had its slot (VPU), a row was written (LOAD), a row was read or a beat sent (STORE)
  kWeightLoad = 1,  ///< the array waits for a weight tile
  kOperandWait = 2,  ///< operands or parameters of the instruction are being read, or its set-up or its last results are on their way
  kBankConflict = 3,  ///< a scratchpad bank serves an engine of higher priority
  kAccConflict = 4,  ///< the accumulator bank serves the matrix unit
  kBackPressure = 5,  ///< the next stage does not take the result
  kSemaphore = 6,  ///< the next instruction waits for a semaphore; SEMAPHORE_WAIT counts by number
  kMemoryLatency = 7,  ///< requests are outstanding and nothing has returned since the first
  kMemoryBandwidth = 8,  ///< beats flow but the memory port is the limit
  kFetch = 9,  ///< the engine has no instruction while more of the program is to be dispatched, or its next one is being handed over
  kIdle = 10,  ///< no program runs, or the engine has nothing left to do until the END that closes it
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Cause value) {
  switch (value) {
    case Cause::kWorking: return "WORKING";
    case Cause::kWeightLoad: return "WEIGHT_LOAD";
    case Cause::kOperandWait: return "OPERAND_WAIT";
    case Cause::kBankConflict: return "BANK_CONFLICT";
    case Cause::kAccConflict: return "ACC_CONFLICT";
    case Cause::kBackPressure: return "BACK_PRESSURE";
    case Cause::kSemaphore: return "SEMAPHORE";
    case Cause::kMemoryLatency: return "MEMORY_LATENCY";
    case Cause::kMemoryBandwidth: return "MEMORY_BANDWIDTH";
    case Cause::kFetch: return "FETCH";
    case Cause::kIdle: return "IDLE";
  }
  return "?";
}

/// Code of an error record.
enum class ErrorCode : std::uint8_t {
  kNone = 0,  ///< no error
  kIllegalInstruction = 1,  ///< unknown opcode, reserved bit set, field out of range or rule broken
  kScratchRange = 2,  ///< scratchpad row beyond the memory; address is the row
  kAccRange = 3,  ///< accumulator row beyond the memory; address is the row
  kParamRange = 4,  ///< parameter row beyond the memory; address is the row
  kWeightRange = 5,  ///< an instruction needs more weight tiles than the ring holds; address is the number of rows
  kWindow = 6,  ///< address outside its window or without permission; address is the window offset
  kAxiRead = 7,  ///< the bus answered a read with an error; address is that of the beat
  kAxiWrite = 8,  ///< the bus answered a write with an error; address is that of the burst
  kSemaphoreOverflow = 9,  ///< a semaphore passed its largest value; address is its number
  kSemaphoreAtEnd = 10,  ///< a semaphore is not zero at END; address is its number
  kBusStuck = 11,  ///< the bus owes an answer and has not moved for the watchdog's time; address is the oldest request's kind (0 read, 1 write)
  kRing = 12,  ///< the tail is more than the ring's size ahead of the head; address is the tail
  kJump = 13,  ///< JUMP inside a jumped-to program; address is the target
  kBusProtocol = 14,  ///< the bus gave an answer that AXI4 does not allow: address 0 is a read beat that nobody waits for, 1 the mark of a burst's last read beat too early or missing, 2 a write response that nobody waits for, or of another identifier
  kBusyRegister = 15,  ///< a register that the running program relies on was written, and keeps its value; address is its offset
  kKernelRange = 16,  ///< kernel memory row beyond the memory; address is the row
  kKernel = 17,  ///< illegal micro-instruction or loop, a word outside the kernel memory, or more words than one VECTOR may execute; address is the number of the word
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(ErrorCode value) {
  switch (value) {
    case ErrorCode::kNone: return "NONE";
    case ErrorCode::kIllegalInstruction: return "ILLEGAL_INSTRUCTION";
    case ErrorCode::kScratchRange: return "SCRATCH_RANGE";
    case ErrorCode::kAccRange: return "ACC_RANGE";
    case ErrorCode::kParamRange: return "PARAM_RANGE";
    case ErrorCode::kWeightRange: return "WEIGHT_RANGE";
    case ErrorCode::kWindow: return "WINDOW";
    case ErrorCode::kAxiRead: return "AXI_READ";
    case ErrorCode::kAxiWrite: return "AXI_WRITE";
    case ErrorCode::kSemaphoreOverflow: return "SEMAPHORE_OVERFLOW";
    case ErrorCode::kSemaphoreAtEnd: return "SEMAPHORE_AT_END";
    case ErrorCode::kBusStuck: return "BUS_STUCK";
    case ErrorCode::kRing: return "RING";
    case ErrorCode::kJump: return "JUMP";
    case ErrorCode::kBusProtocol: return "BUS_PROTOCOL";
    case ErrorCode::kBusyRegister: return "BUSY_REGISTER";
    case ErrorCode::kKernelRange: return "KERNEL_RANGE";
    case ErrorCode::kKernel: return "KERNEL";
  }
  return "?";
}

/// What a user does about an error.
constexpr const char* remedy(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNone: return "none needed";
    case ErrorCode::kIllegalInstruction: return "check the command with `systole disasm`; the functional model names the field";
    case ErrorCode::kScratchRange: return "make the tile smaller or move the buffer";
    case ErrorCode::kAccRange: return "use fewer output positions per instruction";
    case ErrorCode::kParamRange: return "place the parameters lower";
    case ErrorCode::kWeightRange: return "split the reduction over several instructions";
    case ErrorCode::kWindow: return "open the window, or correct the offset";
    case ErrorCode::kAxiRead: return "check that memory exists at this address";
    case ErrorCode::kAxiWrite: return "check that memory exists at this address";
    case ErrorCode::kSemaphoreOverflow: return "signal less often, or wait more";
    case ErrorCode::kSemaphoreAtEnd: return "match every signal with a wait";
    case ErrorCode::kBusStuck: return "the reset waits for the answer, and ends by itself when it comes; where none will come, reset the memory system and the core together by their pins";
    case ErrorCode::kRing: return "write a tail within the ring";
    case ErrorCode::kJump: return "jump from the ring only";
    case ErrorCode::kBusProtocol: return "repair the memory system; the answer was dropped, so a reset may still wait for the right one";
    case ErrorCode::kBusyRegister: return "write ring registers and windows while STATUS.BUSY is 0";
    case ErrorCode::kKernelRange: return "load the kernel to a lower row";
    case ErrorCode::kKernel: return "check the kernel and its arguments; the functional model says what is wrong with the word";
  }
  return "?";
}

/// What a window allows; values to be or-ed.
inline constexpr std::uint32_t kPermissionRead = 1;  ///< LOAD may read
inline constexpr std::uint32_t kPermissionWrite = 2;  ///< STORE may write
inline constexpr std::uint32_t kPermissionExecute = 4;  ///< fetch may read

/// Operations.
enum class Opcode : std::uint8_t {
  kEnd = 0x01,  ///< end of a program: waits until every engine has committed, checks that all semaphores are zero, clears the core if asked to, publishes the tag and raises the interrupt
  kJump = 0x02,  ///< run a program stored elsewhere: the next `count` instructions come from `target`, then the ring goes on
  kLoad = 0x10,  ///< read runs of bytes from device memory and scatter them, piece by piece, into rows of an on-chip memory
  kConv = 0x20,  ///< convolution (or, with a 1x1 kernel, matrix product) of one tile: for each weight tile in the order block, kernel row, kernel column, stream every output position through the array
  kDepthwise = 0x21,  ///< depthwise convolution of one tile: every lane by itself, a kernel of up to 3x3 taps at once; the input of a block passes once, row by row, and every output position is summed when its last tap has passed
  kDrain = 0x30,  ///< accumulator rows to int8 scratchpad rows: bias, per-channel requantization, clamp, then optionally a table or a residual addition
  kDrain32 = 0x31,  ///< accumulator rows to raw int32: the 4*DIM little-endian bytes of a row go to four scratchpad planes
  kPreload = 0x32,  ///< raw int32 from four scratchpad planes into accumulator rows (the inverse of DRAIN32)
  kMaxpool = 0x33,  ///< maximum over a window of scratchpad rows; positions outside the input are ignored (a window wholly outside gives clamp_min)
  kAvgpool = 0x34,  ///< sum over a window of scratchpad rows, times a reciprocal chosen by the number of positions inside the input
  kAdd = 0x35,  ///< element-wise quantized addition of two scratchpad tensors (TFLite ADD: left shift of 20, three requantizations)
  kMultiply = 0x36,  ///< element-wise quantized product of two scratchpad tensors (TFLite MUL)
  kTable = 0x37,  ///< copy 256 bytes of the parameter buffer into the look-up table, or 1,024 bytes into the table of words that kernels read
  kMap = 0x38,  ///< scratchpad rows through the look-up table (or, without it, a clamped copy) to scratchpad rows
  kVector = 0x39,  ///< run a kernel, a program of micro-instructions that LOAD has written to the kernel memory
  kStore = 0x40,  ///< gather rows of the scratchpad, piece by piece, into runs of bytes in device memory
  kSyncLoad = 0x1f,  ///< no work: carries further waits and signals in the LOAD queue
  kSyncMxu = 0x2f,  ///< no work: carries further waits and signals in the MXU queue
  kSyncVpu = 0x3f,  ///< no work: carries further waits and signals in the VPU queue
  kSyncStore = 0x4f,  ///< no work: carries further waits and signals in the STORE queue
};

/// Name of a value in the specification, or "?".
constexpr const char* to_string(Opcode value) {
  switch (value) {
    case Opcode::kEnd: return "END";
    case Opcode::kJump: return "JUMP";
    case Opcode::kLoad: return "LOAD";
    case Opcode::kConv: return "CONV";
    case Opcode::kDepthwise: return "DEPTHWISE";
    case Opcode::kDrain: return "DRAIN";
    case Opcode::kDrain32: return "DRAIN32";
    case Opcode::kPreload: return "PRELOAD";
    case Opcode::kMaxpool: return "MAXPOOL";
    case Opcode::kAvgpool: return "AVGPOOL";
    case Opcode::kAdd: return "ADD";
    case Opcode::kMultiply: return "MULTIPLY";
    case Opcode::kTable: return "TABLE";
    case Opcode::kMap: return "MAP";
    case Opcode::kVector: return "VECTOR";
    case Opcode::kStore: return "STORE";
    case Opcode::kSyncLoad: return "SYNC_LOAD";
    case Opcode::kSyncMxu: return "SYNC_MXU";
    case Opcode::kSyncVpu: return "SYNC_VPU";
    case Opcode::kSyncStore: return "SYNC_STORE";
  }
  return "?";
}

/// Waits and signals that every engine instruction carries.
struct Semaphores {
  std::uint8_t wait0_sem = 0;  ///< first semaphore to wait for
  std::uint8_t wait0_amount = 0;  ///< the instruction starts when the semaphore holds at least this much, and takes it; 0 does not wait
  std::uint8_t wait1_sem = 0;  ///< second semaphore; both waits are taken together
  std::uint8_t wait1_amount = 0;  ///< as wait0_amount
  std::uint8_t signal0_sem = 0;  ///< first semaphore to signal at commit
  std::uint8_t signal0_amount = 0;  ///< amount added at commit; 0 does not signal
  std::uint8_t signal1_sem = 0;  ///< second semaphore to signal
  std::uint8_t signal1_amount = 0;  ///< as signal0_amount
};

inline void encode(const Semaphores& s, Instruction& i) {
  put(i, 32, 5, s.wait0_sem);
  put(i, 40, 8, s.wait0_amount);
  put(i, 48, 5, s.wait1_sem);
  put(i, 56, 8, s.wait1_amount);
  put(i, 64, 5, s.signal0_sem);
  put(i, 72, 8, s.signal0_amount);
  put(i, 80, 5, s.signal1_sem);
  put(i, 88, 8, s.signal1_amount);
}

inline Semaphores decode_semaphores(const Instruction& i) {
  Semaphores s;
  s.wait0_sem = static_cast<std::uint8_t>(get(i, 32, 5));
  s.wait0_amount = static_cast<std::uint8_t>(get(i, 40, 8));
  s.wait1_sem = static_cast<std::uint8_t>(get(i, 48, 5));
  s.wait1_amount = static_cast<std::uint8_t>(get(i, 56, 8));
  s.signal0_sem = static_cast<std::uint8_t>(get(i, 64, 5));
  s.signal0_amount = static_cast<std::uint8_t>(get(i, 72, 8));
  s.signal1_sem = static_cast<std::uint8_t>(get(i, 80, 5));
  s.signal1_amount = static_cast<std::uint8_t>(get(i, 88, 8));
  return s;
}

/// End of a program: waits until every engine has committed, checks that all semaphores are zero, clears the core if asked to, publishes the tag and raises the interrupt. Page: isa/spec/pages/end.md
struct End {
  static constexpr Opcode kOpcode = Opcode::kEnd;
  static constexpr Engine kEngine = Engine::kCommand;
  std::uint8_t clear = 0;  ///< 1: scratchpad, weights, parameters, accumulators, kernel memory, vector registers, both tables and performance counters are zero for what follows
  std::uint32_t tag = 0;  ///< value published in END_TAG

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    put(i, 8, 1, clear);
    put(i, 96, 32, tag);
    return i;
  }

  static End decode(const Instruction& i) {
    End d;
    d.clear = static_cast<std::uint8_t>(get(i, 8, 1));
    d.tag = static_cast<std::uint32_t>(get(i, 96, 32));
    return d;
  }
};

/// Run a program stored elsewhere: the next `count` instructions come from `target`, then the ring goes on. Page: isa/spec/pages/jump.md
struct Jump {
  static constexpr Opcode kOpcode = Opcode::kJump;
  static constexpr Engine kEngine = Engine::kCommand;
  std::uint32_t target = 0;  ///< window offset of the first instruction, a multiple of 64
  std::uint32_t count = 1;  ///< number of instructions
  std::uint8_t window = 0;  ///< window of the target; needs execute permission

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    put(i, 96, 32, target);
    put(i, 128, 24, count);
    put(i, 152, 3, window);
    return i;
  }

  static Jump decode(const Instruction& i) {
    Jump d;
    d.target = static_cast<std::uint32_t>(get(i, 96, 32));
    d.count = static_cast<std::uint32_t>(get(i, 128, 24));
    d.window = static_cast<std::uint8_t>(get(i, 152, 3));
    return d;
  }
};

/// Read runs of bytes from device memory and scatter them, piece by piece, into rows of an on-chip memory. Page: isa/spec/pages/load.md
struct Load {
  static constexpr Opcode kOpcode = Opcode::kLoad;
  static constexpr Engine kEngine = Engine::kLoad;
  Semaphores sem;
  std::uint32_t src = 0;  ///< window offset of run (0, 0), in bytes
  std::uint32_t run_bytes = 1;  ///< length of a run, read once as long bursts
  std::uint8_t window = 0;  ///< window of the source; needs read permission
  std::uint8_t space = 0;  ///< destination memory
  std::uint8_t turn = 0;  ///< whether the rows of an inner run loop are written as columns; a run is one row then
  std::int16_t piece_start = 0;  ///< byte of the run where piece 0 starts; negative for left padding
  std::uint16_t pieces = 1;  ///< pieces per run
  std::uint16_t piece_step = 0;  ///< bytes from one piece's start to the next
  std::uint16_t piece_bytes = 0;  ///< bytes of a piece that come from the run
  std::uint16_t slot_bytes = 1;  ///< bytes written per piece; those past piece_bytes are fill
  std::uint8_t lane = 0;  ///< byte of the first row where a piece begins
  std::int8_t fill = 0;  ///< value of bytes that lie outside the run, the valid rows or the piece
  std::uint16_t count0 = 1;  ///< iterations of the inner run loop
  std::uint16_t count1 = 1;  ///< iterations of the outer run loop
  std::uint16_t valid_from = 0;  ///< first inner iteration that reads memory; those before are all fill
  std::uint16_t valid_to = 0;  ///< inner iteration from which on all is fill again
  std::int32_t src_stride0 = 0;  ///< bytes between runs of the inner loop
  std::int32_t src_stride1 = 0;  ///< bytes between runs of the outer loop
  std::uint16_t dst = 0;  ///< row of piece 0 of run (0, 0)
  std::uint16_t dst_piece = 0;  ///< rows between pieces
  std::uint16_t dst_block = 0;  ///< rows between consecutive DIM-byte blocks of one piece (plane stride)
  std::uint16_t dst_stride0 = 0;  ///< rows per inner iteration
  std::uint16_t dst_stride1 = 0;  ///< rows per outer iteration

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 32, src);
    put(i, 128, 24, run_bytes);
    put(i, 152, 3, window);
    put(i, 155, 2, space);
    put(i, 157, 2, turn);
    put_signed(i, 160, 16, piece_start);
    put(i, 176, 16, pieces);
    put(i, 192, 16, piece_step);
    put(i, 208, 16, piece_bytes);
    put(i, 224, 16, slot_bytes);
    put(i, 240, 8, lane);
    put_signed(i, 248, 8, fill);
    put(i, 256, 16, count0);
    put(i, 272, 16, count1);
    put(i, 288, 16, valid_from);
    put(i, 304, 16, valid_to);
    put_signed(i, 320, 32, src_stride0);
    put_signed(i, 352, 32, src_stride1);
    put(i, 384, 16, dst);
    put(i, 400, 16, dst_piece);
    put(i, 416, 16, dst_block);
    put(i, 432, 16, dst_stride0);
    put(i, 448, 16, dst_stride1);
    return i;
  }

  static Load decode(const Instruction& i) {
    Load d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint32_t>(get(i, 96, 32));
    d.run_bytes = static_cast<std::uint32_t>(get(i, 128, 24));
    d.window = static_cast<std::uint8_t>(get(i, 152, 3));
    d.space = static_cast<std::uint8_t>(get(i, 155, 2));
    d.turn = static_cast<std::uint8_t>(get(i, 157, 2));
    d.piece_start = static_cast<std::int16_t>(get_signed(i, 160, 16));
    d.pieces = static_cast<std::uint16_t>(get(i, 176, 16));
    d.piece_step = static_cast<std::uint16_t>(get(i, 192, 16));
    d.piece_bytes = static_cast<std::uint16_t>(get(i, 208, 16));
    d.slot_bytes = static_cast<std::uint16_t>(get(i, 224, 16));
    d.lane = static_cast<std::uint8_t>(get(i, 240, 8));
    d.fill = static_cast<std::int8_t>(get_signed(i, 248, 8));
    d.count0 = static_cast<std::uint16_t>(get(i, 256, 16));
    d.count1 = static_cast<std::uint16_t>(get(i, 272, 16));
    d.valid_from = static_cast<std::uint16_t>(get(i, 288, 16));
    d.valid_to = static_cast<std::uint16_t>(get(i, 304, 16));
    d.src_stride0 = static_cast<std::int32_t>(get_signed(i, 320, 32));
    d.src_stride1 = static_cast<std::int32_t>(get_signed(i, 352, 32));
    d.dst = static_cast<std::uint16_t>(get(i, 384, 16));
    d.dst_piece = static_cast<std::uint16_t>(get(i, 400, 16));
    d.dst_block = static_cast<std::uint16_t>(get(i, 416, 16));
    d.dst_stride0 = static_cast<std::uint16_t>(get(i, 432, 16));
    d.dst_stride1 = static_cast<std::uint16_t>(get(i, 448, 16));
    return d;
  }
};

/// Convolution (or, with a 1x1 kernel, matrix product) of one tile: for each weight tile in the order block, kernel row, kernel column, stream every output position through the array. Page: isa/spec/pages/conv.md
struct Conv {
  static constexpr Opcode kOpcode = Opcode::kConv;
  static constexpr Engine kEngine = Engine::kMxu;
  Semaphores sem;
  std::uint8_t accumulate = 0;  ///< 1: the first weight tile adds to the accumulators; 0: it overwrites them
  std::uint8_t block_float = 0;  ///< 1: operands are in block floating point and the accumulators binary32; 0: all are integers
  std::uint16_t act_row = 0;  ///< scratchpad row of input position (0, 0), block 0
  std::uint16_t weight_row = 0;  ///< weight ring row of the first tile; tiles follow each other, DIM rows each (with `block_float` at most 16 and a row of exponents)
  std::uint16_t acc_row = 0;  ///< accumulator row of output position 0; positions follow each other
  std::uint16_t row_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t plane_stride = 0;  ///< scratchpad rows from one channel block to the next
  std::uint16_t blocks = 1;  ///< input-channel blocks
  std::uint16_t in_height = 1;  ///< input rows present; outside is padding
  std::uint16_t in_width = 1;  ///< input columns present; outside is padding
  std::int16_t y0 = 0;  ///< input row of output row 0, kernel row 0
  std::int16_t x0 = 0;  ///< input column of output column 0, kernel column 0
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint8_t kernel_h = 1;  ///< kernel rows
  std::uint8_t kernel_w = 1;  ///< kernel columns
  std::uint8_t stride_h = 1;  ///< input rows per output row
  std::uint8_t stride_w = 1;  ///< input columns per output column
  std::uint8_t dilation_h = 1;  ///< input rows per kernel row
  std::uint8_t dilation_w = 1;  ///< input columns per kernel column
  std::int8_t pad_value = 0;  ///< activation read outside the input (the input zero point)
  std::uint32_t skip0 = 0;  ///< bit i: weight tile i is not in the ring, as if it were of zeros
  std::uint32_t skip1 = 0;  ///< bit i: weight tile 32 + i is not in the ring, as if it were of zeros
  std::uint32_t skip2 = 0;  ///< bit i: weight tile 64 + i is not in the ring, as if it were of zeros
  std::uint32_t skip3 = 0;  ///< bit i: weight tile 96 + i is not in the ring, as if it were of zeros

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, accumulate);
    put(i, 9, 1, block_float);
    put(i, 96, 16, act_row);
    put(i, 112, 16, weight_row);
    put(i, 128, 16, acc_row);
    put(i, 144, 16, row_stride);
    put(i, 160, 16, plane_stride);
    put(i, 176, 16, blocks);
    put(i, 192, 16, in_height);
    put(i, 208, 16, in_width);
    put_signed(i, 224, 16, y0);
    put_signed(i, 240, 16, x0);
    put(i, 256, 16, out_height);
    put(i, 272, 16, out_width);
    put(i, 288, 8, kernel_h);
    put(i, 296, 8, kernel_w);
    put(i, 304, 8, stride_h);
    put(i, 312, 8, stride_w);
    put(i, 320, 8, dilation_h);
    put(i, 328, 8, dilation_w);
    put_signed(i, 336, 8, pad_value);
    put(i, 352, 32, skip0);
    put(i, 384, 32, skip1);
    put(i, 416, 32, skip2);
    put(i, 448, 32, skip3);
    return i;
  }

  static Conv decode(const Instruction& i) {
    Conv d;
    d.sem = decode_semaphores(i);
    d.accumulate = static_cast<std::uint8_t>(get(i, 8, 1));
    d.block_float = static_cast<std::uint8_t>(get(i, 9, 1));
    d.act_row = static_cast<std::uint16_t>(get(i, 96, 16));
    d.weight_row = static_cast<std::uint16_t>(get(i, 112, 16));
    d.acc_row = static_cast<std::uint16_t>(get(i, 128, 16));
    d.row_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.plane_stride = static_cast<std::uint16_t>(get(i, 160, 16));
    d.blocks = static_cast<std::uint16_t>(get(i, 176, 16));
    d.in_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.in_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.y0 = static_cast<std::int16_t>(get_signed(i, 224, 16));
    d.x0 = static_cast<std::int16_t>(get_signed(i, 240, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 256, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 272, 16));
    d.kernel_h = static_cast<std::uint8_t>(get(i, 288, 8));
    d.kernel_w = static_cast<std::uint8_t>(get(i, 296, 8));
    d.stride_h = static_cast<std::uint8_t>(get(i, 304, 8));
    d.stride_w = static_cast<std::uint8_t>(get(i, 312, 8));
    d.dilation_h = static_cast<std::uint8_t>(get(i, 320, 8));
    d.dilation_w = static_cast<std::uint8_t>(get(i, 328, 8));
    d.pad_value = static_cast<std::int8_t>(get_signed(i, 336, 8));
    d.skip0 = static_cast<std::uint32_t>(get(i, 352, 32));
    d.skip1 = static_cast<std::uint32_t>(get(i, 384, 32));
    d.skip2 = static_cast<std::uint32_t>(get(i, 416, 32));
    d.skip3 = static_cast<std::uint32_t>(get(i, 448, 32));
    return d;
  }
};

/// Depthwise convolution of one tile: every lane by itself, a kernel of up to 3x3 taps at once; the input of a block passes once, row by row, and every output position is summed when its last tap has passed. Page: isa/spec/pages/depthwise.md
struct Depthwise {
  static constexpr Opcode kOpcode = Opcode::kDepthwise;
  static constexpr Engine kEngine = Engine::kMxu;
  Semaphores sem;
  std::uint8_t accumulate = 0;  ///< 1: adds to the accumulators; 0: overwrites them
  std::uint16_t act_row = 0;  ///< scratchpad row of input position (0, 0), block 0
  std::uint16_t weight_row = 0;  ///< weight ring row of the first tap; the taps of a block follow each other, kernel row by kernel row, one ring row (a weight per lane) each, then those of the next block
  std::uint16_t acc_row = 0;  ///< accumulator row of output position 0, block 0; positions follow each other, then those of the next block
  std::uint16_t row_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t plane_stride = 0;  ///< scratchpad rows from one channel block to the next
  std::uint16_t blocks = 1;  ///< channel blocks
  std::uint16_t in_height = 1;  ///< input rows present; outside is padding
  std::uint16_t in_width = 1;  ///< input columns present; outside is padding
  std::int16_t y0 = 0;  ///< input row of output row 0, kernel row 0
  std::int16_t x0 = 0;  ///< input column of output column 0, kernel column 0
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint8_t kernel_h = 1;  ///< kernel rows
  std::uint8_t kernel_w = 1;  ///< kernel columns
  std::uint8_t stride_h = 1;  ///< input rows per output row
  std::uint8_t stride_w = 1;  ///< input columns per output column
  std::int8_t pad_value = 0;  ///< activation read outside the input (the input zero point)

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, accumulate);
    put(i, 96, 16, act_row);
    put(i, 112, 16, weight_row);
    put(i, 128, 16, acc_row);
    put(i, 144, 16, row_stride);
    put(i, 160, 16, plane_stride);
    put(i, 176, 16, blocks);
    put(i, 192, 16, in_height);
    put(i, 208, 16, in_width);
    put_signed(i, 224, 16, y0);
    put_signed(i, 240, 16, x0);
    put(i, 256, 16, out_height);
    put(i, 272, 16, out_width);
    put(i, 288, 8, kernel_h);
    put(i, 296, 8, kernel_w);
    put(i, 304, 8, stride_h);
    put(i, 312, 8, stride_w);
    put_signed(i, 336, 8, pad_value);
    return i;
  }

  static Depthwise decode(const Instruction& i) {
    Depthwise d;
    d.sem = decode_semaphores(i);
    d.accumulate = static_cast<std::uint8_t>(get(i, 8, 1));
    d.act_row = static_cast<std::uint16_t>(get(i, 96, 16));
    d.weight_row = static_cast<std::uint16_t>(get(i, 112, 16));
    d.acc_row = static_cast<std::uint16_t>(get(i, 128, 16));
    d.row_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.plane_stride = static_cast<std::uint16_t>(get(i, 160, 16));
    d.blocks = static_cast<std::uint16_t>(get(i, 176, 16));
    d.in_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.in_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.y0 = static_cast<std::int16_t>(get_signed(i, 224, 16));
    d.x0 = static_cast<std::int16_t>(get_signed(i, 240, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 256, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 272, 16));
    d.kernel_h = static_cast<std::uint8_t>(get(i, 288, 8));
    d.kernel_w = static_cast<std::uint8_t>(get(i, 296, 8));
    d.stride_h = static_cast<std::uint8_t>(get(i, 304, 8));
    d.stride_w = static_cast<std::uint8_t>(get(i, 312, 8));
    d.pad_value = static_cast<std::int8_t>(get_signed(i, 336, 8));
    return d;
  }
};

/// Accumulator rows to int8 scratchpad rows: bias, per-channel requantization, clamp, then optionally a table or a residual addition. Page: isa/spec/pages/drain.md
struct Drain {
  static constexpr Opcode kOpcode = Opcode::kDrain;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint8_t table = 0;  ///< 1: look the clamped value up in the table
  std::uint8_t residual = 0;  ///< 1: add src2 as ADD does, the requantized accumulator being its first operand
  std::uint16_t src = 0;  ///< accumulator row of position 0; positions follow each other
  std::uint16_t dst = 0;  ///< scratchpad row of position (0, 0)
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t src2 = 0;  ///< scratchpad row of the residual's position (0, 0)
  std::uint16_t src2_stride = 0;  ///< scratchpad rows from one residual row to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint8_t rounding = 0;  ///< rounding of every requantization of the instruction
  std::int8_t zero_point = 0;  ///< output zero point
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output
  std::int8_t zero1 = 0;  ///< residual: zero point of the requantized accumulator
  std::int8_t zero2 = 0;  ///< residual: zero point of src2
  std::uint16_t params = 0;  ///< parameter row of the channel block's parameters: 4 rows bias, 4 rows multiplier (int32 per lane, little-endian, lanes in order), 1 row shift (int8 per lane)
  std::uint16_t scalars = 0;  ///< residual: parameter row of three scalar entries (first operand, second operand, sum); an entry is 2 rows: multiplier in bytes 0 to 3, shift in byte 0 of the second row
  std::int8_t mid_min = 0;  ///< residual: smallest requantized accumulator
  std::int8_t mid_max = 0;  ///< residual: largest requantized accumulator

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, table);
    put(i, 9, 1, residual);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 144, 16, dst_stride);
    put(i, 160, 16, src2);
    put(i, 176, 16, src2_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 336, 8, rounding);
    put_signed(i, 344, 8, zero_point);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    put_signed(i, 368, 8, zero1);
    put_signed(i, 376, 8, zero2);
    put(i, 384, 16, params);
    put(i, 400, 16, scalars);
    put_signed(i, 416, 8, mid_min);
    put_signed(i, 424, 8, mid_max);
    return i;
  }

  static Drain decode(const Instruction& i) {
    Drain d;
    d.sem = decode_semaphores(i);
    d.table = static_cast<std::uint8_t>(get(i, 8, 1));
    d.residual = static_cast<std::uint8_t>(get(i, 9, 1));
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.src2 = static_cast<std::uint16_t>(get(i, 160, 16));
    d.src2_stride = static_cast<std::uint16_t>(get(i, 176, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.rounding = static_cast<std::uint8_t>(get(i, 336, 8));
    d.zero_point = static_cast<std::int8_t>(get_signed(i, 344, 8));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    d.zero1 = static_cast<std::int8_t>(get_signed(i, 368, 8));
    d.zero2 = static_cast<std::int8_t>(get_signed(i, 376, 8));
    d.params = static_cast<std::uint16_t>(get(i, 384, 16));
    d.scalars = static_cast<std::uint16_t>(get(i, 400, 16));
    d.mid_min = static_cast<std::int8_t>(get_signed(i, 416, 8));
    d.mid_max = static_cast<std::int8_t>(get_signed(i, 424, 8));
    return d;
  }
};

/// Accumulator rows to raw int32: the 4*DIM little-endian bytes of a row go to four scratchpad planes. Page: isa/spec/pages/drain32.md
struct Drain32 {
  static constexpr Opcode kOpcode = Opcode::kDrain32;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t src = 0;  ///< accumulator row of position 0
  std::uint16_t dst = 0;  ///< scratchpad row of position (0, 0), bytes 0 to DIM-1
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint16_t plane_stride = 0;  ///< scratchpad rows between the four planes

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 144, 16, dst_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 432, 16, plane_stride);
    return i;
  }

  static Drain32 decode(const Instruction& i) {
    Drain32 d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.plane_stride = static_cast<std::uint16_t>(get(i, 432, 16));
    return d;
  }
};

/// Raw int32 from four scratchpad planes into accumulator rows (the inverse of DRAIN32). Page: isa/spec/pages/preload.md
struct Preload {
  static constexpr Opcode kOpcode = Opcode::kPreload;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t src = 0;  ///< scratchpad row of position (0, 0), bytes 0 to DIM-1
  std::uint16_t dst = 0;  ///< accumulator row of position 0; positions follow each other
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t out_height = 1;  ///< rows of positions
  std::uint16_t out_width = 1;  ///< columns of positions
  std::uint16_t plane_stride = 0;  ///< scratchpad rows between the four planes

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 432, 16, plane_stride);
    return i;
  }

  static Preload decode(const Instruction& i) {
    Preload d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.plane_stride = static_cast<std::uint16_t>(get(i, 432, 16));
    return d;
  }
};

/// Maximum over a window of scratchpad rows; positions outside the input are ignored (a window wholly outside gives clamp_min). Page: isa/spec/pages/maxpool.md
struct Maxpool {
  static constexpr Opcode kOpcode = Opcode::kMaxpool;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t src = 0;  ///< scratchpad row of input position (0, 0)
  std::uint16_t dst = 0;  ///< scratchpad row of output position (0, 0)
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint16_t in_height = 1;  ///< input rows present
  std::uint16_t in_width = 1;  ///< input columns present
  std::int16_t y0 = 0;  ///< input row of output row 0, kernel row 0
  std::int16_t x0 = 0;  ///< input column of output column 0, kernel column 0
  std::uint8_t kernel_h = 1;  ///< window rows
  std::uint8_t kernel_w = 1;  ///< window columns
  std::uint8_t stride_h = 1;  ///< input rows per output row
  std::uint8_t stride_w = 1;  ///< input columns per output column
  std::uint8_t dilation_h = 1;  ///< input rows per window row
  std::uint8_t dilation_w = 1;  ///< input columns per window column
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 144, 16, dst_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 224, 16, in_height);
    put(i, 240, 16, in_width);
    put_signed(i, 256, 16, y0);
    put_signed(i, 272, 16, x0);
    put(i, 288, 8, kernel_h);
    put(i, 296, 8, kernel_w);
    put(i, 304, 8, stride_h);
    put(i, 312, 8, stride_w);
    put(i, 320, 8, dilation_h);
    put(i, 328, 8, dilation_w);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    return i;
  }

  static Maxpool decode(const Instruction& i) {
    Maxpool d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.in_height = static_cast<std::uint16_t>(get(i, 224, 16));
    d.in_width = static_cast<std::uint16_t>(get(i, 240, 16));
    d.y0 = static_cast<std::int16_t>(get_signed(i, 256, 16));
    d.x0 = static_cast<std::int16_t>(get_signed(i, 272, 16));
    d.kernel_h = static_cast<std::uint8_t>(get(i, 288, 8));
    d.kernel_w = static_cast<std::uint8_t>(get(i, 296, 8));
    d.stride_h = static_cast<std::uint8_t>(get(i, 304, 8));
    d.stride_w = static_cast<std::uint8_t>(get(i, 312, 8));
    d.dilation_h = static_cast<std::uint8_t>(get(i, 320, 8));
    d.dilation_w = static_cast<std::uint8_t>(get(i, 328, 8));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    return d;
  }
};

/// Sum over a window of scratchpad rows, times a reciprocal chosen by the number of positions inside the input. Page: isa/spec/pages/avgpool.md
struct Avgpool {
  static constexpr Opcode kOpcode = Opcode::kAvgpool;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint8_t count_padding = 0;  ///< 1: positions outside the input count, with the value zero1
  std::uint16_t src = 0;  ///< scratchpad row of input position (0, 0)
  std::uint16_t dst = 0;  ///< scratchpad row of output position (0, 0)
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint16_t in_height = 1;  ///< input rows present
  std::uint16_t in_width = 1;  ///< input columns present
  std::int16_t y0 = 0;  ///< input row of output row 0, kernel row 0
  std::int16_t x0 = 0;  ///< input column of output column 0, kernel column 0
  std::uint8_t kernel_h = 1;  ///< window rows
  std::uint8_t kernel_w = 1;  ///< window columns
  std::uint8_t stride_h = 1;  ///< input rows per output row
  std::uint8_t stride_w = 1;  ///< input columns per output column
  std::uint8_t dilation_h = 1;  ///< input rows per window row
  std::uint8_t dilation_w = 1;  ///< input columns per window column
  std::uint8_t rounding = 0;  ///< rounding of the division
  std::int8_t zero_point = 0;  ///< added after the division (0 for a plain average of quantized values)
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output
  std::int8_t zero1 = 0;  ///< value of a counted position outside the input
  std::uint16_t scalars = 0;  ///< parameter row of the reciprocals: scalar entry i (2 rows) serves windows that miss i of kernel_h*kernel_w positions

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, count_padding);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 144, 16, dst_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 224, 16, in_height);
    put(i, 240, 16, in_width);
    put_signed(i, 256, 16, y0);
    put_signed(i, 272, 16, x0);
    put(i, 288, 8, kernel_h);
    put(i, 296, 8, kernel_w);
    put(i, 304, 8, stride_h);
    put(i, 312, 8, stride_w);
    put(i, 320, 8, dilation_h);
    put(i, 328, 8, dilation_w);
    put(i, 336, 8, rounding);
    put_signed(i, 344, 8, zero_point);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    put_signed(i, 368, 8, zero1);
    put(i, 400, 16, scalars);
    return i;
  }

  static Avgpool decode(const Instruction& i) {
    Avgpool d;
    d.sem = decode_semaphores(i);
    d.count_padding = static_cast<std::uint8_t>(get(i, 8, 1));
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.in_height = static_cast<std::uint16_t>(get(i, 224, 16));
    d.in_width = static_cast<std::uint16_t>(get(i, 240, 16));
    d.y0 = static_cast<std::int16_t>(get_signed(i, 256, 16));
    d.x0 = static_cast<std::int16_t>(get_signed(i, 272, 16));
    d.kernel_h = static_cast<std::uint8_t>(get(i, 288, 8));
    d.kernel_w = static_cast<std::uint8_t>(get(i, 296, 8));
    d.stride_h = static_cast<std::uint8_t>(get(i, 304, 8));
    d.stride_w = static_cast<std::uint8_t>(get(i, 312, 8));
    d.dilation_h = static_cast<std::uint8_t>(get(i, 320, 8));
    d.dilation_w = static_cast<std::uint8_t>(get(i, 328, 8));
    d.rounding = static_cast<std::uint8_t>(get(i, 336, 8));
    d.zero_point = static_cast<std::int8_t>(get_signed(i, 344, 8));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    d.zero1 = static_cast<std::int8_t>(get_signed(i, 368, 8));
    d.scalars = static_cast<std::uint16_t>(get(i, 400, 16));
    return d;
  }
};

/// Element-wise quantized addition of two scratchpad tensors (TFLite ADD: left shift of 20, three requantizations). Page: isa/spec/pages/add.md
struct Add {
  static constexpr Opcode kOpcode = Opcode::kAdd;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t src = 0;  ///< scratchpad row of the first operand's position (0, 0)
  std::uint16_t dst = 0;  ///< scratchpad row of output position (0, 0)
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one row of the first operand to the next
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t src2 = 0;  ///< scratchpad row of the second operand's position (0, 0)
  std::uint16_t src2_stride = 0;  ///< scratchpad rows from one row of the second operand to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint8_t rounding = 0;  ///< rounding of the three requantizations
  std::int8_t zero_point = 0;  ///< output zero point
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output
  std::int8_t zero1 = 0;  ///< zero point of the first operand
  std::int8_t zero2 = 0;  ///< zero point of the second operand
  std::uint16_t scalars = 0;  ///< parameter row of three scalar entries (2 rows each): first operand, second operand, sum

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 144, 16, dst_stride);
    put(i, 160, 16, src2);
    put(i, 176, 16, src2_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 336, 8, rounding);
    put_signed(i, 344, 8, zero_point);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    put_signed(i, 368, 8, zero1);
    put_signed(i, 376, 8, zero2);
    put(i, 400, 16, scalars);
    return i;
  }

  static Add decode(const Instruction& i) {
    Add d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.src2 = static_cast<std::uint16_t>(get(i, 160, 16));
    d.src2_stride = static_cast<std::uint16_t>(get(i, 176, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.rounding = static_cast<std::uint8_t>(get(i, 336, 8));
    d.zero_point = static_cast<std::int8_t>(get_signed(i, 344, 8));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    d.zero1 = static_cast<std::int8_t>(get_signed(i, 368, 8));
    d.zero2 = static_cast<std::int8_t>(get_signed(i, 376, 8));
    d.scalars = static_cast<std::uint16_t>(get(i, 400, 16));
    return d;
  }
};

/// Element-wise quantized product of two scratchpad tensors (TFLite MUL). Page: isa/spec/pages/multiply.md
struct Multiply {
  static constexpr Opcode kOpcode = Opcode::kMultiply;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t src = 0;  ///< scratchpad row of the first operand's position (0, 0)
  std::uint16_t dst = 0;  ///< scratchpad row of output position (0, 0)
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one row of the first operand to the next
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t src2 = 0;  ///< scratchpad row of the second operand's position (0, 0)
  std::uint16_t src2_stride = 0;  ///< scratchpad rows from one row of the second operand to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::uint8_t rounding = 0;  ///< rounding of the requantization
  std::int8_t zero_point = 0;  ///< output zero point
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output
  std::int8_t zero1 = 0;  ///< zero point of the first operand
  std::int8_t zero2 = 0;  ///< zero point of the second operand
  std::uint16_t scalars = 0;  ///< parameter row of one scalar entry (2 rows)

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 144, 16, dst_stride);
    put(i, 160, 16, src2);
    put(i, 176, 16, src2_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put(i, 336, 8, rounding);
    put_signed(i, 344, 8, zero_point);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    put_signed(i, 368, 8, zero1);
    put_signed(i, 376, 8, zero2);
    put(i, 400, 16, scalars);
    return i;
  }

  static Multiply decode(const Instruction& i) {
    Multiply d;
    d.sem = decode_semaphores(i);
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.src2 = static_cast<std::uint16_t>(get(i, 160, 16));
    d.src2_stride = static_cast<std::uint16_t>(get(i, 176, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.rounding = static_cast<std::uint8_t>(get(i, 336, 8));
    d.zero_point = static_cast<std::int8_t>(get_signed(i, 344, 8));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    d.zero1 = static_cast<std::int8_t>(get_signed(i, 368, 8));
    d.zero2 = static_cast<std::int8_t>(get_signed(i, 376, 8));
    d.scalars = static_cast<std::uint16_t>(get(i, 400, 16));
    return d;
  }
};

/// Copy 256 bytes of the parameter buffer into the look-up table, or 1,024 bytes into the table of words that kernels read. Page: isa/spec/pages/table.md
struct Table {
  static constexpr Opcode kOpcode = Opcode::kTable;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint8_t words = 0;  ///< 1: into the table of words
  std::uint16_t params = 0;  ///< first of 256/DIM parameter rows, byte i is the result for the value i-128; or of 1024/DIM, little-endian words

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, words);
    put(i, 384, 16, params);
    return i;
  }

  static Table decode(const Instruction& i) {
    Table d;
    d.sem = decode_semaphores(i);
    d.words = static_cast<std::uint8_t>(get(i, 8, 1));
    d.params = static_cast<std::uint16_t>(get(i, 384, 16));
    return d;
  }
};

/// Scratchpad rows through the look-up table (or, without it, a clamped copy) to scratchpad rows. Page: isa/spec/pages/map.md
struct Map {
  static constexpr Opcode kOpcode = Opcode::kMap;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint8_t table = 0;  ///< 1: look each value up before the clamp
  std::uint16_t src = 0;  ///< scratchpad row of position (0, 0)
  std::uint16_t dst = 0;  ///< scratchpad row of output position (0, 0)
  std::uint16_t src_stride = 0;  ///< scratchpad rows from one input row to the next
  std::uint16_t dst_stride = 0;  ///< scratchpad rows from one output row to the next
  std::uint16_t out_height = 1;  ///< output rows
  std::uint16_t out_width = 1;  ///< output columns
  std::int8_t clamp_min = 0;  ///< smallest output
  std::int8_t clamp_max = 0;  ///< largest output

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 8, 1, table);
    put(i, 96, 16, src);
    put(i, 112, 16, dst);
    put(i, 128, 16, src_stride);
    put(i, 144, 16, dst_stride);
    put(i, 192, 16, out_height);
    put(i, 208, 16, out_width);
    put_signed(i, 352, 8, clamp_min);
    put_signed(i, 360, 8, clamp_max);
    return i;
  }

  static Map decode(const Instruction& i) {
    Map d;
    d.sem = decode_semaphores(i);
    d.table = static_cast<std::uint8_t>(get(i, 8, 1));
    d.src = static_cast<std::uint16_t>(get(i, 96, 16));
    d.dst = static_cast<std::uint16_t>(get(i, 112, 16));
    d.src_stride = static_cast<std::uint16_t>(get(i, 128, 16));
    d.dst_stride = static_cast<std::uint16_t>(get(i, 144, 16));
    d.out_height = static_cast<std::uint16_t>(get(i, 192, 16));
    d.out_width = static_cast<std::uint16_t>(get(i, 208, 16));
    d.clamp_min = static_cast<std::int8_t>(get_signed(i, 352, 8));
    d.clamp_max = static_cast<std::int8_t>(get_signed(i, 360, 8));
    return d;
  }
};

/// Run a kernel, a program of micro-instructions that LOAD has written to the kernel memory. Page: isa/spec/pages/vector.md
struct Vector {
  static constexpr Opcode kOpcode = Opcode::kVector;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;
  std::uint16_t entry = 0;  ///< word of the kernel memory where the kernel begins
  std::uint32_t arg0 = 0;  ///< scalar 0 at the kernel's start
  std::uint32_t arg1 = 0;  ///< scalar 1 at the kernel's start
  std::uint32_t arg2 = 0;  ///< scalar 2 at the kernel's start
  std::uint32_t arg3 = 0;  ///< scalar 3 at the kernel's start
  std::uint32_t arg4 = 0;  ///< scalar 4 at the kernel's start
  std::uint32_t arg5 = 0;  ///< scalar 5 at the kernel's start
  std::uint32_t arg6 = 0;  ///< scalar 6 at the kernel's start
  std::uint32_t arg7 = 0;  ///< scalar 7 at the kernel's start
  std::uint32_t arg8 = 0;  ///< scalar 8 at the kernel's start
  std::uint32_t arg9 = 0;  ///< scalar 9 at the kernel's start
  std::uint32_t arg10 = 0;  ///< scalar 10 at the kernel's start
  std::uint32_t arg11 = 0;  ///< scalar 11 at the kernel's start

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 16, entry);
    put(i, 128, 32, arg0);
    put(i, 160, 32, arg1);
    put(i, 192, 32, arg2);
    put(i, 224, 32, arg3);
    put(i, 256, 32, arg4);
    put(i, 288, 32, arg5);
    put(i, 320, 32, arg6);
    put(i, 352, 32, arg7);
    put(i, 384, 32, arg8);
    put(i, 416, 32, arg9);
    put(i, 448, 32, arg10);
    put(i, 480, 32, arg11);
    return i;
  }

  static Vector decode(const Instruction& i) {
    Vector d;
    d.sem = decode_semaphores(i);
    d.entry = static_cast<std::uint16_t>(get(i, 96, 16));
    d.arg0 = static_cast<std::uint32_t>(get(i, 128, 32));
    d.arg1 = static_cast<std::uint32_t>(get(i, 160, 32));
    d.arg2 = static_cast<std::uint32_t>(get(i, 192, 32));
    d.arg3 = static_cast<std::uint32_t>(get(i, 224, 32));
    d.arg4 = static_cast<std::uint32_t>(get(i, 256, 32));
    d.arg5 = static_cast<std::uint32_t>(get(i, 288, 32));
    d.arg6 = static_cast<std::uint32_t>(get(i, 320, 32));
    d.arg7 = static_cast<std::uint32_t>(get(i, 352, 32));
    d.arg8 = static_cast<std::uint32_t>(get(i, 384, 32));
    d.arg9 = static_cast<std::uint32_t>(get(i, 416, 32));
    d.arg10 = static_cast<std::uint32_t>(get(i, 448, 32));
    d.arg11 = static_cast<std::uint32_t>(get(i, 480, 32));
    return d;
  }
};

/// Gather rows of the scratchpad, piece by piece, into runs of bytes in device memory. Page: isa/spec/pages/store.md
struct Store {
  static constexpr Opcode kOpcode = Opcode::kStore;
  static constexpr Engine kEngine = Engine::kStore;
  Semaphores sem;
  std::uint32_t dst = 0;  ///< window offset of run (0, 0), in bytes
  std::uint16_t pieces = 1;  ///< pieces per run; they follow each other in memory
  std::uint8_t window = 0;  ///< window of the destination; needs write permission
  std::uint16_t piece_bytes = 1;  ///< bytes per piece
  std::uint16_t count0 = 1;  ///< iterations of the inner run loop
  std::uint16_t count1 = 1;  ///< iterations of the outer run loop
  std::int32_t dst_stride0 = 0;  ///< bytes between runs of the inner loop
  std::int32_t dst_stride1 = 0;  ///< bytes between runs of the outer loop
  std::uint16_t src = 0;  ///< scratchpad row of piece 0 of run (0, 0)
  std::uint16_t src_piece = 0;  ///< rows between pieces
  std::uint16_t src_block = 0;  ///< rows between consecutive DIM-byte blocks of one piece
  std::uint16_t src_stride0 = 0;  ///< rows per inner iteration
  std::uint16_t src_stride1 = 0;  ///< rows per outer iteration

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    put(i, 96, 32, dst);
    put(i, 128, 16, pieces);
    put(i, 152, 3, window);
    put(i, 160, 16, piece_bytes);
    put(i, 256, 16, count0);
    put(i, 272, 16, count1);
    put_signed(i, 320, 32, dst_stride0);
    put_signed(i, 352, 32, dst_stride1);
    put(i, 384, 16, src);
    put(i, 400, 16, src_piece);
    put(i, 416, 16, src_block);
    put(i, 432, 16, src_stride0);
    put(i, 448, 16, src_stride1);
    return i;
  }

  static Store decode(const Instruction& i) {
    Store d;
    d.sem = decode_semaphores(i);
    d.dst = static_cast<std::uint32_t>(get(i, 96, 32));
    d.pieces = static_cast<std::uint16_t>(get(i, 128, 16));
    d.window = static_cast<std::uint8_t>(get(i, 152, 3));
    d.piece_bytes = static_cast<std::uint16_t>(get(i, 160, 16));
    d.count0 = static_cast<std::uint16_t>(get(i, 256, 16));
    d.count1 = static_cast<std::uint16_t>(get(i, 272, 16));
    d.dst_stride0 = static_cast<std::int32_t>(get_signed(i, 320, 32));
    d.dst_stride1 = static_cast<std::int32_t>(get_signed(i, 352, 32));
    d.src = static_cast<std::uint16_t>(get(i, 384, 16));
    d.src_piece = static_cast<std::uint16_t>(get(i, 400, 16));
    d.src_block = static_cast<std::uint16_t>(get(i, 416, 16));
    d.src_stride0 = static_cast<std::uint16_t>(get(i, 432, 16));
    d.src_stride1 = static_cast<std::uint16_t>(get(i, 448, 16));
    return d;
  }
};

/// No work: carries further waits and signals in the LOAD queue. Page: isa/spec/pages/sync_load.md
struct SyncLoad {
  static constexpr Opcode kOpcode = Opcode::kSyncLoad;
  static constexpr Engine kEngine = Engine::kLoad;
  Semaphores sem;

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    return i;
  }

  static SyncLoad decode(const Instruction& i) {
    SyncLoad d;
    d.sem = decode_semaphores(i);
    return d;
  }
};

/// No work: carries further waits and signals in the MXU queue. Page: isa/spec/pages/sync_mxu.md
struct SyncMxu {
  static constexpr Opcode kOpcode = Opcode::kSyncMxu;
  static constexpr Engine kEngine = Engine::kMxu;
  Semaphores sem;

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    return i;
  }

  static SyncMxu decode(const Instruction& i) {
    SyncMxu d;
    d.sem = decode_semaphores(i);
    return d;
  }
};

/// No work: carries further waits and signals in the VPU queue. Page: isa/spec/pages/sync_vpu.md
struct SyncVpu {
  static constexpr Opcode kOpcode = Opcode::kSyncVpu;
  static constexpr Engine kEngine = Engine::kVpu;
  Semaphores sem;

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    return i;
  }

  static SyncVpu decode(const Instruction& i) {
    SyncVpu d;
    d.sem = decode_semaphores(i);
    return d;
  }
};

/// No work: carries further waits and signals in the STORE queue. Page: isa/spec/pages/sync_store.md
struct SyncStore {
  static constexpr Opcode kOpcode = Opcode::kSyncStore;
  static constexpr Engine kEngine = Engine::kStore;
  Semaphores sem;

  /// Throws OutOfRange when a value does not fit its field.
  Instruction encode() const {
    Instruction i;
    put(i, 0, 8, static_cast<std::uint8_t>(kOpcode));
    isa::encode(sem, i);
    return i;
  }

  static SyncStore decode(const Instruction& i) {
    SyncStore d;
    d.sem = decode_semaphores(i);
    return d;
  }
};

}  // namespace systole::isa
