# SPDX-License-Identifier: MIT
# `cmake --install` gives the programs, the static libraries, the headers and a CMake package:
#   find_package(fewedits REQUIRED)
#   target_link_libraries(app PRIVATE fewedits::fewedits)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY FEWEDITS_LIBRARIES)
# The libtorch part stays in its program: an installed tree must not drag libtorch into every user.
list(REMOVE_ITEM libraries fewedits_train)
set(programs fewedits_cli fewedits_verify)
if(FEWEDITS_WITH_TORCH)
  list(APPEND programs fewedits_train_program)  # fewedits looks for it beside itself
endif()
add_custom_target(fewedits_install_set DEPENDS ${libraries} ${programs})

install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${libraries} EXPORT feweditsTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(header_list ${CMAKE_CURRENT_SOURCE_DIR}/cmake/installed_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header_list})
file(STRINGS ${header_list} headers REGEX "^[^#]*\\.hpp$")
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/fewedits/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fewedits/${folder}
    COMPONENT fewedits_headers)
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fewedits)
install(EXPORT feweditsTargets NAMESPACE fewedits:: DESTINATION ${package})
configure_package_config_file(cmake/feweditsConfig.cmake.in feweditsConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(feweditsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/feweditsConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/feweditsConfigVersion.cmake
  cmake/FindNauty.cmake cmake/FindRDKit.cmake DESTINATION ${package})
