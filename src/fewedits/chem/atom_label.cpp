// SPDX-License-Identifier: MIT
#include "fewedits/chem/atom_label.hpp"

#include <algorithm>
#include <cstdlib>

#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

bool is_symbol(std::string_view text) {
  if (text == "*") return true;  // any atom, in SMILES
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= 3 && text[0] >= 'A' && text[0] <= 'Z' &&
         std::all_of(text.begin() + 1, text.end(), lower);
}

}  // namespace

std::string name_of(const AtomLabel& atom) {
  if (atom.charge == 0) return atom.element;
  const int size = std::abs(atom.charge);
  return atom.element + (atom.charge > 0 ? '+' : '-') + (size > 1 ? std::to_string(size) : "");
}

std::optional<AtomLabel> atom_of(std::string_view name) {
  const auto sign = name.find_first_of("+-");
  AtomLabel atom{std::string(name.substr(0, sign)), 0};
  if (sign != std::string_view::npos) {
    const std::string_view digits = name.substr(sign + 1);
    const auto size = digits.empty() ? std::optional(1) : number_in<int>(digits);
    if (!size || *size < 1 || *size > kMaxCharge) return std::nullopt;
    atom.charge = name[sign] == '+' ? *size : -*size;
  }
  if (!is_symbol(atom.element) || name_of(atom) != name) return std::nullopt;
  return atom;
}

std::string_view element_of(std::string_view name) {
  return atom_of(name) ? name.substr(0, name.find_first_of("+-")) : name;
}

std::int64_t atom_value(int atomic_number, int charge) {
  constexpr std::int64_t kPerCharge = 1'000;
  const std::int64_t size = kPerCharge * std::abs(charge) + atomic_number;
  return charge < 0 ? -size : size;
}

}  // namespace fewedits
