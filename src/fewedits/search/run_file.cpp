// SPDX-License-Identifier: MIT
#include "fewedits/search/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "fewedits/base/byte_cursor.hpp"
#include "fewedits/base/error.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/base/version.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/search/option_table.hpp"
#include "fewedits/search/run_file_parts.hpp"
#include "fewedits/search/state.hpp"

namespace fewedits {
namespace {

constexpr std::string_view kMagic = "fewedits.run";
constexpr std::uint32_t kVersion = 6;
constexpr std::size_t kDigest = 64;
using Writer = RunFileWriter;
using Reader = RunFileReader;
constexpr const char* kRemedy = RunFileReader::kRemedy;

void write_trace(const std::vector<TracePoint>& trace, Writer& out) {
  out.number<std::uint64_t>(trace.size());
  for (const TracePoint& point : trace) {
    out.number(point.step);
    out.number<std::uint64_t>(point.candidates);
    out.number(point.coverage);
    out.number<std::uint64_t>(point.summary_coverage.size());
    for (const double value : point.summary_coverage) out.number(value);
  }
}

std::vector<TracePoint> read_trace(Reader& in) {
  std::vector<TracePoint> trace(in.count(32));
  for (TracePoint& point : trace) {
    point.step = in.number<std::uint64_t>();
    point.candidates = in.number<std::uint64_t>();
    point.coverage = in.share();
    point.summary_coverage.resize(in.count(8));
    for (double& value : point.summary_coverage) value = in.share();
  }
  return trace;
}

void write_walk(const WalkState& walk, Writer& out) {
  out.number(walk.steps);
  out.number(walk.choices);
  out.words(walk.rng);
  out.graph(walk.current);
  out.number(walk.origin);
  out.number<std::uint64_t>(walk.visited.size());
  for (const VisitedGraph& v : walk.visited) {
    out.graph(v.graph);
    out.number(v.origin);
    out.number(v.count);
    out.number(v.error);
    out.number(v.reached);
    out.number(v.probability);
    out.numbers(v.covers);
  }
}

void write_candidate(const Candidate& candidate, std::uint32_t rounds, Writer& out) {
  out.graph(candidate.graph);
  out.number(candidate.probability);
  out.number(candidate.visits);
  out.number(candidate.origin);
  out.number(rounds);
  out.numbers(candidate.covers);
  out.numbers(candidate.maps.graphs());
  out.number(candidate.maps.width());
  out.bytes(candidate.maps.images());
}

void write_archive(const CandidateArchive& archive, Writer& out) {
  out.number<std::uint64_t>(archive.size());
  for (std::size_t c = 0; c < archive.size(); ++c) {
    write_candidate(archive[c], archive.rounds(c), out);
  }
}

void write_kept(const std::vector<Candidate>& kept, Writer& out) {
  out.number<std::uint64_t>(kept.size());
  for (const Candidate& candidate : kept) write_candidate(candidate, 0, out);
}

void write_set(const SolutionSet& set, Writer& out) {
  out.number<std::uint64_t>(set.size());
  for (const std::size_t place : set) out.number<std::uint64_t>(place);
}

void write_refinement(const SearchState::Refinement& refinement, Writer& out) {
  out.number<std::uint64_t>(refinement.trace.size());
  for (const RefinementPoint& point : refinement.trace) {
    out.number(point.work);
    out.number(point.coverage);
  }
  const CertifiedSearchState& s = refinement.search;
  out.number(s.part);
  out.number(s.spent);
  out.number<std::uint64_t>(s.most);
  out.number(s.last_rise);
  out.number<std::uint64_t>(s.most_ever);
  out.number(s.last_gain);
  write_archive(s.found, out);
  write_set(s.best, out);
  write_archive(s.search.archive, out);
  write_set(s.search.incumbent, out);
  out.words(s.search.rng);
  out.number(s.search.climbs);
  out.number(s.search.work);
}

/// Every visit raised one count by one and took the next moment, and a step makes one at most.
bool counts_fit(const WalkState& walk) {
  std::uint64_t visits = 0;
  std::unordered_set<std::uint64_t> moments;
  for (const VisitedGraph& v : walk.visited) {
    if (v.count > walk.steps - visits || v.error >= v.count) return false;
    if (!moments.insert(v.reached).second) return false;
    visits += v.count;
  }
  return std::all_of(moments.begin(), moments.end(),
                     [&](std::uint64_t moment) { return moment < visits; });
}

WalkState read_walk(Reader& in) {
  WalkState walk;
  walk.steps = in.number<std::uint64_t>();
  walk.choices = in.number<std::uint64_t>();
  walk.rng = in.words();
  walk.current = in.graph();
  walk.origin = in.input();
  walk.visited.resize(in.count(48));
  for (VisitedGraph& v : walk.visited) {
    v.graph = in.graph();
    v.origin = in.input();
    v.count = in.number<std::uint64_t>();
    v.error = in.number<std::uint64_t>();
    v.reached = in.number<std::uint64_t>();
    v.probability = in.probability();
    v.covers = in.inputs();
  }
  if (!counts_fit(walk)) in.fail("counts visits that cannot be");
  return walk;
}

constexpr std::size_t kCandidateBytes = 45;  // at least

/// With its rounds in the set.
std::pair<Candidate, std::uint32_t> read_candidate(Reader& in) {
  Candidate candidate;
  candidate.graph = in.graph();
  candidate.probability = in.probability();
  candidate.visits = in.number<std::uint64_t>();
  candidate.origin = in.input();
  const auto rounds = in.number<std::uint32_t>();
  candidate.covers = in.inputs();
  candidate.maps = in.maps(candidate.graph.num_nodes());
  return {std::move(candidate), rounds};
}

CandidateArchive read_archive(Reader& in) {
  CandidateArchive archive(in.num_inputs());
  for (auto left = in.count(kCandidateBytes); left > 0; --left) {
    auto [candidate, rounds] = read_candidate(in);
    const std::size_t before = archive.size();
    if (archive.add(std::move(candidate), rounds) != before) in.fail("has a graph twice");
  }
  return archive;
}

std::vector<Candidate> read_kept(Reader& in) {
  std::vector<Candidate> kept(in.count(kCandidateBytes));
  std::unordered_set<Identity> known;
  for (Candidate& candidate : kept) {
    std::uint32_t rounds = 0;
    std::tie(candidate, rounds) = read_candidate(in);
    if (rounds != 0) in.fail("counts rounds of what is kept");
    if (!known.emplace(candidate.graph).second) in.fail("has a graph twice");
  }
  return kept;
}

/// Places in an archive of that size.
SolutionSet read_set(Reader& in, std::size_t size) {
  SolutionSet set(in.count(8));
  std::unordered_set<std::size_t> places;
  for (std::size_t& place : set) {
    place = in.number<std::uint64_t>();
    if (place >= size || !places.insert(place).second) in.fail("has a set that cannot be");
  }
  return set;
}

SearchState::Refinement read_refinement(Reader& in) {
  std::vector<RefinementPoint> trace(in.count(16));
  for (RefinementPoint& point : trace) {
    point.work = in.number<std::uint64_t>();
    point.coverage = in.share();
  }
  const auto part = in.number<std::uint64_t>();
  const auto spent = in.number<std::uint64_t>();
  const auto most = in.number<std::uint64_t>();
  const auto last_rise = in.number<std::uint64_t>();
  const auto most_ever = in.number<std::uint64_t>();
  const auto last_gain = in.number<std::uint64_t>();
  CandidateArchive found = read_archive(in);
  SolutionSet best = read_set(in, found.size());
  CandidateArchive archive = read_archive(in);
  SolutionSet incumbent = read_set(in, archive.size());
  const Rng::State rng = in.words();
  const auto climbs = in.number<std::uint64_t>();
  const auto work = in.number<std::uint64_t>();
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (std::max({part, spent, climbs, work}) >= kMost ||
      std::max(last_rise, last_gain) > spent + work ||
      std::max(most, most_ever) > in.num_inputs()) {
    in.fail("counts work that cannot be");
  }
  return {{part,
           spent,
           most,
           last_rise,
           most_ever,
           last_gain,
           std::move(found),
           std::move(best),
           {std::move(archive), std::move(incumbent), rng, climbs, work}},
          std::move(trace)};
}

void write_local(const LocalRunState& local, Writer& out) {
  const TrainingState& training = local.training;
  out.number(training.rounds);
  out.number(training.adam.steps);
  out.floats(training.parameters);
  out.floats(training.adam.first);
  out.floats(training.adam.second);
  out.number(local.done);
  out.number<std::uint64_t>(local.found.size());
  for (const LocalFind& f : local.found) {
    out.graph(f.graph);
    out.number(f.probability);
    out.number(f.origin);
  }
}

LocalRunState read_local(Reader& in) {
  LocalRunState local;
  TrainingState& training = local.training;
  training.rounds = in.number<std::uint64_t>();
  training.adam.steps = in.number<std::uint64_t>();
  training.parameters = in.floats();
  training.adam.first = in.floats();
  training.adam.second = in.floats();
  const bool negative = std::ranges::any_of(training.adam.second, [](float x) { return x < 0; });
  if (negative) in.fail("has a mean square below zero");
  local.done = in.number<std::uint64_t>();
  if (local.done > in.num_inputs()) in.fail("has explained more inputs than there are");
  local.found.resize(in.count(16));
  std::uint64_t next = 0;
  for (LocalFind& f : local.found) {
    f.graph = in.graph();
    f.probability = in.probability();
    f.origin = in.input();
    if (f.origin < next || f.origin >= local.done) in.fail("has an input that is not explained");
    next = f.origin + 1;
  }
  return local;
}

/// What was written at some step, the walk is beyond.
bool is_history(const SearchState& state, std::size_t num_inputs) {
  std::uint64_t before = 0;
  for (const TracePoint& point : state.trace) {
    if (point.step <= before || point.step > state.walk.steps) return false;
    before = point.step;
  }
  return state.most_covered <= num_inputs && state.last_progress <= state.walk.steps;
}

RunSettings read_settings(Reader& in) {
  RunSettings settings(in.count(16));
  for (auto& [key, value] : settings) {
    key = in.text();
    value = in.text();
  }
  return settings;
}

/// What follows the head, if the head is right about it.
std::string_view checked_payload(std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(kMagic)) {
    throw Error({file}, "this is no run file", "give the folder of an earlier run");
  }
  ByteCursor head(bytes, file, "the run file", kRemedy);
  head.skip(kMagic.size());
  if (const auto version = head.number<std::uint32_t>(); version != kVersion) {
    throw Error(
        {file},
        fmt::format("the run file has version {}, this program writes {}", version, kVersion),
        "finish the run with the program that began it");
  }
  const auto length = head.number<std::uint64_t>();
  const std::string_view digest = head.take(kDigest);
  const std::string_view payload = head.take(length);
  if (head.remaining() != 0 || sha256_hex(payload) != digest) {
    throw Error({file}, "the run file is damaged: its checksum does not fit", kRemedy);
  }
  return payload;
}

}  // namespace

std::string run_file_bytes(const RunFile& run) {
  Writer body;
  body.number<std::uint64_t>(run.settings.size());
  for (const auto& [key, value] : run.settings) {
    body.text(key);
    body.text(value);
  }
  const SearchState& state = run.search.state();
  body.number<std::uint64_t>(state.most_covered);
  body.number(state.last_progress);
  write_trace(state.trace, body);
  write_kept(state.kept, body);
  body.number<std::uint8_t>(state.local ? 1 : 0);
  if (state.local) {
    write_local(*state.local, body);
  } else {
    write_walk(state.walk, body);
    body.number<std::uint8_t>(state.refinement ? 1 : 0);
    if (state.refinement) write_refinement(*state.refinement, body);
  }
  const std::string payload = body.take();
  Writer head;
  head.number(kVersion);
  head.number<std::uint64_t>(payload.size());
  return std::string(kMagic) + head.take() + sha256_hex(payload) + payload;
}

RunSettings run_settings(const std::string& dataset_hash, const ExplainOptions& options,
                         const Provenance& files, const Parts& parts) {
  RunSettings out{{"program", "fewedits " + version()},
                  {"dataset", dataset_hash},
                  {"model", files.model_hash},
                  {"distance", options.distance},
                  {"distance model", files.distance_model_hash},
                  {"method", options.method},
                  {"seed", fmt::format("{}", options.seed)}};
  const auto shared = shared_options(with_defaults(options, parts), parts);
  out.insert(out.end(), shared.begin(), shared.end());
  out.insert(out.end(), files.options.begin(), files.options.end());
  return out;
}

RunSettings parse_run_settings(std::string_view bytes, const std::string& file) {
  Reader in(checked_payload(bytes, file), file, 0, 0);
  return read_settings(in);
}

RunFile parse_run_file(std::string_view bytes, const std::string& file, std::size_t num_inputs,
                       std::size_t num_labels, std::size_t num_edge_labels) {
  Reader in(checked_payload(bytes, file), file, num_inputs, num_labels, num_edge_labels);
  RunFile run;
  run.settings = read_settings(in);
  SearchState state;
  state.most_covered = in.number<std::uint64_t>();
  state.last_progress = in.number<std::uint64_t>();
  state.trace = read_trace(in);
  state.kept = read_kept(in);
  if (in.flag("does not say what kind of run it is of")) {
    state.local = read_local(in);
  } else {
    state.walk = read_walk(in);
    if (in.flag("has more than one refinement")) state.refinement = read_refinement(in);
  }
  if (!in.at_end()) in.fail("goes on after its end");
  if (!is_history(state, num_inputs)) in.fail("tells of steps that the walk has not made");
  run.search = SavedSearch(std::move(state));
  return run;
}

void check_settings(const RunSettings& saved, const RunSettings& now, const std::string& file) {
  const auto value_in = [](const RunSettings& settings, const std::string& key) {
    // Some may be given several times.
    std::optional<std::string> values;
    for (const auto& setting : settings) {
      if (setting.first == key) values = values ? *values + ", " + setting.second : setting.second;
    }
    return values.value_or("nothing");
  };
  RunSettings all = saved;
  all.insert(all.end(), now.begin(), now.end());
  for (const auto& [key, unused] : all) {
    const std::string before = value_in(saved, key);
    const std::string after = value_in(now, key);
    if (before == after) continue;
    throw Error({file},
                fmt::format("the run was begun with another {}: {} then, {} now", key,
                            in_quotes(before, 80), in_quotes(after, 80)),
                "resume with the same dataset, models and options, or begin in another folder");
  }
}

}  // namespace fewedits
