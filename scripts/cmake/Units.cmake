# SPDX-License-Identifier: Apache-2.0
# cmake -DMODEL=<folder>/V<model> -P Units.cmake
# Writes two files that include the others of a Verilated model: <model>__fast.cpp those that run in each cycle, whose
# functions are then inlined across files, and <model>__slow.cpp those that run once, which mostly read one header.
file(READ ${MODEL}_classes.mk lists)

# Includes in `text` the files of the lists that are named behind it.
function(unit_of text)
  set(files "")
  foreach(list IN LISTS ARGN)
    string(REGEX MATCH "${list} \\+=([^#]*)" ignored "${lists}")
    string(REGEX MATCHALL "[A-Za-z0-9_]+" names "${CMAKE_MATCH_1}")
    if(NOT names)
      message(FATAL_ERROR "${MODEL}_classes.mk: no ${list}; is this another version of Verilator?")
    endif()
    list(APPEND files ${names})
  endforeach()
  list(TRANSFORM files REPLACE "(.+)" "#include \"\\1.cpp\"\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" joined)
  set(${text} "${joined}" PARENT_SCOPE)
endfunction()

unit_of(text VM_CLASSES_FAST)
file(WRITE ${MODEL}__fast.cpp "${text}")
unit_of(text VM_CLASSES_SLOW VM_SUPPORT_SLOW)
file(WRITE ${MODEL}__slow.cpp "${text}")
