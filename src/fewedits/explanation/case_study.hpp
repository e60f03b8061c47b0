// SPDX-License-Identifier: MIT
// A few inputs that one counterfactual covers, beside what methods find for each of these inputs
// alone (paper §4.3, Figure 5). evaluate/case_study chooses and measures, report/case_study_page
// shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fewedits/graph/graph.hpp"
#include "fewedits/proof/bounds.hpp"

namespace fewedits {

/// A graph that the model accepts, and how far it is from each input of the study.
struct CaseGraph {
  Graph graph;             ///< with edge labels if the explanation uses bonds
  double probability = 0;  ///< of the desired class
  /// By input; a map goes from the input, and is one of the cheapest known.
  std::vector<GedBounds> distances = {};
};

/// What one method finds for each input alone.
struct LocalCases {
  std::string method = {};
  std::string about = {};     ///< what it is, for people; may be empty
  std::string settings = {};  ///< it was asked with, for people; empty: it has none
  std::string reason = {};    ///< why it was not asked, for people; empty: it was
  std::size_t found = 0;      ///< for so many of CaseStudy::asked inputs
  std::vector<std::optional<CaseGraph>> graphs = {};  ///< by the input it was made for
};

struct CaseStudy {
  std::uint32_t counterfactual = 0;        ///< place in Explanation::counterfactuals
  std::vector<std::uint32_t> inputs = {};  ///< indices into the filtered dataset, ascending
  std::size_t asked = 0;                   ///< inputs from which these were chosen
  CaseGraph global = {};
  std::vector<LocalCases> locals = {};
};

}  // namespace fewedits
