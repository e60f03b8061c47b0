# SPDX-License-Identifier: MIT
# Installs the build tree into a fresh prefix, builds the consumer against it, and runs both
# the consumer and the installed CLI. Arguments: BUILD_DIR, SOURCE_DIR, WORK_DIR, GENERATOR, TRAINING.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV} failed (${code}):\n${text}")
  endif()
  message(STATUS "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_CXX_FLAGS=${CXX_FLAGS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)
run(${WORK_DIR}/prefix/bin/fewedits --version)
run(${WORK_DIR}/prefix/bin/fewedits-verify --version)
if(TRAINING)
  set(fewedits ${WORK_DIR}/prefix/bin/fewedits)
  run(${fewedits} generate --graphs 120 --seed 3 -o ${WORK_DIR}/planted)
  run(${fewedits} train --dataset ${WORK_DIR}/planted --epochs 40 --layers 2 --width 16 --seed 1
    -o ${WORK_DIR}/model.safetensors)
  run(${WORK_DIR}/build/explain ${WORK_DIR}/planted ${WORK_DIR}/model.safetensors 2000000)
  if(NOT text MATCHES "graphs of the desired class: [0-9.]+ % proven" OR text MATCHES ": false\n"
      OR NOT text MATCHES " edits: proven\n")
    message(FATAL_ERROR "the example printed: ${text}")
  endif()
endif()
