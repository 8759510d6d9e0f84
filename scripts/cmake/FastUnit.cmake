# SPDX-License-Identifier: Apache-2.0
# cmake -DMODEL=<folder>/V<model> -P FastUnit.cmake
# Writes <model>__fast.cpp, which includes every file of a Verilated model that runs in each cycle: compiled together,
# their functions are inlined across files.
file(READ ${MODEL}_classes.mk lists)
string(REGEX MATCH "VM_CLASSES_FAST \\+=([^#]*)" ignored "${lists}")
string(REGEX MATCHALL "[A-Za-z0-9_]+" classes "${CMAKE_MATCH_1}")
if(NOT classes)
  message(FATAL_ERROR "${MODEL}_classes.mk: no VM_CLASSES_FAST; is this another version of Verilator?")
endif()
list(TRANSFORM classes REPLACE "(.+)" "#include \"\\1.cpp\"\n" OUTPUT_VARIABLE includes)
list(JOIN includes "" text)
file(WRITE ${MODEL}__fast.cpp "${text}")
