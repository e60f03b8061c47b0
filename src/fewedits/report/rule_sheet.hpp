// SPDX-License-Identifier: MIT
// Internal to report: lists of rules and fragility as data of a page.
#pragma once

#include "fewedits/report/artist.hpp"
#include "fewedits/report/page_json.hpp"
#include "fewedits/report/page_parts.hpp"

namespace fewedits {

/// One list: its figures, and each rule in words, drawn, with its figures and examples. Throws
/// Error if it does not fit the dataset.
PageJson rules_json(const ReportedRules& reported, const PageParts& parts, const Dataset& dataset,
                    const Artist& artist, ThreadPool& pool);

PageJson fragility_json(const ReportedFragility& reported);

}  // namespace fewedits
