// SPDX-License-Identifier: MIT
// Writes the generated dataset and its models (support/planted.hpp): planted_material FOLDER
#include <cstdio>
#include <exception>

#include "support/planted.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: planted_material FOLDER\n");
    return 2;
  }
  try {
    fewedits::test::make_planted(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "planted_material: %s\n", error.what());
    return 1;
  }
}
