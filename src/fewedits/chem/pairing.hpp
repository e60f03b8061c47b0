// SPDX-License-Identifier: MIT
// Pairs of adjacent points, each point in at most one: the double bonds of a Kekulé form. Edmonds'
// blossom search (1965), with union-find for the blossoms: a search takes about as many steps as
// there are lines, so nothing here is slow, whatever the graph.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fewedits {

class Pairing {
 public:
  using Point = std::uint32_t;
  using Line = std::pair<Point, Point>;
  static constexpr Point kNone = ~Point{0};

  /// Nothing is paired. No line twice, no loops.
  Pairing(Point points, std::span<const Line> lines);

  /// Only along a line, and only points that are alone.
  void pair(Point u, Point v);
  [[nodiscard]] Point mate(Point v) const { return mate_[v]; }

  /// Pairs the point `v`, and others anew where that is needed; who has a mate keeps one, though
  /// maybe another. If that is impossible, one of those that may stay alone (a flag per point, or
  /// empty) loses its mate instead. False: not even so.
  bool find_mate(Point v, std::span<const bool> may_be_alone = {});

  /// What somebody knows of a line before it is looked at.
  enum class Known : std::uint8_t { kNothing, kAlternating, kNot };
  /// The lines, as indices, that lie on a cycle in which every other line is a pair: those that are
  /// a pair in one of two pairings of the same points, and not in the other. Afterwards the points
  /// may be paired otherwise. `known`: by line, or empty.
  std::vector<bool> alternating(std::span<const Known> known = {});
  /// Is there such a cycle through this line?
  bool is_alternating(std::size_t line);
  /// Pairs the points so that this line is a pair, or is none; false: it cannot be done.
  bool force(std::size_t line, bool paired);

 private:
  enum class State : std::uint8_t { kUnseen, kOuter, kInner };
  /// Flips the path from the root to a point that is alone, if there is one.
  bool augment(Point root, std::span<const bool> may_be_alone);
  void flip(Point end);
  [[nodiscard]] Point base(Point v);
  [[nodiscard]] Point common_base(Point u, Point v);
  void shrink(Point u, Point v, Point to);
  /// The points that no cycle goes through: those with a single line, their mates, and so on.
  [[nodiscard]] std::vector<bool> peeled() const;
  [[nodiscard]] std::span<const Point> neighbours(Point v) const {
    return std::span(targets_).subspan(offsets_[v], offsets_[v + 1] - offsets_[v]);
  }

  std::vector<Line> lines_;
  std::vector<std::uint32_t> offsets_;
  std::vector<Point> targets_;
  std::vector<Point> mate_;
  std::vector<bool> blocked_;
  Line forbidden_ = {kNone, kNone};
  // Of one search.
  std::vector<State> state_;
  std::vector<Point> previous_;
  std::vector<Point> base_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t stamp_now_ = 0;
  std::vector<Point> queue_;
};

}  // namespace fewedits
