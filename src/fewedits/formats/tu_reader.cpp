// SPDX-License-Identifier: MIT
#include "fewedits/formats/tu_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_files.hpp"
#include "fewedits/formats/tu_lines.hpp"
#include "fewedits/formats/tu_normalise.hpp"
#include "fewedits/formats/tu_scanner.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;

// A line has at least two bytes: line numbers, hence node ids and label indices, fit 32 bits.
static_assert(kMaxFileBytes / 2 < std::numeric_limits<std::uint32_t>::max());

class MemoryFiles : public TuFiles {
 public:
  MemoryFiles(const std::map<std::string, std::string>& files, std::string origin)
      : files_(files), origin_(std::move(origin)) {}

  [[nodiscard]] bool contains(const std::string& file) const override {
    return files_.contains(file);
  }
  [[nodiscard]] std::string read(const std::string& file, std::uint64_t /*limit*/) const override {
    return files_.at(file);
  }
  [[nodiscard]] std::string origin() const override { return origin_; }

 private:
  const std::map<std::string, std::string>& files_;
  std::string origin_;
};

class Parser {
 public:
  Parser(const TuFiles& source, const std::string& name, const TuReading& reading)
      : source_(source), name_(name), reading_(reading) {
    out_.name = name;
  }

  RawDataset parse() {
    require_files();
    read_graph_labels();
    read_graph_indicator();
    read_node_labels();
    read_adjacency();
    read_edge_labels();
    build_graphs();
    note_ignored_files();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string file(const char* what) const {
    return fmt::format("{}_{}.txt", name_, what);
  }
  [[nodiscard]] bool has(const char* what) const { return source_.contains(file(what)); }
  [[nodiscard]] std::size_t num_graphs() const { return out_.graph_labels.size(); }

  void require_files() const {
    for (const char* what : {"A", "graph_indicator", "graph_labels"}) {
      if (has(what)) continue;
      throw Error(
          Location{source_.display(file(what)), 0}, "is missing",
          fmt::format("{} was looked for in {}; a TU dataset needs {}, {} and {}", file(what),
                      source_.origin(), file("A"), file("graph_indicator"), file("graph_labels")));
    }
  }

  /// See RowReader. Returns how many rows there were.
  template <typename Row, typename Look, typename MakeRow, typename Take>
  std::size_t for_rows(const char* what, Look look, MakeRow row, Take take) const {
    const std::string shown = source_.display(file(what));
    const auto text = source_.open(file(what));
    const std::size_t count = RowReader<Row>(*text, shown, reading_).read(look, row, take);
    if (count == 0) {
      throw Error(Location{shown, 0}, "is empty",
                  "a dataset has at least one graph, one node and one edge");
    }
    return count;
  }

  void read_graph_labels();
  void read_graph_indicator();
  void read_node_labels();
  void read_adjacency();
  void read_edge_labels();
  LabelColumn read_labels(const char* what, std::size_t expected, const std::string& one_per);
  /// Ends of a line of the adjacency file, ids from 0.
  struct Line {
    Node u = 0;
    Node v = 0;
  };
  std::vector<std::size_t> group_by_graph();
  [[nodiscard]] std::span<const Edge> local_lines(std::size_t graph, std::size_t begin,
                                                  std::size_t end, std::vector<Edge>& out) const;
  void build_graphs();
  void note_edges(const EdgeCounts& counts);
  void note_ignored_files();

  const TuFiles& source_;
  const std::string& name_;
  const TuReading& reading_;
  RawDataset out_;
  std::vector<std::uint32_t> graph_of_;  ///< by node, from 0
  /// A node's id inside its graph; empty if each graph has its nodes in one stretch.
  std::vector<Node> local_;
  std::vector<std::size_t> first_node_;  ///< by graph: where its nodes start; one more at the end
  std::vector<Label> node_label_;        ///< by node
  std::vector<Line> lines_;              ///< of the adjacency file
  std::vector<Label> line_label_;        ///< empty without edge labels
};

constexpr auto kLookAtNothing = [](IntegerLines&) {};

template <typename T>
void append(const std::vector<T>& more, std::vector<T>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

void Parser::read_graph_labels() {
  for_rows<std::int64_t>(
      "graph_labels", kLookAtNothing,
      [](IntegerLines& lines) {
        const std::int64_t label = lines.integer(1);
        lines.expect_line_end(1);
        return label;
      },
      [&](const std::vector<std::int64_t>& rows) { append(rows, out_.graph_labels); });
}

void Parser::read_graph_indicator() {
  const auto graphs = static_cast<std::int64_t>(num_graphs());
  first_node_.assign(num_graphs() + 1, 0);
  bool ascending = true;
  for_rows<std::uint32_t>(
      "graph_indicator", kLookAtNothing,
      [&](IntegerLines& lines) {
        const std::int64_t graph = lines.integer(1);
        lines.expect_line_end(1);
        if (graph < 1 || graph > graphs) {
          throw Error(lines.here(), fmt::format("graph id {} is out of range 1…{}", graph, graphs),
                      fmt::format("ids count from 1 and {} has {}", file("graph_labels"),
                                  counted(num_graphs(), "line")));
        }
        return static_cast<std::uint32_t>(graph - 1);
      },
      [&](const std::vector<std::uint32_t>& rows) {
        for (const std::uint32_t graph : rows) {
          ascending = ascending && (graph_of_.empty() || graph_of_.back() <= graph);
          graph_of_.push_back(graph);
          ++first_node_[graph + 1];
        }
      });
  std::partial_sum(first_node_.begin(), first_node_.end(), first_node_.begin());
  if (ascending) return;
  std::vector<Node> next(num_graphs(), 0);
  for (const std::uint32_t graph : graph_of_) local_.push_back(next[graph]++);
}

LabelColumn Parser::read_labels(const char* what, std::size_t expected,
                                const std::string& one_per) {
  LabelCollector collector;
  collector.reserve(expected);
  // The first line says how many columns there are; the others must agree.
  std::int64_t columns = 0;
  const auto count_columns = [&](IntegerLines& lines) {
    for (lines.integer(1); !lines.at_line_end(); lines.integer(1)) ++columns;
    ++columns;
  };
  const auto first_of = [&](IntegerLines& lines) {
    const std::int64_t label = lines.integer(columns);
    for (std::int64_t column = 1; column < columns; ++column) lines.integer(columns);
    lines.expect_line_end(columns);
    return label;
  };
  const std::size_t found = for_rows<std::int64_t>(what, count_columns, first_of,
                                                   [&](const std::vector<std::int64_t>& rows) {
                                                     for (const std::int64_t label : rows)
                                                       collector.add(label);
                                                   });
  if (found != expected) {
    const auto line = static_cast<std::int64_t>(std::min(found, expected)) + 1;
    throw Error(
        Location{source_.display(file(what)), line},
        fmt::format("is too {}: expected {} ({}), found {}", found < expected ? "short" : "long",
                    counted(expected, "line"), one_per, found),
        "the files of a dataset belong together; get it again if one was cut off");
  }
  if (columns > 1) {
    out_.notes.push_back(fmt::format("{}: the first of {} columns is used, the others are ignored",
                                     file(what), columns));
  }
  return collector.finish();
}

void Parser::read_node_labels() {
  if (!has("node_labels")) {
    out_.notes.push_back(
        fmt::format("there is no {}: every node gets the label 0", file("node_labels")));
    node_label_.assign(graph_of_.size(), 0);
    out_.node_labels = {{0, {}}};
    return;
  }
  LabelColumn column =
      read_labels("node_labels", graph_of_.size(), "one per node, as " + file("graph_indicator"));
  node_label_ = std::move(column.indices);
  out_.node_labels = std::move(column.table);
}

void Parser::read_adjacency() {
  const auto nodes = static_cast<std::int64_t>(graph_of_.size());
  const auto node = [&](IntegerLines& lines) {
    const std::int64_t id = lines.integer(2);
    if (id < 1 || id > nodes) {
      throw Error(lines.here(), fmt::format("node id {} is out of range 1…{}", id, nodes),
                  fmt::format("ids count from 1 and {} has {}", file("graph_indicator"),
                              counted(graph_of_.size(), "line")));
    }
    return static_cast<Node>(id - 1);
  };
  const auto row = [&](IntegerLines& lines) {
    const Node u = node(lines);
    const Node v = node(lines);
    lines.expect_line_end(2);
    if (graph_of_[u] != graph_of_[v]) {
      throw Error(lines.here(),
                  fmt::format("edge {}, {} joins graph {} and graph {}", u + 1, v + 1,
                              graph_of_[u] + 1, graph_of_[v] + 1),
                  fmt::format("both nodes of an edge belong to one graph; compare {}",
                              file("graph_indicator")));
    }
    return Line{u, v};
  };
  for_rows<Line>("A", kLookAtNothing, row,
                 [&](const std::vector<Line>& rows) { append(rows, lines_); });
}

void Parser::read_edge_labels() {
  if (!has("edge_labels")) return;
  LabelColumn column = read_labels("edge_labels", lines_.size(), "one per line of " + file("A"));
  line_label_ = std::move(column.indices);
  out_.edge_labels = std::move(column.table);
}

/// What belongs to a graph lies in one stretch, unless the files say it in another order.
std::vector<std::size_t> Parser::group_by_graph() {
  if (!local_.empty()) {
    node_label_ = grouped(node_label_, first_node_, [&](std::size_t v) { return graph_of_[v]; });
  }
  std::vector<std::size_t> first_line(num_graphs() + 1, 0);
  bool ascending = true;
  std::uint32_t before = 0;
  for (const Line& line : lines_) {
    const std::uint32_t graph = graph_of_[line.u];
    ascending = ascending && before <= graph;
    before = graph;
    ++first_line[graph + 1];
  }
  std::partial_sum(first_line.begin(), first_line.end(), first_line.begin());
  if (ascending) return first_line;
  const auto graph_of_line = [&](std::size_t i) { return graph_of_[lines_[i].u]; };
  if (!line_label_.empty()) line_label_ = grouped(line_label_, first_line, graph_of_line);
  lines_ = grouped(lines_, first_line, graph_of_line);
  return first_line;
}

/// The lines of a graph with the ids that its nodes have inside it.
std::span<const Edge> Parser::local_lines(std::size_t graph, std::size_t begin, std::size_t end,
                                          std::vector<Edge>& out) const {
  const auto local = [&](Node v) {
    return local_.empty() ? static_cast<Node>(v - first_node_[graph]) : local_[v];
  };
  out.clear();
  for (std::size_t i = begin; i < end; ++i) {
    out.push_back(
        {local(lines_[i].u), local(lines_[i].v), line_label_.empty() ? Label{0} : line_label_[i]});
  }
  return out;
}

void Parser::build_graphs() {
  const std::vector<std::size_t> first_line = group_by_graph();
  const auto kind = line_label_.empty() ? Graph::EdgeLabels::kAbsent : Graph::EdgeLabels::kPresent;
  const auto workers = static_cast<std::size_t>(reading_.pool.size());
  std::vector<EdgeNormaliser> normalise(workers);
  std::vector<std::vector<Edge>> scratch(workers);
  out_.graphs.resize(num_graphs());
  constexpr std::size_t kChunk = 256;
  reading_.pool.for_chunks(
      num_graphs(), kChunk, [&](std::size_t begin, std::size_t end, int worker) {
        const auto w = static_cast<std::size_t>(worker);
        for (std::size_t g = begin; g < end; ++g) {
          const auto labels =
              std::span(node_label_).subspan(first_node_[g], first_node_[g + 1] - first_node_[g]);
          if (labels.empty()) continue;  // all of these share one, so that they cost little
          const auto lines = local_lines(g, first_line[g], first_line[g + 1], scratch[w]);
          out_.graphs[g] = Graph(labels, normalise[w](lines), kind);
        }
      });
  EdgeCounts counts;
  for (const EdgeNormaliser& worker : normalise) counts += worker.counts();
  note_edges(counts);
}

void Parser::note_edges(const EdgeCounts& counts) {
  const auto note = [&](std::uint64_t count, const char* noun, const char* what) {
    if (count == 0) return;
    out_.notes.push_back(fmt::format("{}: {} {}", file("A"), counted(count, noun), what));
  };
  note(counts.self_loops, "self loop", "dropped");
  note(counts.duplicates, "line", "dropped that repeat an edge in the same direction");
  note(counts.one_way, "edge", "listed in one direction only, taken as undirected");
  note(counts.two_labels, "edge", "listed with different edge labels, the first is kept");
}

void Parser::note_ignored_files() {
  for (const char* what : {"node_attributes", "edge_attributes", "graph_attributes"}) {
    if (has(what)) out_.notes.push_back(fmt::format("{} is ignored", file(what)));
  }
}

}  // namespace

TuSource::TuSource(const fs::path& path) {
  FoundTuFiles found = open_tu_files(path);
  files_ = std::move(found.files);
  name_ = std::move(found.name);
}

TuSource::~TuSource() = default;

RawDataset TuSource::read(int threads) const {
  ThreadPool pool(threads);
  return Parser(*files_, name_, TuReading{pool}).parse();
}

std::optional<DatasetMetadata> TuSource::read_metadata() const {
  if (!files_->contains(kTuMetadataFile)) return std::nullopt;
  return parse_metadata(files_->read(kTuMetadataFile, kMaxMetadataBytes),
                        files_->display(kTuMetadataFile));
}

std::string TuSource::metadata_file() const { return files_->display(kTuMetadataFile); }

RawDataset read_tu(const fs::path& path, int threads) { return TuSource(path).read(threads); }

RawDataset parse_tu(const std::string& name, const std::map<std::string, std::string>& files,
                    const std::string& origin) {
  ThreadPool pool(1);
  return parse_tu(name, files, origin, TuReading{pool});
}

RawDataset parse_tu(const std::string& name, const std::map<std::string, std::string>& files,
                    const std::string& origin, const TuReading& reading) {
  return Parser(MemoryFiles(files, origin), name, reading).parse();
}

}  // namespace fewedits
