# SPDX-License-Identifier: MIT
# `cmake --install` gives the programs, the static libraries, the headers and a CMake package:
#   find_package(gcfx REQUIRED)
#   target_link_libraries(app PRIVATE gcfx::gcfx)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY GCFX_LIBRARIES)
# The libtorch part stays in the CLI: an installed tree must not drag libtorch into every user.
list(REMOVE_ITEM libraries gcfx_train)
add_custom_target(gcfx_install_set DEPENDS ${libraries} gcfx_cli gcfx_verify)

install(TARGETS gcfx_cli gcfx_verify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${libraries} EXPORT gcfxTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Headers that only our own sources include stay here.
set(private_headers byte_cursor generator_fragments molecule_records pickle_reader tu_normalise
  tu_scanner conv_layers csv_reader json_reader kernel_features refinement script_json
  xml_text)
list(JOIN private_headers "|" private_headers)
set(private_folders train)
if(NOT GCFX_WITH_RDKIT)
  list(APPEND private_folders chem)
endif()
list(JOIN private_folders "|" private_folders)
install(DIRECTORY src/gcfx DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp"
  REGEX "/(${private_headers})\\.hpp$" EXCLUDE
  REGEX "/gcfx/(${private_folders})$" EXCLUDE)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gcfx)
install(EXPORT gcfxTargets NAMESPACE gcfx:: DESTINATION ${package})
configure_package_config_file(cmake/gcfxConfig.cmake.in gcfxConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(gcfxConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gcfxConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gcfxConfigVersion.cmake
  cmake/FindNauty.cmake cmake/FindRDKit.cmake DESTINATION ${package})
