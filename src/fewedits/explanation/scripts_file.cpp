// SPDX-License-Identifier: MIT
#include "fewedits/explanation/scripts_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/input_file.hpp"
#include "fewedits/base/sha256.hpp"
#include "fewedits/explanation/script_json.hpp"

namespace fewedits {
namespace {

constexpr std::string_view kMagic = "fewedits.scripts";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kKinds = 6;
/// Reading takes up to forty times as much.
constexpr std::uint64_t kMaxScriptsBytes = std::uint64_t{1} << 30;
constexpr const char* kRemedy = "it lies beside the explanation and belongs to it: copy both";

// ---- Writing

/// Seven bits a byte, the lowest first; the eighth says that more follow.
void put(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_map(std::span<const Node> map, std::string& out) {
  put(map.size(), out);
  for (const Node to : map) put(to == kUnmatched ? 0 : std::uint64_t{to} + 1, out);
}

void put_script(const EditScript& script, std::string& out) {
  put(script.ops.size(), out);
  for (const EditOp& op : script.ops) {
    put(static_cast<std::uint64_t>(op.kind), out);
    put(op.u, out);
    if (!names_one_node(op.kind)) put(op.v, out);
    if (has_label(op.kind)) put(op.label, out);
  }
  put_map(script.map, out);
}

// ---- Reading

/// A file from front to end, hashed on the way.
class Source {
 public:
  Source(const std::filesystem::path& file, const ScriptsFile& meant)
      : name_(file.string()), meant_(meant), in_(file, kMaxScriptsBytes) {
    if (in_.size() != meant_.bytes) {
      fail(fmt::format("is not the file that the explanation means: it has {} bytes, not {}",
                       in_.size(), meant_.bytes));
    }
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error({name_}, what, kRemedy); }
  [[noreturn]] void damaged(const std::string& what) const {
    fail(fmt::format("{} (byte {})", what, position_));
  }

  std::uint8_t byte() {
    if (at_ == buffer_.size()) refill();
    ++position_;
    return static_cast<std::uint8_t>(buffer_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift == 63 && next > 1) damaged("has a number of more than 64 bits");
      value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80U) == 0) return value;
    }
  }
  std::uint64_t number(std::uint64_t most, const char* what) {
    const std::uint64_t value = number();
    if (value > most) damaged(fmt::format("has {} {}, where {} is the most", what, value, most));
    return value;
  }
  double real() {
    std::uint64_t bits = 0;
    for (unsigned b = 0; b < 8; ++b) bits |= std::uint64_t{byte()} << (8 * b);
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value) || value < 0) damaged("has a distance that is none");
    return value;
  }
  void end() {
    if (position_ != meant_.bytes) damaged("goes on after its end");
    if (hash_.hex() != meant_.hash) fail("is not the file that the explanation means: its hash");
  }

 private:
  void refill() {
    constexpr std::size_t kBuffer = std::size_t{1} << 20;
    buffer_.resize(kBuffer);
    buffer_.resize(in_.read(position_, buffer_));
    at_ = 0;
    if (buffer_.empty()) damaged("ends too early");
    hash_.update(buffer_);
  }

  std::string name_;
  const ScriptsFile& meant_;
  InputFile in_;
  Sha256 hash_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::uint64_t position_ = 0;
};

class ScriptsReader {
 public:
  ScriptsReader(Source& in, Explanation& e) : in_(in), e_(e) {}

  void read() {
    for (const char c : kMagic) {
      if (in_.byte() != static_cast<std::uint8_t>(c)) in_.fail("is no file of scripts");
    }
    if (const auto version = in_.number(); version != kVersion) {
      in_.fail(fmt::format("has version {}, this program knows {}", version, kVersion));
    }
    if (in_.number() != e_.inputs.size() || in_.number() != e_.counterfactuals.size()) {
      in_.fail("is of another explanation");
    }
    e_.recourse.resize(e_.inputs.size());
    for (std::size_t i = 0; i < e_.inputs.size(); ++i) read_input(i);
    in_.end();
    check_covers();
  }

 private:
  void read_input(std::size_t i) {
    Recourse& r = e_.recourse[i];
    r.input = e_.inputs[i];
    r.counterfactual = counterfactual();
    r.distance = in_.real();
    r.covered = r.distance <= e_.theta;
    r.proof.emplace();
    r.proof->edits = count("edits");
    r.proof->lower = count("a lower bound of");
    r.proof->open = in_.number(1, "a flag of") != 0;
    const std::uint64_t proofs = in_.number(e_.counterfactuals.size(), "proofs, as many as");
    std::int64_t before = -1;
    for (std::uint64_t p = 0; p < proofs; ++p) {
      const std::uint32_t c = counterfactual();
      if (c <= before) in_.damaged("has proofs that do not ascend");
      before = c;
      const std::int64_t edits = count("edits");
      e_.counterfactuals[c].proofs.push_back({r.input, edits, map(c)});
    }
    if (r.covered) r.proof->script = script(r.counterfactual);
  }

  std::uint32_t counterfactual() {
    if (e_.counterfactuals.empty()) in_.damaged("names a counterfactual, of which there are none");
    return static_cast<std::uint32_t>(in_.number(e_.counterfactuals.size() - 1, "counterfactual"));
  }
  std::int64_t count(const char* what) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(in_.number(kMost, what));
  }
  Node node() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
    return static_cast<Node>(in_.number(kMost, "node"));
  }

  /// No two nodes to the same.
  NodeMap map(std::uint32_t c) {
    const Node nodes = e_.counterfactuals[c].graph.num_nodes();
    NodeMap out;
    if (taken_.size() < nodes) taken_.resize(nodes, false);
    for (std::uint64_t left = in_.number(); left > 0; --left) {
      const auto to = in_.number(nodes, "image");
      if (to == 0) {
        out.push_back(kUnmatched);
        continue;
      }
      if (taken_[to - 1]) in_.damaged(fmt::format("has a map with node {} twice", to - 1));
      taken_[to - 1] = true;
      out.push_back(static_cast<Node>(to - 1));
    }
    // Not all of it: maps may be short, and there are many.
    for (const Node to : out) {
      if (to != kUnmatched) taken_[to] = false;
    }
    return out;
  }

  EditScript script(std::uint32_t c) {
    EditScript out;
    for (std::uint64_t left = in_.number(); left > 0; --left) {
      EditOp op;
      op.kind = static_cast<EditOp::Kind>(in_.number(kKinds - 1, "edit of kind"));
      const bool one_node = names_one_node(op.kind);
      op.u = node();
      if (!one_node) op.v = node();
      if (has_label(op.kind)) op.label = label(one_node);
      out.ops.push_back(op);
    }
    out.map = map(c);
    return out;
  }

  Label label(bool of_node) {
    const std::size_t labels =
        of_node ? e_.label_names.size() : std::max<std::size_t>(1, e_.edge_label_names.size());
    if (labels == 0) in_.damaged("has a label, of which there are none");
    return static_cast<Label>(in_.number(labels - 1, "label"));
  }

  void check_covers() const {
    for (const Counterfactual& c : e_.counterfactuals) {
      const auto is_proven = [&](std::uint32_t graph) {
        const auto it = std::lower_bound(
            c.proofs.begin(), c.proofs.end(), graph,
            [](const ProvenPair& proof, std::uint32_t g) { return proof.input < g; });
        return it != c.proofs.end() && it->input == graph;
      };
      const auto lacking = std::find_if_not(c.covers.begin(), c.covers.end(), is_proven);
      if (lacking == c.covers.end()) continue;
      in_.fail(fmt::format("has no proof for graph {}, which is covered", *lacking));
    }
  }

  Source& in_;
  Explanation& e_;
  std::vector<bool> taken_;  ///< none, between maps
};

}  // namespace

std::uint64_t num_script_numbers(const Explanation& e) {
  std::uint64_t out = 0;
  for (const Counterfactual& c : e.counterfactuals) {
    for (const ProvenPair& proof : c.proofs) out += 2 + proof.map.size();
  }
  for (const Recourse& r : e.recourse) {
    if (!r.proof || !r.proof->script) continue;
    out += r.proof->script->ops.size() * 4 + r.proof->script->map.size();
  }
  return out;
}

std::string scripts_bytes(const Explanation& e) {
  std::string out(kMagic);
  put(kVersion, out);
  put(e.inputs.size(), out);
  put(e.counterfactuals.size(), out);
  std::vector<std::size_t> next(e.counterfactuals.size(), 0);
  for (const Recourse& r : e.recourse) {
    assert(r.proof);
    put(r.counterfactual, out);
    const auto bits = std::bit_cast<std::uint64_t>(r.distance);
    for (unsigned b = 0; b < 8; ++b) out += static_cast<char>(bits >> (8 * b));
    put(static_cast<std::uint64_t>(r.proof->edits), out);
    put(static_cast<std::uint64_t>(r.proof->lower), out);
    put(r.proof->open ? 1 : 0, out);
    std::vector<std::pair<std::size_t, const ProvenPair*>> proofs;
    for (std::size_t c = 0; c < next.size(); ++c) {
      const auto& list = e.counterfactuals[c].proofs;
      if (next[c] == list.size() || list[next[c]].input != r.input) continue;
      proofs.emplace_back(c, &list[next[c]++]);
    }
    put(proofs.size(), out);
    for (const auto& [c, proof] : proofs) {
      put(c, out);
      put(static_cast<std::uint64_t>(proof->edits), out);
      put_map(proof->map, out);
    }
    if (r.proof->script) put_script(*r.proof->script, out);
  }
  return out;
}

void read_scripts(const std::filesystem::path& file, const ScriptsFile& meant, Explanation& e) {
  Source in(file, meant);
  ScriptsReader(in, e).read();
}

}  // namespace fewedits
