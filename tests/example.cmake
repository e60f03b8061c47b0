# SPDX-License-Identifier: MIT
# Runs examples/explain.cpp on AIDS: cmake -DPROGRAM=… -DFALLBACK=… -P example.cmake
set(shared "$ENV{FEWEDITS_SHARED}")
if(NOT shared)
  set(shared ${FALLBACK})
endif()
if(NOT EXISTS ${shared}/models/aids/gcn.pth)
  message("skipped: ${shared} has no models; set FEWEDITS_SHARED")
  return()
endif()
execute_process(COMMAND ${PROGRAM} ${shared}/datasets/AIDS ${shared}/models/aids/gcn.pth
  30000000 OUTPUT_VARIABLE out RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT out MATCHES "10 accepted graphs cover at least [0-9.]+ %, at most [0-9.]+ % of 1473 rejected ones .certified.\n.*edits: proven\n")
  message(FATAL_ERROR "exit code ${code}, printed: ${out}")
endif()
