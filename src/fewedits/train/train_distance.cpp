// SPDX-License-Identifier: MIT
#include "fewedits/train/train_distance.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/classifier/native/gin_embedder.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/train/greed_model.hpp"
#include "fewedits/train/one_thread.hpp"
#include "fewedits/train/requirements.hpp"

namespace fewedits {
namespace {

// Streams of the seed, each of which seeds one use.
constexpr std::uint64_t kInitStream = 0x6e17;
constexpr std::uint64_t kShuffleStream = 0x54f2;
constexpr std::uint64_t kTrainPairs = 0x9a11;
constexpr std::uint64_t kValidationPairs = 0x9a12;
constexpr std::uint64_t kTestPairs = 0x9a13;

constexpr std::size_t kTrainGroup = 4;  // six pairs for four embeddings
constexpr std::size_t kHeldOutGroup = 2;
/// Groups that one thread takes at a time: the batch's cut must not depend on the threads.
constexpr std::size_t kShardGroups = 8;
/// Held-out pairs are few: more of them are solved exactly for little time.
constexpr std::uint64_t kHeldOutEffort = 4;
constexpr std::size_t kMostHeldOut = 4000;

constexpr Requirements kTraining("training the distance");

void check_options(const DistanceTrainOptions& o) {
  kTraining.at_least_one(o.layers, "the number of layers");
  kTraining.at_least_one(o.width, "the layer width");
  kTraining.at_least_one(o.pairs, "the number of pairs");
  kTraining.at_least_one(o.max_edits, "the number of edits");
  kTraining.at_least_one(o.epochs, "the number of epochs");
  kTraining.at_least_one(o.batch_size, "the batch size");
  kTraining.learning_rate(o.learning_rate);
}

/// Tells about a report, if anyone listens.
template <typename Report>
bool goes_on(const DistanceProgress& progress, const std::function<bool(const Report&)>& listener,
             const Report& report) {
  const bool wanted = !listener || listener(report);
  return wanted && (progress.stop == nullptr || !progress.stop->is_set());
}

// ---- data -----------------------------------------------------------------------------

struct Sources {
  std::vector<Graph> graphs;  ///< without edge labels, one of each isomorphism class
  Split split;                ///< into `graphs`
  Split of_dataset;           ///< the same as indices into the dataset
  Label labels = 0;

  [[nodiscard]] std::vector<Graph> part(const std::vector<std::size_t>& chosen) const {
    std::vector<Graph> out;
    for (const std::size_t i : chosen) out.push_back(graphs[i]);
    return out;
  }
};

std::vector<std::size_t> translated(const std::vector<std::size_t>& part,
                                    const std::vector<std::size_t>& to) {
  std::vector<std::size_t> out;
  for (const std::size_t i : part) out.push_back(to[i]);
  return out;
}

Sources make_sources(const Dataset& dataset, const DistanceTrainOptions& options) {
  Sources out;
  out.labels = static_cast<Label>(dataset.node_labels.size());
  std::unordered_set<Identity> known;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    Graph g = dataset.graphs[i].without_edge_labels();
    for (const Label l : g.labels()) out.labels = std::max(out.labels, l + 1);
    if (!known.emplace(g).second) continue;
    out.graphs.push_back(std::move(g));
    place.push_back(i);
  }
  out.split =
      split_dataset(out.graphs.size(), options.train_share, options.validation_share, options.seed);
  kTraining.require(
      out.split.train.size() >= kTrainGroup && out.split.validation.size() >= kHeldOutGroup &&
          out.split.test.size() >= kHeldOutGroup,
      fmt::format("dataset {} has {} different graphs, too few to train, validate and test on",
                  dataset.name, out.graphs.size()),
      "give at least 20 graphs, no two of them isomorphic");
  out.of_dataset = {translated(out.split.train, place), translated(out.split.validation, place),
                    translated(out.split.test, place)};
  return out;
}

struct Pairs {
  PairSet train;
  PairSet validation;
  PairSet test;
  bool stopped = false;
};

/// Labels the three parts one after the other and counts them as one task.
class Labeller {
 public:
  Labeller(const Sources& sources, const DistanceTrainOptions& options, ThreadPool& pool,
           const DistanceProgress& progress)
      : sources_(sources), options_(options), pool_(pool), progress_(progress) {
    const auto pairs = static_cast<std::size_t>(options.pairs);
    const std::size_t held_out = std::min<std::size_t>((pairs + 9) / 10, kMostHeldOut);
    base_.max_edits = options.max_edits;
    base_.labels = sources.labels;
    base_.budget.stop = progress.stop;
    report_.total = pairs + 2 * held_out;
    base_.pairs = held_out;
  }

  Pairs run() {
    Pairs out;
    base_.group_size = kHeldOutGroup;
    base_.budget.work = std::min(options_.budget_work, GedBudget::kUnlimited / kHeldOutEffort);
    base_.budget.work *= kHeldOutEffort;
    out.test = label(sources_.split.test, kTestPairs);
    base_.budget.work = options_.budget_work;
    out.validation = label(sources_.split.validation, kValidationPairs);
    base_.group_size = kTrainGroup;
    base_.pairs = static_cast<std::size_t>(options_.pairs);
    out.train = label(sources_.split.train, kTrainPairs);
    out.stopped = stopped_;
    return out;
  }

 private:
  PairSet label(const std::vector<std::size_t>& part, std::uint64_t stream) {
    if (stopped_) return {};
    PairOptions options = base_;
    options.seed = Rng(options_.seed, stream).next();
    const std::size_t before = report_.done;
    return make_pairs(sources_.part(part), options, pool_, [&](std::size_t done) {
      report_.done = std::min(before + done, before + options.pairs);
      stopped_ = !goes_on(progress_, progress_.labelled, report_);
      return !stopped_;
    });
  }

  const Sources& sources_;
  const DistanceTrainOptions& options_;
  ThreadPool& pool_;
  const DistanceProgress& progress_;
  PairOptions base_;
  LabelReport report_;
  bool stopped_ = false;
};

// ---- loss -----------------------------------------------------------------------------

using Groups = std::span<const std::size_t>;

/// What torch needs of some groups.
struct Shard {
  GreedBatch batch;
  RowLists first;  ///< rows of the pairs' graphs
  RowLists second;
  torch::Tensor lower;
  torch::Tensor upper;
};

Shard make_shard(const PairSet& set, Groups groups, std::size_t layers) {
  std::vector<Graph> graphs;
  const auto pairs = static_cast<std::int64_t>(groups.size() * set.pairs_per_group());
  Shard out{{},
            {torch::empty({pairs}, torch::kInt32), {}, {}},
            {torch::empty({pairs}, torch::kInt32), {}, {}},
            torch::empty({pairs}),
            torch::empty({pairs})};
  std::int64_t at = 0;
  for (const std::size_t g : groups) {
    const auto shift =
        static_cast<std::int64_t>(graphs.size()) - static_cast<std::int64_t>(g * set.group_size);
    for (std::size_t i = 0; i < set.group_size; ++i) {
      graphs.push_back(set.graphs[g * set.group_size + i]);
    }
    for (std::size_t i = 0; i < set.pairs_per_group(); ++i, ++at) {
      const LabelledPair& pair = set.pairs[g * set.pairs_per_group() + i];
      out.first.own.data_ptr<std::int32_t>()[at] = static_cast<std::int32_t>(pair.a + shift);
      out.second.own.data_ptr<std::int32_t>()[at] = static_cast<std::int32_t>(pair.b + shift);
      out.lower.data_ptr<float>()[at] = static_cast<float>(pair.lower);
      out.upper.data_ptr<float>()[at] = static_cast<float>(pair.upper);
    }
  }
  out.batch = make_greed_batch(graphs, layers);
  return out;
}

/// Euclidean distances of the pairs' embeddings.
torch::Tensor distances(const GreedModel& model, const Shard& shard) {
  const torch::Tensor rows = model.embed(shard.batch);
  const torch::Tensor difference = sum_rows(rows, shard.first) - sum_rows(rows, shard.second);
  // The tiny summand keeps the gradient of √ finite for equal embeddings.
  return (difference.square().sum(1) + 1e-12).sqrt();
}

/// Sum over the pairs of the squared distance to the interval.
torch::Tensor interval_loss(const torch::Tensor& estimate, const Shard& shard) {
  return (estimate - torch::max(torch::min(estimate, shard.upper), shard.lower)).square().sum();
}

double interval_error(const LabelledPair& pair, double estimate) {
  return estimate -
         std::clamp(estimate, static_cast<double>(pair.lower), static_cast<double>(pair.upper));
}

/// The loss of the best constant estimate, up to a tenth of an edit.
double constant_loss(const PairSet& set) {
  const auto loss = [&](double estimate) {
    double sum = 0;
    for (const LabelledPair& p : set.pairs) sum += std::pow(interval_error(p, estimate), 2);
    return sum / static_cast<double>(set.pairs.size());
  };
  // Convex: shrink an interval that holds the minimum.
  double low = 0;
  double high = 0;
  for (const LabelledPair& p : set.pairs) high = std::max(high, static_cast<double>(p.upper));
  while (high - low > 0.1) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (loss(left) < loss(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return loss((low + high) / 2);
}

// ---- training -------------------------------------------------------------------------

std::vector<std::size_t> all_groups(const PairSet& set) {
  std::vector<std::size_t> out(set.num_groups());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

class DistanceTrainer {
 public:
  DistanceTrainer(Pairs pairs, Label labels, const DistanceTrainOptions& options, ThreadPool& pool)
      : options_(options),
        pool_(pool),
        pairs_(std::move(pairs)),
        order_(all_groups(pairs_.train)),
        init_rng_(options.seed, kInitStream),
        shuffle_rng_(options.seed, kShuffleStream),
        model_({labels, options.layers, options.width}, init_rng_),
        optimizer_(model_.parameters(), torch::optim::AdamOptions(options.learning_rate)),
        batch_groups_(std::clamp<std::size_t>(
            static_cast<std::size_t>(options.batch_size) / pairs_.train.pairs_per_group(), 1,
            order_.size())) {
    const std::size_t shards = (batch_groups_ + kShardGroups - 1) / kShardGroups;
    for (std::size_t s = 0; s < shards; ++s) replicas_.push_back(model_.replica());
    const std::size_t batches = (order_.size() + batch_groups_ - 1) / batch_groups_;
    step_.steps = batches * static_cast<std::size_t>(options.epochs);
    step_.epochs = options.epochs;
  }

  DistanceTrainResult run(const DistanceProgress& progress);

 private:
  void fit_scale();
  [[nodiscard]] double learning_rate() const;
  double train_batch(Groups groups);
  void collect_gradients(std::size_t shards);
  [[nodiscard]] double mean_loss(const PairSet& set);
  bool run_epoch(const DistanceProgress& progress);
  bool end_epoch(DistanceTrainResult& result);
  void verify(const StateDict& weights);

  const DistanceTrainOptions& options_;
  ThreadPool& pool_;
  Pairs pairs_;
  std::vector<std::size_t> order_;
  Rng init_rng_;
  Rng shuffle_rng_;
  GreedModel model_;
  torch::optim::Adam optimizer_;
  std::vector<GreedModel> replicas_;  ///< one for each shard of a batch
  std::size_t batch_groups_;
  DistanceStep step_;
};

/// Sum of pooled rows over eight layers can come out at any scale, while targets are edits: the
/// fresh network's distances are stretched to fit a few training pairs best.
void DistanceTrainer::fit_scale() {
  const torch::NoGradGuard no_grad;
  const std::size_t count = std::min<std::size_t>(order_.size(), 4 * kShardGroups);
  const Shard shard = make_shard(pairs_.train, Groups(order_).first(count),
                                 static_cast<std::size_t>(options_.layers));
  const torch::Tensor estimate = distances(model_, shard);
  const torch::Tensor middle = (shard.lower + shard.upper) / 2;
  const double factor = ((estimate * middle).sum() / estimate.square().sum()).item<double>();
  if (std::isfinite(factor) && factor > 0) model_.stretch(factor);
}

/// A short linear rise, while Adam's second moments settle, then half a cosine down to nothing.
double DistanceTrainer::learning_rate() const {
  const double done = static_cast<double>(step_.step) / static_cast<double>(step_.steps);
  constexpr double kRise = 0.03;
  if (done < kRise) return options_.learning_rate * (done + 1e-3) / (kRise + 1e-3);
  return options_.learning_rate * 0.5 *
         (1 + std::cos(std::numbers::pi * (done - kRise) / (1 - kRise)));
}

/// Adds up the shards' gradients in their order, whoever computed them, and keeps the direction
/// alone: a pair of large graphs can be a hundred edits off, and its square would drown what Adam
/// remembers of all others. (Mutagenicity, 60,000 pairs, 8 epochs: validation loss 1.09, not 1.87.)
void DistanceTrainer::collect_gradients(std::size_t shards) {
  const auto to = model_.parameters();
  for (std::size_t s = 0; s < shards; ++s) {
    const auto from = replicas_[s].parameters();
    for (std::size_t i = 0; i < to.size(); ++i) {
      torch::Tensor& grad = to[i].mutable_grad();
      torch::Tensor& part = from[i].mutable_grad();
      grad = s == 0 ? part : grad + part;
      part = torch::Tensor();
    }
  }
  double square = 0;
  for (const torch::Tensor& p : to) square += p.grad().square().sum().item<double>();
  if (!std::isfinite(square) || square == 0) return;
  for (const torch::Tensor& p : to) p.mutable_grad().div_(std::sqrt(square));
}

/// One step; the sum of the pairs' losses before it.
double DistanceTrainer::train_batch(Groups groups) {
  const std::size_t shards = (groups.size() + kShardGroups - 1) / kShardGroups;
  std::vector<double> losses(shards);
  pool_.for_chunks(shards, 1, [&](std::size_t s, std::size_t, int) {
    const std::size_t begin = s * kShardGroups;
    const Groups part = groups.subspan(begin, std::min(kShardGroups, groups.size() - begin));
    const Shard shard = make_shard(pairs_.train, part, static_cast<std::size_t>(options_.layers));
    const torch::Tensor loss = interval_loss(distances(replicas_[s], shard), shard);
    loss.backward();
    losses[s] = loss.item<double>();
  });
  collect_gradients(shards);
  static_cast<torch::optim::AdamOptions&>(optimizer_.param_groups()[0].options())
      .lr(learning_rate());
  optimizer_.step();
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

double DistanceTrainer::mean_loss(const PairSet& set) {
  const std::vector<std::size_t> groups = all_groups(set);
  constexpr std::size_t kAtOnce = 4 * kShardGroups;
  std::vector<double> losses((groups.size() + kAtOnce - 1) / kAtOnce);
  pool_.for_chunks(losses.size(), 1, [&](std::size_t s, std::size_t, int) {
    const torch::NoGradGuard no_grad;  // of this thread
    const std::size_t begin = s * kAtOnce;
    const Groups part = Groups(groups).subspan(begin, std::min(kAtOnce, groups.size() - begin));
    const Shard shard = make_shard(set, part, static_cast<std::size_t>(options_.layers));
    losses[s] = interval_loss(distances(model_, shard), shard).item<double>();
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(set.pairs.size());
}

/// All steps of an epoch but the report of its end; false once told to stop.
bool DistanceTrainer::run_epoch(const DistanceProgress& progress) {
  shuffle_rng_.shuffle(std::span(order_));
  double loss = 0;
  std::size_t pairs = 0;
  for (std::size_t begin = 0; begin < order_.size(); begin += batch_groups_) {
    const std::size_t count = std::min(batch_groups_, order_.size() - begin);
    loss += train_batch(Groups(order_).subspan(begin, count));
    pairs += count * pairs_.train.pairs_per_group();
    step_.train_loss = loss / static_cast<double>(pairs);
    ++step_.step;
    if (!std::isfinite(loss)) return true;
    if (begin + count == order_.size()) break;
    if (!goes_on(progress, progress.trained, step_)) return false;
  }
  return true;
}

/// Validates and keeps the best; false if the loss is not finite.
bool DistanceTrainer::end_epoch(DistanceTrainResult& result) {
  step_.validation_loss = mean_loss(pairs_.validation);
  result.epochs_run = step_.epoch;
  const bool finite = std::isfinite(step_.validation_loss);
  if (finite && (result.best_epoch == 0 || step_.validation_loss < result.validation_loss)) {
    result.best_epoch = step_.epoch;
    step_.best_loss = result.validation_loss = step_.validation_loss;
    result.weights = model_.state_dict();
  }
  return finite && std::isfinite(step_.train_loss);
}

DistanceTrainResult DistanceTrainer::run(const DistanceProgress& progress) {
  DistanceTrainResult result;
  fit_scale();
  bool going = true;
  for (step_.epoch = 1; going && step_.epoch <= options_.epochs; ++step_.epoch) {
    step_.epoch_ended = false;
    going = run_epoch(progress);
    // Weights that are not finite never recover: keep the best, or say that there is none.
    result.diverged = !end_epoch(result);
    step_.epoch_ended = true;
    if (result.diverged) break;
    going = going && goes_on(progress, progress.trained, step_);
  }
  kTraining.require(result.best_epoch > 0, "diverged: the loss is not a finite number",
                    "lower the learning rate");
  verify(result.weights);
  result.constant_loss = constant_loss(pairs_.validation);
  result.train_pairs = pairs_.train.pairs.size();
  result.train_exact = pairs_.train.num_exact();
  result.validation_pairs = pairs_.validation.pairs.size();
  result.held_out = std::move(pairs_.test);
  return result;
}

/// The native engine must embed held-out graphs as libtorch does.
void DistanceTrainer::verify(const StateDict& weights) {
  constexpr double kTolerance = 1e-4;
  const torch::NoGradGuard no_grad;
  model_.load(weights);
  const GinEmbedder native(weights, "the trained weights");
  const auto graphs =
      std::span(pairs_.test.graphs).first(std::min<std::size_t>(256, pairs_.test.graphs.size()));
  torch::Tensor ours = torch::empty(
      {static_cast<std::int64_t>(graphs.size()), static_cast<std::int64_t>(native.dimension())});
  native.embed(graphs, {ours.data_ptr<float>(), static_cast<std::size_t>(ours.numel())}, pool_);
  const torch::Tensor theirs =
      model_.embed(make_greed_batch(graphs, static_cast<std::size_t>(options_.layers)));
  const torch::Tensor error = (ours - theirs).norm(2, 1) / theirs.norm(2, 1).clamp_min(1e-6);
  const double worst = error.max().item<double>();
  kTraining.require(
      worst <= kTolerance,
      fmt::format("native embeddings differ from libtorch's by {:.1e} of their length", worst),
      "this is an error of the program; please report it");
}

}  // namespace

DistanceTrainResult train_distance(const Dataset& dataset, const DistanceTrainOptions& options,
                                   const DistanceProgress& progress) {
  check_options(options);
  const OneThread one_thread;
  ThreadPool pool(options.threads);  // after OneThread: its threads take over the setting
  Sources sources = make_sources(dataset, options);
  Pairs pairs = Labeller(sources, options, pool, progress).run();
  DistanceTrainResult result;
  if (!pairs.stopped) {
    try {
      result = DistanceTrainer(std::move(pairs), sources.labels, options, pool).run(progress);
    } catch (const c10::Error& error) {
      throw Error(
          fmt::format("training the distance: libtorch failed: {}", error.what_without_backtrace()),
          "a model this large may not fit into memory");
    }
  }
  result.split = std::move(sources.of_dataset);
  return result;
}

}  // namespace fewedits
