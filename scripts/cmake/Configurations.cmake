# SPDX-License-Identifier: Apache-2.0
# Generated from isa/spec by scripts/gen/generate. Do not edit.
# Parameters of each named configuration for Verilator.
set(SYSTOLE_CONFIGURATIONS tiny small default large)
set(SYSTOLE_PARAMS_tiny -GDim=4 -GScratchRows=768 -GWeightRows=256 -GAccRows=64 -GParamRows=256)
set(SYSTOLE_DIM_tiny 4)
set(SYSTOLE_PARAMS_small -GDim=8 -GScratchRows=6144 -GWeightRows=2048 -GAccRows=512 -GParamRows=256)
set(SYSTOLE_DIM_small 8)
set(SYSTOLE_PARAMS_default -GDim=16 -GScratchRows=12288 -GWeightRows=4096 -GAccRows=1024 -GParamRows=256)
set(SYSTOLE_DIM_default 16)
set(SYSTOLE_PARAMS_large -GDim=32 -GScratchRows=24576 -GWeightRows=8192 -GAccRows=2048 -GParamRows=256)
set(SYSTOLE_DIM_large 32)
