// SPDX-License-Identifier: MIT
#include "fewedits/formats/tu_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/input_file.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/formats/tu_reader.hpp"
#include "fewedits/formats/zip_archive.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;

/// A text that is in memory: what an archive holds is not to be had in pieces.
class TextInMemory : public TextSource {
 public:
  explicit TextInMemory(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::uint64_t size() const override { return text_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> to) const override {
    const std::size_t at = std::min<std::uint64_t>(offset, text_.size());
    return text_.copy(to.data(), to.size(), at);
  }

 private:
  std::string text_;
};

class TextInFile : public TextSource {
 public:
  explicit TextInFile(const fs::path& path) : file_(path, kMaxFileBytes) {}
  [[nodiscard]] std::uint64_t size() const override { return file_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<char> to) const override {
    return file_.read(offset, to);
  }

 private:
  InputFile file_;
};

constexpr const char* kRawFolder = "raw";  // where PyTorch Geometric keeps what it downloaded
// Deflate can shrink text a thousandfold; real datasets shrink less than fiftyfold. All members
// read from an archive together may inflate to this multiple of its size, and some more.
constexpr std::uint64_t kMaxInflation = 100;
constexpr std::uint64_t kInflationAllowance = std::uint64_t{16} << 20;

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
  [[nodiscard]] std::unique_ptr<const TextSource> open(const std::string& file) const override {
    return std::make_unique<TextInFile>(folder_ / file);
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

FoundTuFiles open_zip(const fs::path& path) {
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

FoundTuFiles open_folder(const fs::path& path) {
  Place place = choose_place(find_places(file_names(path)), folder_name(path), path.string());
  // "data/AIDS/" without the slash, which would show up doubled in messages.
  return {std::make_unique<FolderFiles>(path.has_filename() ? path : path.parent_path()),
          std::move(place.name)};
}

}  // namespace

std::unique_ptr<const TextSource> TuFiles::open(const std::string& file) const {
  return std::make_unique<TextInMemory>(read(file, kMaxFileBytes));
}

FoundTuFiles open_tu_files(const fs::path& path) {
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
  std::vector<fs::path> out{folder / kTuMetadataFile};
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

}  // namespace fewedits
