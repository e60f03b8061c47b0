# SPDX-License-Identifier: MIT
# Runs the browser test with the shared material, if it is there.
if(DEFINED ENV{FEWEDITS_SHARED})
  set(shared $ENV{FEWEDITS_SHARED})
else()
  set(shared ${FALLBACK})
endif()
execute_process(COMMAND ${NODE} ${CMAKE_CURRENT_LIST_DIR}/report_test.mjs ${FEWEDITS} ${MATERIAL} ${OUT} ${shared} ${DEMO}
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the browser test failed; screenshots are in ${OUT}")
endif()
