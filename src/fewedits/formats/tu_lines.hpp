// SPDX-License-Identifier: MIT
// The rows of a file of integer lines, parsed by several threads from a window of its text at a
// time: no file is held whole. What comes out, rows and errors, is as if one thread read one line
// after the other. Internal to the TU reader.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/base/parallel.hpp"
#include "fewedits/formats/tu_scanner.hpp"

namespace fewedits {

/// A text that is read from any place on.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;
  /// About how long it is.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Reads until `to` is full or the text ends; returns how many bytes that were.
  [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<char> to) const = 0;
};

/// Who reads, and how much one thread takes at a time.
struct TuReading {
  ThreadPool& pool;
  std::size_t piece_bytes = std::size_t{1} << 19;
};

/// Whole lines of a text, window by window.
class LineWindows {
 public:
  LineWindows(const TextSource& text, std::string file, std::size_t bytes)
      : text_(text),
        file_(std::move(file)),
        // A short text is one window, and no larger than that.
        bytes_(std::min<std::size_t>(bytes, text.size() + kAtLeast)) {}

  /// The next lines, the last of which ends unless the text does; empty: there are no more. Valid
  /// until the next call.
  std::string_view next() {
    window_.erase(0, given_);
    given_ = 0;
    while (given_ == 0 && !ended_) {
      const std::size_t before = window_.size();
      window_.resize(before + bytes_);
      const std::size_t got = text_.read(offset_, std::span(window_).subspan(before));
      offset_ += got;
      if (offset_ > kMaxFileBytes) {
        throw Error({file_}, fmt::format("is larger than the limit of {} bytes", kMaxFileBytes));
      }
      window_.resize(before + got);
      ended_ = got < bytes_;
      const std::size_t last = window_.rfind('\n');
      given_ = ended_ ? window_.size() : last == std::string::npos ? 0 : last + 1;
    }
    return std::string_view(window_).substr(0, given_);
  }

 private:
  static constexpr std::size_t kAtLeast = 4096;

  const TextSource& text_;
  std::string file_;
  std::size_t bytes_;
  std::string window_;
  std::size_t given_ = 0;  ///< of the window, which were handed out
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

/// The text in pieces of whole lines.
inline std::vector<std::string_view> pieces_of(std::string_view text, std::size_t bytes) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n', std::min(bytes, text.size()) - 1);
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

/// Reads all rows of a file. `row(lines)` makes one of the line at which `lines` is, by any thread;
/// `take(rows)` gets them piece by piece, in the order of the file. `look(lines)` sees the first
/// line before all that.
template <typename Row>
class RowReader {
 public:
  RowReader(const TextSource& text, std::string file, const TuReading& reading)
      : file_(file), reading_(reading), windows_(text, std::move(file), window_bytes(reading)) {}

  template <typename Look, typename MakeRow, typename Take>
  std::size_t read(Look look, MakeRow row, Take take) {
    for (auto text = windows_.next(); !text.empty(); text = windows_.next()) {
      if (first_blank_ > 0 && text.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        throw Error(Location{file_, first_blank_}, "is blank", "remove it");
      }
      if (rows_ == 0) {
        IntegerLines lines = lines_of(text, 0);
        if (lines.next_line()) look(lines);
      }
      read_window(text, row);
      for (Piece& piece : pieces_) {
        rows_ += piece.rows.size();
        take(piece.rows);
        // Blank lines are at the end only: all before them are rows.
        if (piece.is_blank_at_end && first_blank_ == 0) {
          first_blank_ = static_cast<std::int64_t>(rows_) + 1;
        }
      }
    }
    return rows_;
  }

 private:
  struct Piece {
    std::vector<Row> rows;
    bool is_blank_at_end = false;
  };

  static std::size_t window_bytes(const TuReading& reading) {
    return 2 * reading.piece_bytes * static_cast<std::size_t>(reading.pool.size());
  }
  /// A byte-order mark is one at the beginning of the file only.
  [[nodiscard]] IntegerLines lines_of(std::string_view piece, std::size_t lines_before) const {
    return {piece, file_, static_cast<std::int64_t>(lines_before)};
  }

  template <typename MakeRow>
  void read_piece(std::string_view text, std::size_t lines_before, MakeRow& row, Piece& out) const {
    IntegerLines lines = lines_of(text, lines_before);
    out.rows.clear();
    while (lines.next_line()) out.rows.push_back(row(lines));
    out.is_blank_at_end = lines.ends_blank();
  }

  template <typename MakeRow>
  void read_window(std::string_view text, MakeRow& row) {
    const auto texts = pieces_of(text, reading_.piece_bytes);
    pieces_.resize(texts.size());
    bool fine = true;
    try {
      reading_.pool.for_chunks(texts.size(), 1, [&](std::size_t i, std::size_t /*end*/, int) {
        // Only the first piece can tell how many lines there are before it.
        read_piece(texts[i], rows_ + (i > 0 ? 1 : 0), row, pieces_[i]);
      });
    } catch (const Error&) {
      fine = false;
    }
    bool blank = false;
    for (const Piece& piece : pieces_) {
      fine = fine && !(blank && !piece.rows.empty());
      blank = blank || piece.is_blank_at_end;
    }
    if (fine) return;
    // Something is off. One line after the other it is said where.
    pieces_.resize(1);
    read_piece(text, rows_, row, pieces_[0]);
  }

  std::string file_;
  const TuReading& reading_;
  LineWindows windows_;
  std::size_t rows_ = 0;
  std::int64_t first_blank_ = 0;  ///< line of the first blank one at the end
  std::vector<Piece> pieces_;
};

}  // namespace fewedits
