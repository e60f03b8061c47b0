# SPDX-License-Identifier: MIT
# Shared compile settings and the one way to declare a library: a folder, its files, its
# dependencies. tools/check_rooms reads these declarations.

add_library(fewedits_settings INTERFACE)
target_compile_options(fewedits_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in plain string concatenation (GCC bug 105651).
  target_compile_options(fewedits_settings INTERFACE -Wno-restrict)
endif()
if(FEWEDITS_SANITIZE)
  target_compile_options(fewedits_settings INTERFACE
    -fsanitize=${FEWEDITS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(fewedits_settings INTERFACE -fsanitize=${FEWEDITS_SANITIZE})
endif()

# fewedits_library(NAME SOURCES … [PUBLIC …] [PRIVATE …])
function(fewedits_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  add_library(fewedits_${name} STATIC ${arg_SOURCES})
  add_library(fewedits::${name} ALIAS fewedits_${name})
  set_target_properties(fewedits_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(fewedits_${name} PUBLIC cxx_std_20)
  target_include_directories(fewedits_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(fewedits_${name} PUBLIC ${arg_PUBLIC}
    PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:fewedits_settings>)
  set_property(GLOBAL APPEND PROPERTY FEWEDITS_LIBRARIES fewedits_${name})
endfunction()
