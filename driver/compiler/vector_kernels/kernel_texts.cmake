# SPDX-License-Identifier: Apache-2.0
# Writes the texts of the kernels KERNELS as a C++ file OUT, the definitions of library.hpp.
set(_cpp "// Written by kernel_texts.cmake. Do not edit.\n#include \"kernel_texts.hpp\"\n\n")
string(APPEND _cpp "namespace systole::compiler {\n\nconst std::vector<KernelText>& kernel_texts() {\n")
string(APPEND _cpp "  static const std::vector<KernelText> texts = {\n")
foreach(_file IN LISTS KERNELS)
  get_filename_component(_name ${_file} NAME_WE)
  file(READ ${_file} _text)
  string(APPEND _cpp "      {\"${_name}\", R\"tpuk(${_text})tpuk\"},\n")
endforeach()
string(APPEND _cpp "  };\n  return texts;\n}\n\n}  // namespace systole::compiler\n")
file(WRITE ${OUT} "${_cpp}")
