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
#include "fewedits/base/text.hpp"
#include "fewedits/formats/metadata.hpp"
#include "fewedits/formats/tu_normalise.hpp"
#include "fewedits/formats/tu_scanner.hpp"
#include "fewedits/formats/zip_archive.hpp"

namespace fewedits {

/// Where the files come from.
class TuFiles {
 public:
  TuFiles() = default;
  TuFiles(const TuFiles&) = delete;
  TuFiles& operator=(const TuFiles&) = delete;
  virtual ~TuFiles() = default;

  [[nodiscard]] virtual bool contains(const std::string& file) const = 0;
  [[nodiscard]] virtual std::string read(const std::string& file, std::uint64_t limit) const = 0;
  /// The folder or archive, for messages.
  [[nodiscard]] virtual std::string origin() const = 0;
  [[nodiscard]] std::string display(const std::string& file) const { return origin() + "/" + file; }
};

namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadataFile = "fewedits.json";
constexpr const char* kRawFolder = "raw";  // where PyTorch Geometric keeps what it downloaded
// Deflate can shrink text a thousandfold; real datasets shrink less than fiftyfold. All members
// read from an archive together may inflate to this multiple of its size, and some more.
constexpr std::uint64_t kMaxInflation = 100;
constexpr std::uint64_t kInflationAllowance = std::uint64_t{16} << 20;
// A line has at least two bytes: line numbers, hence node ids and label indices, fit 32 bits.
static_assert(kMaxFileBytes / 2 < std::numeric_limits<std::uint32_t>::max());

// ---------------------------------------------------------------------------------------
// Where the files come from.

class FolderFiles : public TuFiles {
 public:
  explicit FolderFiles(fs::path folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool contains(const std::string& file) const override {
    std::error_code ignored;
    return fs::is_regular_file(folder_ / file, ignored);
  }
  [[nodiscard]] std::string read(const std::string& file, std::uint64_t limit) const override {
    return read_file(folder_ / file, limit);
  }
  [[nodiscard]] std::string origin() const override { return folder_.string(); }

 private:
  fs::path folder_;
};

class ZipFiles : public TuFiles {
 public:
  /// `folder` is where in the archive the files lie: empty, or ending in a slash.
  ZipFiles(ZipArchive archive, std::string folder, std::string file)
      : archive_(std::move(archive)),
        folder_(std::move(folder)),
        file_(std::move(file)),
        left_(archive_.packed_size() * kMaxInflation + kInflationAllowance) {}

  [[nodiscard]] bool contains(const std::string& file) const override {
    return archive_.contains(folder_ + file);
  }
  [[nodiscard]] std::string read(const std::string& file, std::uint64_t limit) const override {
    std::string bytes = archive_.read(folder_ + file, std::min(limit, left_));
    left_ -= bytes.size();
    return bytes;
  }
  [[nodiscard]] std::string origin() const override {
    return folder_.empty() ? file_ : file_ + "/" + folder_.substr(0, folder_.size() - 1);
  }

 private:
  ZipArchive archive_;
  std::string folder_;
  std::string file_;
  mutable std::uint64_t left_;  ///< bytes that may still be inflated
};

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

/// Where among the files of a folder or archive a dataset lies, and its name.
struct Place {
  std::string folder;  ///< empty, or ending in a slash
  std::string name;
  [[nodiscard]] std::string file() const { return folder + name + "_A.txt"; }
};

std::vector<Place> find_places(const std::vector<std::string>& files) {
  constexpr std::string_view kSuffix = "_A.txt";
  std::vector<Place> places;
  for (const std::string& file : files) {
    const std::size_t slash = file.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    std::string base = file.substr(start);
    // Hidden files are leftovers such as the Mac's "._NAME_A.txt".
    if (!base.ends_with(kSuffix) || base.size() == kSuffix.size() || base[0] == '.') continue;
    base.resize(base.size() - kSuffix.size());
    places.push_back({file.substr(0, start), std::move(base)});
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.file() < b.file(); });
  return places;
}

/// The only dataset, else the only one of the preferred name (that of the folder or archive).
Place choose_place(const std::vector<Place>& places, const std::string& preferred,
                   const std::string& origin) {
  if (places.empty()) {
    throw Error(Location{origin, 0}, "no file named NAME_A.txt lies here",
                "a TU dataset is a folder or a .zip file with NAME_A.txt, "
                "NAME_graph_indicator.txt and NAME_graph_labels.txt");
  }
  if (places.size() == 1) return places.front();
  std::vector<Place> matching;
  std::vector<std::string> found;
  for (const Place& place : places) {
    if (ascii_lower(place.name) == ascii_lower(preferred)) matching.push_back(place);
    found.push_back(in_quotes(place.file()));
  }
  if (matching.size() == 1) return matching.front();
  throw Error(Location{origin, 0},
              fmt::format("several datasets lie here: {}", fmt::join(found, ", ")),
              "give each dataset a folder of its own");
}

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(Location{folder.string(), 0}, "cannot list the folder: " + error.code().message());
  }
  return names;
}

// "data/AIDS/" and "." have an empty last component.
std::string folder_name(const fs::path& folder) {
  const fs::path full = fs::absolute(folder).lexically_normal();
  return (full.has_filename() ? full : full.parent_path()).filename().string();
}

struct Found {
  std::unique_ptr<const TuFiles> files;
  std::string name;
};

Found open_zip(const fs::path& path) {
  std::string bytes = read_file(path);
  if (!ZipArchive::looks_like_zip(bytes)) {
    throw Error(Location{path.string(), 0},
                bytes.empty() ? "the file is empty" : "is neither a folder nor a zip file",
                "give the folder that holds NAME_A.txt, or that folder as a .zip file");
  }
  ZipArchive archive(std::move(bytes), path.string());
  Place place = choose_place(find_places(archive.names()), path.stem().string(), path.string());
  auto files = std::make_unique<ZipFiles>(std::move(archive), place.folder, path.string());
  return {std::move(files), std::move(place.name)};
}

Found open_folder(const fs::path& path) {
  Place place = choose_place(find_places(file_names(path)), folder_name(path), path.string());
  // "data/AIDS/" without the slash, which would show up doubled in messages.
  return {std::make_unique<FolderFiles>(path.has_filename() ? path : path.parent_path()),
          std::move(place.name)};
}

Found open_tu(const fs::path& path) {
  refuse_nul(path);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) {
    // One step down and no further: what is called raw may be a link that leads back.
    const bool inside =
        find_places(file_names(path)).empty() && fs::is_directory(path / kRawFolder, ignored);
    return open_folder(inside ? path / kRawFolder : path);
  }
  if (fs::is_regular_file(status)) return open_zip(path);
  throw Error(Location{path.string(), 0},
              fs::exists(status) ? "is neither a folder nor a zip file" : "does not exist",
              "give the folder or the .zip file of a TU dataset");
}

// ---------------------------------------------------------------------------------------
// From lines to graphs.

class Parser {
 public:
  Parser(const TuFiles& source, const std::string& name) : source_(source), name_(name) {
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

  /// Calls row(lines) on every line of a file, at its first column. Returns how many there were.
  template <typename Row>
  std::size_t for_lines(const char* what, Row row) const {
    const std::string text = source_.read(file(what), kMaxFileBytes);
    IntegerLines lines(text, source_.display(file(what)));
    std::size_t count = 0;
    for (; lines.next_line(); ++count) row(lines);
    if (count == 0) {
      throw Error(Location{lines.file(), 0}, "is empty",
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
  void build_graphs();
  void note_edges(const EdgeCounts& counts);
  void note_ignored_files();

  const TuFiles& source_;
  const std::string& name_;
  RawDataset out_;
  std::vector<std::uint32_t> graph_of_;  ///< by node, from 0
  std::vector<Node> local_;              ///< a node's id inside its graph
  std::vector<std::size_t> first_node_;  ///< by graph: where its nodes start; one more at the end
  std::vector<Label> node_label_;        ///< by node
  std::vector<std::pair<Node, Node>> lines_;  ///< of the adjacency file, ids from 0
  std::vector<Label> line_label_;             ///< empty without edge labels
};

void Parser::read_graph_labels() {
  for_lines("graph_labels", [&](IntegerLines& lines) {
    out_.graph_labels.push_back(lines.integer(1));
    lines.expect_line_end(1);
  });
}

void Parser::read_graph_indicator() {
  const auto graphs = static_cast<std::int64_t>(num_graphs());
  first_node_.assign(num_graphs() + 1, 0);
  for_lines("graph_indicator", [&](IntegerLines& lines) {
    const std::int64_t graph = lines.integer(1);
    lines.expect_line_end(1);
    if (graph < 1 || graph > graphs) {
      throw Error(lines.here(), fmt::format("graph id {} is out of range 1…{}", graph, graphs),
                  fmt::format("ids count from 1 and {} has {}", file("graph_labels"),
                              counted(num_graphs(), "line")));
    }
    graph_of_.push_back(static_cast<std::uint32_t>(graph - 1));
    // Counts for now, one place further on; the sum below makes them offsets.
    local_.push_back(static_cast<Node>(first_node_[static_cast<std::size_t>(graph)]++));
  });
  std::partial_sum(first_node_.begin(), first_node_.end(), first_node_.begin());
}

LabelColumn Parser::read_labels(const char* what, std::size_t expected,
                                const std::string& one_per) {
  LabelCollector collector;
  std::int64_t columns = 0;
  const std::size_t found = for_lines(what, [&](IntegerLines& lines) {
    // The first line says how many columns there are; the others must agree.
    collector.add(lines.integer(std::max<std::int64_t>(columns, 1)));
    std::int64_t column = 1;
    for (; columns == 0 ? !lines.at_line_end() : column < columns; ++column) {
      lines.integer(columns);
    }
    columns = column;
    lines.expect_line_end(columns);
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
  for_lines("A", [&](IntegerLines& lines) {
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
    lines_.emplace_back(u, v);
  });
}

void Parser::read_edge_labels() {
  if (!has("edge_labels")) return;
  LabelColumn column = read_labels("edge_labels", lines_.size(), "one per line of " + file("A"));
  line_label_ = std::move(column.indices);
  out_.edge_labels = std::move(column.table);
}

void Parser::build_graphs() {
  const auto labels = grouped<Label>(
      first_node_, graph_of_.size(), [&](std::size_t v) { return graph_of_[v]; },
      [&](std::size_t v) { return node_label_[v]; });

  std::vector<std::size_t> first_line(num_graphs() + 1, 0);
  for (const auto& [u, v] : lines_) ++first_line[graph_of_[u] + 1];
  std::partial_sum(first_line.begin(), first_line.end(), first_line.begin());
  const auto lines = grouped<Edge>(
      first_line, lines_.size(), [&](std::size_t i) { return graph_of_[lines_[i].first]; },
      [&](std::size_t i) {
        return Edge{local_[lines_[i].first], local_[lines_[i].second],
                    line_label_.empty() ? 0 : line_label_[i]};
      });
  const auto kind = line_label_.empty() ? Graph::EdgeLabels::kAbsent : Graph::EdgeLabels::kPresent;
  lines_ = {};
  line_label_ = {};

  EdgeCounts counts;
  EdgeNormaliser normalise(counts);
  out_.graphs.reserve(num_graphs());
  for (std::size_t g = 0; g < num_graphs(); ++g) {
    const auto part = [g](const auto& all, const std::vector<std::size_t>& first) {
      return std::span(all).subspan(first[g], first[g + 1] - first[g]);
    };
    if (first_node_[g] == first_node_[g + 1]) {
      out_.graphs.emplace_back();  // all of these share one, so that a list of them costs little
      continue;
    }
    out_.graphs.emplace_back(part(labels, first_node_), normalise(part(lines, first_line)), kind);
  }
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
  Found found = open_tu(path);
  files_ = std::move(found.files);
  name_ = std::move(found.name);
}

TuSource::~TuSource() = default;

RawDataset TuSource::read() const { return Parser(*files_, name_).parse(); }

std::optional<DatasetMetadata> TuSource::read_metadata() const {
  if (!files_->contains(kMetadataFile)) return std::nullopt;
  return parse_metadata(files_->read(kMetadataFile, kMaxMetadataBytes),
                        files_->display(kMetadataFile));
}

std::string TuSource::metadata_file() const { return files_->display(kMetadataFile); }

std::vector<fs::path> tu_files(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string());
  }
  const std::vector<Place> places = find_places(names);
  if (places.empty() && fs::is_directory(folder / kRawFolder, ignored)) {
    return tu_files(folder / kRawFolder);
  }
  std::vector<fs::path> out{folder / kMetadataFile};
  for (const Place& place : places) {
    for (const char* what : {"node_labels", "edge_labels"}) {
      out.push_back(folder / fmt::format("{}_{}.txt", place.name, what));
    }
    for (const std::string& name : names) {
      if (name.starts_with(place.name + "_")) out.push_back(folder / name);
    }
  }
  return out;
}

RawDataset read_tu(const fs::path& path) { return TuSource(path).read(); }

RawDataset parse_tu(const std::string& name, const std::map<std::string, std::string>& files,
                    const std::string& origin) {
  return Parser(MemoryFiles(files, origin), name).parse();
}

}  // namespace fewedits
