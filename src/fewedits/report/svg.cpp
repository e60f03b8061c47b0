// SPDX-License-Identifier: MIT
#include "fewedits/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "fewedits/base/xml_text.hpp"
#include "fewedits/chem/graph_view.hpp"
#include "fewedits/report/bond_charges.hpp"
#include "fewedits/report/ring_middles.hpp"

namespace fewedits {
namespace {

constexpr double kEdge = 30;
constexpr double kMargin = 28;
constexpr double kCaption = 26;
constexpr double kGap = 24;
constexpr double kNote = 20;
/// What people have on a screen, and what is left of a page beside margins.
constexpr double kStripWidth = 1000;
constexpr double kTagRoom = 18;  ///< what a tag needs around it
constexpr double kLetter = 8.2;  ///< of a caption, about
constexpr double kNoteWidth = 200;

/// By edge, the lesser node first.
using Orders = std::map<std::pair<Node, Node>, int>;

constexpr std::string_view kStyle = R"(<style>
text { font: 600 13px "DejaVu Sans", sans-serif; text-anchor: middle; }
.caption { font-weight: 600; font-size: 13px; fill: #26282c; }
.note { font-weight: 400; font-size: 10px; fill: #5d646e; }
.bond { stroke: #26282c; stroke-width: 1.7; stroke-linecap: round; }
.aromatic { stroke-dasharray: 3 3; }
.thick { stroke-width: 3.2; }
.paper { fill: #ffffff; }
.short { fill: #ffffff; font-size: 9.5px; }
.removed .bond, .removed .ring, .removed .badge { stroke: #c0262d; }
.added .bond, .added .ring, .added .badge { stroke: #117a44; }
.relabelled .bond, .relabelled .ring { stroke: #a65f00; }
.removed .bond { stroke-dasharray: 4 3.5; }
.removed .ring { stroke-dasharray: 3.5 2.5; }
line.halo { stroke-width: 11; stroke-opacity: .2; stroke-linecap: round; }
circle.halo { fill-opacity: .2; }
.removed circle.halo { fill: #c0262d; } .removed line.halo { stroke: #c0262d; }
.added circle.halo { fill: #117a44; } .added line.halo { stroke: #117a44; }
.relabelled circle.halo { fill: #a65f00; } .relabelled line.halo { stroke: #a65f00; }
.ring { fill: none; stroke-width: 1.6; }
.badge { fill: none; stroke-width: 2.2; stroke-linecap: round; }
.tag { fill: #a65f00; font-size: 9.5px; stroke: #ffffff; stroke-width: 2.5px; paint-order: stroke; }
</style>
)";

struct Frame {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Around all points, in units of the picture.
Frame frame_of(const std::vector<const Positions*>& pictures) {
  constexpr double kHuge = std::numeric_limits<double>::max();
  double left = kHuge;
  double top = kHuge;
  double right = -kHuge;
  double bottom = -kHuge;
  for (const Positions* at : pictures) {
    for (const Point p : *at) {
      left = std::min(left, kEdge * p.x);
      right = std::max(right, kEdge * p.x);
      top = std::min(top, kEdge * p.y);
      bottom = std::max(bottom, kEdge * p.y);
    }
  }
  if (left > right) return {0, 0, 2 * kMargin, 2 * kMargin};
  return {left - kMargin, top - kMargin, right - left + 2 * kMargin, bottom - top + 2 * kMargin};
}

/// At least so wide, with what is in it in the middle.
void widen(Frame& frame, double width) {
  const double missing = std::max(0.0, width - frame.width);
  frame.x -= missing / 2;
  frame.width += missing;
}

double width_of(const std::string& caption) {
  return kLetter * static_cast<double>(caption.size());
}

std::string_view class_of(Mark mark) {
  switch (mark) {
    case Mark::kRemoved: return "removed";
    case Mark::kAdded: return "added";
    case Mark::kRelabelled: break;
  }
  return "relabelled";
}

std::string document(double width, double height, const std::string& content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.1f} {1:.1f}\">\n{2}<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, kStyle, content);
}

}  // namespace

/// Writes one graph.
class SvgPainter::Canvas {
 public:
  Canvas(const SvgPainter& painter, const Graph& graph, const Positions& at, const Marks& marks,
         std::vector<std::string> tags, Orders orders = {})
      : painter_(painter),
        graph_(graph),
        at_(at),
        marks_(marks),
        tags_(std::move(tags)),
        orders_(std::move(orders)),
        charges_(bond_charges(painter.rules_.get(), graph)) {}

  std::string paint() && {
    paint_edges();
    // Marked nodes last: their halos lie over their neighbours, not under.
    for (const bool marked : {false, true}) {
      for (Node v = 0; v < graph_.num_nodes(); ++v) {
        if (marks_.nodes.contains(v) == marked) paint_node(v);
      }
    }
    return std::move(out_) + badges_;
  }

 private:
  [[nodiscard]] Point place(Node v) const { return {kEdge * at_[v].x, kEdge * at_[v].y}; }

  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void open(const std::string& part, const Mark* mark) {
    if (mark == nullptr) return add("<g data-part=\"{}\">", part);
    add("<g class=\"{}\" data-part=\"{}\">", class_of(*mark), part);
  }

  [[nodiscard]] const Mark* mark_of(const Edge& edge) const {
    const auto found = marks_.edges.find({edge.u, edge.v});
    return found == marks_.edges.end() ? nullptr : &found->second;
  }

  [[nodiscard]] bool has_orders() const { return painter_.molecules_ && graph_.has_edge_labels(); }

  [[nodiscard]] int order_of(const Edge& edge, const Mark* mark) const {
    // Where it cannot be taken for a double bond, a double line is the sign for it.
    if (mark != nullptr && *mark == Mark::kAdded && !has_orders()) return 2;
    const auto carried = orders_.find({edge.u, edge.v});
    if (carried != orders_.end()) return carried->second;
    return graph_.has_edge_labels() ? painter_.bond_order(edge.label) : 1;
  }

  void paint_edges() {
    const std::vector<Edge> edges = graph_.edges();
    std::vector<bool> aromatic(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      aromatic[e] = order_of(edges[e], mark_of(edges[e])) == 4;
    }
    std::vector<std::optional<Point>> middles(edges.size());
    if (painter_.molecules_) middles = ring_middles(graph_, at_, aromatic);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (middles[e]) middles[e] = Point{kEdge * middles[e]->x, kEdge * middles[e]->y};
      paint_edge(edges[e], middles[e]);
    }
  }

  void paint_edge(const Edge& edge, const std::optional<Point>& ring) {
    const Mark* const mark = mark_of(edge);
    const Point a = place(edge.u);
    const Point b = place(edge.v);
    open(fmt::format("edge {}-{}", edge.u, edge.v), mark);
    if (mark != nullptr) paint_line("halo", a, b, 0);
    const bool thick =
        mark != nullptr && *mark == Mark::kAdded && painter_.molecules_ && !has_orders();
    if (thick) {
      paint_line("bond thick", a, b, 0);
    } else {
      paint_bond(a, b, order_of(edge, mark), ring);
    }
    out_ += "</g>\n";
    if (mark != nullptr) add_badge(*mark, {(a.x + b.x) / 2, (a.y + b.y) / 2});
  }

  /// The second line of a bond in a ring lies inside.
  void paint_bond(Point a, Point b, int order, const std::optional<Point>& ring) {
    const bool inside = ring && (order == 2 || order == 4);
    if (order == 1 || order == 3 || inside) paint_line("bond", a, b, 0);
    if (order == 1) return;
    if (inside) {
      constexpr double kInside = 4.6;
      constexpr double kShorter = 0.14;
      const double side =
          (b.x - a.x) * (ring->y - a.y) - (b.y - a.y) * (ring->x - a.x) > 0 ? kInside : -kInside;
      const Point from{a.x + kShorter * (b.x - a.x), a.y + kShorter * (b.y - a.y)};
      const Point to{b.x - kShorter * (b.x - a.x), b.y - kShorter * (b.y - a.y)};
      return paint_line(order == 4 ? "bond aromatic" : "bond", from, to, side);
    }
    const double apart = order == 3 ? 4 : 2.6;
    paint_line("bond", a, b, -apart);
    paint_line(order == 4 ? "bond aromatic" : "bond", a, b, apart);
  }

  void paint_line(std::string_view kind, Point a, Point b, double aside) {
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    const double dx = -aside * (b.y - a.y) / length;
    const double dy = aside * (b.x - a.x) / length;
    add("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", kind,
        a.x + dx, a.y + dy, b.x + dx, b.y + dy);
  }

  void paint_node(Node v) {
    const auto found = marks_.nodes.find(v);
    const Mark* const mark = found == marks_.nodes.end() ? nullptr : &found->second;
    const LabelStyle& style = painter_.styles_.at(graph_.label(v));
    const Point p = place(v);
    const std::string label = style.short_name + superscript(charges_.empty() ? 0 : charges_[v]);
    const double radius =
        !painter_.molecules_ ? (label.empty() ? 7 : 9.5) : (label.size() > 1 ? 10 : 8);
    open(fmt::format("node {}", v), mark);
    if (mark != nullptr) paint_circle("class=\"halo\"", p, radius + 6);
    paint_label(v, style, label, p, radius, mark != nullptr);
    if (mark != nullptr) paint_circle("class=\"ring\"", p, radius + 3.5);
    if (mark != nullptr && *mark == Mark::kAdded) paint_circle("class=\"ring\"", p, radius + 6.5);
    if (mark != nullptr && *mark == Mark::kRelabelled && !tags_.empty()) {
      const double above = p.y - radius - 8;
      const double below = p.y + radius + 15;
      const bool free = room_at(v, {p.x, above}) >= std::min(kTagRoom, room_at(v, {p.x, below}));
      add("<text class=\"tag\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", p.x, free ? above : below,
          xml_text(tags_[v]));
    }
    out_ += "</g>\n";
    if (mark != nullptr) add_badge(*mark, {p.x + radius + 4, p.y - radius - 4});
  }

  /// How far the other nodes, and the middles of all edges, are from a place beside a node.
  [[nodiscard]] double room_at(Node v, Point p) const {
    double room = std::numeric_limits<double>::infinity();
    const auto look = [&](Point q) { room = std::min(room, std::hypot(p.x - q.x, p.y - q.y)); };
    for (Node w = 0; w < graph_.num_nodes(); ++w) {
      if (w != v) look(place(w));
    }
    for (const Edge& edge : graph_.edges()) {
      const Point a = place(edge.u);
      const Point b = place(edge.v);
      look({(a.x + b.x) / 2, (a.y + b.y) / 2});
    }
    return room;
  }

  /// In a structural formula a corner without a letter is carbon.
  void paint_label(Node v, const LabelStyle& style, const std::string& label, Point p,
                   double radius, bool marked) {
    const bool bare = painter_.molecules_ && label == "C" && graph_.degree(v) > 0 && !marked;
    if (bare) return;
    const std::string text = xml_text(label);
    if (painter_.molecules_) {
      paint_circle(marked ? "class=\"paper\" fill-opacity=\".7\"" : "class=\"paper\"", p, radius);
      add("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>", p.x, p.y + 4.6, style.light,
          text);
    } else {
      paint_circle(fmt::format("fill=\"{}\"", style.light), p, radius);
      add("<text class=\"short\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", p.x, p.y + 3.4, text);
    }
  }

  void paint_circle(const std::string& look, Point p, double radius) {
    add("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", look, p.x, p.y, radius);
  }

  /// A cross for what goes, a plus for what comes; over everything else.
  void add_badge(Mark mark, Point p) {
    if (mark == Mark::kRelabelled) return;
    constexpr double kArm = 3.2;
    const std::string path = mark == Mark::kRemoved
                                 ? fmt::format("M{0:.1f} {1:.1f}l{2} {2}m0 -{2}l-{2} {2}",
                                               p.x - kArm, p.y - kArm, 2 * kArm)
                                 : fmt::format("M{:.1f} {:.1f}h{}m-{} -{}v{}", p.x - kArm, p.y,
                                               2 * kArm, kArm, kArm, 2 * kArm);
    badges_ +=
        fmt::format("<g class=\"{}\"><path class=\"badge\" d=\"{}\"/></g>\n", class_of(mark), path);
  }

  const SvgPainter& painter_;
  const Graph& graph_;
  const Positions& at_;
  const Marks& marks_;
  std::vector<std::string> tags_;  ///< by node: what becomes of its label
  Orders orders_;                  ///< of bonds that have none of their own
  std::vector<int> charges_;       ///< by node; empty: none that labels do not tell
  std::string out_;
  std::string badges_;
};

SvgPainter::SvgPainter(const Dataset& dataset) : molecules_(dataset.is_molecular()) {
  const LabelNames names = label_names(dataset);
  styles_ = label_styles(names.nodes, molecules_);
  if (!molecules_) return;
  bonds_ = bond_orders(names.edges);
  bonds_.push_back(4);  // the aromatic one, which explanations know, too
  if (GraphView::knows_bonds(dataset)) rules_ = GraphView(dataset, true).rules();
}

int SvgPainter::bond_order(Label label) const { return label < bonds_.size() ? bonds_[label] : 1; }

std::map<std::pair<Node, Node>, int> SvgPainter::carried_orders(const Graph& start,
                                                                const Graph& target,
                                                                const EditScript& script) const {
  Orders out;
  if (!molecules_ || !start.has_edge_labels() || target.has_edge_labels()) return out;
  for (const Edge& edge : start.edges()) {
    const Node u = script.map[edge.u];
    const Node v = script.map[edge.v];
    if (u == kUnmatched || v == kUnmatched) continue;
    out[{std::min(u, v), std::max(u, v)}] = bond_order(edge.label);
  }
  return out;
}

std::string SvgPainter::graph(const Graph& graph, const Positions& at) const {
  const Frame frame = frame_of({&at});
  const std::string content = Canvas(*this, graph, at, {}, {}).paint();
  return document(frame.width, frame.height,
                  fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", -frame.x,
                              -frame.y, content));
}

std::string SvgPainter::pair(const Side& start, const Side& target,
                             const EditScript& script) const {
  const PairMarks marks = marks_of(script);
  std::vector<std::string> from(start.graph.num_nodes());
  std::vector<std::string> to(target.graph.num_nodes());
  for (Node v = 0; v < start.graph.num_nodes(); ++v) {
    if (script.map[v] == kUnmatched) continue;
    from[v] = styles_.at(start.graph.label(v)).short_name + "→" +
              styles_.at(target.graph.label(script.map[v])).short_name;
    to[script.map[v]] = from[v];
  }
  const Orders orders = carried_orders(start.graph, target.graph, script);
  Frame frame = frame_of({&start.at, &target.at});
  widen(frame, std::max({width_of(start.caption), width_of(target.caption),
                         orders.empty() ? 0 : kNoteWidth}));
  const auto half = [&](const Side& side, const Marks& side_marks, std::vector<std::string> tags,
                        double left, const char* name) {
    const bool right = &side == &target;
    return fmt::format(
        "<text class=\"caption\" x=\"{:.1f}\" y=\"18\">{}</text>\n"
        "<g data-side=\"{}\" transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n",
        left + frame.width / 2, xml_text(side.caption), name, left - frame.x, kCaption - frame.y,
        Canvas(*this, side.graph, side.at, side_marks, std::move(tags), right ? orders : Orders())
            .paint());
  };
  const double height = frame.height + kCaption;
  const std::string note = orders.empty()
                               ? ""
                               : fmt::format(
                                     "<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">Bond orders "
                                     "are those of the input</text>\n",
                                     1.5 * frame.width + kGap, height + 8);
  return document(2 * frame.width + kGap, height + (orders.empty() ? 0 : kNote),
                  half(start, marks.start, std::move(from), 0, "left") +
                      half(target, marks.target, std::move(to), frame.width + kGap, "right") +
                      note);
}

std::string SvgPainter::strip(std::span<const Panel> panels) const {
  std::vector<const Positions*> pictures;
  for (const Panel& panel : panels) pictures.push_back(&panel.at);
  Frame frame = frame_of(pictures);
  for (const Panel& panel : panels) widen(frame, width_of(panel.caption));
  const auto count = static_cast<double>(panels.size());
  const double fitting = std::max(1.0, std::floor((kStripWidth + kGap) / (frame.width + kGap)));
  const double rows = std::ceil(count / fitting);
  const double columns = std::ceil(count / rows);
  std::string content;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto& [shown, at, caption] = panels[i];
    std::vector<std::string> tags(shown.graph.num_nodes());
    for (const auto& [node, label] : shown.becomes) {
      tags[node] =
          styles_.at(shown.graph.label(node)).short_name + "→" + styles_.at(label).short_name;
    }
    const double row = std::floor(static_cast<double>(i) / columns);
    const double left = (static_cast<double>(i) - row * columns) * (frame.width + kGap);
    const double top = row * (frame.height + kCaption);
    content += fmt::format(
        "<text class=\"caption\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n"
        "<g data-panel=\"{}\" transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n",
        left + frame.width / 2, top + 18, xml_text(caption), i + 1, left - frame.x,
        top + kCaption - frame.y,
        Canvas(*this, shown.graph, at, shown.marks, std::move(tags)).paint());
  }
  return document(columns * (frame.width + kGap) - kGap, rows * (frame.height + kCaption), content);
}

}  // namespace fewedits
