// SPDX-License-Identifier: MIT
#include "support/candidate_pool.hpp"

#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/cover/greedy.hpp"
#include "support/clock.hpp"

namespace fewedits::bench {
namespace {

void time_summary(CandidatePool& pool, std::size_t k) {
  const auto start = Clock::now();
  const auto picks = greedy_summary(pool.covers, pool.inputs, k);
  pool.summary_seconds = seconds_since(start);
}

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
    time_summary(pool_, context.options.k);
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

CandidatePool read_pool(const std::filesystem::path& file) {
  std::istringstream lines(read_file(file));
  CandidatePool out;
  PoolName name;
  std::string line;
  std::getline(lines, line);
  std::istringstream first(line);
  first >> name.dataset >> name.search >> name.seed >> out.inputs >> name.k;
  if (!first) throw Error({file.string(), 1}, "is no name of a pool", "delete the file");
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    auto& covers = out.covers.emplace_back();
    for (std::uint32_t input = 0; words >> input;) covers.push_back(input);
    if (!words.eof() || (!covers.empty() && covers.back() >= out.inputs)) {
      throw Error({file.string(), number}, "is no list of inputs", "delete the file");
    }
  }
  time_summary(out, name.k);
  return out;
}

}  // namespace fewedits::bench
