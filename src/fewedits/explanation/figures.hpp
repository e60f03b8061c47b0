// SPDX-License-Identifier: MIT
// Figures as people read them. One rule for every place: what a command prints, what the page says
// and what the file holds agree. The page counts by itself, so web/report.js has the same rules
// once more; the browser test compares them.
#pragma once

#include <string>

namespace fewedits {

/// A share that is proven or claimed, never shown as more than it is: "28.76 %" of 0.28769.
std::string at_least_text(double share);
/// A share that is not exceeded, never shown as less than it is: "28.77 %" of 0.28761.
std::string at_most_text(double share);
/// A cost or a distance, to the nearest of four places; "not known" unless finite.
std::string cost_text(double cost);
/// Never shown as more than it is: what misses 0.5 must not read 0.500.
std::string probability_text(double probability);

}  // namespace fewedits
