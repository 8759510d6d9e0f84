# SPDX-License-Identifier: Apache-2.0
# systole_library(NAME [SOURCES <files...>] [PUBLIC <libraries...>] [PRIVATE <libraries...>])
# A room's library: all .cpp files of the folder unless SOURCES says which. It exports its own folder and no other, so
# that a header can be included only by those who link the library.
function(systole_library NAME)
  cmake_parse_arguments(A "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT A_SOURCES)
    file(GLOB A_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(${NAME} STATIC ${A_SOURCES})
  target_compile_features(${NAME} PRIVATE cxx_std_20)
  target_include_directories(${NAME} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${NAME} PUBLIC systole_headers ${A_PUBLIC} PRIVATE ${A_PRIVATE} systole_warnings)
endfunction()

# systole_subdirectories()
# adds every folder below this one that has a build list.
macro(systole_subdirectories)
  file(GLOB _lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(_list IN LISTS _lists)
    get_filename_component(_dir ${_list} DIRECTORY)
    add_subdirectory(${_dir})
  endforeach()
endmacro()
