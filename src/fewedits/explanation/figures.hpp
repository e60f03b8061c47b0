// SPDX-License-Identifier: MIT
// Figures as people read them. One rule for every place: what a command prints, what the page says
// and what the file holds agree. The page counts by itself, so web/report.js has the same rules
// once more; the browser test compares them.
#pragma once

#include <string>

#include "fewedits/explanation/explanation.hpp"

namespace fewedits {

/// A share that is proven or claimed, never shown as more than it is: "28.76 %" of 0.28769.
std::string at_least_text(double share);
/// A share that is not exceeded, never shown as less than it is: "28.77 %" of 0.28761.
std::string at_most_text(double share);
/// The same of which so much is proven: if that is all, one figure, not two roundings of it.
std::string at_most_text(double share, double proven);
/// "22.26 % proven (at most 23.01 %)", or that these graphs cover no others.
std::string coverage_in_words(double proven, double possible);
/// A cost or a distance, to the nearest of four places; "not known" unless finite.
std::string cost_text(double cost);
/// Of a cost that may only be a bound: "at most 0.1400". Nothing is known of one that is the whole
/// distance.
std::string cost_text(double cost, bool is_bound);
/// Of an explanation that was ended early, or of very many inputs, nobody looked for the cheapest
/// edits.
bool costs_are_bounds(const Explanation& explanation);
/// As it was given, or a computed one to six digits.
std::string theta_text(double theta);
/// ", bonds counted, valid molecules": what distances and counterfactuals of the explanation are
/// beside edits of any graph; empty: nothing.
std::string bonds_in_words(const Explanation& explanation);
/// Never shown as more than it is: what misses 0.5 must not read 0.500.
std::string probability_text(double probability);
/// Of one class over the next; never shown as more than it is, either.
std::string lead_text(double lead);

}  // namespace fewedits
