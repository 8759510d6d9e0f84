# SPDX-License-Identifier: Apache-2.0
# Generated from isa/spec by scripts/gen/generate. Do not edit.
# Parameters of each named configuration for Verilator.
set(SYSTOLE_CONFIGURATIONS tiny small default large nano default_int8)
set(SYSTOLE_PARAMS_tiny -GDim=4 -GScratchRows=768 -GWeightRows=256 -GAccRows=64 -GParamRows=256 -GWindows=4 -GVectorProcessor=1 -GBlockFloat=1 -GDepthwise=1 -GTurningLoads=1 -GCauseCounters=1)
set(SYSTOLE_DIM_tiny 4)
set(SYSTOLE_PARAMS_small -GDim=8 -GScratchRows=6144 -GWeightRows=2048 -GAccRows=512 -GParamRows=256 -GWindows=4 -GVectorProcessor=1 -GBlockFloat=1 -GDepthwise=1 -GTurningLoads=1 -GCauseCounters=1)
set(SYSTOLE_DIM_small 8)
set(SYSTOLE_PARAMS_default -GDim=16 -GScratchRows=12288 -GWeightRows=4096 -GAccRows=1024 -GParamRows=256 -GWindows=4 -GVectorProcessor=1 -GBlockFloat=1 -GDepthwise=1 -GTurningLoads=1 -GCauseCounters=1)
set(SYSTOLE_DIM_default 16)
set(SYSTOLE_PARAMS_large -GDim=32 -GScratchRows=24576 -GWeightRows=8192 -GAccRows=2048 -GParamRows=256 -GWindows=8 -GVectorProcessor=1 -GBlockFloat=1 -GDepthwise=1 -GTurningLoads=1 -GCauseCounters=1)
set(SYSTOLE_DIM_large 32)
set(SYSTOLE_PARAMS_nano -GDim=4 -GScratchRows=768 -GWeightRows=256 -GAccRows=64 -GParamRows=256 -GWindows=4 -GVectorProcessor=0 -GBlockFloat=0 -GDepthwise=0 -GTurningLoads=0 -GCauseCounters=0)
set(SYSTOLE_DIM_nano 4)
set(SYSTOLE_PARAMS_default_int8 -GDim=16 -GScratchRows=12288 -GWeightRows=4096 -GAccRows=1024 -GParamRows=256 -GWindows=4 -GVectorProcessor=0 -GBlockFloat=0 -GDepthwise=1 -GTurningLoads=1 -GCauseCounters=1)
set(SYSTOLE_DIM_default_int8 16)
