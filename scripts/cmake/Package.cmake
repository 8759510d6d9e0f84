# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts below its prefix: the program `systole`, the public headers, the CMake package Systole,
# whose target Systole::systole has everything that the C++ headers declare, libsystole_c.so (Systole::c) for C, the
# delegate for LiteRT, and the Python packages, with the entry point by which JAX finds its plug-in.
#
# The libraries of this build are many and know each other's names; a second project gets all of their objects, and
# those of the Verilated cores, as one archive, so that neither number nor order of them is its concern.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# systole_closure(ARCHIVES <variable> EXTERNALS <variable> ROOTS <target ...>)
# follows what the roots link: our static libraries, and what others have made.
function(systole_closure)
  cmake_parse_arguments(A "" "ARCHIVES;EXTERNALS" "ROOTS" ${ARGN})
  set(pending ${A_ROOTS})
  set(seen "")
  set(archives "")
  set(externals "")
  while(pending)
    list(POP_FRONT pending item)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${item})
    if(NOT TARGET ${item} OR item MATCHES "::")
      list(APPEND externals ${item})
      continue()
    endif()
    get_target_property(type ${item} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND archives ${item})
    endif()
    foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(linked ${item} ${property})
      if(linked)
        list(APPEND pending ${linked})
      endif()
    endforeach()
  endwhile()
  set(${A_ARCHIVES} ${archives} PARENT_SCOPE)
  set(${A_EXTERNALS} ${externals} PARENT_SCOPE)
endfunction()

# The target within this build.
set(_roots systole_backends systole_c_api systole_container systole_formula systole_frontends systole_loader
  systole_network systole_operators systole_quantizer systole_training systole_zoo)
add_library(systole_public INTERFACE)
target_link_libraries(systole_public INTERFACE ${_roots})
add_library(Systole::systole ALIAS systole_public)

# One archive of the objects of all, by a script for ar, which knows no blanks in names: hence relative ones.
systole_closure(ARCHIVES _archives EXTERNALS _externals ROOTS ${_roots})
set(_folder ${CMAKE_BINARY_DIR}/package)
set(_archive ${_folder}/libsystole.a)
list(TRANSFORM _archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE _files)
list(TRANSFORM _files REPLACE "(.+)" "addlib $<PATH:RELATIVE_PATH,\\1,${_folder}>" OUTPUT_VARIABLE _additions)
list(JOIN _additions "\n" _additions)
file(GENERATE OUTPUT ${_folder}/archive.mri CONTENT "create libsystole.a\n${_additions}\nsave\nend\n")
add_custom_command(OUTPUT ${_archive} COMMAND sh -c "'${CMAKE_AR}' -M < archive.mri" WORKING_DIRECTORY ${_folder}
  DEPENDS ${_files} ${_folder}/archive.mri COMMENT "Archive of the package" VERBATIM)
add_custom_target(systole_package ALL DEPENDS ${_archive})
foreach(_library IN LISTS _archives)
  get_target_property(_imported ${_library} IMPORTED)
  if(_imported) # a Verilated core: systole_verilate()
    add_dependencies(systole_package ${_library}_model)
  endif()
endforeach()

# How a second project finds what others have made. Everything is looked for there, so that it gets its own machine's.
# Where the name of a package is not that of its targets:
set(_package_of_protobuf Protobuf)
set(SYSTOLE_PACKAGE_FIND "")
set(SYSTOLE_PACKAGE_LINK "")
foreach(_external IN LISTS _externals)
  if(_external STREQUAL PkgConfig::SYSTEMC) # comes without a CMake package
    string(APPEND SYSTOLE_PACKAGE_FIND "find_dependency(PkgConfig)\nif(NOT TARGET PkgConfig::SYSTOLE_SYSTEMC)\n"
      "  pkg_check_modules(SYSTOLE_SYSTEMC REQUIRED QUIET IMPORTED_TARGET systemc)\nendif()\n")
    list(APPEND SYSTOLE_PACKAGE_LINK PkgConfig::SYSTOLE_SYSTEMC)
  elseif(_external MATCHES "^(.+)::")
    set(_package ${CMAKE_MATCH_1})
    if(DEFINED _package_of_${_package})
      set(_package ${_package_of_${_package}})
    endif()
    string(APPEND SYSTOLE_PACKAGE_FIND "find_dependency(${_package})\n")
    list(APPEND SYSTOLE_PACKAGE_LINK ${_external})
  elseif(_external MATCHES "/lib([^/]+)\\.(so|a)$") # comes without either
    set(_variable SYSTOLE_LIBRARY_${CMAKE_MATCH_1})
    string(APPEND SYSTOLE_PACKAGE_FIND "find_library(${_variable} ${CMAKE_MATCH_1} REQUIRED)\n")
    list(APPEND SYSTOLE_PACKAGE_LINK "\${${_variable}}")
  else()
    message(FATAL_ERROR
      "Package.cmake: the libraries of the package link '${_external}', "
      "and nothing here says how a second project finds it; "
      "link an imported target of a package, as fmt::fmt is one, or a library by its path")
  endif()
endforeach()

if(TARGET systole_rtl_backend)
  set(SYSTOLE_PACKAGE_CORES ${SYSTOLE_CORES})
else()
  set(SYSTOLE_PACKAGE_CORES "")
endif()
set(_config ${CMAKE_INSTALL_LIBDIR}/cmake/Systole)
set(SYSTOLE_PACKAGE_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR})
set(SYSTOLE_PACKAGE_ARCHIVE ${CMAKE_INSTALL_LIBDIR}/libsystole.a)
set(SYSTOLE_PACKAGE_C ${CMAKE_INSTALL_LIBDIR}/libsystole_c.so)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/SystoleConfig.cmake.in ${_folder}/SystoleConfig.cmake
  INSTALL_DESTINATION ${_config} PATH_VARS SYSTOLE_PACKAGE_INCLUDE SYSTOLE_PACKAGE_ARCHIVE SYSTOLE_PACKAGE_C)
# Before 1.0, the second number is the one that changes when the interface does.
write_basic_package_version_file(${_folder}/SystoleConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS systole RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/systole DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(TARGETS systole_c systole_delegate LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(SYSTOLE_PYTHON)
  # Debian's Python looks there below /usr; below any other prefix PYTHONPATH names it.
  set(SYSTOLE_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
  install(DIRECTORY ${SYSTOLE_PYTHON_PACKAGE} ${SYSTOLE_PYTHON_PACKAGE}_jax DESTINATION ${SYSTOLE_PYTHON_DIR}
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "*.so" PATTERN "__pycache__" EXCLUDE)
  install(FILES ${SYSTOLE_PYTHON_PACKAGE}-${PROJECT_VERSION}.dist-info/METADATA
    ${SYSTOLE_PYTHON_PACKAGE}-${PROJECT_VERSION}.dist-info/entry_points.txt
    DESTINATION ${SYSTOLE_PYTHON_DIR}/systole-${PROJECT_VERSION}.dist-info)
endif()
install(FILES ${_archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${_folder}/SystoleConfig.cmake ${_folder}/SystoleConfigVersion.cmake DESTINATION ${_config})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/systole)
