# SPDX-License-Identifier: Apache-2.0
# Python packages are built in build/<preset>/python.
option(SYSTOLE_PYTHON "The Python packages systole and systole_jax (pybind11, NumPy)" ON)
if(SYSTOLE_PYTHON)
  # Debian's Python, for which Debian's pybind11 and NumPy are built.
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the packages are for")
  set(PYBIND11_FINDPYTHON ON)
  find_package(Python COMPONENTS Interpreter Development.Module REQUIRED)
  find_package(pybind11 CONFIG REQUIRED)
endif()

# systole_python_files(PACKAGE)
# The Python files of the folder PACKAGE beside the build list. They are copied when the tree is configured: in a tree
# that was built in part, `import systole` then says what is missing.
function(systole_python_files PACKAGE)
  file(GLOB _files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${PACKAGE}/*.py
    ${CMAKE_CURRENT_SOURCE_DIR}/${PACKAGE}/*.pyi ${CMAKE_CURRENT_SOURCE_DIR}/${PACKAGE}/py.typed)
  foreach(_file IN LISTS _files)
    configure_file(${_file} ${CMAKE_BINARY_DIR}/python/${_file} COPYONLY)
  endforeach()
endfunction()
