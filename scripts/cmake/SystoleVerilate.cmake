# SPDX-License-Identifier: Apache-2.0
# Verilated models as ordinary build steps: an RTL error is a build error with Verilator's own message, an edit rebuilds
# the models that read the edited file and no other, and ccache makes unchanged C++ free.

find_program(VERILATOR_BIN NAMES verilator REQUIRED)
set(VERILATOR_INCLUDE /usr/share/verilator/include CACHE PATH "Verilator's run-time sources")
find_package(ZLIB REQUIRED)
# The runtime of a later Verilator has another writer of waveforms and no reader: Debian's Verilator has one, and LZ4.
set(later_sources "")
set(later_make "")
if(EXISTS ${VERILATOR_INCLUDE}/fstcpp)
  set(later_sources ${CMAKE_SOURCE_DIR}/sim/trace/fst_reader.cpp)
  # The option that names its precompiled header is missing in its configuration; each file includes that anyway.
  set(later_make VK_PCH_I_FAST= VK_PCH_I_SLOW=)
endif()
set(SYSTOLE_MODEL_OPT "-O3"
  CACHE STRING "C++ optimization of the Verilated models (-O3 for long runs, -O1 for the edit loop)")
option(SYSTOLE_COVERAGE "Models count what runs in them (scripts/coverage); many times slower" OFF)
# Toggles are counted in vectors of at most this width: control. Wider ones carry data and addresses.
set(SYSTOLE_COVERAGE_WIDTH 8)

# Verilator's run-time library, built once for all models. Its output goes through print.hpp, so that the text of a
# failed assertion can travel in an exception.
add_library(systole_verilated_runtime STATIC ${CMAKE_SOURCE_DIR}/sim/verilated/print.cpp
  ${CMAKE_SOURCE_DIR}/sim/trace/fst_files.cpp
  ${VERILATOR_INCLUDE}/verilated.cpp ${VERILATOR_INCLUDE}/verilated_fst_c.cpp
  ${VERILATOR_INCLUDE}/verilated_cov.cpp ${VERILATOR_INCLUDE}/verilated_save.cpp
  ${VERILATOR_INCLUDE}/verilated_threads.cpp ${later_sources})
target_include_directories(systole_verilated_runtime SYSTEM PUBLIC ${VERILATOR_INCLUDE} ${VERILATOR_INCLUDE}/vltstd)
if(later_sources)
  target_include_directories(systole_verilated_runtime SYSTEM PUBLIC /usr/share/verilator/include
    PRIVATE /usr/share/verilator/include/gtkwave)
endif()
target_compile_definitions(systole_verilated_runtime PUBLIC VERILATOR=1
  VM_COVERAGE=0 VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0)
target_compile_options(systole_verilated_runtime PRIVATE -O2 -w -include ${CMAKE_SOURCE_DIR}/sim/verilated/print.hpp)
target_compile_definitions(systole_verilated_runtime PRIVATE VL_PRINTF=systole_verilated_printf)
# The writer of waveforms ignores failed writes and maps files beyond what the disk has room for.
set_source_files_properties(${VERILATOR_INCLUDE}/verilated_fst_c.cpp PROPERTIES COMPILE_OPTIONS
  "-include;${CMAKE_SOURCE_DIR}/sim/trace/fst_redirect.hpp")
target_link_libraries(systole_verilated_runtime PUBLIC ZLIB::ZLIB)
if(SYSTOLE_COVERAGE)
  target_sources(systole_verilated_runtime PRIVATE ${CMAKE_SOURCE_DIR}/sim/verilated/coverage.cpp)
  target_link_options(systole_verilated_runtime INTERFACE -Wl,--wrap=_ZN13VerilatedSymsD2Ev)
endif()

# systole_verilate(NAME <lib> TOP <module> SOURCES <files...> [PARAMS -GDim=4 ...] [ARGS ...] [PROFILED_BY <program>]
#   [STRAIGHT])
# makes the static library <lib>: class V<lib> in header V<lib>.h. With PROFILED_BY the model is compiled twice: first
# as <lib>_counted, which <program> links and runs, then laid out by which branches were taken there. STRAIGHT is for
# models that run many cycles, with the clock clk_i and clocks gated from it: scripts/cmake/straight_unit.py. Other
# models run for seconds and take longer to compile: at -O1.
function(systole_verilate)
  cmake_parse_arguments(A "STRAIGHT" "NAME;TOP;PROFILED_BY" "SOURCES;PARAMS;ARGS" ${ARGN})
  set(straight "")
  if(A_STRAIGHT)
    set(straight STRAIGHT)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/verilated/${A_NAME})
  set(prefix V${A_NAME})
  if(A_PROFILED_BY AND SYSTOLE_MODEL_OPT MATCHES "-O3" AND NOT SYSTOLE_COVERAGE)
    set(counts ${prefix}__fast.gcda) # beside the object, where the compiler looks for it
    systole_verilated_library(NAME ${A_NAME}_counted DIR ${dir}/counted PREFIX ${prefix} TOP ${A_TOP}
      SOURCES ${A_SOURCES} PARAMS ${A_PARAMS} ARGS ${A_ARGS} OPT -fprofile-generate -fprofile-update=single ${straight})
    target_link_options(${A_NAME}_counted INTERFACE -fprofile-generate)
    add_custom_command(
      OUTPUT ${dir}/${counts}
      # Without the path of the object, which may have come from the compiler cache of another build tree.
      COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}/counts
      COMMAND ${CMAKE_COMMAND} -E env GCOV_PREFIX=${dir}/counts GCOV_PREFIX_STRIP=99 $<TARGET_FILE:${A_PROFILED_BY}>
      COMMAND ${CMAKE_COMMAND} -E copy ${dir}/counts/${counts} ${dir}/${counts}
      DEPENDS ${A_PROFILED_BY}
      COMMENT "Profiling ${prefix}"
      VERBATIM)
    systole_verilated_library(NAME ${A_NAME} DIR ${dir} PREFIX ${prefix} TOP ${A_TOP} SOURCES ${A_SOURCES}
      PARAMS ${A_PARAMS} ARGS ${A_ARGS} OPT -fprofile-use -Wno-missing-profile DEPENDS ${dir}/${counts} ${straight})
  else()
    systole_verilated_library(NAME ${A_NAME} DIR ${dir} PREFIX ${prefix} TOP ${A_TOP} SOURCES ${A_SOURCES}
      PARAMS ${A_PARAMS} ARGS ${A_ARGS} ${straight})
  endif()
endfunction()

# The same of one compilation: in folder DIR, class PREFIX, with further options OPT of the compiler.
function(systole_verilated_library)
  cmake_parse_arguments(A "STRAIGHT" "NAME;DIR;PREFIX;TOP" "SOURCES;PARAMS;ARGS;OPT;DEPENDS" ${ARGN})
  set(dir ${A_DIR})
  set(prefix ${A_PREFIX})
  set(archive ${dir}/${prefix}__ALL.a)
  # Messages of assertions name files as Verilator was given them: relative, so that they read the same in every
  # checkout, and ccache knows a model that another checkout has compiled.
  set(sources "")
  set(named "")
  foreach(source IN LISTS A_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    list(APPEND sources ${path})
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    list(APPEND named ${path})
  endforeach()
  set(launcher "")
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(launcher OBJCACHE=${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  file(MAKE_DIRECTORY ${dir})
  string(JOIN " " opt ${SYSTOLE_MODEL_OPT} ${A_OPT})
  set(slow_opt -O1)
  set(units "")
  set(classes "")
  if(opt MATCHES "-O3") # not in the edit loop, which compiles again what has changed alone
    set(units COMMAND ${CMAKE_COMMAND} -DMODEL=${dir}/${prefix} -P ${CMAKE_SOURCE_DIR}/scripts/cmake/Units.cmake)
    set(classes VM_CLASSES_FAST=${prefix}__fast VM_CLASSES_SLOW=${prefix}__slow VM_SUPPORT_SLOW=)
  endif()
  if(units AND NOT A_STRAIGHT)
    string(JOIN " " opt -O1 ${A_OPT})
    set(slow_opt -O0)
  elseif(units)
    # -fno-plt: a function that was compiled twice is called through one pointer, not two. The other options keep the
    # compiler from carrying common values through functions of thousands of lines, where it would have to spill them.
    string(APPEND opt " -fno-plt -fno-gcse -fno-tree-pre -fno-code-hoisting -fno-tree-loop-distribute-patterns")
    string(APPEND opt " -include ${CMAKE_SOURCE_DIR}/sim/verilated/vector_clones.hpp")
    set(straight_unit ${CMAKE_SOURCE_DIR}/scripts/cmake/straight_unit.py)
    list(APPEND units COMMAND /usr/bin/python3 -B ${straight_unit} ${dir}/${prefix})
    list(APPEND A_DEPENDS ${straight_unit})
  endif()
  # Counted at the narrowest array alone. The first change of a bit is not counted (sim/verilated/coverage.cpp): it
  # starts at 0.
  set(coverage "")
  if(SYSTOLE_COVERAGE AND NOT "${A_PARAMS}" MATCHES "-GDim=([^4]|4[0-9])")
    set(coverage --coverage --coverage-max-width ${SYSTOLE_COVERAGE_WIDTH} --x-initial 0)
  endif()
  add_custom_command(
    OUTPUT ${archive} ${dir}/${prefix}.h
    COMMAND ${VERILATOR_BIN} --cc -Wall --assert -O3 --trace-fst --trace-structs --x-assign unique --x-initial unique
      --no-timing
      --prefix ${prefix} --top-module ${A_TOP} --Mdir ${dir} -Irtl/common -Irtl/pkg
      -CFLAGS -fPIC -CFLAGS -fno-semantic-interposition # for libsystole_c.so and Python's module; no slower
      ${coverage} ${A_PARAMS} ${A_ARGS} rtl/lint/waivers.vlt ${named}
    ${units}
    # `ar` would keep the objects of files that Verilator no longer writes.
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    # Verilator's makefile prints the command of the archive, all its files named; errors are on standard error.
    COMMAND sh -c "exec \"$@\" > /dev/null" make make -s -C ${dir} -f ${prefix}.mk ${launcher} OPT_FAST=${opt}
      OPT_SLOW=${slow_opt} OPT_GLOBAL=${SYSTOLE_MODEL_OPT} ${classes} ${later_make} ${prefix}__ALL.a
    DEPENDS ${sources} ${A_DEPENDS} ${CMAKE_SOURCE_DIR}/rtl/common/tpu_assert.svh
      ${CMAKE_SOURCE_DIR}/rtl/common/tpu_instr.svh
      ${CMAKE_SOURCE_DIR}/rtl/lint/waivers.vlt ${CMAKE_SOURCE_DIR}/scripts/cmake/Units.cmake
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "Verilating ${A_TOP} as ${A_NAME}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${A_NAME}_model DEPENDS ${archive} ${dir}/${prefix}.h)
  add_library(${A_NAME} STATIC IMPORTED GLOBAL)
  set_target_properties(${A_NAME} PROPERTIES IMPORTED_LOCATION ${archive})
  target_include_directories(${A_NAME} SYSTEM INTERFACE ${dir})
  target_link_libraries(${A_NAME} INTERFACE systole_verilated_runtime)
  add_dependencies(${A_NAME} ${A_NAME}_model)
endfunction()

# systole_rtl_test(BLOCK <name> TOP <module> SOURCES <files...> VARIANTS "dim4:-GDim=4" "dim16:-GDim=16"
#   TEST <file.cpp> [LIBS ...] [ARGS ...])
# makes one Verilated library <block>_<variant> per variant and one GoogleTest program test_rtl_<block> that links them
# all, registered with CTest under the label `rtl`. It stops at its first failure and leaves the waveform. A variant may
# carry several parameters: "wide:-GDim=16:-GDepth=4".
function(systole_rtl_test)
  cmake_parse_arguments(A "" "BLOCK;TOP" "SOURCES;VARIANTS;TEST;LIBS;ARGS" ${ARGN})
  set(models "")
  foreach(variant IN LISTS A_VARIANTS)
    string(REPLACE ":" ";" parts ${variant})
    list(POP_FRONT parts name)
    systole_verilate(NAME ${A_BLOCK}_${name} TOP ${A_TOP} SOURCES ${A_SOURCES} PARAMS ${parts} ARGS ${A_ARGS})
    list(APPEND models ${A_BLOCK}_${name})
  endforeach()
  add_executable(test_rtl_${A_BLOCK} ${A_TEST})
  foreach(model IN LISTS models)
    add_dependencies(test_rtl_${A_BLOCK} ${model}_model)
  endforeach()
  target_link_libraries(test_rtl_${A_BLOCK} PRIVATE ${models} ${A_LIBS} systole_block_bench systole_warnings)
  target_compile_definitions(test_rtl_${A_BLOCK} PRIVATE SYSTOLE_BLOCK_TEST="rtl_${A_BLOCK}")
  # After a failure the waveform of its last cycles is there.
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/waves)
  set(trace SYSTOLE_TRACE=${CMAKE_BINARY_DIR}/waves/rtl_${A_BLOCK}.fst SYSTOLE_TRACE_ON_ERROR=2000)
  add_test(NAME rtl_${A_BLOCK} COMMAND test_rtl_${A_BLOCK} --gtest_fail_fast)
  set_tests_properties(rtl_${A_BLOCK} PROPERTIES LABELS rtl TIMEOUT 900 ENVIRONMENT "${trace}")
endfunction()
