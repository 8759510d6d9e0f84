// SPDX-License-Identifier: Apache-2.0
// Generated from isa/spec by scripts/gen/generate. Do not edit.
#pragma once

#include <cstdint>

/// Control and status registers: byte offsets and fields. Page: isa/spec/pages/registers.md
namespace systole::reg {

inline constexpr std::uint32_t kIdentity = 0x000;  ///< identity of the device, the letters SYST
inline constexpr std::uint32_t kIsaVersion = 0x004;  ///< instruction set version: major in bits 31:16, minor in bits 15:0
inline constexpr std::uint32_t kDim = 0x008;  ///< array side; AXI data are DIM bytes wide
inline constexpr std::uint32_t kScratchRows = 0x00c;  ///< scratchpad rows of DIM bytes
inline constexpr std::uint32_t kWeightRows = 0x010;  ///< weight ring rows of DIM bytes
inline constexpr std::uint32_t kAccRows = 0x014;  ///< accumulator rows of DIM int32
inline constexpr std::uint32_t kParamRows = 0x018;  ///< parameter rows of DIM bytes
inline constexpr std::uint32_t kQueueDepth = 0x01c;  ///< instructions that each engine's queue holds
inline constexpr std::uint32_t kControl = 0x020;  ///< requests; a bit acts when 1 is written
inline constexpr int kControlResetLsb = 0;  ///< finish the bus transactions in flight, then clear the core, its memories and counters included (ring registers, windows, interrupt enable and watchdog keep their values). An answer that the bus owes is waited for, however long, since it could later be taken for another's; registers can be read meanwhile. Where it never comes (BUS_STUCK, and STATUS.RESETTING stays), repair the memory system so that it answers; if that cannot be, reset it and the core together by their pins
inline constexpr std::uint32_t kControlReset = 1u << 0;
inline constexpr int kControlClearCountersLsb = 1;  ///< set the counters to zero
inline constexpr std::uint32_t kControlClearCounters = 1u << 1;
inline constexpr std::uint32_t kStatus = 0x024;  ///< state of the core
inline constexpr int kStatusBusyLsb = 0;  ///< a doorbell was rung and END has not been reached
inline constexpr std::uint32_t kStatusBusy = 1u << 0;
inline constexpr int kStatusHaltedLsb = 1;  ///< an error stopped the engines; reset to go on
inline constexpr std::uint32_t kStatusHalted = 1u << 1;
inline constexpr int kStatusResettingLsb = 2;  ///< a reset waits for bus transactions in flight (a doorbell is not heard then), or memories are being cleared (what is rung then begins afterwards)
inline constexpr std::uint32_t kStatusResetting = 1u << 2;
inline constexpr int kStatusNonfiniteLsb = 3;  ///< since the counters were cleared a kernel has stored a block that is not a number, because it had an infinity or a NaN
inline constexpr std::uint32_t kStatusNonfinite = 1u << 3;
inline constexpr int kStatusEngineBusyLsb = 8;  ///< bit e: engine e has an uncommitted instruction
inline constexpr int kStatusEngineBusyWidth = 4;
inline constexpr int kStatusEngineWaitingLsb = 12;  ///< bit e: the next instruction of engine e waits for a semaphore
inline constexpr int kStatusEngineWaitingWidth = 4;
inline constexpr std::uint32_t kIrqStatus = 0x028;  ///< pending interrupts; the output is high while an enabled one is pending
inline constexpr int kIrqStatusDoneLsb = 0;  ///< END was reached
inline constexpr std::uint32_t kIrqStatusDone = 1u << 0;
inline constexpr int kIrqStatusErrorLsb = 1;  ///< an error was recorded
inline constexpr std::uint32_t kIrqStatusError = 1u << 1;
inline constexpr std::uint32_t kIrqEnable = 0x02c;  ///< interrupts that drive the output, bits as IRQ_STATUS
inline constexpr int kIrqEnableDoneLsb = 0;  ///< END was reached
inline constexpr std::uint32_t kIrqEnableDone = 1u << 0;
inline constexpr int kIrqEnableErrorLsb = 1;  ///< an error was recorded
inline constexpr std::uint32_t kIrqEnableError = 1u << 1;
inline constexpr std::uint32_t kRingBase = 0x030;  ///< window offset of the ring's first entry, a multiple of 64; locked while busy
inline constexpr std::uint32_t kRingConfig = 0x034;  ///< size and window of the ring; locked while busy
inline constexpr int kRingConfigLog2EntriesLsb = 0;  ///< base-2 logarithm of the number of entries, at most 20
inline constexpr int kRingConfigLog2EntriesWidth = 5;
inline constexpr int kRingConfigWindowLsb = 8;  ///< window of the ring; needs execute permission
inline constexpr int kRingConfigWindowWidth = 3;
inline constexpr std::uint32_t kHead = 0x038;  ///< ring entries dispatched since reset (free-running); an entry may be overwritten once the head has passed it
inline constexpr std::uint32_t kTail = 0x03c;  ///< ring entries written since reset (free-running); writing it is the doorbell
inline constexpr std::uint32_t kEndTag = 0x040;  ///< tag of the last END
inline constexpr std::uint32_t kEndCount = 0x044;  ///< ENDs reached since reset
inline constexpr std::uint32_t kErrorCode = 0x048;  ///< first error since reset: its ErrorCode in bits 7:0, its engine in bits 15:8
inline constexpr int kErrorCodeCodeLsb = 0;  ///< ErrorCode
inline constexpr int kErrorCodeCodeWidth = 8;
inline constexpr int kErrorCodeEngineLsb = 8;  ///< Engine
inline constexpr int kErrorCodeEngineWidth = 8;
inline constexpr std::uint32_t kErrorIndex = 0x04c;  ///< first error: index of its command, counted in dispatch order since reset, JUMP and END included
inline constexpr std::uint32_t kErrorAddress = 0x050;  ///< first error: address, in the meaning of its code
inline constexpr std::uint32_t kErrorCount = 0x054;  ///< errors since reset, the first included
inline constexpr std::uint32_t kWatchdog = 0x058;  ///< cycles without movement after which an owed bus answer is the error BUS_STUCK; 0 never
inline constexpr std::uint32_t kWatchdogReset = 0x10000;
inline constexpr std::uint32_t kCycles = 0x05c;  ///< cycles from the doorbell to the interrupt, summed over runs since the counters were cleared
inline constexpr std::uint32_t kCommands = 0x060;  ///< commands dispatched since reset
inline constexpr std::uint32_t kReadBeats = 0x064;  ///< read beats received since the counters were cleared
inline constexpr std::uint32_t kWriteBeats = 0x068;  ///< write beats sent since the counters were cleared
inline constexpr std::uint32_t kWaitingSemaphores = 0x06c;  ///< byte e: bit 7 set while engine e waits for a semaphore, bits 4:0 the first one that is short
inline constexpr std::uint32_t kPaddedVectors = 0x070;  ///< activation vectors that the matrix unit made of pad_value since the counters were cleared, each of DIM*DIM multiply-accumulates
inline constexpr std::uint32_t kParts = 0x074;  ///< parts that this core has
inline constexpr int kPartsVectorProcessorLsb = 0;  ///< vector processor
inline constexpr std::uint32_t kPartsVectorProcessor = 1u << 0;
inline constexpr int kPartsBlockFloatLsb = 1;  ///< block floating point
inline constexpr std::uint32_t kPartsBlockFloat = 1u << 1;
inline constexpr int kPartsDepthwiseLsb = 2;  ///< depthwise unit
inline constexpr std::uint32_t kPartsDepthwise = 1u << 2;
inline constexpr int kPartsTurningLoadsLsb = 3;  ///< turning loads
inline constexpr std::uint32_t kPartsTurningLoads = 1u << 3;
inline constexpr int kPartsCauseCountersLsb = 4;  ///< cause counters
inline constexpr std::uint32_t kPartsCauseCounters = 1u << 4;
inline constexpr std::uint32_t kWindows = 0x078;  ///< address windows that this core has; the registers of others keep nothing
inline constexpr std::uint32_t kSemaphore = 0x080;  ///< values of the semaphores, four to a register, semaphore 4i in bits 7:0
inline constexpr int kSemaphoreCount = 8;
inline constexpr std::uint32_t kSemaphoreStride = 4;  ///< bytes
inline constexpr std::uint32_t kEngineState = 0x0a0;  ///< what engine e holds now; the host reads it when nothing moves
inline constexpr int kEngineStateCount = 4;
inline constexpr std::uint32_t kEngineStateStride = 4;  ///< bytes
inline constexpr int kEngineStateInFlightLsb = 0;  ///< commands that the engine has taken and not committed
inline constexpr int kEngineStateInFlightWidth = 8;
inline constexpr int kEngineStateQueuedLsb = 8;  ///< dispatched commands that wait in its queue
inline constexpr int kEngineStateQueuedWidth = 8;
inline constexpr int kEngineStateCauseLsb = 16;  ///< Cause of the last counted cycle
inline constexpr int kEngineStateCauseWidth = 4;
inline constexpr std::uint32_t kEngineIndex = 0x0b0;  ///< index, counted as ERROR_INDEX, of engine e's oldest uncommitted command; without meaning while it has none
inline constexpr int kEngineIndexCount = 4;
inline constexpr std::uint32_t kEngineIndexStride = 4;  ///< bytes
inline constexpr std::uint32_t kEngineSince = 0x0c0;  ///< value of CYCLES when engine e's present cause began, of a wait that for its present semaphore
inline constexpr int kEngineSinceCount = 4;
inline constexpr std::uint32_t kEngineSinceStride = 4;  ///< bytes
inline constexpr std::uint32_t kWindowBase = 0x100;  ///< device address of the window's first byte, a multiple of 64 (lower bits are dropped); locked while busy
inline constexpr int kWindowBaseCount = 8;
inline constexpr std::uint32_t kWindowBaseStride = 16;  ///< bytes
inline constexpr std::uint32_t kWindowSize = 0x104;  ///< bytes in the window, a multiple of 64 (lower bits are dropped); 0 closes it, and so does an end beyond 2^32; locked while busy
inline constexpr int kWindowSizeCount = 8;
inline constexpr std::uint32_t kWindowSizeStride = 16;  ///< bytes
inline constexpr std::uint32_t kWindowPermission = 0x108;  ///< Permission bits; locked while busy
inline constexpr int kWindowPermissionCount = 8;
inline constexpr std::uint32_t kWindowPermissionStride = 16;  ///< bytes
inline constexpr std::uint32_t kCauseCount = 0x200;  ///< cycles per Cause since the counters were cleared, engine e and cause c at index 16e+c; those of an engine add up to CYCLES
inline constexpr int kCauseCountCount = 64;
inline constexpr std::uint32_t kCauseCountStride = 4;  ///< bytes
inline constexpr std::uint32_t kSemaphoreWait = 0x400;  ///< the cycles of cause SEMAPHORE by the semaphore that was short, engine e and semaphore s at index 32e+s; those of an engine add up to its CAUSE_COUNT of SEMAPHORE
inline constexpr int kSemaphoreWaitCount = 128;
inline constexpr std::uint32_t kSemaphoreWaitStride = 4;  ///< bytes

}  // namespace systole::reg
