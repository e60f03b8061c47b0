// SPDX-License-Identifier: MIT
#include "fewedits/chem/molecule.hpp"

#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <sstream>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"
#include "fewedits/chem/atom_label.hpp"
#include "fewedits/chem/molecule_rules.hpp"
#include "fewedits/chem/molecule_text.hpp"

namespace fewedits {
namespace {

// RDKit says what is wrong with a SMILES only in its log, which is global and goes to stderr.
// While one of these lives, the log goes into a string instead; afterwards it is as before. The
// mutex keeps our own threads apart. (A host program that itself uses RDKit in another thread at
// that moment may find its message here.)
class QuietRdkit {
 public:
  QuietRdkit() : lock_(mutex()) { swap_logs(); }
  ~QuietRdkit() { swap_logs(); }
  QuietRdkit(const QuietRdkit&) = delete;
  QuietRdkit& operator=(const QuietRdkit&) = delete;

  void clear() { text_.str({}); }

  /// The first line since clear(), without its time of day; empty if there was none.
  [[nodiscard]] std::string message() const {
    std::string line = text_.str();
    line.resize(std::min(line.find('\n'), line.size()));
    if (line.starts_with('[') && line.find("] ") != std::string::npos) {
      line.erase(0, line.find("] ") + 2);
    }
    return line;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  void swap_logs() {
    const std::array<RDLogger*, 4> logs = {&rdErrorLog, &rdWarningLog, &rdInfoLog, &rdDebugLog};
    for (std::size_t i = 0; i < logs.size(); ++i) std::swap(*logs[i], ours_[i]);
  }

  RDLogger make_log() { return std::make_shared<boost::logging::rdLogger>(&text_); }

  std::lock_guard<std::mutex> lock_;
  std::ostringstream text_;
  std::array<RDLogger, 4> ours_ = {make_log(), make_log(), make_log(), make_log()};
};

// ---- molecules to graphs

struct BondType {
  Bond bond;
  RDKit::Bond::BondType type;
};

constexpr auto kBondTypes = std::to_array<BondType>({
    {Bond::kSingle, RDKit::Bond::SINGLE},
    {Bond::kDouble, RDKit::Bond::DOUBLE},
    {Bond::kTriple, RDKit::Bond::TRIPLE},
    {Bond::kAromatic, RDKit::Bond::AROMATIC},
});

std::string described(const MoleculeRecord& record) {
  if (record.form == MoleculeRecord::Form::kSmiles) return "SMILES " + in_quotes(record.text);
  return "molecule " + in_quotes(record.text.substr(0, record.text.find('\n')));
}

[[noreturn]] void throw_unreadable(const Location& where, const MoleculeRecord& record,
                                   const std::string& reason) {
  throw Error(where,
              fmt::format("RDKit cannot read the {}: {}", described(record),
                          reason.empty() ? "no reason given" : in_quotes(reason, 200)),
              "correct the molecule, or take it out of the file");
}

/// Only what the text says: no chemistry, no ring search, in linear time.
std::unique_ptr<RDKit::RWMol> parse(const MoleculeRecord& record) {
  if (record.form == MoleculeRecord::Form::kMolBlock) {
    return std::unique_ptr<RDKit::RWMol>(RDKit::MolBlockToMol(record.text, false, false));
  }
  RDKit::SmilesParserParams params;
  params.allowCXSMILES = false;
  params.parseName = false;
  params.sanitize = false;
  params.removeHs = false;
  return std::unique_ptr<RDKit::RWMol>(RDKit::SmilesToMol(record.text, params));
}

/// RDKit's checks and normal forms, but rings in a Kekulé form: the one that the text writes, or
/// one of RDKit's choice where it writes aromatic bonds. Which bonds are aromatic in our sense is
/// found by others; RDKit's model is not ours.
void sanitise(RDKit::RWMol& mol) {
  unsigned int failed = 0;
  RDKit::MolOps::sanitizeMol(mol, failed,
                             RDKit::MolOps::SANITIZE_ALL ^ RDKit::MolOps::SANITIZE_SETAROMATICITY);
}

// ---- sizes, looked at before RDKit does the work

void check_sizes(const RDKit::ROMol& mol, const Location& where) {
  check_molecule_size(mol.getNumAtoms(), kMaxMoleculeAtoms, "atoms", where);
  check_molecule_size(mol.getNumBonds(), kMaxMoleculeBonds, "bonds", where);
}

void check_hydrogens(const RDKit::ROMol& mol, const Location& where) {
  std::size_t atoms = mol.getNumAtoms();
  for (const RDKit::Atom* atom : mol.atoms()) atoms += atom->getTotalNumHs();
  check_molecule_size(atoms, kMaxAtomsWithHydrogens, "atoms with its hydrogens", where);
}

std::unique_ptr<RDKit::RWMol> parse_or_throw(const MoleculeRecord& record, const Location& where,
                                             QuietRdkit& rdkit) {
  check_molecule_text(record, where);
  std::unique_ptr<RDKit::RWMol> mol;
  rdkit.clear();
  try {
    mol = parse(record);
    if (mol) {
      check_sizes(*mol, where);
      sanitise(*mol);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw_unreadable(where, record, error.what());
  }
  if (!mol) throw_unreadable(where, record, rdkit.message());
  return mol;
}

bool is_plain_hydrogen(const RDKit::Atom* atom) {
  return atom->getAtomicNum() == 1 && atom->getFormalCharge() == 0;
}

/// Hydrogens that their neighbour implies anyway, deuterium and those that say where a bond points
/// among them, since neither isotopes nor stereochemistry are kept.
void remove_hydrogens(RDKit::RWMol& mol) {
  RDKit::MolOps::RemoveHsParameters which;
  which.removeIsotopes = true;
  which.removeDefiningBondStereo = true;
  which.removeHydrides = false;  // their charge would go with them
  which.showWarnings = false;
  RDKit::MolOps::removeHs(mol, which, false);
  mol.updatePropertyCache(false);  // counts the implied ones anew
}

bool has_heavy_atom(const RDKit::ROMol& mol) {
  for (const RDKit::Atom* atom : mol.atoms()) {
    if (!is_plain_hydrogen(atom)) return true;
  }
  return false;
}

// A molecule with values for labels, until the tables are known.
struct RawMolecule {
  std::vector<std::int64_t> atoms;
  std::vector<Edge> bonds;
};

/// What there is to say of the molecules of a file.
struct Remarks {
  std::size_t uncharged = 0;  ///< molecules whose charges were left out
  std::size_t dative = 0;     ///< bonds
  std::size_t hydrogens = 0;  ///< molecules with hydrogens that are not implied
};

Bond bond_of(const RDKit::Bond& bond, const Location& where, Remarks& remarks) {
  for (const BondType& known : kBondTypes) {
    if (known.type == bond.getBondType()) return known.bond;
  }
  if (bond.getBondType() == RDKit::Bond::DATIVE) {
    ++remarks.dative;
    return Bond::kSingle;
  }
  throw Error(where, "the molecule has a bond that is not single, double, triple or aromatic",
              "take the molecule out of the file");
}

/// The atoms that occur, by value.
using Atoms = std::map<std::int64_t, AtomLabel>;

AtomLabel label_of(const RDKit::Atom& atom, const MoleculeOptions& options, const Location& where) {
  AtomLabel label{atom.getSymbol(), options.charges ? atom.getFormalCharge() : 0};
  if (std::abs(label.charge) <= kMaxCharge) return label;
  throw Error(where, fmt::format("an atom has the charge {}", label.charge),
              "correct the molecule, or take it out of the file");
}

RawMolecule to_raw(const RDKit::ROMol& mol, const Location& where, const MoleculeOptions& options,
                   Atoms& atoms, Remarks& remarks) {
  RawMolecule raw;
  bool uncharged = false;
  bool hydrogens = false;
  for (const RDKit::Atom* atom : mol.atoms()) {
    AtomLabel label = label_of(*atom, options, where);
    uncharged = uncharged || label.charge != atom->getFormalCharge();
    hydrogens = hydrogens || is_plain_hydrogen(atom);
    raw.atoms.push_back(atom_value(atom->getAtomicNum(), label.charge));
    atoms.emplace(raw.atoms.back(), std::move(label));
  }
  for (const RDKit::Bond* bond : mol.bonds()) {
    raw.bonds.push_back({bond->getBeginAtomIdx(), bond->getEndAtomIdx(),
                         static_cast<Label>(bond_of(*bond, where, remarks))});
  }
  remarks.uncharged += uncharged ? 1 : 0;
  remarks.hydrogens += hydrogens && !options.explicit_hydrogens ? 1 : 0;
  return raw;
}

void build_graphs(const std::vector<RawMolecule>& molecules, const Atoms& atoms, RawDataset& out) {
  std::map<std::int64_t, Label> atom_index;
  for (const auto& [value, atom] : atoms) {
    atom_index.emplace(value, static_cast<Label>(out.node_labels.size()));
    out.node_labels.push_back({value, name_of(atom)});
  }
  std::array<Label, kBondTypes.size() + 1> bond_index{};
  for (const BondType& known : kBondTypes) {
    const auto value = static_cast<Label>(known.bond);
    const bool occurs = std::ranges::any_of(molecules, [&](const RawMolecule& m) {
      return std::ranges::find(m.bonds, value, &Edge::label) != m.bonds.end();
    });
    if (!occurs) continue;
    bond_index.at(value) = static_cast<Label>(out.edge_labels.size());
    out.edge_labels.push_back({value, std::string(name_of(known.bond))});
  }
  for (const RawMolecule& m : molecules) {
    std::vector<Label> labels;
    for (const std::int64_t atom : m.atoms) labels.push_back(atom_index.at(atom));
    std::vector<Edge> bonds = m.bonds;
    for (Edge& bond : bonds) bond.label = bond_index.at(bond.label);
    out.graphs.emplace_back(labels, bonds, Graph::EdgeLabels::kPresent);
  }
}

void add_notes(const Remarks& remarks, RawDataset& out) {
  if (remarks.uncharged > 0) {
    out.notes.push_back(fmt::format("left out the charges of atoms, which {} have",
                                    counted(remarks.uncharged, "molecule")));
  }
  if (remarks.dative > 0) {
    out.notes.push_back(
        fmt::format("{} became single bonds", counted(remarks.dative, "dative bond")));
  }
  if (remarks.hydrogens > 0) {
    out.notes.push_back(fmt::format(
        "kept hydrogens that no atom implies as atoms in {}; since the dataset so has atoms H, "
        "molecules that are written imply none",
        counted(remarks.hydrogens, "molecule")));
  }
}

// ---- graphs to molecules

RDKit::Bond::BondType bond_type(const std::vector<std::string>& names, Label label) {
  if (label >= names.size()) throw Error(fmt::format("edge label {} has no bond name", label));
  for (const BondType& known : kBondTypes) {
    if (name_of(known.bond) == names[label]) return known.type;
  }
  throw Error(fmt::format("{} is not the name of a bond", in_quotes(names[label])),
              "known bonds are single, double, triple and aromatic");
}

/// A new atom as the name of its label says.
std::unique_ptr<RDKit::Atom> make_atom(const std::vector<std::string>& names, Label label) {
  if (label >= names.size()) throw Error(fmt::format("node label {} has no element name", label));
  const auto named = atom_of(names[label]);
  try {
    auto atom = std::make_unique<RDKit::Atom>(
        RDKit::PeriodicTable::getTable()->getAtomicNumber(named ? named->element : names[label]));
    if (named) atom->setFormalCharge(named->charge);
    return atom;
  } catch (const std::exception&) {
    throw Error(fmt::format("{} is not the symbol of an element", in_quotes(names[label])),
                "name node labels by element symbols in the dataset's metadata");
  }
}

void add_bonds(const Graph& graph, const std::vector<std::string>& names, RDKit::RWMol& mol) {
  for (const Edge& edge : graph.edges()) {
    const auto type = graph.has_edge_labels() ? bond_type(names, edge.label) : RDKit::Bond::SINGLE;
    mol.addBond(edge.u, edge.v, type);
    if (type != RDKit::Bond::AROMATIC) continue;
    mol.getBondBetweenAtoms(edge.u, edge.v)->setIsAromatic(true);
    mol.getAtomWithIdx(edge.u)->setIsAromatic(true);
    mol.getAtomWithIdx(edge.v)->setIsAromatic(true);
  }
}

/// Readers of mol blocks take aromatic bonds for queries, or refuse them.
Graph without_aromatic_bonds(const Graph& graph, const std::vector<std::string>& atom_names,
                             const std::vector<std::string>& bond_names) {
  const auto rules = MoleculeRules::of(atom_names, bond_names);
  if (!rules || !graph.has_edge_labels()) return graph;
  return rules->kekule_form(graph).value_or(graph);
}

/// SMILES has small letters for few elements, and readers expect their usual valence.
bool has_aromatic_letter(const MoleculeRules& rules, const MoleculeSketch& sketch,
                         std::uint32_t a) {
  constexpr std::array<std::string_view, 9> kKnown = {"B", "C",  "N",  "O", "P",
                                                      "S", "As", "Se", "Te"};
  const Element& element = *rules.atom(sketch.atoms[a].label).element;
  const auto usual = implied_hydrogens(element, rules.state(sketch, a).charge, 0);
  return std::ranges::find(kKnown, element.symbol) != kKnown.end() && usual &&
         static_cast<int>(sketch.valence(a)) <= *usual;
}

/// Rings with other atoms are written in a Kekulé form.
Graph writable(const Graph& graph, const std::vector<std::string>& atom_names,
               const std::vector<std::string>& bond_names) {
  const auto rules = MoleculeRules::of(atom_names, bond_names);
  if (!rules || !graph.has_edge_labels()) return graph;
  const auto sketch = rules->sketch(graph);
  if (!sketch) return graph;
  const bool is_plain = std::ranges::all_of(sketch->bonds, [&](const auto& bond) {
    return !bond.aromatic || (has_aromatic_letter(*rules, *sketch, bond.a) &&
                              has_aromatic_letter(*rules, *sketch, bond.b));
  });
  return is_plain ? graph : rules->kekule_form(graph).value_or(graph);
}

/// Where labels do not tell charges, those that the bonds tell: nitro, ammonium. Empty: there are
/// none to find.
std::vector<int> charges_of_bonds(const Graph& graph, const std::vector<std::string>& atom_names,
                                  const std::vector<std::string>& bond_names) {
  if (!graph.has_edge_labels()) return {};
  const auto rules = MoleculeRules::of(atom_names, bond_names);
  if (!rules || rules->charges() != MoleculeRules::Charges::kFromBonds) return {};
  return rules->charges(graph);
}

// Never sanitised: that would refuse impossible valences and rewrite groups such as nitro. In a
// dataset that knows hydrogen every hydrogen is a node, so none may be implied; in one that does
// not, atoms carry the hydrogens that chemistry implies, as in the SMILES they came from.
std::unique_ptr<RDKit::RWMol> to_rdkit(const Graph& graph,
                                       const std::vector<std::string>& atom_names,
                                       const std::vector<std::string>& bond_names) {
  const bool explicit_hydrogens = std::ranges::find(atom_names, "H") != atom_names.end();
  const std::vector<int> charges = charges_of_bonds(graph, atom_names, bond_names);
  auto mol = std::make_unique<RDKit::RWMol>();
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    auto atom = make_atom(atom_names, graph.label(v));
    atom->setNoImplicit(explicit_hydrogens);
    if (!charges.empty()) atom->setFormalCharge(charges[v]);
    mol->addAtom(atom.release(), false, true);
  }
  add_bonds(graph, bond_names, *mol);
  mol->updatePropertyCache(false);
  // Without this an atom that lacks hydrogens would be written "C", which implies them.
  if (explicit_hydrogens) RDKit::MolOps::assignRadicals(*mol);
  return mol;
}

// Where RDKit cannot draw: all atoms on a circle, a bond length apart.
RDKit::Conformer circle(unsigned int atoms) {
  RDKit::Conformer conformer(atoms);
  const double step = 2 * std::numbers::pi / std::max(atoms, 1U);
  const double radius = kBondLength / step;
  for (unsigned int v = 0; v < atoms; ++v) {
    conformer.setAtomPos(v, {radius * std::cos(step * v), radius * std::sin(step * v), 0});
  }
  return conformer;
}

bool is_finite(const RDKit::Conformer& conformer) {
  return std::ranges::all_of(conformer.getPositions(), [](const RDGeom::Point3D& p) {
    return std::isfinite(p.x) && std::isfinite(p.y);
  });
}

// Whether an earlier atom is drawn where atom v is.
bool is_covered(const RDGeom::POINT3D_VECT& positions, std::size_t v) {
  constexpr double kTooClose = 0.1;
  return std::any_of(positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(v),
                     [&](const RDGeom::Point3D& p) {
                       return (p - positions[v]).lengthSq() < kTooClose * kTooClose;
                     });
}

// RDKit folds crowded molecules onto themselves. (Its own remedy, sampling turned bonds, crashes
// on some graphs that are no molecules.) Atoms that lie on others move out along a spiral until
// they can be seen; later atoms are mostly hydrogens, so little else moves.
void uncover_atoms(RDKit::Conformer& conformer) {
  auto& positions = conformer.getPositions();
  constexpr double kGoldenAngle = 2.399963;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const RDGeom::Point3D start = positions[v];
    for (int turn = 1; is_covered(positions, v); ++turn) {
      const double radius = 0.2 * std::sqrt(turn);
      positions[v].x = start.x + radius * std::cos(kGoldenAngle * turn);
      positions[v].y = start.y + radius * std::sin(kGoldenAngle * turn);
    }
  }
}

// Counterfactuals need not be molecules, and RDKit's ring search or ring drawing gives up on
// some of them.
bool place_atoms_around(const RDGeom::INT_POINT2D_MAP& anchors, RDKit::RWMol& mol) {
  if (mol.getNumAtoms() > kMaxMoleculeAtoms) return false;
  try {
    RDKit::MolOps::symmetrizeSSSR(mol);
    RDDepict::compute2DCoords(mol, anchors.empty() ? nullptr : &anchors, anchors.empty());
    if (!is_finite(mol.getConformer())) return false;
  } catch (const std::exception&) {
    // RDKit's message would say how its algorithm failed, which helps nobody.
    return false;
  }
  uncover_atoms(mol.getConformer());
  return true;
}

void place_atoms(RDKit::RWMol& mol, const RDGeom::INT_POINT2D_MAP& anchors = {}) {
  if (mol.getNumAtoms() == 0 || place_atoms_around(anchors, mol)) return;
  if (!anchors.empty() && place_atoms_around({}, mol)) return;
  mol.clearConformers();
  mol.addConformer(new RDKit::Conformer(circle(mol.getNumAtoms())), true);
  mol.getConformer().set3D(false);
}

}  // namespace

bool has_rdkit() { return true; }

void require_rdkit(const std::string& /*file*/) {}

RawDataset molecules_as_graphs(std::span<const MoleculeRecord> records, const std::string& file,
                               const MoleculeOptions& options) {
  RawDataset out;
  std::vector<RawMolecule> molecules;
  Atoms atoms;
  Remarks remarks;
  QuietRdkit rdkit;
  for (const MoleculeRecord& record : records) {
    const Location where{file, record.line};
    const auto mol = parse_or_throw(record, where, rdkit);
    remove_hydrogens(*mol);
    if (options.explicit_hydrogens) {
      check_hydrogens(*mol, where);
      RDKit::MolOps::addHs(*mol);
    } else if (!has_heavy_atom(*mol)) {
      mol->clear();
    }
    molecules.push_back(to_raw(*mol, where, options, atoms, remarks));
  }
  build_graphs(molecules, atoms, out);
  add_notes(remarks, out);
  return out;
}

std::string to_smiles(const Graph& graph, const std::vector<std::string>& atom_names,
                      const std::vector<std::string>& bond_names) {
  const QuietRdkit rdkit;
  const auto mol = to_rdkit(writable(graph, atom_names, bond_names), atom_names, bond_names);
  RDKit::MolOps::fastFindRings(*mol);
  return RDKit::MolToSmiles(*mol);
}

bool is_possible_molecule(const Graph& graph, const std::vector<std::string>& atom_names,
                          const std::vector<std::string>& bond_names) {
  MoleculeRecord record;
  record.text = to_smiles(graph, atom_names, bond_names);
  const QuietRdkit rdkit;
  try {
    const auto mol = parse(record);
    if (!mol) return false;
    if (graph.num_nodes() <= kMaxMoleculeAtoms) {
      sanitise(*mol);
    } else {
      mol->updatePropertyCache(/*strict=*/true);  // the valences alone
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string to_mol_block(const Graph& graph, const std::vector<std::string>& atom_names,
                         const std::vector<std::string>& bond_names) {
  const QuietRdkit rdkit;
  const auto mol =
      to_rdkit(without_aromatic_bonds(graph, atom_names, bond_names), atom_names, bond_names);
  place_atoms(*mol);
  constexpr bool kStereo = false;
  constexpr bool kKekulize = false;
  return RDKit::MolToMolBlock(*mol, kStereo, -1, kKekulize);
}

Positions layout_molecule(const Graph& graph, const std::vector<std::string>& atom_names,
                          const std::vector<std::string>& bond_names, const Anchors& anchors) {
  const QuietRdkit rdkit;
  const auto mol = to_rdkit(graph, atom_names, bond_names);
  RDGeom::INT_POINT2D_MAP fixed;
  for (std::size_t v = 0; v < anchors.size(); ++v) {
    if (anchors[v])
      fixed.emplace(static_cast<int>(v), RDGeom::Point2D(anchors[v]->x, anchors[v]->y));
  }
  place_atoms(*mol, fixed);
  Positions positions;
  if (mol->getNumAtoms() == 0) return positions;
  for (const RDGeom::Point3D& p : mol->getConformer().getPositions()) {
    positions.push_back({p.x, p.y});
  }
  return positions;
}

}  // namespace fewedits
