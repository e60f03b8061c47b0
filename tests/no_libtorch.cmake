# SPDX-License-Identifier: MIT
# Fails if a program that should do without libtorch loads it, itself or through another library.
# Arguments: WITHOUT, programs; WITH, one that does load it, to show that this would be seen.
foreach(program ${WITHOUT} ${WITH})
  execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "lib(torch|c10)[^ \n]*" torch "${libraries}")
  if(program STREQUAL WITH AND NOT torch)
    message(FATAL_ERROR "${program} does not load libtorch: the test says nothing\n${libraries}")
  elseif(NOT program STREQUAL WITH AND torch)
    message(FATAL_ERROR "${program} loads ${torch}")
  endif()
endforeach()
