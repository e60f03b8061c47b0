// SPDX-License-Identifier: MIT
#include "fewedits/edit/constraints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/atom_label.hpp"
#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/edit/embedding.hpp"

namespace fewedits {
namespace {

constexpr Node kNotInCore = std::numeric_limits<Node>::max();

bool may_have_degree(Label label, std::size_t degree, const Constraints& c) {
  return c.max_degree.empty() || degree <= c.max_degree[label];
}

bool is_allowed(Label label, const Constraints& c) {
  return c.allowed_labels.empty() || c.allowed_labels[label];
}

bool may_be_adjacent(Label a, Label b, const Constraints& c) {
  return c.allowed_pairs.empty() || c.allowed_pairs[a][b];
}

/// Would node v be all right with that label and its edges as they are?
bool may_have_label(const Graph& graph, Node v, Label label, const Constraints& c) {
  const auto row = graph.neighbours(v);
  return is_allowed(label, c) && may_have_degree(label, row.size(), c) &&
         std::all_of(row.begin(), row.end(),
                     [&](Node w) { return may_be_adjacent(label, graph.label(w), c); });
}

}  // namespace

bool Constraints::trivial() const {
  return min_nodes <= 1 && max_nodes == kUnlimited && max_edges == kUnlimited &&
         max_degree.empty() && allowed_labels.empty() && allowed_pairs.empty() && !core &&
         !molecule && !predicate;
}

bool satisfies(const Graph& graph, const Constraints& c) {
  if (c.connected && !graph.is_connected()) return false;
  const Node n = graph.num_nodes();
  if (n < c.min_nodes || n > c.max_nodes || graph.num_edges() > c.max_edges) return false;
  for (Node v = 0; v < n; ++v) {
    if (!may_have_label(graph, v, graph.label(v), c)) return false;
  }
  if (c.molecule && !c.molecule->is_valid(graph)) return false;
  return !c.core || find_embedding(*c.core, graph).has_value();
}

// ---- Edits --------------------------------------------------------------------------------

EditJudge::EditJudge(const Graph& graph, const Constraints& constraints)
    : graph_(graph), constraints_(constraints) {
  if (!constraints.core) return;
  const auto embedding = find_embedding(*constraints.core, graph);
  if (!embedding) return;
  core_node_.assign(graph.num_nodes(), kNotInCore);
  for (Node p = 0; p < embedding->size(); ++p) core_node_[(*embedding)[p]] = p;
}

bool EditJudge::allows(const Edit& edit) const {
  return respects_limits(edit) && keeps_core(edit) &&
         (!constraints_.predicate || constraints_.predicate(graph_, edit));
}

bool EditJudge::respects_limits(const Edit& edit) const {
  const Constraints& c = constraints_;
  const auto may_grow = [&](Node v) {
    return may_have_degree(graph_.label(v), graph_.degree(v) + 1, c);
  };
  switch (edit.kind) {
    case Edit::Kind::kNone:
    case Edit::Kind::kRemoveEdge:
    case Edit::Kind::kRelabelEdge: return true;
    case Edit::Kind::kRelabel: return may_have_label(graph_, edit.u, edit.label, c);
    case Edit::Kind::kAddLeaf:
      return graph_.num_nodes() < c.max_nodes && graph_.num_edges() < c.max_edges &&
             may_grow(edit.u) && is_allowed(edit.label, c) && may_have_degree(edit.label, 1, c) &&
             may_be_adjacent(graph_.label(edit.u), edit.label, c);
    case Edit::Kind::kRemoveLeaf: return graph_.num_nodes() > c.min_nodes;
    case Edit::Kind::kAddEdge:
      return graph_.num_edges() < c.max_edges && may_grow(edit.u) && may_grow(edit.v) &&
             may_be_adjacent(graph_.label(edit.u), graph_.label(edit.v), c);
  }
  return true;
}

bool EditJudge::keeps_core(const Edit& edit) const {
  if (core_node_.empty() || !touches_core(edit)) return true;
  return find_embedding(*constraints_.core, apply(graph_, edit)).has_value();
}

bool EditJudge::touches_core(const Edit& edit) const {
  switch (edit.kind) {
    case Edit::Kind::kNone:
    case Edit::Kind::kAddLeaf:
    case Edit::Kind::kAddEdge:
    case Edit::Kind::kRelabelEdge: return false;  // labels of its edges are not compared
    case Edit::Kind::kRelabel:
    case Edit::Kind::kRemoveLeaf: return core_node_[edit.u] != kNotInCore;
    case Edit::Kind::kRemoveEdge: {
      const Node p = core_node_[edit.u];
      const Node q = core_node_[edit.v];
      return p != kNotInCore && q != kNotInCore && constraints_.core->has_edge(p, q);
    }
  }
  return false;
}

// ---- Steps --------------------------------------------------------------------------------

namespace {

std::size_t violations_of(const Graph& graph, const Constraints& c) {
  const Node n = graph.num_nodes();
  std::size_t out = n > c.max_nodes ? n - c.max_nodes : 0;
  out += n < c.min_nodes ? c.min_nodes - n : 0;
  out += graph.num_edges() > c.max_edges ? graph.num_edges() - c.max_edges : 0;
  for (Node v = 0; v < n; ++v) out += may_have_label(graph, v, graph.label(v), c) ? 0U : 1U;
  return out;
}

}  // namespace

StepJudge::StepJudge(const Graph& graph, const Constraints& constraints)
    : graph_(graph),
      constraints_(constraints),
      violations_(violations_of(graph, constraints)),
      has_core_(constraints.core && find_embedding(*constraints.core, graph).has_value()) {}

bool StepJudge::allows(std::span<const Edit> step) const {
  Graph after = graph_;
  for (const Edit& edit : step) {
    if (constraints_.predicate && !constraints_.predicate(after, edit)) return false;
    after = apply(after, edit);
  }
  return violations_of(after, constraints_) <= violations_ &&
         (!has_core_ || find_embedding(*constraints_.core, after).has_value());
}

// ---- Text ---------------------------------------------------------------------------------

namespace {

struct Valence {
  std::uint32_t neighbours;
  std::string_view elements;  ///< each between blanks
};

// Neighbours, not bonds: carbon dioxide's carbon has two. Charged atoms count as ordinary (the
// nitrogen of ammonium has four), hypervalent halogens, phosphorus and sulfur beyond phosphate and
// sulfate do not. Metals: bonds drawn in salts, else the usual coordination number.
constexpr Valence kValences[] = {
    {0, " He Ne Ar Kr Xe Rn Og "},
    {1, " H F Cl Br I At Ts Li Na K Rb Cs Fr "},
    {2, " O Be Mg Ca Sr Ba Ra "},
    {4, " B C N Al Si P S Ga Ge As Se In Sn Sb Te Tl Pb Bi Po Nh Fl Mc Lv "},
    {6,
     " Sc Ti V Cr Mn Fe Co Ni Cu Zn Y Zr Nb Mo Tc Ru Rh Pd Ag Cd Hf Ta W Re Os Ir Pt Au Hg Rf Db "
     "Sg "
     "Bh Hs Mt Ds Rg Cn "},
    {9,
     " La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr "}};

constexpr const char* kForms =
    "write molecule, valence, max-degree=N, max-degree=LABEL:N, labels=LABEL,LABEL,…, "
    "pairs=LABEL-LABEL,LABEL-LABEL,…, min-nodes=N, max-nodes=N or max-edges=N";

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

enum class Names { kOfTheDataset, kAny };

/// One constraint's text on its way into the constraints. Several labels may share a name; what is
/// said of the name then holds for all of them.
class ConstraintText {
 public:
  ConstraintText(std::string_view text, const std::vector<std::string>& names,
                 Names known = Names::kOfTheDataset)
      : text_(text), names_(names), known_(known) {}

  void add_to(Constraints& c) const {
    const std::size_t equals = text_.find('=');
    const std::string_view kind = trimmed(text_.substr(0, equals));
    if (equals == std::string_view::npos) {
      if (kind == "valence") return limit_valence(c);
      if (kind != "molecule") fail("is not understood");
      c.molecules_only = true;
      return;
    }
    const std::string_view value = trimmed(text_.substr(equals + 1));
    if (kind == "max-degree") return limit_degree(value, c);
    if (kind == "labels") return limit_labels(value, c);
    if (kind == "pairs") return limit_pairs(value, c);
    if (kind == "min-nodes") return raise(c.min_nodes, number(value));
    if (kind == "max-nodes") return lower(c.max_nodes, number(value));
    if (kind == "max-edges") return lower(c.max_edges, number(value));
    fail("is not understood");
  }

  [[noreturn]] void fail(const std::string& what, const char* remedy = kForms) const {
    throw Error(fmt::format("the constraint {} {}", in_quotes(std::string(text_)), what), remedy);
  }

 private:
  static void raise(std::uint32_t& least, std::uint32_t value) { least = std::max(least, value); }
  static void lower(std::uint32_t& most, std::uint32_t value) { most = std::min(most, value); }

  void limit_valence(Constraints& c) const {
    c.max_degree.resize(names_.size(), Constraints::kUnlimited);
    for (std::size_t l = 0; l < names_.size(); ++l) {
      const auto valence = usual_valence(names_[l]);
      if (!valence) {
        fail(fmt::format("needs labels that are chemical elements; {} is none",
                         in_quotes(names_[l])));
      }
      lower(c.max_degree[l], *valence);
    }
  }

  void limit_degree(std::string_view value, Constraints& c) const {
    const std::size_t colon = value.rfind(':');
    const bool for_all = colon == std::string_view::npos;
    const auto name = for_all ? std::string_view{} : known(trimmed(value.substr(0, colon)));
    const auto limit = number(for_all ? value : trimmed(value.substr(colon + 1)));
    c.max_degree.resize(names_.size(), Constraints::kUnlimited);
    for (std::size_t l = 0; l < names_.size(); ++l) {
      if (for_all || names_[l] == name) lower(c.max_degree[l], limit);
    }
  }

  void limit_labels(std::string_view value, Constraints& c) const {
    const auto listed = split(value, ',');
    for (const auto name : listed) known(name);
    c.allowed_labels.resize(names_.size(), true);
    for (std::size_t l = 0; l < names_.size(); ++l) {
      if (std::find(listed.begin(), listed.end(), names_[l]) == listed.end()) {
        c.allowed_labels[l] = false;
      }
    }
  }

  void limit_pairs(std::string_view value, Constraints& c) const {
    std::vector<std::pair<std::string_view, std::string_view>> listed;
    for (const auto text : split(value, ',')) listed.push_back(pair(text));
    const auto contains = [&](std::size_t a, std::size_t b) {
      return std::find(listed.begin(), listed.end(),
                       std::pair<std::string_view, std::string_view>(names_[a], names_[b])) !=
             listed.end();
    };
    c.allowed_pairs.resize(names_.size(), std::vector<bool>(names_.size(), true));
    for (std::size_t a = 0; a < names_.size(); ++a) {
      for (std::size_t b = 0; b < names_.size(); ++b) {
        if (!contains(a, b) && !contains(b, a)) c.allowed_pairs[a][b] = false;
      }
    }
  }

  [[nodiscard]] std::uint32_t number(std::string_view text) const {
    const auto value = number_in<std::uint32_t>(text);
    if (!value)
      fail(fmt::format("has {} where a whole number belongs", in_quotes(std::string(text))));
    return *value;
  }

  [[nodiscard]] bool is_known(std::string_view name) const {
    if (known_ == Names::kAny) return !name.empty();
    return std::find(names_.begin(), names_.end(), name) != names_.end();
  }

  std::string_view known(std::string_view name) const {
    if (is_known(name)) return name;
    fail(fmt::format("names a label {}; there are {}", in_quotes(std::string(name)),
                     fmt::join(names_, ", ")));
  }

  /// Names may contain hyphens: the hyphen between two names is the one that counts.
  [[nodiscard]] std::pair<std::string_view, std::string_view> pair(std::string_view text) const {
    for (std::size_t at = text.find('-'); at != std::string_view::npos;
         at = text.find('-', at + 1)) {
      const auto first = trimmed(text.substr(0, at));
      const auto second = trimmed(text.substr(at + 1));
      if (is_known(first) && is_known(second)) return {first, second};
    }
    fail(fmt::format("has {} where a pair of labels belongs; there are {}",
                     in_quotes(std::string(text)), fmt::join(names_, ", ")));
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  Names known_;
};

}  // namespace

std::optional<std::uint32_t> usual_valence(std::string_view atom) {
  const std::string_view element = element_of(atom);
  if (element.find(' ') != std::string_view::npos) return std::nullopt;
  const std::string key = fmt::format(" {} ", element);
  for (const auto& [neighbours, elements] : kValences) {
    if (elements.find(key) != std::string_view::npos) return neighbours;
  }
  return std::nullopt;
}

void add_constraint(std::string_view text, const std::vector<std::string>& label_names,
                    Constraints& constraints) {
  const ConstraintText addition(text, label_names);
  Constraints tightened = constraints;
  addition.add_to(tightened);
  const auto& allowed = tightened.allowed_labels;
  if (tightened.min_nodes > tightened.max_nodes ||
      (!allowed.empty() && std::find(allowed.begin(), allowed.end(), true) == allowed.end())) {
    addition.fail("leaves no graph, together with the constraints before it",
                  "relax it or one of those before it");
  }
  constraints = std::move(tightened);
}

void check_constraint(std::string_view text) {
  Constraints scratch;
  ConstraintText(text, {}, Names::kAny).add_to(scratch);
}

}  // namespace fewedits
