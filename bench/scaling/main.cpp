// SPDX-License-Identifier: MIT
// What threads bring: the certified search, the paper's walk, and inference on all graphs, which is
// embarrassingly parallel, in one run. The answers must be the same for every number of threads.
// Needs no files: graphs are generated, models drawn at random; with --dataset published ones.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "fewedits/base/file.hpp"
#include "fewedits/base/rng.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/extend.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/clock.hpp"
#include "support/shared.hpp"

namespace fewedits::bench {
namespace {

struct Arguments {
  std::vector<int> threads{1, 2, 4, 8, 16};
  std::size_t graphs = 3000;
  std::uint64_t work = 400'000'000;
  std::uint64_t steps = 400;
  std::size_t climbs = 8;
  std::size_t passes = 200;
  std::string dataset;
  std::string json;
};

// ---- Models of the published sizes, drawn at random

Tensor random_tensor(std::vector<std::int64_t> shape, double scale, Rng& rng) {
  std::int64_t count = 1;
  for (const std::int64_t d : shape) count *= d;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) v = static_cast<float>(scale * (2 * rng.uniform() - 1));
  return Tensor::from_floats(std::move(shape), values);
}

void add_linear(const std::string& name, std::int64_t rows, std::int64_t columns, Rng& rng,
                StateDict& to) {
  to[name + ".weight"] =
      random_tensor({rows, columns}, 1.7 / std::sqrt(static_cast<double>(columns)), rng);
  to[name + ".bias"] = random_tensor({rows}, 0.1, rng);
}

constexpr std::int64_t kWidth = 20;

ModelSpec classifier_spec(const Dataset& data) {
  ModelSpec spec;
  for (int l = 0; l < 3; ++l) spec.layers.push_back({.weights = fmt::format("convs.{}", l)});
  spec.head = {{"fc", ""}};
  for (const auto& label : data.node_labels) spec.node_labels.push_back(label.name);
  for (const auto& label : data.class_labels) spec.classes.push_back(label.name);
  return spec;
}

/// Three graph convolutions; `bias` is that of the desired class's logit.
StateDict classifier_weights(std::size_t labels, float bias) {
  Rng rng(5);
  StateDict out;
  auto inputs = static_cast<std::int64_t>(labels);
  for (int l = 0; l < 3; ++l) {
    const std::string name = fmt::format("convs.{}", l);
    out[name + ".weight"] =
        random_tensor({inputs, kWidth}, 1.7 / std::sqrt(static_cast<double>(inputs)), rng);
    out[name + ".bias"] = random_tensor({kWidth}, 0.1, rng);
    inputs = kWidth;
  }
  Tensor head = random_tensor({2, kWidth}, 4, rng);
  out["fc.weight"] = head;
  out["fc.bias"] = Tensor::from_floats({2}, {0, bias});
  return out;
}

/// Eight layers, as the published GREED models have.
void write_greed(const std::filesystem::path& file, std::size_t num_labels) {
  constexpr std::int64_t kLayers = 8;
  constexpr std::int64_t kGreedWidth = 64;
  Rng rng(6);
  StateDict weights;
  add_linear("embed_model.pre", kGreedWidth, static_cast<std::int64_t>(num_labels), rng, weights);
  for (std::int64_t l = 0; l < kLayers; ++l) {
    for (const char* part : {"0", "2"}) {
      add_linear(fmt::format("embed_model.convs.{}.nn.{}", l, part), kGreedWidth, kGreedWidth, rng,
                 weights);
    }
  }
  add_linear("embed_model.post.0", kGreedWidth, (kLayers + 1) * kGreedWidth, rng, weights);
  add_linear("embed_model.post.2", kGreedWidth, kGreedWidth, rng, weights);
  write_checkpoint(file, weights);
}

struct Material {
  Dataset data;
  std::unique_ptr<Classifier> model;
  std::string greed;
  std::string name;
};

std::unique_ptr<Classifier> random_classifier(const std::filesystem::path& folder,
                                              const Dataset& data, float bias) {
  write_checkpoint(folder / "gcn.safetensors", classifier_weights(data.node_labels.size(), bias));
  write_file_atomically(folder / "gcn.json",
                        to_json({classifier_spec(data), std::string("gcn.safetensors")}));
  return open_classifier(folder / "gcn.json", data);
}

/// The bias by which about half of the graphs are rejected.
float middle_bias(const Dataset& data, const Classifier& model, ThreadPool& pool) {
  const Predictions p = predict(data, model, pool);
  std::vector<float> leads;
  for (std::size_t g = 0; g < data.size(); ++g) {
    leads.push_back(p.log_probabilities[2 * g + 1] - p.log_probabilities[2 * g]);
  }
  const auto middle = leads.begin() + static_cast<std::ptrdiff_t>(leads.size() / 2);
  std::nth_element(leads.begin(), middle, leads.end());
  return -*middle;
}

Material generated(const Arguments& arguments, const std::filesystem::path& folder,
                   ThreadPool& pool) {
  Material out{prepare(generate({.graphs = arguments.graphs, .seed = 3, .threads = 0}),
                       generated_metadata()),
               nullptr, (folder / "greed.pt").string(),
               fmt::format("{} generated graphs", arguments.graphs)};
  const float bias = middle_bias(out.data, *random_classifier(folder, out.data, 0), pool);
  out.model = random_classifier(folder, out.data, bias);
  write_greed(out.greed, out.data.node_labels.size());
  return out;
}

Material published(const std::string& dataset) {
  Material out{open_dataset(dataset_path(dataset)), nullptr, greed_path(dataset), dataset};
  out.model = open_classifier(classifier_path(dataset), out.data);
  return out;
}

// ---- Measuring

struct Row {
  int threads = 0;
  double seconds = 0;
};

struct Contest {
  std::string name;
  /// Does it, and returns what must be the same every time.
  std::function<std::string(ThreadPool&)> run;
  std::vector<Row> rows;

  [[nodiscard]] double gain(std::size_t at) const {
    return rows.front().seconds / rows[at].seconds * rows.front().threads;
  }
};

std::string answer_of(Explanation e) {
  e.seconds = 0;
  return explanation_json(e);
}

std::vector<Contest> contests(const Material& material, const Arguments& arguments) {
  const auto inference = [&material, passes = arguments.passes](ThreadPool& pool) {
    Predictions p;
    for (std::size_t pass = 0; pass < passes; ++pass)
      p = predict(material.data, *material.model, pool);
    return std::string(reinterpret_cast<const char*>(p.log_probabilities.data()),
                       p.log_probabilities.size() * sizeof(float));
  };
  ExplainOptions certified;
  certified.refine_work = arguments.work;
  certified.climbs = arguments.climbs;
  certified.patience = 0;
  ExplainOptions walk;
  walk.distance = "greed";
  walk.distance_options.model = material.greed;
  walk.steps = arguments.steps;
  walk.refine = false;
  walk.bonds = false;
  walk.min_lead = 0;
  const auto explained = [&material](const ExplainOptions& options) {
    return [&material, options](ThreadPool& pool) {
      return answer_of(explain(material.data, *material.model, options, pool));
    };
  };
  return {{"inference", inference, {}},
          {"certified search", explained(certified), {}},
          {"walk", explained(walk), {}}};
}

void measure(Contest& contest, const std::vector<int>& threads) {
  std::string first;
  for (const int count : threads) {
    ThreadPool pool(count);
    const auto start = Clock::now();
    std::string answer = contest.run(pool);
    contest.rows.push_back({count, seconds_since(start)});
    if (first.empty()) first = answer;
    if (answer != first) {
      throw Error(fmt::format("{} gives another answer with {} threads", contest.name, count));
    }
    fmt::print(stderr, "{} with {} threads: {:.2f} s\n", contest.name, count,
               contest.rows.back().seconds);
  }
}

void print(const std::vector<Contest>& all) {
  fmt::print("| threads |");
  for (const Contest& c : all) fmt::print(" {}, s | times | of inference's |", c.name);
  fmt::print("\n|---:|");
  for (std::size_t c = 0; c < all.size(); ++c) fmt::print("---:|---:|---:|");
  fmt::print("\n");
  for (std::size_t r = 0; r < all.front().rows.size(); ++r) {
    fmt::print("| {} |", all.front().rows[r].threads);
    for (const Contest& c : all) {
      fmt::print(" {:.2f} | {:.2f} | {:.0f} % |", c.rows[r].seconds, c.gain(r),
                 100 * c.gain(r) / all.front().gain(r));
    }
    fmt::print("\n");
  }
}

void write(const std::vector<Contest>& all, const Material& material, const Arguments& arguments) {
  nlohmann::ordered_json json{{"material", material.name},
                              {"hardware_threads", std::thread::hardware_concurrency()},
                              {"work", arguments.work},
                              {"steps", arguments.steps},
                              {"climbs", arguments.climbs}};
  for (const Contest& c : all) {
    auto rows = nlohmann::ordered_json::array();
    for (std::size_t r = 0; r < c.rows.size(); ++r) {
      rows.push_back({{"threads", c.rows[r].threads},
                      {"seconds", c.rows[r].seconds},
                      {"times", c.gain(r)},
                      {"of_inference", c.gain(r) / all.front().gain(r)}});
    }
    json[c.name] = std::move(rows);
  }
  write_file_atomically(arguments.json, json.dump(1) + "\n");
}

int run(const Arguments& arguments) {
  if (!arguments.dataset.empty() && lacks("datasets")) return kSkipped;
  const auto folder = std::filesystem::temp_directory_path() /
                      fmt::format("fewedits-scaling-{}", Clock::now().time_since_epoch().count());
  std::filesystem::create_directories(folder);
  ThreadPool pool;
  const Material material =
      arguments.dataset.empty() ? generated(arguments, folder, pool) : published(arguments.dataset);
  std::vector<Contest> all = contests(material, arguments);
  fmt::print("{}, {} hardware threads, {} units of work, {} steps, {} climbs\n\n", material.name,
             std::thread::hardware_concurrency(), arguments.work, arguments.steps,
             arguments.climbs);
  for (Contest& contest : all) measure(contest, arguments.threads);
  print(all);
  if (!arguments.json.empty()) write(all, material, arguments);
  std::filesystem::remove_all(folder);
  return 0;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"What threads bring to both searches, beside inference"};
  app.add_option("--threads", arguments.threads, "numbers of threads, the first to compare with");
  app.add_option("--graphs", arguments.graphs, "generated graphs")->capture_default_str();
  app.add_option("--dataset", arguments.dataset, "a published one of $FEWEDITS_SHARED instead");
  app.add_option("--work", arguments.work, "of the certified search")->capture_default_str();
  app.add_option("--steps", arguments.steps, "of the walk")->capture_default_str();
  app.add_option("--climbs", arguments.climbs, "side by side")->capture_default_str();
  app.add_option("--passes", arguments.passes, "over all graphs, of inference")
      ->capture_default_str();
  app.add_option("--json", arguments.json, "also write the figures there");
  CLI11_PARSE(app, argc, argv);
  return run(arguments);
}

}  // namespace
}  // namespace fewedits::bench

int main(int argc, char** argv) {
  try {
    return fewedits::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "scaling_bench: {}\n", error.what());
    return 1;
  }
}
