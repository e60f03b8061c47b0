// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/chem/atom_label.hpp"
#include "fewedits/formats/molecule_file.hpp"
#include "fewedits/formats/molecule_records.hpp"
#include "fewedits/formats/open_dataset.hpp"
#include "fewedits/graph/identity.hpp"
#include "fewedits/synthetic/generator.hpp"
#include "support/hostile_files.hpp"
#include "support/shared.hpp"

namespace fewedits {
namespace {

constexpr const char* kAspirin = "CC(=O)Oc1ccccc1C(=O)O";
constexpr const char* kCaffeine = "Cn1cnc2c1c(=O)n(C)c(=O)n2C";
constexpr const char* kNitrobenzene = "O=[N+]([O-])c1ccccc1";

std::vector<std::string> names(const std::vector<NamedValue>& table) {
  std::vector<std::string> result;
  for (const NamedValue& entry : table) result.push_back(entry.name);
  return result;
}

RawDataset read_text(const std::string& file, const std::string& text,
                     const MoleculeOptions& options = {}) {
  const test::TemporaryFolder folder;
  return read_molecules(folder.write(file, text), options);
}

Graph read_smiles(const std::string& smiles, const MoleculeOptions& options = {}) {
  return read_text("one.smi", smiles + "\n", options).graphs.front();
}

// The Error that reading gives, to look at.
Error error_of(const std::string& file, const std::string& text) {
  try {
    (void)read_text(file, text);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no Error for " << text;
  return Error("none");
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks " << part;
}

TEST(AtomLabelTest, NamesAreThoseOfSmiles) {
  for (const auto& [name, element, charge] :
       {std::tuple("C", "C", 0), std::tuple("N+", "N", 1), std::tuple("O-", "O", -1),
        std::tuple("Fe+2", "Fe", 2), std::tuple("As-3", "As", -3), std::tuple("*", "*", 0)}) {
    EXPECT_EQ(atom_of(name), (AtomLabel{element, charge})) << name;
    EXPECT_EQ(name_of({element, charge}), name);
    EXPECT_EQ(element_of(name), element);
  }
  for (const char* name : {"", "+", "N++", "N+1", "+N", "N+0", "N+-1", "n", "N +", "N+100", "helix",
                           "Ab-cd", "N+2x", "N+02"}) {
    EXPECT_EQ(atom_of(name), std::nullopt) << name;
    EXPECT_EQ(element_of(name), name);
  }
  EXPECT_EQ(atom_value(7, 0), 7);
  EXPECT_EQ(atom_value(7, 1), 1007);
  EXPECT_EQ(atom_value(8, -1), -1008);
  EXPECT_EQ(atom_value(26, 2), 2026);
}

TEST(ReadMoleculesTest, CountsAtomsAndBonds) {
  struct Expected {
    const char* smiles;
    Node heavy;
    std::size_t heavy_bonds;
    Node all;
  };
  for (const Expected& e :
       {Expected{kAspirin, 13, 13, 21}, {kCaffeine, 14, 15, 24}, {kNitrobenzene, 9, 9, 14}}) {
    const Graph plain = read_smiles(e.smiles);
    EXPECT_EQ(plain.num_nodes(), e.heavy) << e.smiles;
    EXPECT_EQ(plain.num_edges(), e.heavy_bonds) << e.smiles;
    const Graph full = read_smiles(e.smiles, {.explicit_hydrogens = true});
    EXPECT_EQ(full.num_nodes(), e.all) << e.smiles;
    EXPECT_EQ(full.num_edges(), e.heavy_bonds + (e.all - e.heavy)) << e.smiles;
  }
}

TEST(ReadMoleculesTest, TablesAreAscendingAndNamed) {
  const RawDataset raw = read_text("set.smi", "C#N 1 hydrogen cyanide\nc1ccccc1Cl\t0\nCC=O 1\n");
  const std::vector<NamedValue> atoms = {{6, "C"}, {7, "N"}, {8, "O"}, {17, "Cl"}};
  const std::vector<NamedValue> bonds = {{1, "single"}, {2, "double"}, {3, "triple"}};
  EXPECT_EQ(raw.node_labels, atoms);
  EXPECT_EQ(raw.edge_labels, bonds);
  EXPECT_EQ(raw.name, "set");
  EXPECT_EQ(raw.graph_labels, (std::vector<std::int64_t>{1, 0, 1}));
  EXPECT_TRUE(raw.notes.empty());
}

TEST(ReadMoleculesTest, NodeOrderIsTheOrderOfTheSmiles) {
  const RawDataset raw = read_text("a.smi", "ClC(=O)N\n");
  const Graph& g = raw.graphs.front();
  std::string order;
  for (const Label l : g.labels()) order += raw.node_labels[l].name + " ";
  EXPECT_EQ(order, "Cl C O N ");
  EXPECT_EQ(raw.edge_labels[g.edge_label(1, 2)].name, "double");
}

TEST(ReadMoleculesTest, SkipsCommentsAndNotesMissingClasses) {
  const RawDataset raw =
      read_text("a.smi", "# a comment\n\nCCO ethanol\r\n   \n[Na+].[Cl-] salt\n");
  ASSERT_EQ(raw.graphs.size(), 2U);
  EXPECT_TRUE(raw.graph_labels.empty());
  EXPECT_FALSE(raw.graphs[1].is_connected());
  ASSERT_EQ(raw.notes.size(), 1U);
  expect_contains(raw.notes[0], "no classes");
  EXPECT_EQ(raw.names, (std::vector<std::string>{"ethanol", "salt"}));
}

TEST(ReadMoleculesTest, ChargesAreAPartOfTheLabel) {
  const RawDataset raw =
      read_text("a.smi", std::string(kNitrobenzene) + " 0\n[Fe+2].[O-2] 1\nCC([O-])=O.[Na+] 1\n");
  const std::vector<NamedValue> atoms = {{-2008, "O-2"}, {-1008, "O-"}, {6, "C"},      {8, "O"},
                                         {1007, "N+"},   {1011, "Na+"}, {2026, "Fe+2"}};
  EXPECT_EQ(raw.node_labels, atoms);
  EXPECT_TRUE(raw.notes.empty());
  const RawDataset plain =
      read_text("a.smi", std::string(kNitrobenzene) + " 0\n", {.charges = false});
  EXPECT_EQ(plain.node_labels, (std::vector<NamedValue>{{6, "C"}, {7, "N"}, {8, "O"}}));
  ASSERT_EQ(plain.notes.size(), 1U);
  expect_contains(plain.notes[0], "charges of atoms, which 1 molecule have");
}

// One normal form for what is written in several ways.
TEST(ReadMoleculesTest, NitroGroupsAreChargedHoweverTheyAreWritten) {
  const RawDataset raw = read_text("a.smi", std::string(kNitrobenzene) + "\nc1ccccc1N(=O)=O\n");
  EXPECT_TRUE(isomorphic(raw.graphs[0], raw.graphs[1]));
}

TEST(ReadMoleculesTest, RingsAreInAKekuleForm) {
  const RawDataset raw = read_text("a.smi", "c1ccccc1\nC1=CC=CC=C1\nc1cc[nH]c1\n");
  ASSERT_EQ(names(raw.edge_labels), (std::vector<std::string>{"single", "double"}));
  EXPECT_TRUE(isomorphic(raw.graphs[0], raw.graphs[1]));
  for (const auto& [molecule, doubles] : {std::pair(0U, 3), std::pair(1U, 3), std::pair(2U, 2)}) {
    EXPECT_EQ(std::ranges::count(raw.graphs[molecule].edges(), Label{1}, &Edge::label), doubles);
  }
  // What is written in a Kekulé form keeps it: ortho-xylene has two.
  const RawDataset forms = read_text("a.smi", "CC1=CC=CC=C1C\nCC=1C=CC=CC=1C\n");
  EXPECT_FALSE(isomorphic(forms.graphs[0], forms.graphs[1]));
}

TEST(ReadMoleculesTest, DeuteriumAndHydrogensThatPointAreImplied) {
  const RawDataset raw = read_text("a.smi", "[2H]C([2H])([2H])O 0\n[H]/C(C)=C/C 0\n[H][H] 1\n");
  EXPECT_EQ(names(raw.node_labels), (std::vector<std::string>{"C", "O"}));
  EXPECT_EQ(raw.graphs[2].num_nodes(), 0U);
  EXPECT_TRUE(raw.notes.empty());
  EXPECT_EQ(read_smiles("[H][H]", {.explicit_hydrogens = true}).num_nodes(), 2U);
  const RawDataset with_gas = read_text("a.smi", "CCO.[H][H] 0\n");
  ASSERT_EQ(with_gas.notes.size(), 1U);
  expect_contains(with_gas.notes[0], "hydrogens");
}

TEST(ReadMoleculesTest, ClassesOnOnlySomeLinesAreAnError) {
  const Error error = error_of("a.smi", "CCO 1\nCCC\n");
  EXPECT_EQ(error.where().line, 2);
}

void expect_same(const RawDataset& a, const RawDataset& b) {
  ASSERT_EQ(a.graphs.size(), b.graphs.size());
  EXPECT_EQ(a.graph_labels, b.graph_labels);
  EXPECT_EQ(a.node_labels, b.node_labels);
  EXPECT_EQ(a.edge_labels, b.edge_labels);
  for (std::size_t i = 0; i < a.graphs.size(); ++i) {
    EXPECT_TRUE(isomorphic(a.graphs[i], b.graphs[i])) << "molecule " << i;
  }
}

const std::string kThree =
    std::string(kAspirin) + " 1 aspirin\n" + kCaffeine + " 0 caffeine\n" + kNitrobenzene + " -1\n";

TEST(ReadMoleculesTest, CsvEqualsSmiles) {
  const RawDataset smi = read_text("a.smi", kThree);
  const std::string csv = std::string("\xef\xbb\xbfName,SMILES,Label\r\n") +
                          "\"aspirin, \"\"the\"\" drug\"," + kAspirin + ",1\r\n" +
                          "\"two\nlines\",\"" + kCaffeine + "\",0.0\r\n\r\nnitro," + kNitrobenzene +
                          ",-1";
  expect_same(smi, read_text("a.csv", csv));
}

TEST(ReadMoleculesTest, ClassesMayBeWords) {
  const RawDataset raw = read_text("a.csv", "smiles,label\nCC,toxic\nCO,safe\nCN,toxic\n");
  EXPECT_EQ(raw.class_names, (std::vector<NamedValue>{{0, "safe"}, {1, "toxic"}}));
  EXPECT_EQ(raw.graph_labels, (std::vector<std::int64_t>{1, 0, 1}));
  for (const char* text : {"smiles,y\nCC,1\nCC,high\n", "smiles,y\nCC,high\nCC,1\n"}) {
    expect_contains(error_of("a.csv", text).what(), "'high'");
  }
  expect_contains(error_of("a.csv", "smiles,y\nCC,0.25\n").what(), "'0.25'");
  expect_contains(error_of("a.csv", "smiles,y\nCC,\"a\x1b\"\n").what(), "control");
  std::string named = "smiles,label\n";
  for (int i = 0; i <= 100; ++i) named += "CC,name" + std::to_string(i) + "x\n";
  EXPECT_EQ(error_of("a.csv", named).where().line, 102);
}

RawDataset read_column(const std::string& file, const std::string& text,
                       const std::string& column) {
  const test::TemporaryFolder folder;
  return read_molecules(folder.write(file, text), {}, column);
}

TEST(ReadMoleculesTest, TheColumnOfClassesCanBeChosen) {
  const std::string csv =
      "smiles,label,NR-AR,nr-ar,id\nCC,7,1,x,a\nCO,8,,y,b\nCN,9,0.0,x,c\nCF,9,NaN,x,d\n";
  const RawDataset exact = read_column("a.csv", csv, "NR-AR");
  EXPECT_EQ(exact.graph_labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(exact.source_index, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(exact.left_out, 2U);
  EXPECT_EQ(exact.names, (std::vector<std::string>{"a", "c"}));
  ASSERT_EQ(exact.notes.size(), 1U);
  expect_contains(exact.notes[0], "left out 2 of 4 molecules");
  EXPECT_EQ(read_column("a.csv", csv, "nr-ar").class_names.size(), 2U);
  EXPECT_EQ(read_column("a.csv", csv, "LABEL").graph_labels.size(), 4U);
  const std::string smi = "CC 5 toxic ethane\nCO 6 safe\nCN\n";
  const RawDataset third = read_column("a.smi", smi, "3");
  EXPECT_EQ(third.class_names, (std::vector<NamedValue>{{0, "safe"}, {1, "toxic"}}));
  EXPECT_EQ(third.names, (std::vector<std::string>{"5 ethane", "6"}));
  for (const auto& [file, column, says] :
       {std::tuple("a.csv", "AR", "'NR-AR'"), std::tuple("a.smi", "label", "from 2"),
        std::tuple("a.smi", "1", "from 2"), std::tuple("a.smi", "9", "no molecule has a class")}) {
    try {
      (void)read_column(file, file == std::string("a.csv") ? csv : smi, column);
      ADD_FAILURE() << file << " " << column;
    } catch (const Error& error) {
      expect_contains(error.what() + (" " + error.remedy()), says);
    }
  }
}

TEST(OpenMoleculesTest, WordsAreDesiredAsWords) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.csv", "smiles,label\nCC,toxic\nCO,safe\nCN,toxic\n");
  DatasetOptions options;
  options.desired_class = "safe";
  const Dataset data = open_dataset(file, options);
  EXPECT_EQ(data.class_labels, (std::vector<NamedValue>{{1, "toxic"}, {0, "safe"}}));
  EXPECT_EQ(data.classes, (std::vector<int>{0, 1, 0}));
  options.desired_class = "1";
  EXPECT_THROW(open_dataset(file, options), Error) << "the number is ours, not the file's";
  // Whoever numbers the words may use the numbers.
  options.metadata =
      folder.write("m.json", R"({"format": "fewedits.dataset/2", "domain": "molecule",
      "classes": {"1": "safe", "2": "toxic"}})");
  EXPECT_EQ(open_dataset(file, options).classes, (std::vector<int>{0, 1, 0}));
}

// One record as MDL software writes it, from our own mol block.
std::string sdf_record(const std::string& smiles, const std::string& fields) {
  const RawDataset raw = read_text("a.smi", smiles + "\n");
  return to_mol_block(raw.graphs[0], names(raw.node_labels), names(raw.edge_labels)) + fields +
         "$$$$\n";
}

TEST(ReadMoleculesTest, SdfEqualsSmiles) {
  const RawDataset smi =
      read_text("a.smi", std::string(kAspirin) + " 1\n" + kCaffeine + " 0\nCC#N 1\n");
  const std::string sdf = sdf_record(kAspirin, "> <name>\naspirin\n\n> <label>\n1\n\n") +
                          sdf_record(kCaffeine, ">  <Label>  (2)\n0\n\n") +
                          sdf_record("CC#N", "> <class>\n1\n\n") + "\n";
  expect_same(smi, read_text("a.sdf", sdf));
}

TEST(ReadMoleculesTest, AnySdFieldMayBeTheClass) {
  const std::string sdf = sdf_record("CC", "> <activity>\nhigh\n\n> <label>\n1\n\n") +
                          sdf_record("CO", "> <Activity>\nlow\n\n") + sdf_record("CN", "");
  const RawDataset raw = read_column("a.sdf", sdf, "Activity");
  EXPECT_EQ(raw.class_names, (std::vector<NamedValue>{{0, "high"}, {1, "low"}}));
  EXPECT_EQ(raw.left_out, 1U);
  try {
    (void)read_column("a.sdf", sdf, "potency");
    ADD_FAILURE();
  } catch (const Error& error) {
    expect_contains(error.what(), "'potency'");
    expect_contains(error.remedy(), "'activity'");
  }
}

TEST(ReadMoleculesTest, BadSmilesNamesFileLineAndReason) {
  const Error syntax = error_of("bad.smi", "CCO\n\nC1CC(\n");
  EXPECT_EQ(syntax.where().line, 3);
  expect_contains(syntax.what(), "bad.smi:3: ");
  expect_contains(syntax.what(), "'C1CC('");
  expect_contains(syntax.what(), "arse");
  EXPECT_FALSE(syntax.remedy().empty());
  const Error valence = error_of("bad.smi", "C(C)(C)(C)(C)C\n");
  EXPECT_EQ(valence.where().line, 1);
  expect_contains(valence.what(), "valence");
}

TEST(ReadMoleculesTest, BadCsvAndSdfNameTheLine) {
  EXPECT_EQ(error_of("a.csv", "name,smiles\n\"two\nlines\",CC\nx,XX\n").where().line, 4);
  EXPECT_EQ(error_of("a.csv", "smiles,y\nCC,1\nCC,high\n").where().line, 3);
  EXPECT_EQ(error_of("a.csv", "smiles,y\nCC,1,2\n").where().line, 2);
  EXPECT_EQ(error_of("a.csv", "smiles\n\"CC\n").where().line, 2);
  EXPECT_EQ(error_of("a.csv", "smiles\n\"CC\"x\n").where().line, 2);
  EXPECT_EQ(error_of("a.csv", "smiles,y\n,1\n").where().line, 2);
  expect_contains(error_of("a.csv", "structure\nCC\n").what(), "smiles");
  const std::string good = sdf_record("CC", "");
  const auto lines = std::ranges::count(good, '\n');
  EXPECT_EQ(error_of("a.sdf", good + "broken\n\n\nnonsense\n$$$$\n").where().line, lines + 1);
  // A field without a value is no class, and does not eat the next record.
  const std::string labelled = sdf_record("CC", "> <label>\n1\n\n");
  const auto labelled_lines = std::ranges::count(labelled, '\n');
  EXPECT_EQ(error_of("a.sdf", labelled + sdf_record("C", "> <label>\n") + labelled).where().line,
            labelled_lines + 1);
}

TEST(ReadMoleculesTest, ANulByteIsAnErrorWithItsLine) {
  using namespace std::string_literals;
  for (const auto& [file, text] :
       {std::pair("a.smi", "CCO 1\nCC\0C 0\n"s), std::pair("a.csv", "smiles,label\n\"C\0\",1\n"s),
        std::pair("a.csv", "smiles,label\nC\0,1\n"s), std::pair("a.sdf", "\n\0\n$$$$\n"s)}) {
    const Error error = error_of(file, text);
    EXPECT_EQ(error.where().line, 2) << file;
    expect_contains(error.what(), "NUL");
  }
}

TEST(ReadMoleculesTest, LargeMoleculesAreRefusedBeforeTheRingSearch) {
  const std::string chain(kMaxMoleculeAtoms, 'C');
  EXPECT_EQ(read_smiles(chain).num_nodes(), kMaxMoleculeAtoms);
  const auto start = std::chrono::steady_clock::now();
  const Error error = error_of("a.smi", "CCO\n" + chain + "C\n");
  expect_contains(error.what(), "1001 atoms; the limit is 1000");
  EXPECT_EQ(error.where().line, 2);
  expect_contains(error_of("a.smi", std::string(kMaxSmilesBytes + 1, 'C')).what(),
                  "the limit is 100000");
  // A chain of 20,000 takes hours to be read.
  expect_contains(error_of("a.smi", std::string(20'000, 'C')).what(), "20000 atoms");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  // Hydrogens that are made nodes count as well.
  std::string hydrides;
  for (int i = 0; i < 100; ++i) hydrides += "[FeH99]";
  try {
    (void)read_smiles(hydrides, {.explicit_hydrogens = true});
    FAIL() << "10,000 atoms were made";
  } catch (const Error& refused) {
    expect_contains(refused.what(), "the limit is 5000");
  }
}

std::string v3000(const std::string& counts) {
  return "\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n" + counts +
         "M  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 END ATOM\nM  V30 END CTAB\nM  END\n$$$$\n";
}

TEST(ReadMoleculesTest, AnnouncedAtomsCostNoMemory) {
  EXPECT_EQ(read_text("a.sdf", v3000("M  V30 COUNTS 1 0 0 0 0\n")).graphs.front().num_nodes(), 1U);
  const auto growth = test::peak_growth([] {
    for (const char* counts :
         {"M  V30 COUNTS 100000000 0 0 0 0\n", "M  V30 COUNTS 1 100000000 0 0 0\n",
          "M  V30 counts\t100000000 0 0 0 0\n", "M  V30 COUN-\nM  V30 TS 100000000 0 0 0 0\n",
          "M  V30 COUNTS 1000-\nM  V30 00000 0 0 0 0\n", "M  V30 COUNTS   100000000   0\n",
          "M  V30 COUNTS 99999999999999999999 0\n", "M  V30 COUNTS +100000000 0 0 0 0\n"}) {
      const Error error = error_of("a.sdf", v3000(counts));
      EXPECT_EQ(error.where().line, 1) << counts;
    }
  });
  EXPECT_LT(growth, 32 << 20);
}

TEST(ReadMoleculesTest, ARecordWithoutAtomsIsSkipped) {
  const std::string none = "empty\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n";
  const RawDataset raw = read_text("a.sdf", v3000("M  V30 COUNTS 1 0 0 0 0\n") + none);
  ASSERT_EQ(raw.graphs.size(), 2U);
  EXPECT_EQ(prepare(raw, {}).source_index, std::vector<std::int64_t>{0});
}

TEST(ReadMoleculesTest, EmptyOrUnknownFilesAreErrors) {
  for (const char* file : {"a.smi", "a.csv", "a.sdf"}) {
    EXPECT_THROW((void)read_text(file, ""), Error) << file;
    EXPECT_THROW((void)read_text(file, "\n\n"), Error) << file;
  }
  EXPECT_THROW((void)read_text("a.csv", "smiles,label\n"), Error);
  EXPECT_THROW((void)read_text("a.txt", "CC\n"), Error);
  EXPECT_THROW((void)read_molecules("/nowhere/at/all.smi"), Error);
  EXPECT_TRUE(has_molecule_extension("x/y.SDF"));
  EXPECT_TRUE(has_molecule_extension("y.smiles"));
  EXPECT_FALSE(has_molecule_extension("y.txt"));
}

// Element and bond names of the generated dataset, indexed by label.
struct Names {
  std::vector<std::string> elements;
  std::vector<std::string> bonds;
};
Names generated_names() {
  const RawDataset raw = generate({.graphs = 1});
  return {names(raw.node_labels), names(raw.edge_labels)};
}
constexpr Label kCarbon = 0;
constexpr Label kHydrogen = 3;

// `g` with labels as in the generated dataset, whatever table it was read with.
Graph with_generated_labels(const Graph& g, const std::vector<NamedValue>& table) {
  const auto target = generated_names().elements;
  std::vector<Label> labels;
  for (const Label l : g.labels()) {
    const auto at = std::ranges::find(target, table[l].name);
    labels.push_back(static_cast<Label>(at - target.begin()));
  }
  return {labels, g.edges(), Graph::EdgeLabels::kAbsent};
}

TEST(ToSmilesTest, RoundTripOfGeneratedMolecules) {
  const Names table = generated_names();
  const RawDataset raw = generate({.graphs = 200, .seed = 11});
  std::string file;
  for (const Graph& g : raw.graphs) file += to_smiles(g, table.elements, table.bonds) + "\n";
  const RawDataset back =
      read_text("back.smi", file, {.explicit_hydrogens = true, .charges = false});
  ASSERT_EQ(back.graphs.size(), raw.graphs.size());
  for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
    // RDKit writes nitro with charges and other bonds: only the skeleton can be equal.
    EXPECT_TRUE(isomorphic(raw.graphs[i].without_edge_labels(),
                           with_generated_labels(back.graphs[i], back.node_labels)))
        << "molecule " << i;
  }
}

// Drugs, dyes and ions: charges, fused and hetero rings, hypervalent atoms.
constexpr const char* kMany =
    "CC(=O)Oc1ccccc1C(=O)O\nCn1cnc2c1c(=O)n(C)c(=O)n2C\nO=[N+]([O-])c1ccccc1\n"
    "C[N+](C)(C)CC(=O)[O-]\n[Na+].CC([O-])=O\nC[n+]1ccccc1\n[O-][n+]1ccccc1\nc1ccc2[nH]ccc2c1\n"
    "CS(=O)(=O)c1ccc(N)cc1\nOP(=O)(O)OC\n[O-]Cl(=O)(=O)=O\nCN=[N+]=[N-]\n[C-]#[O+]\n"
    "c1ccc2c(c1)ccc1ccccc12\nC1=CC=C2C=CC=CC2=C1\nO=C1C=CC(=O)C=C1\n[NH4+].[Cl-]\n"
    "F[P-](F)(F)(F)(F)F\nB(O)(O)c1ccccc1\nC[S+](C)[O-]\nCC#N\n[Fe+2]\n";

TEST(ToSmilesTest, WhatIsReadSurvivesOutAndIn) {
  for (const bool hydrogens : {false, true}) {
    for (const bool sdf : {false, true}) {
      SCOPED_TRACE(testing::Message() << "hydrogens " << hydrogens << ", SDF " << sdf);
      const RawDataset raw = read_text("a.smi", kMany, {.explicit_hydrogens = hydrogens});
      std::string out;
      for (const Graph& g : raw.graphs) {
        const auto atoms = names(raw.node_labels);
        const auto bonds = names(raw.edge_labels);
        EXPECT_TRUE(is_possible_molecule(g, atoms, bonds)) << to_smiles(g, atoms, bonds);
        out += sdf ? to_mol_block(g, atoms, bonds) + "$$$$\n" : to_smiles(g, atoms, bonds) + "\n";
      }
      const RawDataset back =
          read_text(sdf ? "b.sdf" : "b.smi", out, {.explicit_hydrogens = hydrogens});
      ASSERT_EQ(back.graphs.size(), raw.graphs.size());
      EXPECT_EQ(back.node_labels, raw.node_labels);
      EXPECT_EQ(back.edge_labels, raw.edge_labels);
      for (std::size_t i = 0; i < raw.graphs.size(); ++i) {
        EXPECT_TRUE(isomorphic(raw.graphs[i], back.graphs[i]))
            << i << ": "
            << to_smiles(raw.graphs[i], names(raw.node_labels), names(raw.edge_labels));
      }
    }
  }
}

struct PublishedSet {
  const char* name;
  bool hydrogens;
  std::size_t refused;  ///< by RDKit: germanium with five bonds
  std::size_t changed;  ///< perchlorates and a periodate, which RDKit reads as [Cl+3], [I+3]
};

class PublishedMoleculesTest : public testing::TestWithParam<PublishedSet> {};

// Their labels tell no charges.
TEST_P(PublishedMoleculesTest, AreWrittenWithTheChargesOfTheirBonds) {
  const PublishedSet& set = GetParam();
  FEWEDITS_REQUIRE_SHARED(std::filesystem::path("datasets") / set.name);
  DatasetOptions all;
  all.rare_label_threshold = 0;
  const Dataset data = open_dataset(test::shared_root() / "datasets" / set.name, all);
  const auto atoms = names(data.node_labels);
  const auto bonds = names(data.edge_labels);
  std::string file;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!is_possible_molecule(data.graphs[i], atoms, bonds)) continue;
    file += to_smiles(data.graphs[i], atoms, bonds) + "\n";
    written.push_back(i);
  }
  EXPECT_EQ(data.size() - written.size(), set.refused);
  const RawDataset back =
      read_text("back.smi", file, {.explicit_hydrogens = set.hydrogens, .charges = false});
  ASSERT_EQ(back.graphs.size(), written.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const Graph& graph = back.graphs[i];
    std::vector<Label> labels;
    for (const Label l : graph.labels()) {
      const auto at = std::ranges::find(atoms, back.node_labels[l].name);
      labels.push_back(static_cast<Label>(at - atoms.begin()));
    }
    const Graph named(labels, graph.edges(), Graph::EdgeLabels::kPresent);
    changed += isomorphic(named, data.graphs[written[i]]) ? 0U : 1U;
  }
  EXPECT_EQ(changed, set.changed);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedMoleculesTest,
                         testing::Values(PublishedSet{"Mutagenicity", true, 0, 4},
                                         PublishedSet{"AIDS", false, 1, 2}),
                         [](const auto& set) { return std::string(set.param.name); });

TEST(ToSmilesTest, SameForIsomorphicGraphs) {
  const Names table = generated_names();
  Rng rng(4);
  for (const Graph& g : generate({.graphs = 50, .seed = 12}).graphs) {
    const Graph other = g.permuted(test::random_permutation(rng, g.num_nodes()));
    EXPECT_EQ(to_smiles(g, table.elements, table.bonds),
              to_smiles(other, table.elements, table.bonds));
  }
}

TEST(ToSmilesTest, HydrogensAreImpliedOnlyWhereTheDatasetHasNone) {
  const RawDataset plain = read_text("a.smi", "OCC\nc1ccccc1\n");
  EXPECT_EQ(to_smiles(plain.graphs[0], names(plain.node_labels), names(plain.edge_labels)), "CCO");
  EXPECT_EQ(to_smiles(plain.graphs[1], names(plain.node_labels), names(plain.edge_labels)),
            "C1=CC=CC=C1");
  const Graph ring(
      std::vector<Label>(6, kCarbon),
      std::vector<Edge>{{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 4, 0}, {4, 5, 0}, {0, 5, 0}},
      Graph::EdgeLabels::kPresent);
  EXPECT_EQ(to_smiles(ring, {"C"}, {"aromatic"}), "c1ccccc1");
  const Names table = generated_names();
  const Graph lone(std::vector<Label>{kCarbon}, {});
  EXPECT_EQ(to_smiles(lone, table.elements, table.bonds), "[C]");
}

TEST(ToSmilesTest, ImpossibleValencesStillHaveASmiles) {
  const Names table = generated_names();
  std::vector<Label> labels(7, kHydrogen);
  labels[0] = kCarbon;
  std::vector<Edge> edges;
  for (Node v = 1; v < 7; ++v) edges.push_back({0, v, 1});
  const Graph g(labels, edges, Graph::EdgeLabels::kPresent);
  const std::string smiles = to_smiles(g, table.elements, table.bonds);
  EXPECT_EQ(std::ranges::count(smiles, 'H'), 6);
  EXPECT_EQ(std::ranges::count(smiles, '='), 6);
  EXPECT_EQ(std::ranges::count(smiles, 'C'), 1);
  EXPECT_FALSE(to_smiles(g.without_edge_labels(), table.elements, {}).empty());
  EXPECT_FALSE(is_possible_molecule(g.without_edge_labels(), table.elements, {}));
  const Graph methane(std::span{labels}.first(5), std::span{edges}.first(4));
  EXPECT_TRUE(is_possible_molecule(methane, table.elements, {}));
}

TEST(ToSmilesTest, NoNodesGiveAnEmptySmiles) {
  const Names table = generated_names();
  EXPECT_EQ(to_smiles(Graph(), table.elements, table.bonds), "");
  EXPECT_TRUE(layout_molecule(Graph(), table.elements, table.bonds).empty());
  expect_contains(to_mol_block(Graph(), table.elements, table.bonds), "V2000");
}

TEST(ToSmilesTest, UnknownNamesAreErrorsThatNameThem) {
  const Graph g(std::vector<Label>{0, 1}, std::vector<Edge>{{0, 1, 0}},
                Graph::EdgeLabels::kPresent);
  const auto message = [&](const std::vector<std::string>& elements,
                           const std::vector<std::string>& bonds) -> std::string {
    try {
      (void)to_smiles(g, elements, bonds);
    } catch (const Error& error) {
      return error.what();
    }
    return "no Error";
  };
  expect_contains(message({"C", "Zz"}, {"single"}), "'Zz'");
  expect_contains(message({"C"}, {"single"}), "node label 1");
  expect_contains(message({"C", "N"}, {"magnetic"}), "'magnetic'");
  expect_contains(message({"C", "N"}, {}), "edge label 0");
}

TEST(ToMolBlockTest, CountsAndNodeOrder) {
  const RawDataset raw = read_text("a.smi", std::string("ClC(=O)N\n") + kCaffeine + "\n");
  const std::string block =
      to_mol_block(raw.graphs[0], names(raw.node_labels), names(raw.edge_labels));
  std::istringstream lines(block);
  std::string line;
  for (int i = 0; i < 4; ++i) std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 6), "  4  3");
  for (const char* element : {"Cl", "C ", "O ", "N "}) {
    std::getline(lines, line);
    EXPECT_EQ(line.substr(31, 2), element);
  }
  const std::string caffeine =
      to_mol_block(raw.graphs[1], names(raw.node_labels), names(raw.edge_labels));
  expect_contains(caffeine, " 14 15");
}

void expect_drawn(const Positions& drawing, const Graph& g) {
  ASSERT_EQ(drawing.size(), g.num_nodes());
  for (const auto& p : drawing) ASSERT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
}

TEST(LayoutTest, PositionsAreFiniteAndDistinct) {
  std::vector<RawDataset> sets;
  sets.push_back(generate({.graphs = 60, .seed = 13}));
  sets.push_back(
      read_text("a.smi", std::string(kAspirin) + "\n" + kCaffeine + "\nC\n[Na+].[Cl-]\n"));
  for (const RawDataset& raw : sets) {
    for (const Graph& g : raw.graphs) {
      const auto drawing = layout_molecule(g, names(raw.node_labels), names(raw.edge_labels));
      expect_drawn(drawing, g);
      std::set<std::pair<long, long>> distinct;
      for (const auto& p : drawing) {
        distinct.emplace(std::lround(p.x * 1000), std::lround(p.y * 1000));
      }
      EXPECT_EQ(distinct.size(), g.num_nodes());
    }
  }
}

// Counterfactual search edits freely, so graphs need not be molecules at all.
TEST(LayoutTest, TakesAnyGraph) {
  const Names table = generated_names();
  Rng rng(21);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 150; ++i) {
    const auto nodes = static_cast<Node>(1 + rng.below(20));
    const Graph g = test::random_graph(rng, nodes, rng.below(25), 10, 3);
    EXPECT_FALSE(to_smiles(g, table.elements, table.bonds).empty());
    expect_contains(to_mol_block(g, table.elements, table.bonds), "M  END");
    expect_drawn(layout_molecule(g, table.elements, table.bonds), g);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RdkitLogTest, NothingIsPrinted) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  (void)error_of("bad.smi", "C1CC(\n");
  (void)error_of("bad.smi", "c1cccc1\n");
  (void)error_of("bad.sdf", "broken\n\n\nnonsense\n$$$$\n");
  (void)read_text("odd.smi", "C[Si@@](F)(Cl)[H]\n[H]\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(RdkitLogTest, ThreadsDoNotDisturbEachOther) {
  const Names table = generated_names();
  const RawDataset raw = generate({.graphs = 40, .seed = 14});
  const auto all = [&] {
    std::vector<std::string> smiles;
    for (const Graph& g : raw.graphs) smiles.push_back(to_smiles(g, table.elements, table.bonds));
    return smiles;
  };
  const auto expected = all();
  std::vector<std::vector<std::string>> results(3);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = all(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace fewedits
