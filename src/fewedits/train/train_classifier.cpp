// SPDX-License-Identifier: MIT
#include "fewedits/train/train_classifier.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fewedits/base/error.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/train/one_thread.hpp"
#include "fewedits/train/requirements.hpp"
#include "fewedits/train/torch_model.hpp"
#include "fewedits/train/torch_ops.hpp"

namespace fewedits {
namespace {

// Streams of the seed: the split has its own in graph/dataset.cpp.
constexpr std::uint64_t kInitStream = 0x1417;
constexpr std::uint64_t kShuffleStream = 0x54f1;

constexpr Requirements kTraining("training");

void check_options(const TrainOptions& o) {
  kTraining.at_least_one(o.layers, "the number of layers");
  kTraining.at_least_one(o.width, "the layer width");
  kTraining.at_least_one(o.epochs, "the number of epochs");
  kTraining.at_least_one(o.batch_size, "the batch size");
  kTraining.at_least_one(o.heads, "the number of attention heads");
  kTraining.require(o.embedding >= 0, fmt::format("the embedding has {} features", o.embedding),
                    "it must have one or more, or be left out (0)");
  for (const int width : o.head_widths) kTraining.at_least_one(width, "a hidden width of the head");
  kTraining.learning_rate(o.learning_rate);
  kTraining.require(std::isfinite(o.weight_decay) && o.weight_decay >= 0,
                    fmt::format("the weight decay is {}", o.weight_decay), "it must be 0 or more");
  kTraining.require(o.conv != Conv::kGat || o.width % o.heads == 0,
                    fmt::format("{} attention heads do not divide the width {}", o.heads, o.width),
                    "choose a width that is a multiple of the heads");
}

ModelShape shape_of(const Dataset& dataset, const GraphView& view, const TrainOptions& options) {
  Label labels = static_cast<Label>(dataset.node_labels.size());
  for (const Graph& g : dataset.graphs) {
    for (const Label l : g.labels()) labels = std::max(labels, l + 1);
  }
  const std::set<int> classes(dataset.classes.begin(), dataset.classes.end());
  kTraining.require(
      classes.size() >= 2, fmt::format("dataset {} has {} class(es)", dataset.name, classes.size()),
      "a classifier needs graphs of at least two classes; of molecules, the option label-column "
      "says where theirs are");
  const auto named = static_cast<std::int64_t>(dataset.class_labels.size());
  return {.labels = labels,
          .width = options.width,
          .head_widths = options.head_widths,
          .classes = std::max<std::int64_t>(named, *classes.rbegin() + 1),
          .edge_labels = static_cast<std::int64_t>(view.edge_label_names().size()),
          .embedding = options.embedding};
}

std::vector<std::string> names_of(const std::vector<NamedValue>& values) {
  std::vector<std::string> names;
  for (const NamedValue& v : values) names.push_back(v.name);
  return names;
}

/// With labels of edges, if layers look at them.
GraphView view_of(const Dataset& dataset, const TrainOptions& options) {
  if (options.conv != Conv::kGine) return {};
  kTraining.require(!dataset.edge_labels.empty(),
                    fmt::format("dataset {} has no labels of edges", dataset.name),
                    "choose a layer that does not look at them");
  return {dataset, true};
}

std::vector<Graph> seen_graphs(const Dataset& dataset, const GraphView& view) {
  if (!view.has_bonds()) return dataset.graphs;
  std::vector<Graph> out;
  for (const Graph& g : dataset.graphs) out.push_back(view(g));
  return out;
}

ModelSpec spec_of(const Dataset& dataset, const GraphView& view, const TrainOptions& options) {
  ModelSpec spec;
  if (options.embedding > 0) spec.node_embedding = "node_emb";
  spec.edge_labels = view.edge_label_names();
  for (int l = 0; l < options.layers; ++l) {
    LayerSpec layer;
    layer.conv = options.conv;
    layer.weights = fmt::format("convs.{}", l);
    if (options.batch_norm) layer.batch_norm = fmt::format("bns.{}", l);
    layer.heads = options.conv == Conv::kGat ? options.heads : 1;
    spec.layers.push_back(layer);
  }
  spec.jumping = options.jumping;
  spec.pooling = options.pooling;
  if (options.head_widths.empty()) {
    spec.head.push_back({"fc", ""});
  } else {
    for (std::size_t i = 0; i <= options.head_widths.size(); ++i) {
      spec.head.push_back({fmt::format("fcs.{}", i), ""});
    }
  }
  spec.node_labels = names_of(dataset.node_labels);
  spec.classes = names_of(dataset.class_labels);
  return spec;
}

using Indices = std::span<const std::size_t>;

/// Cuts an order into batches. Batch norm cannot estimate a variance from a single node, so a
/// batch grows until it has two, and a rest that does not reach that joins its predecessor.
std::vector<Indices> cut_batches(Indices order, std::size_t size, std::span<const Graph> graphs) {
  std::vector<Indices> batches;
  std::size_t begin = 0;
  std::size_t nodes = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    nodes += graphs[order[i]].num_nodes();
    if (i + 1 - begin < size || nodes < 2) continue;
    batches.push_back(order.subspan(begin, i + 1 - begin));
    begin = i + 1;
    nodes = 0;
  }
  if (begin == order.size()) return batches;
  if (nodes < 2 && !batches.empty()) {
    const std::size_t from = begin - batches.back().size();
    batches.back() = order.subspan(from);
  } else {
    batches.push_back(order.subspan(begin));
  }
  return batches;
}

struct Score {
  double loss = 0;
  double accuracy = 0;
};

class Trainer {
 public:
  Trainer(const Dataset& dataset, const TrainOptions& options)
      : dataset_(dataset),
        options_(options),
        view_(view_of(dataset, options)),
        graphs_(seen_graphs(dataset, view_)),
        shape_(shape_of(dataset, view_, options)),
        spec_(spec_of(dataset, view_, options)),
        split_(split_dataset(dataset.size(), options.train_share, options.validation_share,
                             options.seed)),
        init_rng_(options.seed, kInitStream),
        shuffle_rng_(options.seed, kShuffleStream),
        model_(spec_, shape_, init_rng_),
        optimizer_(
            model_.parameters(),
            torch::optim::AdamOptions(options.learning_rate).weight_decay(options.weight_decay)),
        validation_(batches_of(split_.validation)) {
    check_split();
  }

  TrainResult run(const TrainProgress& progress);

 private:
  [[nodiscard]] std::vector<GraphBatch> batches_of(Indices chosen) const;
  void check_split() const;
  double train_epoch();
  [[nodiscard]] Score score(const std::vector<GraphBatch>& batches);
  EpochReport run_epoch(int epoch, TrainResult& result);

  const Dataset& dataset_;
  const TrainOptions& options_;
  GraphView view_;
  std::vector<Graph> graphs_;  ///< the dataset's, as the model sees them
  ModelShape shape_;
  ModelSpec spec_;
  Split split_;
  Rng init_rng_;
  Rng shuffle_rng_;
  TorchModel model_;
  torch::optim::Adam optimizer_;
  std::vector<GraphBatch> validation_;
};

std::vector<GraphBatch> Trainer::batches_of(Indices chosen) const {
  std::vector<GraphBatch> out;
  const auto size = static_cast<std::size_t>(options_.batch_size);
  for (const Indices part : cut_batches(chosen, size, graphs_)) {
    out.push_back(make_batch(graphs_, dataset_.classes, part, shape_.labels));
  }
  return out;
}

void Trainer::check_split() const {
  kTraining.require(!split_.train.empty(),
                    fmt::format("the training part of {} graphs is empty", dataset_.size()),
                    "give more graphs or a larger train share");
  std::size_t nodes = 0;
  for (const std::size_t i : split_.train) nodes += dataset_.graphs[i].num_nodes();
  kTraining.require(nodes >= 2, "the training graphs have fewer than two nodes together",
                    "give more graphs or a larger train share");
}

/// One pass over the shuffled training graphs; the mean loss.
double Trainer::train_epoch() {
  shuffle_rng_.shuffle(std::span(split_.train));
  double loss_sum = 0;
  const auto size = static_cast<std::size_t>(options_.batch_size);
  for (const Indices part : cut_batches(split_.train, size, graphs_)) {
    const GraphBatch batch = make_batch(graphs_, dataset_.classes, part, shape_.labels);
    optimizer_.zero_grad();
    const torch::Tensor loss = torch::nll_loss(model_.forward(batch, true), batch.classes);
    loss.backward();
    optimizer_.step();
    loss_sum += loss.item<double>() * static_cast<double>(part.size());
  }
  return loss_sum / static_cast<double>(split_.train.size());
}

/// Loss and accuracy in inference form; zeros without graphs.
Score Trainer::score(const std::vector<GraphBatch>& batches) {
  const torch::NoGradGuard no_grad;
  double loss = 0;
  double right = 0;
  double graphs = 0;
  for (const GraphBatch& batch : batches) {
    const torch::Tensor out = model_.forward(batch, false);
    loss += torch::nll_loss(out, batch.classes, {}, at::Reduction::Sum).item<double>();
    right += (out.argmax(1) == batch.classes).sum().item<double>();
    graphs += static_cast<double>(batch.num_graphs());
  }
  return graphs > 0 ? Score{loss / graphs, right / graphs} : Score{};
}

EpochReport Trainer::run_epoch(int epoch, TrainResult& result) {
  EpochReport report{epoch, options_.epochs};
  report.train_loss = train_epoch();
  const Score validation = score(validation_);
  report.validation_loss = validation_.empty() ? report.train_loss : validation.loss;
  report.validation_accuracy = validation.accuracy;
  report.best = std::isfinite(report.validation_loss) &&
                (result.best_epoch == 0 || report.validation_loss < result.validation_loss);
  result.epochs_run = epoch;
  if (report.best) {
    result.best_epoch = epoch;
    result.validation_loss = report.validation_loss;
    result.weights = model_.state_dict();
  }
  return report;
}

TrainResult Trainer::run(const TrainProgress& progress) {
  TrainResult result;
  for (int epoch = 1; epoch <= options_.epochs; ++epoch) {
    const EpochReport report = run_epoch(epoch, result);
    // Weights that are not finite never recover: keep the best, or say that there is none.
    result.diverged = !std::isfinite(report.train_loss);
    if (result.diverged) break;
    if (progress && !progress(report)) break;
  }
  kTraining.require(result.best_epoch > 0, "diverged: the loss is not a finite number",
                    "lower the learning rate");
  model_.load(result.weights);
  std::sort(split_.train.begin(), split_.train.end());
  result.train_accuracy = score(batches_of(split_.train)).accuracy;
  result.validation_accuracy = score(validation_).accuracy;
  result.test_accuracy = score(batches_of(split_.test)).accuracy;
  result.spec = std::move(spec_);
  result.split = std::move(split_);
  return result;
}

}  // namespace

TrainResult train_classifier(const Dataset& dataset, const TrainOptions& options,
                             const TrainProgress& progress) {
  check_options(options);
  const OneThread one_thread;
  try {
    return Trainer(dataset, options).run(progress);
  } catch (const c10::Error& error) {
    throw Error(fmt::format("training: libtorch failed: {}", error.what_without_backtrace()),
                "a model this large may not fit into memory");
  }
}

}  // namespace fewedits
