// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "markdown.hpp"
#include "sections.hpp"

namespace fewedits::bench {
namespace {

/// A sentence, if all that it is about is on record.
using Sentence = std::optional<std::string>;

/// "7.31 of 27.35 % on NCI1"
struct Pair {
  std::string dataset;
  double first = 0;
  double second = 0;
};

std::vector<Pair> claimed_and_proven(const Source& source, const std::string& method, Part claim) {
  std::vector<Pair> out;
  for (const PaperDataset& p : kPaper) {
    const auto [claimed, proven] =
        source.same_seeds(p.name, {method, claim}, {method, Part::kProven});
    if (claimed && proven) out.push_back({p.name, claimed->mean, proven->mean});
  }
  return out;
}

Sentence on_the_walk(const Source& source) {
  std::vector<std::string> within;
  std::vector<std::string> not_within;
  for (const PaperDataset& p : kPaper) {
    const auto walk = source.figure(p.name, "walk", Part::kCoverage);
    if (!walk) continue;
    const double difference = walk->mean - p.gcfexplainer.coverage;
    if (difference >= -1) {
      within.push_back(p.name);
    } else {
      not_within.push_back(fmt::format("{} ({} points)", p.name, signed_text(difference, 2)));
    }
  }
  if (within.empty() && not_within.empty()) return std::nullopt;
  std::string out =
      fmt::format("The paper's walk reaches its published coverage under GREED on {}",
                  within.empty() ? "none" : fmt::format("{}", fmt::join(within, ", ")));
  if (!not_within.empty()) out += fmt::format(", not on {}", fmt::join(not_within, ", "));
  return out + ".";
}

Sentence on_proofs(const Source& source) {
  const auto pairs = claimed_and_proven(source, "walk", Part::kCoverage);
  if (pairs.empty()) return std::nullopt;
  std::vector<std::string> words;
  std::size_t fewer = 0;
  for (const auto& [dataset, claimed, proven] : pairs) {
    const auto rival = source.figure(dataset, "rcexplainer", Part::kProven);
    fewer += rival && proven < rival->mean ? 1U : 0U;
    words.push_back(fmt::format("{:.1f} of {:.1f} % on {}", proven, claimed, dataset));
  }
  return fmt::format(
      "Of what it claims with the published weights, little can be proven by edits: {}; on {} of "
      "{} "
      "datasets less than of RCExplainer's graphs.",
      fmt::join(words, ", "), fewer, pairs.size());
}

Sentence on_own_models(const Source& source) {
  const auto pairs = claimed_and_proven(source, "own-walk", Part::kCoverage);
  if (pairs.empty()) {
    return "Whether that is so for any neural distance that is searched is open: no second model "
           "is "
           "on record yet (section 3).";
  }
  std::vector<std::string> words;
  for (const auto& [dataset, claimed, proven] : pairs) {
    words.push_back(fmt::format("{:.1f} of {:.1f} % on {}", proven, claimed, dataset));
  }
  return fmt::format("With a GREED trained here: {} (section 3).", fmt::join(words, ", "));
}

}  // namespace

std::string understating_sentence(const Source& source) {
  const auto pairs = claimed_and_proven(source, "ground-truth-greed", Part::kGreed);
  if (pairs.empty()) return "";
  const auto less =
      std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) { return p.first < p.second; });
  return fmt::format(
      "GREED errs both ways: of real graphs (GROUND-TRUTH) it claims less than is proven on {} of "
      "{} datasets.",
      less, pairs.size());
}

namespace {

Sentence on_understating(const Source& source) {
  const std::string text = understating_sentence(source);
  return text.empty() ? Sentence() : Sentence(text);
}

Sentence on_certified(const Source& source) {
  std::vector<std::string> words;
  for (const PaperDataset& p : kPaper) {
    const auto figure = source.figure(p.name, "certified", Part::kProven);
    if (figure) words.push_back(fmt::format("{:.1f} % on {}", figure->mean, p.name));
  }
  if (words.empty()) return std::nullopt;
  std::string out =
      fmt::format("Searched under proven distances, ten graphs cover {}", fmt::join(words, ", "));
  std::vector<std::string> walks;
  for (const PaperDataset& p : kPaper) {
    const auto figure = source.figure(p.name, "certified-walk", Part::kProven);
    if (figure) walks.push_back(fmt::format("{:.1f} % on {}", figure->mean, p.name));
  }
  if (!walks.empty()) {
    out += fmt::format("; the paper's own walk, only under them, {}: most of it is the distance",
                       fmt::join(walks, ", "));
  }
  return out + ".";
}

}  // namespace

std::string summary_section(const Source& source) {
  std::string out;
  for (const Sentence& sentence : {on_the_walk(source), on_proofs(source), on_own_models(source),
                                   on_understating(source), on_certified(source)}) {
    if (sentence) out += "- " + *sentence + "\n";
  }
  return out.empty() ? "" : "\nIn short:\n\n" + out;
}

}  // namespace fewedits::bench
