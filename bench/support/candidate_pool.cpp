// SPDX-License-Identifier: MIT
#include "support/candidate_pool.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "fewedits/cover/greedy.hpp"
#include "support/clock.hpp"

namespace fewedits::bench {
namespace {

class Listener final : public CandidateSource {
 public:
  Listener(std::unique_ptr<CandidateSource> source, CandidatePool& pool)
      : source_(std::move(source)), pool_(pool) {}

  void check(const SearchContext& context) const override { source_->check(context); }
  std::vector<Candidate> find(SearchContext& context) override {
    std::vector<Candidate> found = source_->find(context);
    pool_.covers.clear();
    for (const Candidate& c : found) pool_.covers.push_back(c.covers);
    pool_.inputs = context.num_inputs();
    const auto start = Clock::now();
    const auto picks = greedy_summary(pool_.covers, pool_.inputs, context.options.k);
    pool_.summary_seconds = seconds_since(start);
    return found;
  }
  [[nodiscard]] std::uint32_t origin(const SearchContext& context,
                                     const Candidate& candidate) const override {
    return source_->origin(context, candidate);
  }

 private:
  std::unique_ptr<CandidateSource> source_;
  CandidatePool& pool_;
};

}  // namespace

Parts parts_that_tell(CandidatePool& pool) {
  const Parts known = builtin_parts();
  Parts out;
  out.classifiers = known.classifiers;
  out.distances = known.distances;
  out.improvers = known.improvers;
  for (const std::string& name : known.sources.names()) {
    SourceKind kind = known.sources.at(name);
    kind.make = [make = kind.make, &pool] { return std::make_unique<Listener>(make(), pool); };
    out.sources.add(name, std::move(kind));
  }
  return out;
}

std::string pool_text(const PoolName& name, const CandidatePool& pool) {
  std::string out =
      fmt::format("{} {} {} {} {}\n", name.dataset, name.search, name.seed, pool.inputs, name.k);
  for (const auto& covers : pool.covers) out += fmt::format("{}\n", fmt::join(covers, " "));
  return out;
}

}  // namespace fewedits::bench
