# SPDX-License-Identifier: MIT
# nauty (Debian: libnauty2-dev) ships no CMake package. The static archive is preferred, so
# that a program that uses fewedits needs no nauty at run time.
find_path(Nauty_INCLUDE_DIR nauty/nausparse.h)
find_library(Nauty_LIBRARY NAMES libnauty.a nauty)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nauty REQUIRED_VARS Nauty_LIBRARY Nauty_INCLUDE_DIR)
if(Nauty_FOUND AND NOT TARGET Nauty::nauty)
  add_library(Nauty::nauty UNKNOWN IMPORTED)
  set_target_properties(Nauty::nauty PROPERTIES
    IMPORTED_LOCATION ${Nauty_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Nauty_INCLUDE_DIR})
endif()
mark_as_advanced(Nauty_INCLUDE_DIR Nauty_LIBRARY)
