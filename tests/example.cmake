# SPDX-License-Identifier: MIT
# Runs examples/explain.cpp on generated data:
# cmake -DPROGRAM=… -DMATERIAL=… -DWORK_DIR=… -P example.cmake
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
execute_process(COMMAND ${MATERIAL} ${WORK_DIR} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} ${WORK_DIR}/PLANTED ${WORK_DIR}/classifier.json
  30000000 OUTPUT_VARIABLE out RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT out MATCHES
    "coverage of [0-9]+ inputs by [0-9]+ graphs of the desired class: ([0-9]+)[.0-9]* % proven[^\n]* .certified.\n.*edits: proven\n")
  message(FATAL_ERROR "exit code ${code}, printed: ${out}")
endif()
if(CMAKE_MATCH_1 LESS 10)
  message(FATAL_ERROR "hardly anything is covered: ${out}")
endif()
