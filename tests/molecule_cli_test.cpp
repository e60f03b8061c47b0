// SPDX-License-Identifier: MIT
// Molecule files as a user meets them: charges, words for classes, and from a file of SMILES to a
// page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fewedits/chem/molecule.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/fewedits.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/graph/identity.hpp"
#include "support/command.hpp"
#include "support/rdkit_referee.hpp"

namespace fewedits {
namespace {

using test::fewedits;
using test::Outcome;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool is_halogen(const std::string& atom) {
  return atom == "F" || atom == "Cl" || atom == "Br" || atom == "I";
}

/// The one graph of a dataset, with labels as others name them.
Graph with_labels(const Words& nodes, const Words& bonds, const Dataset& one) {
  const auto place = [](const Words& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    EXPECT_NE(at, names.end()) << name;
    return static_cast<Label>(at - names.begin());
  };
  const Graph& graph = one.graphs.at(0);
  std::vector<Label> labels;
  for (const Label l : graph.labels()) labels.push_back(place(nodes, one.node_labels[l].name));
  std::vector<Edge> edges = graph.edges();
  for (Edge& e : edges) e.label = place(bonds, one.edge_labels[e.label].name);
  return {labels, edges, Graph::EdgeLabels::kPresent};
}
Graph with_labels_of(const Dataset& other, const Dataset& one) {
  const LabelNames names = label_names(other);
  return with_labels(names.nodes, names.edges, one);
}
Graph with_labels_of(const Explanation& e, const Dataset& one) {
  return with_labels(e.label_names, e.edge_label_names, one);
}

/// Is it a neutral molecule without radicals to RDKit?
void expect_accepted(const Graph& canonical, const MoleculeRules& rules, const std::string& what) {
  const auto kekule = rules.kekule_form(canonical);
  ASSERT_TRUE(kekule) << what;
  const test::RdkitVerdict verdict = test::rdkit_verdict(*kekule, rules);
  EXPECT_TRUE(verdict.is_accepted) << what << ": " << verdict.why;
}

DatasetOptions drug_options() {
  DatasetOptions options;
  options.label_column = "2";
  return options;
}

class DrugsTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  static Outcome verify(Words words) {
    return test::Command(words, test::OnTerminal::kNothing, FEWEDITS_VERIFY).wait();
  }
  static Json read(const std::string& path) { return Json::parse(read_file(path)); }
  [[nodiscard]] Outcome explain(const Words& more) const {
    Words words{"explain",
                "--dataset",
                drugs_,
                "--label-column",
                "2",
                "--model",
                model_,
                "--k",
                "3",
                "--desired-class",
                "halogen-free",
                "-o",
                file("explanation.json"),
                "--refine-work",
                "5000000"};
    words.insert(words.end(), more.begin(), more.end());
    return fewedits(words);
  }

  /// Needs no training: it sees halogens.
  void write_model(const Dataset& data) const {
    ModelFile model{.spec = {}, .weights = "model.safetensors"};
    model.spec.layers.push_back({.weights = "convs.0"});
    model.spec.head.push_back({"fc", ""});
    model.spec.classes = {"halogen-free", "halogenated"};
    std::vector<float> values;
    for (const NamedValue& label : data.node_labels) {
      values.push_back(is_halogen(label.name) ? 1.0F : 0.0F);
      model.spec.node_labels.push_back(label.name);
    }
    const auto labels = static_cast<std::int64_t>(values.size());
    StateDict weights;
    weights["convs.0.weight"] = Tensor::from_floats({labels, 1}, values);
    weights["convs.0.bias"] = Tensor::from_floats({1}, {0});
    weights["fc.weight"] = Tensor::from_floats({2, 1}, {-20, 20});
    weights["fc.bias"] = Tensor::from_floats({2}, {2, -2});
    write_checkpoint(folder_.path() / "model.safetensors", weights);
    folder_.write("model.json", to_json(model));
  }

  test::TemporaryFolder folder_;
  const std::string drugs_ = FEWEDITS_DRUGS;
  std::string model_ = file("model.json");
};

TEST_F(DrugsTest, AreSixtyAndTheRuleHolds) {
  const Dataset data = open_dataset(drugs_, drug_options());
  ASSERT_EQ(data.size(), 60U);
  EXPECT_TRUE(data.notes.empty());
  EXPECT_TRUE(data.is_molecular());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const bool halogenated = std::ranges::any_of(
        data.graphs[i].labels(), [&](Label l) { return is_halogen(data.node_labels[l].name); });
    const auto& named = data.class_labels[static_cast<std::size_t>(data.classes[i])].name;
    EXPECT_EQ(named, halogenated ? "halogenated" : "halogen-free") << data.names[i];
  }
}

TEST_F(DrugsTest, DatasetShowsChargesAndWords) {
  const Outcome outcome = fewedits({"dataset", drugs_, "--label-column", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  Words labels;
  for (const Json& label : json["node_labels"]) labels.push_back(label["name"]);
  EXPECT_EQ(labels, (Words{"O-", "C", "N", "O", "F", "S", "Cl", "Br", "N+"}));
  EXPECT_EQ(json["classes"][0]["name"], "halogen-free");
  EXPECT_EQ(json["classes"][1]["name"], "halogenated");
  EXPECT_EQ(json["classes"][1]["count"], 30);
  const Outcome plain = fewedits({"dataset", drugs_, "--no-charges", "--label-column", "2"});
  EXPECT_THAT(plain.err, HasSubstr("left out the charges"));
  const Outcome number =
      fewedits({"dataset", drugs_, "--label-column", "2", "--desired-class", "1"});
  EXPECT_EQ(number.code, 1);
  EXPECT_THAT(number.err, AllOf(HasSubstr("words"), HasSubstr("halogen-free, halogenated")));
}

TEST_F(DrugsTest, HowTheFileWasReadIsRecordedAndChecked) {
  DatasetOptions options = drug_options();
  options.ignore_charges = true;
  write_model(open_dataset(drugs_, options));
  // The model was made for labels without charges.
  const Outcome charged = explain({});
  EXPECT_EQ(charged.code, 1);
  EXPECT_THAT(charged.err, AllOf(HasSubstr("no atom 'O-'"), HasSubstr("option no-charges")));

  const Outcome outcome = explain({"--no-charges"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string path = file("explanation.json");
  const auto recorded = parse_explanation(read_file(path), path).provenance.options;
  EXPECT_THAT(recorded, Contains(Pair("label-column", "2")));
  EXPECT_THAT(recorded, Contains(Pair("no-charges", "")));
  const Outcome held = verify({path});
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  const Outcome said = verify({path, "--dataset", drugs_, "--label-column", "2", "--no-charges",
                               "--desired-class", "halogen-free"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  for (const Words& less : {Words{"--label-column", "2"}, Words{"--no-charges"}}) {
    Words words{path, "--dataset", drugs_, "--desired-class", "halogen-free"};
    words.insert(words.end(), less.begin(), less.end());
    EXPECT_NE(verify(words).code, 0) << less.front();
  }
  EXPECT_EQ(fewedits({"evaluate", path}).code, 0);

  // New molecules are read as they are, unless somebody says otherwise.
  Words fresh{"recourse", path, "--dataset", folder_.write("new.smi", "C[N+](C)(C)CCl\n").string()};
  const Outcome unknown = fewedits(fresh);
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("'N+'"), HasSubstr("option no-charges")));
  fresh.emplace_back("--no-charges");
  const Outcome known = fewedits(fresh);
  EXPECT_EQ(known.code, 0) << known.err;
}

TEST_F(DrugsTest, AnExplanationIsOfTheDatasetInWhateverFileItIs) {
  write_model(open_dataset(drugs_, drug_options()));
  const std::string few = file("drugs.few");
  const Words how{"--label-column", "2", "--desired-class", "halogen-free"};
  Words save{"dataset", drugs_, "--save", few};
  save.insert(save.end(), how.begin(), how.end());
  const Outcome saved = fewedits(save);
  ASSERT_EQ(saved.code, 0) << saved.err;
  EXPECT_EQ(fewedits({"dataset", few}).out, saved.out);

  const std::string path = file("explanation.json");
  ASSERT_EQ(explain({}).code, 0);
  const Outcome by_file = verify({path, "--dataset", few});
  EXPECT_EQ(by_file.code, 0) << by_file.out << by_file.err;
  const Json from_smiles = read(path);

  const Outcome outcome = fewedits({"explain", "--dataset", few, "--model", model_, "--k", "3",
                                    "-o", path, "--refine-work", "5000000"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"counterfactuals", "metrics"}) {
    EXPECT_EQ(read(path)[part], from_smiles[part]) << part;
  }
  const Outcome held = verify({path});
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  // What was said when it was saved is inside; whoever reads the source has to be told.
  Words by_smiles{path, "--dataset", drugs_};
  EXPECT_NE(verify(by_smiles).code, 0);
  by_smiles.insert(by_smiles.end(), how.begin(), how.end());
  const Outcome told = verify(by_smiles);
  EXPECT_THAT(told.out, HasSubstr(": 1 of "));
  EXPECT_THAT(told.out, HasSubstr("was read without flags"));
  // Another way of reading is another dataset.
  const std::string other = file("other.few");
  ASSERT_EQ(fewedits({"dataset", drugs_, "--save", other, "--no-charges"}).code, 0);
  EXPECT_NE(verify({path, "--dataset", other}).code, 0);
  const Outcome charges = fewedits({"dataset", few, "--no-charges"});
  EXPECT_EQ(charges.code, 1);
  EXPECT_THAT(charges.err, HasSubstr("saved with charges"));
}

TEST_F(DrugsTest, SavingNeverOverwritesWhatIsRead) {
  const std::string few = file("drugs.few");
  ASSERT_EQ(fewedits({"dataset", drugs_, "--save", few}).code, 0);
  const std::string before = read_file(few);
  const Outcome same = fewedits({"dataset", few, "--save", few});
  EXPECT_EQ(same.code, 1);
  EXPECT_THAT(same.err, HasSubstr("would overwrite"));
  EXPECT_EQ(read_file(few), before);
  // Saved again it is the same file.
  const std::string again = file("again.few");
  ASSERT_EQ(fewedits({"dataset", few, "--save", again}).code, 0);
  EXPECT_EQ(read_file(again), before);
}

TEST_F(DrugsTest, RecourseWritesPairsOfSmiles) {
  const Dataset data = open_dataset(drugs_, drug_options());
  write_model(data);
  ASSERT_EQ(explain({}).code, 0);
  const std::string pairs = file("pairs.csv");
  const Outcome outcome =
      fewedits({"recourse", file("explanation.json"), "--smiles", pairs, "--json", "--local"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json rows = Json::parse(outcome.out)["recourse"];
  const std::string path = file("explanation.json");
  const Explanation e = parse_explanation(read_file(path), path);
  const auto rules = MoleculeRules::of(e.label_names, e.edge_label_names);
  ASSERT_TRUE(rules);
  std::istringstream lines(read_file(pairs));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "graph,tu_graph,name,smiles,counterfactual,counterfactual_smiles,distance,covered,"
            "local_smiles,local_distance");
  std::size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    ASSERT_LT(row, rows.size());
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
    if (line.ends_with(',')) cells.emplace_back();
    ASSERT_EQ(cells.size(), 10U) << line;
    const auto graph = rows[row]["graph"].get<std::size_t>();
    EXPECT_EQ(cells[0], std::to_string(graph));
    EXPECT_EQ(cells[2], data.names[graph]);
    // The input comes back as it was, with bonds and charges.
    const Dataset back = open_dataset(folder_.write("one.smi", cells[3] + "\n"));
    EXPECT_TRUE(isomorphic(with_labels_of(data, back), data.graphs[graph])) << cells[3];
    EXPECT_EQ(cells[4], std::to_string(rows[row]["counterfactual"].get<int>()));
    EXPECT_THAT(cells[5], testing::Not(testing::ContainsRegex("Cl|Br|F|I")));
    const Dataset to = open_dataset(folder_.write("one.smi", cells[5] + "\n"));
    expect_accepted(rules->canonical(with_labels_of(e, to)), *rules, cells[5]);
    EXPECT_EQ(cells[7], rows[row]["covered"].get<bool>() ? "true" : "false");
    EXPECT_EQ(cells[8].empty(), rows[row]["local"].is_null());
  }
  EXPECT_EQ(row, rows.size());
  EXPECT_EQ(row, 30U);
  const Outcome same =
      fewedits({"recourse", file("explanation.json"), "--smiles", pairs, "-o", pairs});
  EXPECT_EQ(same.code, 2);
  const Outcome over = fewedits({"recourse", file("explanation.json"), "--smiles", model_});
  EXPECT_EQ(over.code, 1);
  EXPECT_THAT(over.err, HasSubstr("overwrite"));
}

TEST_F(DrugsTest, SdfIsReadAsSmilesAre) {
  const Dataset data = open_dataset(drugs_, drug_options());
  const LabelNames names = label_names(data);
  std::string sdf;
  for (std::size_t i = 0; i < data.size(); ++i) {
    sdf += data.names[i] + to_mol_block(data.graphs[i], names.nodes, names.edges) + "> <Kind>\n" +
           data.class_labels[static_cast<std::size_t>(data.classes[i])].name + "\n\n$$$$\n";
  }
  DatasetOptions options;
  options.label_column = "kind";
  const Dataset same = open_dataset(folder_.write("drugs.sdf", sdf), options);
  EXPECT_EQ(same.names, data.names);
  EXPECT_EQ(same.class_labels, data.class_labels);
  EXPECT_EQ(same.classes, data.classes);
  EXPECT_EQ(same.node_labels, data.node_labels);
  ASSERT_EQ(same.size(), data.size());
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(same.graphs[i], data.graphs[i]);
}

/// Where the atoms of a V2000 mol block are.
std::vector<std::pair<double, double>> places(const std::string& block) {
  std::istringstream lines(block);
  std::string line;
  for (int i = 0; i < 4; ++i) std::getline(lines, line);
  std::vector<std::pair<double, double>> out(std::stoul(line.substr(0, 3)));
  for (auto& [x, y] : out) lines >> x >> y&& std::getline(lines, line);
  return out;
}

TEST_F(DrugsTest, ExportsAreTheMoleculesThatTheyShow) {
  write_model(open_dataset(drugs_, drug_options()));
  const std::string smi = file("out.smi");
  const std::string sdf = file("out.sdf");
  ASSERT_EQ(explain({"--export", smi, "--export", sdf}).code, 0);
  const std::string path = file("explanation.json");
  const Explanation e = parse_explanation(read_file(path), path);
  const auto rules = MoleculeRules::of(e.label_names, e.edge_label_names);
  ASSERT_TRUE(rules);
  ASSERT_FALSE(e.counterfactuals.empty());
  EXPECT_THAT(read_file(sdf), testing::Not(HasSubstr("  4  0\n"))) << "a bond is called aromatic";
  std::istringstream records(read_file(sdf));
  for (const std::string& exported : {smi, sdf}) {
    const Dataset back = open_dataset(exported);
    ASSERT_EQ(back.size(), e.counterfactuals.size()) << exported;
    for (std::size_t i = 0; i < back.size(); ++i) {
      SCOPED_TRACE(exported + " " + std::to_string(i));
      EXPECT_EQ(back.names[i], "counterfactual_" + std::to_string(i));
      Dataset one = back;
      one.graphs = {back.graphs[i]};
      const Graph graph = rules->canonical(with_labels_of(e, one));
      EXPECT_TRUE(isomorphic(graph, e.counterfactuals[i].graph));
      expect_accepted(graph, *rules, exported);
    }
  }
  for (const Counterfactual& c : e.counterfactuals) {
    std::string block;
    for (std::string line; std::getline(records, line) && line != "$$$$";) block += line + "\n";
    const auto at = places(block);
    ASSERT_EQ(at.size(), c.graph.num_nodes());
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        EXPECT_GT(std::hypot(at[a].first - at[b].first, at[a].second - at[b].second), 0.3);
      }
    }
  }
}

TEST_F(DrugsTest, DistancesCountBondsHoweverARingIsWritten) {
  // Two Kekulé forms of o-xylene, and what it becomes without double bonds.
  const std::string file =
      folder_.write("rings.smi", "CC1=C(C)C=CC=C1\nCC1=CC=CC=C1C\nCC1CCCCC1C\n").string();
  const auto distance = [&](const std::string& to, const Words& more) {
    Words words{"distance", "--dataset", file, "--pair", "0", to};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = fewedits(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream row(outcome.out.substr(outcome.out.find('\n') + 1));
    std::string cell;
    for (int i = 0; i < 3; ++i) std::getline(row, cell, ',');
    return cell;
  };
  EXPECT_EQ(distance("1", {"--cost", "relabel-edge=1"}), "2");
  EXPECT_EQ(distance("1", {"--bonds", "use"}), "0");
  EXPECT_EQ(distance("2", {"--bonds", "use"}), "6");
  EXPECT_EQ(distance("2", {"--bonds", "ignore"}), "0");
  EXPECT_EQ(distance("2", {}), "0");
  const Outcome told =
      fewedits({"distance", "--dataset", file, "--pair", "0", "2", "--bonds", "use", "--script"});
  EXPECT_THAT(told.out, HasSubstr("aromatic to single"));
  const Outcome kernel = fewedits(
      {"distance", "--dataset", file, "--pair", "0", "2", "--bonds", "use", "--method", "wl"});
  EXPECT_EQ(kernel.code, 1);
  EXPECT_THAT(kernel.err, HasSubstr("knows no bonds"));
}

#ifdef FEWEDITS_WITH_TORCH

// docs/formats.md shows these four commands; this search ends sooner.
TEST_F(DrugsTest, FromSmilesToAPageInFourCommands) {
  const std::string model = file("model.safetensors");
  const std::string explanation = file("explanation.json");
  const std::string page = file("report.html");
  const auto run = [](const Words& words) {
    const Outcome outcome = fewedits(words);
    EXPECT_EQ(outcome.code, 0) << words.front() << ": " << outcome.out << outcome.err;
    return outcome.code == 0;
  };
  ASSERT_TRUE(run({"dataset", drugs_, "--label-column", "2"}));
  ASSERT_TRUE(run({"train", "--dataset", drugs_, "--label-column", "2", "-o", model}));
  ASSERT_TRUE(
      run({"explain", "--dataset", drugs_, "--label-column", "2", "--model", model,
           "--desired-class", "halogen-free", "--refine-work", "20000000", "-o", explanation}));
  ASSERT_TRUE(run({"report", explanation, "-o", page}));

  const Explanation e = parse_explanation(read_file(explanation), explanation);
  EXPECT_FALSE(e.counterfactuals.empty());
  ASSERT_FALSE(e.edge_label_names.empty()) << "bonds are used by default";
  const auto rules = MoleculeRules::of(e.label_names, e.edge_label_names);
  ASSERT_TRUE(rules);
  for (const Counterfactual& c : e.counterfactuals) {
    const std::string smiles = to_smiles(c.graph, e.label_names, e.edge_label_names);
    expect_accepted(c.graph, *rules, smiles);
    // Out as SMILES and in again it is the same graph.
    const Dataset back = open_dataset(folder_.write("back.smi", smiles + "\n"));
    EXPECT_TRUE(isomorphic(rules->canonical(with_labels_of(e, back)), c.graph)) << smiles;
  }
  EXPECT_THAT(read_file(page), AllOf(HasSubstr("<html"), HasSubstr("halogen-free")));
  const Outcome held = verify({explanation});
  EXPECT_EQ(held.code, 0) << held.out << held.err;
}

TEST_F(DrugsTest, AModelThatSeesBondsIsTrainedExplainedAndChecked) {
  const std::string model = file("gine.safetensors");
  const std::string explanation = file("explanation.json");
  const Outcome trained = fewedits({"train", "--dataset", drugs_, "--label-column", "2", "--conv",
                                    "gine", "--embedding", "8", "--epochs", "150", "-o", model});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Json description = read(file("gine.json"));
  EXPECT_EQ(description["edge_labels"], Json({"single", "double", "triple", "aromatic"}));
  EXPECT_EQ(description["node_embedding"], "node_emb");
  const Outcome explained =
      fewedits({"explain", "--dataset", drugs_, "--label-column", "2", "--model", model,
                "--desired-class", "halogen-free", "--refine-work", "5000000", "-o", explanation});
  ASSERT_EQ(explained.code, 0) << explained.err;
  const Explanation e = parse_explanation(read_file(explanation), explanation);
  EXPECT_FALSE(e.edge_label_names.empty());
  EXPECT_FALSE(e.counterfactuals.empty());
  for (const Counterfactual& c : e.counterfactuals) {
    EXPECT_TRUE(is_possible_molecule(c.graph, e.label_names, e.edge_label_names));
  }
  const Outcome held = verify({explanation});
  EXPECT_EQ(held.code, 0) << held.out << held.err;
  for (const Words& words :
       {Words{"evaluate", explanation}, Words{"recourse", explanation, "--graph", "0"}}) {
    const Outcome outcome = fewedits(words);
    EXPECT_EQ(outcome.code, 0) << words.front() << outcome.err;
  }
  const Outcome blind =
      fewedits({"explain", "--dataset", drugs_, "--label-column", "2", "--model", model,
                "--desired-class", "halogen-free", "--bonds", "ignore", "-o", file("no.json")});
  EXPECT_EQ(blind.code, 1);
  EXPECT_THAT(blind.err, AllOf(HasSubstr("looks at bonds"), HasSubstr("bonds: use")));
  const Outcome drafted = fewedits({"model", model});
  EXPECT_EQ(drafted.code, 0) << drafted.err;
  EXPECT_THAT(drafted.out, AllOf(HasSubstr("GINE"), HasSubstr("node_emb")));
}

#endif

}  // namespace
}  // namespace fewedits
