// SPDX-License-Identifier: MIT
#include "fewedits/report/label_style.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fewedits/base/text.hpp"
#include "fewedits/chem/atom_label.hpp"

namespace fewedits {
namespace {

struct Colours {
  std::string_view light;
  std::string_view dark;
};

struct ElementColours {
  std::string_view symbol;
  Colours colours;
};

constexpr Colours kCarbon{"#26282c", "#e6e7ea"};
constexpr Colours kOtherElement{"#7a3e9d", "#c79be6"};
constexpr auto kElements = std::to_array<ElementColours>({
    {"C", kCarbon},
    {"H", {"#7b828c", "#9aa1ab"}},
    {"N", {"#1f5fd0", "#7fb0ff"}},
    {"O", {"#c3271b", "#ff8b7e"}},
    {"S", {"#8a6d00", "#e3c34a"}},
    {"P", {"#b3530b", "#f4a261"}},
    {"F", {"#2b7a4b", "#7fd6a0"}},
    {"Cl", {"#2b7a4b", "#7fd6a0"}},
    {"Br", {"#8f3b1f", "#e39a7d"}},
    {"I", {"#6a2a9c", "#c79be6"}},
    {"Na", {"#6a4fc0", "#b3a2f2"}},
    {"K", {"#6a4fc0", "#b3a2f2"}},
    {"Li", {"#6a4fc0", "#b3a2f2"}},
});

// Okabe & Ito's, darkened for white and lightened for black paper where the contrast needs it.
constexpr auto kPalette = std::to_array<Colours>({
    {"#0072b2", "#56b4e9"},
    {"#b85c00", "#e69f00"},
    {"#00795a", "#2fc79a"},
    {"#a6498a", "#e39bc8"},
    {"#5b5f66", "#b9bec7"},
    {"#7a6a00", "#f0e442"},
    {"#2b6f9e", "#8fd0f5"},
    {"#a33c00", "#f08a4b"},
});

Colours element_colours(std::string_view symbol) {
  for (const ElementColours& known : kElements) {
    if (known.symbol == symbol) return known.colours;
  }
  return kOtherElement;
}

/// Cuts after whole code points.
std::string prefix(const std::string& text, std::size_t characters) {
  std::size_t at = 0;
  while (at < text.size() && characters > 0) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
    --characters;
  }
  return text.substr(0, at);
}

constexpr std::size_t kShort = 3;

/// The shortest beginning that no other name has, or else the number of the label.
std::string short_name(std::span<const std::string> names, std::size_t label) {
  if (prefix(names[label], kShort) == names[label]) return names[label];
  for (std::size_t length = 1; length <= kShort; ++length) {
    std::string begin = prefix(names[label], length);
    const auto same = std::count_if(names.begin(), names.end(), [&](const std::string& other) {
      return prefix(other, length) == begin;
    });
    if (same == 1) return begin;
  }
  return "#" + std::to_string(label);
}

/// An atom as chemists write it, with its charge above.
std::string atom_text(const std::string& name) {
  const auto atom = atom_of(name);
  return atom ? atom->element + superscript(atom->charge) : name;
}

}  // namespace

std::string superscript(int charge) {
  if (charge == 0) return {};
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                        "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  if (std::abs(charge) > 1) {
    for (const char digit : std::to_string(std::abs(charge))) {
      out += kDigits.at(static_cast<std::size_t>(digit - '0'));
    }
  }
  return out + (charge > 0 ? "⁺" : "⁻");
}

std::vector<LabelStyle> label_styles(std::span<const std::string> names, bool molecules) {
  std::vector<LabelStyle> out;
  for (std::size_t label = 0; label < names.size(); ++label) {
    const Colours colours =
        molecules ? element_colours(element_of(names[label])) : kPalette[label % kPalette.size()];
    out.push_back({names[label], molecules ? atom_text(names[label]) : short_name(names, label),
                   std::string(colours.light), std::string(colours.dark)});
  }
  // A name says something, a number that all nodes have does not.
  const bool nameless =
      !molecules && names.size() == 1 && number_in<std::int64_t>(names[0]).has_value();
  if (nameless) out[0].short_name.clear();
  return out;
}

std::vector<int> bond_orders(std::span<const std::string> edge_names) {
  std::vector<int> out;
  for (const std::string& name : edge_names) {
    out.push_back(name == "double" ? 2 : name == "triple" ? 3 : name == "aromatic" ? 4 : 1);
  }
  return out;
}

}  // namespace fewedits
