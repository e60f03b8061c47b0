// SPDX-License-Identifier: MIT
#include "fewedits/chem/elements.hpp"

#include <algorithm>
#include <cstdlib>

namespace fewedits {
namespace {

// Outer electrons and valences as in RDKit's periodic table (GraphMol/atomic_data.cpp, 2022.09).
// In the order of the atomic numbers.
// clang-format off
constexpr auto kElements = std::to_array<Element>({
    {"H", 1, 1, {1}, 1, false}, {"He", 2, 2, {0}, 1, false}, {"Li", 3, 1, {1}, 1, false},
    {"Be", 4, 2, {2}, 1, false}, {"B", 5, 3, {3}, 1, false}, {"C", 6, 4, {4}, 1, false},
    {"N", 7, 5, {3}, 1, false}, {"O", 8, 6, {2}, 1, false}, {"F", 9, 7, {1}, 1, false},
    {"Ne", 10, 8, {0}, 1, false}, {"Na", 11, 1, {1}, 1, false}, {"Mg", 12, 2, {2}, 1, true},
    {"Al", 13, 3, {3, 6}, 2, false}, {"Si", 14, 4, {4, 6}, 2, false},
    {"P", 15, 5, {3, 5, 7}, 3, false}, {"S", 16, 6, {2, 4, 6}, 3, false},
    {"Cl", 17, 7, {1}, 1, false}, {"Ar", 18, 8, {0}, 1, false}, {"K", 19, 1, {1}, 1, false},
    {"Ca", 20, 2, {2}, 1, true}, {"Sc", 21, 3, {}, 0, true}, {"Ti", 22, 4, {}, 0, true},
    {"V", 23, 5, {}, 0, true}, {"Cr", 24, 6, {}, 0, true}, {"Mn", 25, 7, {}, 0, true},
    {"Fe", 26, 8, {}, 0, true}, {"Co", 27, 9, {}, 0, true}, {"Ni", 28, 10, {}, 0, true},
    {"Cu", 29, 11, {}, 0, true}, {"Zn", 30, 2, {}, 0, true}, {"Ga", 31, 3, {3}, 1, false},
    {"Ge", 32, 4, {4}, 1, false}, {"As", 33, 5, {3, 5, 7}, 3, false},
    {"Se", 34, 6, {2, 4, 6}, 3, false}, {"Br", 35, 7, {1}, 1, false},
    {"Kr", 36, 8, {0}, 1, false}, {"Rb", 37, 1, {1}, 1, false}, {"Sr", 38, 2, {2}, 1, true},
    {"Y", 39, 3, {}, 0, true}, {"Zr", 40, 4, {}, 0, true}, {"Nb", 41, 5, {}, 0, true},
    {"Mo", 42, 6, {}, 0, true}, {"Tc", 43, 7, {}, 0, true}, {"Ru", 44, 8, {}, 0, true},
    {"Rh", 45, 9, {}, 0, true}, {"Pd", 46, 10, {}, 0, true}, {"Ag", 47, 11, {}, 0, true},
    {"Cd", 48, 2, {}, 0, true}, {"In", 49, 3, {3}, 1, false}, {"Sn", 50, 4, {2, 4}, 2, false},
    {"Sb", 51, 5, {3, 5, 7}, 3, false}, {"Te", 52, 6, {2, 4, 6}, 3, false},
    {"I", 53, 7, {1, 3, 5}, 3, false}, {"Xe", 54, 8, {0, 2, 4, 6}, 4, false},
    {"Cs", 55, 1, {1}, 1, false}, {"Ba", 56, 2, {2}, 1, true}, {"La", 57, 3, {}, 0, true},
    {"Ce", 58, 4, {}, 0, true}, {"Pr", 59, 3, {}, 0, true}, {"Nd", 60, 4, {}, 0, true},
    {"Pm", 61, 5, {}, 0, true}, {"Sm", 62, 6, {}, 0, true}, {"Eu", 63, 7, {}, 0, true},
    {"Gd", 64, 8, {}, 0, true}, {"Tb", 65, 9, {}, 0, true}, {"Dy", 66, 10, {}, 0, true},
    {"Ho", 67, 11, {}, 0, true}, {"Er", 68, 12, {}, 0, true}, {"Tm", 69, 13, {}, 0, true},
    {"Yb", 70, 14, {}, 0, true}, {"Lu", 71, 15, {}, 0, true}, {"Hf", 72, 4, {}, 0, true},
    {"Ta", 73, 5, {}, 0, true}, {"W", 74, 6, {}, 0, true}, {"Re", 75, 7, {}, 0, true},
    {"Os", 76, 8, {}, 0, true}, {"Ir", 77, 9, {}, 0, true}, {"Pt", 78, 10, {}, 0, true},
    {"Au", 79, 11, {}, 0, true}, {"Hg", 80, 2, {}, 0, true}, {"Tl", 81, 3, {3}, 1, false},
    {"Pb", 82, 4, {2, 4}, 2, false}, {"Bi", 83, 5, {3, 5, 7}, 3, false},
    {"Po", 84, 6, {2, 4, 6}, 3, false}, {"At", 85, 7, {1, 3, 5}, 3, false},
    {"Rn", 86, 8, {0}, 1, false}, {"Fr", 87, 1, {1}, 1, false}, {"Ra", 88, 2, {2}, 1, true},
    {"Ac", 89, 3, {}, 0, true}, {"Th", 90, 4, {}, 0, true}, {"Pa", 91, 3, {}, 0, true},
    {"U", 92, 4, {}, 0, true}, {"Np", 93, 5, {}, 0, true}, {"Pu", 94, 6, {}, 0, true},
    {"Am", 95, 7, {}, 0, true}, {"Cm", 96, 8, {}, 0, true}, {"Bk", 97, 9, {}, 0, true},
    {"Cf", 98, 10, {}, 0, true}, {"Es", 99, 11, {}, 0, true}, {"Fm", 100, 12, {}, 0, true},
    {"Md", 101, 13, {}, 0, true}, {"No", 102, 14, {}, 0, true}, {"Lr", 103, 15, {}, 0, true},
    {"Rf", 104, 2, {}, 0, true}, {"Db", 105, 2, {}, 0, true}, {"Sg", 106, 2, {}, 0, true},
    {"Bh", 107, 2, {}, 0, true}, {"Hs", 108, 2, {}, 0, true}, {"Mt", 109, 2, {}, 0, true},
    {"Ds", 110, 2, {}, 0, true}, {"Rg", 111, 2, {}, 0, true}, {"Cn", 112, 2, {}, 0, true},
    {"Nh", 113, 2, {}, 0, true}, {"Fl", 114, 2, {}, 0, true}, {"Mc", 115, 2, {}, 0, true},
    {"Lv", 116, 2, {}, 0, true}, {"Ts", 117, 2, {}, 0, true}, {"Og", 118, 2, {}, 0, true},
});
// clang-format on

/// Metals have fewer bonds for every positive charge, others more.
bool is_early(const Element& element) { return element.outer < 4; }

/// What a charge adds to the valences.
int shift(const Element& element, int charge) {
  constexpr int kCarbon = 6;
  if (element.number == kCarbon) return -std::abs(charge);
  return is_early(element) ? -charge : charge;
}

}  // namespace

const Element* find_element(std::string_view symbol) {
  const auto found = std::find_if(kElements.begin(), kElements.end(),
                                  [&](const Element& e) { return e.symbol == symbol; });
  return found == kElements.end() ? nullptr : &*found;
}

const Element* find_element(int number) {
  const auto count = static_cast<int>(kElements.size());
  return number < 1 || number > count ? nullptr : &kElements[static_cast<std::size_t>(number) - 1];
}

std::optional<int> unpaired_electrons(const Element& element, int charge, int bond_sum) {
  const auto valences = element.valences();
  if (valences.empty()) return 0;  // Metals: nobody knows, as in RDKit.
  const int most = valences.back() + shift(element, charge);
  if (!element.unlimited && bond_sum > most) return std::nullopt;
  const int shell = element.number <= 2 ? 2 : 8;
  int unpaired = shell - element.outer - bond_sum + charge;
  if (unpaired < 0) {
    unpaired = 0;
    for (const int valence : valences) {
      if (valence + charge < bond_sum) continue;
      unpaired = valence + charge - bond_sum;
      break;
    }
  }
  const int early = element.outer - bond_sum - charge;
  return early >= 0 ? std::min(unpaired, early) : unpaired;
}

std::optional<int> implied_hydrogens(const Element& element, int charge, int bond_sum) {
  const auto valences = element.valences();
  if (valences.empty()) return 0;
  for (const int valence : valences) {
    const int sum = valence + shift(element, charge);
    if (bond_sum <= sum) return sum - bond_sum;
  }
  if (element.unlimited) return 0;
  return std::nullopt;
}

}  // namespace fewedits
