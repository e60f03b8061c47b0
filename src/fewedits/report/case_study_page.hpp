// SPDX-License-Identifier: MIT
// A measured case study as a page: every input drawn with what each counterfactual changes, all
// distances in a table, and what follows from them.
#pragma once

#include <string>
#include <vector>

#include "fewedits/explanation/case_study.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/graph/dataset.hpp"
#include "fewedits/report/simple_page.hpp"

namespace fewedits {

/// What a page says beside what the study holds.
struct CaseStudyFrame {
  std::string file = {};                   ///< of the explanation, for people
  std::string note = {};                   ///< at the beginning; empty: none
  bool beside_paper = false;               ///< with what the paper says of its own, and a verdict
  bool asked_for = false;                  ///< the counterfactual is not the program's choice
  std::vector<std::string> commands = {};  ///< that make the page
};

/// `study` is measured (measure_cases). Throws Error if the explanation does not fit the dataset,
/// or a script does not lead where it should.
SimplePage case_study_page(const CaseStudy& study, const Explanation& explanation,
                           const Dataset& dataset, const CaseStudyFrame& frame);

/// "3", or "2–3" if the bounds do not meet.
std::string edits_text(const GedBounds& bounds);

/// What the distances say, and nothing more: one or two sentences.
std::string case_study_sentences(const CaseStudy& study, const Explanation& explanation,
                                 const Dataset& dataset);

/// What the paper says of its own case study (§4.3, Figure 5), and whether it holds of this one, by
/// its distances: one line.
std::string verdict_on_paper(const CaseStudy& study);

}  // namespace fewedits
