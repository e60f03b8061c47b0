// SPDX-License-Identifier: MIT
// What an explanation says of how it was made: names that are known, options that can be read.
#pragma once

#include <optional>
#include <string>

#include "fewedits/verification/claims.hpp"

namespace fewedits::verify {

/// Method, distance and options have names that fewedits knows, or that `known` adds; they go with
/// what the explanation says of its distances and graphs; values can be read, and are given once.
void check_recorded(const Explanation& explanation, const std::vector<std::string>& known,
                    Claims& claims);

/// Its counterfactuals are the nodes of inputs with some of their edges, and need not be connected:
/// the option says so, and the method is one that cuts edges.
bool keeps_isolated(const Explanation& explanation);

/// The value of an option that is a number; none if it was not given or is none, which
/// check_recorded has said.
std::optional<double> number_option(const Explanation& explanation, const std::string& name);

}  // namespace fewedits::verify
