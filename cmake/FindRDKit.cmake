# SPDX-License-Identifier: MIT
# RDKit (Debian: librdkit-dev) installs no CMake package; this finds the parts fewedits uses.
find_path(RDKit_INCLUDE_DIR GraphMol/GraphMol.h PATH_SUFFIXES rdkit)
set(_rdkit_required RDKit_INCLUDE_DIR)
foreach(_part FileParsers SmilesParse Depictor SubstructMatch GraphMol RDGeometryLib RDGeneral)
  find_library(RDKit_${_part}_LIBRARY RDKit${_part})
  list(APPEND _rdkit_required RDKit_${_part}_LIBRARY)
  list(APPEND _rdkit_libraries ${RDKit_${_part}_LIBRARY})
  mark_as_advanced(RDKit_${_part}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RDKit REQUIRED_VARS ${_rdkit_required})
if(RDKit_FOUND AND NOT TARGET RDKit::RDKit)
  find_package(Boost REQUIRED)
  add_library(RDKit::RDKit INTERFACE IMPORTED)
  set_target_properties(RDKit::RDKit PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${RDKit_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${_rdkit_libraries};Boost::headers")
endif()
mark_as_advanced(RDKit_INCLUDE_DIR)
