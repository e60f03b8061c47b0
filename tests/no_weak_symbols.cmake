# SPDX-License-Identifier: MIT
# Fails if an object compiled for one instruction set defines functions that the linker may merge
# with other objects' (weak ones). Arguments: NM, OBJECTS.
foreach(object ${OBJECTS})
  if(NOT object MATCHES "kernels_avx")
    continue()
  endif()
  execute_process(COMMAND ${NM} ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ W [^\n]*" shared "${symbols}")
  if(shared)
    message(FATAL_ERROR "${object} shares functions with other objects:\n${shared}")
  endif()
  set(checked ON)
endforeach()
if(NOT checked)
  message(FATAL_ERROR "no kernel object was given: the test says nothing")
endif()
