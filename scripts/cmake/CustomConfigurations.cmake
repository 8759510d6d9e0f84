# SPDX-License-Identifier: Apache-2.0
# Configurations of one's own, besides those of isa/spec: SYSTOLE_CUSTOM_CONFIGURATIONS lists them.
set(SYSTOLE_CONFIGURATIONS_FILE ""
  CACHE FILEPATH "Further [[configuration]] tables, in the form of isa/spec/configurations.toml")
set(SYSTOLE_CUSTOM_CONFIGURATIONS "")
if(SYSTOLE_CONFIGURATIONS_FILE)
  set(_into ${CMAKE_BINARY_DIR}/generated)
  execute_process(
    COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/scripts/gen/generate
    --custom ${SYSTOLE_CONFIGURATIONS_FILE} --into ${_into} RESULT_VARIABLE _failed ERROR_VARIABLE _message)
  if(_failed)
    message(FATAL_ERROR "SYSTOLE_CONFIGURATIONS_FILE: ${_message}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SYSTOLE_CONFIGURATIONS_FILE})
  include(${_into}/custom_configurations.cmake)
endif()
