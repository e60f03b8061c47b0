// SPDX-License-Identifier: MIT
// No output is, replaces or follows into an input, whatever the command and however it is named.
#include <gmock/gmock.h>

#include <map>

#include "fewedits/base/file.hpp"
#include "fewedits/classifier/model_file.hpp"
#include "fewedits/explanation/explanation_json.hpp"
#include "fewedits/formats/checkpoint_writer.hpp"
#include "fewedits/formats/metadata.hpp"
#include "support/command.hpp"
#include "support/explained.hpp"

namespace fewedits {
namespace {

namespace fs = std::filesystem;
using test::fewedits;
using test::Outcome;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

class OutputsCliTest : public testing::Test {
 protected:
  OutputsCliTest() {
    const auto made = test::make_explained(at("data"), {.inputs = 6, .k = 2});
    folder_.write("why.json", explanation_json(made.explanation));
    folder_.write("meta.json", to_json(DatasetMetadata{}));
    folder_.write("list.txt", "0-5\n");
    folder_.write("pairs.csv", "graph_a,graph_b\n0,1\n");
    const auto labels = static_cast<std::int64_t>(made.data.node_labels.size());
    const StateDict weights{{"convs.0.weight", floats({labels, 2})}, {"fc.weight", floats({2, 2})}};
    write_checkpoint(at("model.safetensors"), weights);
    write_checkpoint(at("greed.pt"), weights);
    folder_.write("model.json",
                  to_json(ModelFile{infer_model(weights, "test"), "model.safetensors"}));
    fs::create_directory(at("elsewhere"));
  }

  static Tensor floats(const std::vector<std::int64_t>& shape) {
    return Tensor::from_floats(
        shape, std::vector<float>(static_cast<std::size_t>(shape[0] * shape[1]), 1));
  }
  [[nodiscard]] std::string at(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  /// Every regular file below the folder and what is in it.
  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) out[entry.path().string()] = read_file(entry.path());
    }
    return out;
  }

  /// The command must refuse, and leave everything as it was.
  void refuses(const Arguments& arguments) const {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const auto before = contents();
    const Outcome outcome = fewedits(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("would overwrite what is being read"));
    EXPECT_EQ(contents(), before);
  }

  [[nodiscard]] Arguments predict(const std::string& output) const {
    return {"predict",    "--dataset",     at("data"), "--model", at("model.safetensors"),
            "--metadata", at("meta.json"), "-o",       output};
  }
  /// `rest` says what is written.
  [[nodiscard]] Arguments explain(const Arguments& rest) const {
    Arguments out{"explain",        "--dataset",     at("data"),      "--model",
                  at("model.json"), "--metadata",    at("meta.json"), "--distance",
                  "greed",          "--greed-model", at("greed.pt")};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  [[nodiscard]] Arguments compared(const std::string& command, const Arguments& rest) const {
    Arguments out{command,      at("why.json"), "--model",       at("model.safetensors"),
                  "--distance", "greed",        "--greed-model", at("greed.pt")};
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }

  test::TemporaryFolder folder_;
};

TEST_F(OutputsCliTest, NoInputIsOverwrittenUnderAnyOfItsNames) {
  for (const char* input : {"model.safetensors", "model.json", "meta.json", "data/data_A.txt",
                            "data/data_graph_labels.txt", "data/fewedits.json"}) {
    refuses(predict(at(input)));
    refuses(predict(at("elsewhere/../" + std::string(input))));
    refuses(predict(fs::relative(at(input)).string()));
    fs::create_symlink(at(input), at("elsewhere/link"));
    refuses(predict(at("elsewhere/link")));
    fs::create_symlink("link", at("elsewhere/second"));
    refuses(predict(at("elsewhere/second")));
    fs::create_hard_link(at(input), at("elsewhere/name"));
    refuses(predict(at("elsewhere/name")));
    fs::create_directory_symlink(fs::path(at(input)).parent_path(), at("elsewhere/folder"));
    refuses(predict(at("elsewhere/folder/" + fs::path(input).filename().string())));
    for (const char* name : {"link", "second", "name", "folder"}) {
      fs::remove(at("elsewhere/" + std::string(name)));
    }
  }
}

TEST_F(OutputsCliTest, NoInputIsOverwrittenThroughALinkOfItsOwn) {
  // The inputs are links here, the output is what one of them points to.
  fs::create_symlink(at("model.safetensors"), at("elsewhere/model.safetensors"));
  fs::create_symlink(at("model.json"), at("elsewhere/model.json"));
  fs::create_directory_symlink(at("data"), at("elsewhere/data"));
  for (const char* target : {"model.safetensors", "model.json", "data/data_A.txt"}) {
    refuses({"predict", "--dataset", at("elsewhere/data"), "--model",
             at("elsewhere/model.safetensors"), "-o", at(target)});
  }
}

TEST_F(OutputsCliTest, WhatWouldBeReadNextTimeIsNotMadeEither) {
  // A model file beside a checkpoint, or metadata in a dataset's folder, that is not there yet.
  fs::remove(at("model.json"));
  fs::remove(at("data/fewedits.json"));
  for (const char* absent : {"model.json", "data/fewedits.json", "data/data_edge_labels.txt"}) {
    if (fs::exists(at(absent))) fs::remove(at(absent));
    refuses(predict(at(absent)));
    fs::create_symlink(at(absent), at("elsewhere/link"));
    refuses(predict(at("elsewhere/link")));
    EXPECT_TRUE(fs::is_symlink(at("elsewhere/link")));
    fs::remove(at("elsewhere/link"));
  }
}

TEST_F(OutputsCliTest, EveryCommandProtectsEverythingItReads) {
  const Arguments shared{"model.safetensors", "model.json", "greed.pt", "data/data_A.txt"};
  for (const std::string& input : shared) {
    for (const char* command : {"evaluate", "recourse"})
      refuses(compared(command, {"-o", at(input)}));
    refuses(compared("evaluate", {"--curves", at(input)}));
    refuses(explain({"-o", at(input)}));
    refuses(explain({"-o", at("out.json"), "--report", at(input)}));
  }
  refuses(explain({"-o", at("meta.json")}));
  const Arguments listed{"--graphs", at("list.txt")};
  for (const Arguments& written :
       {Arguments{"-o", at("list.txt")}, Arguments{"-o", at("o.json"), "--report", at("list.txt")},
        Arguments{"-o", at("o.json"), "--export", at("elsewhere/list.graphml")}}) {
    Arguments all = listed;
    all.insert(all.end(), written.begin(), written.end());
    if (written.back().ends_with(".graphml")) fs::create_symlink(at("list.txt"), written.back());
    refuses(explain(all));
  }
  fs::copy_file(at("list.txt"), at("elsewhere/run.fewedits"));
  refuses(explain({"-o", at("o.json"), "--graphs", at("elsewhere/run.fewedits"), "--run-dir",
                   at("elsewhere")}));
  for (const char* command : {"evaluate", "recourse"})
    refuses(compared(command, {"-o", at("why.json")}));
  for (const char* input : {"why.json", "data/data_A.txt", "data/fewedits.json"}) {
    refuses({"report", at("why.json"), "-o", at(input)});
  }
  for (const char* input : {"pairs.csv", "greed.pt", "data/data_A.txt"}) {
    refuses({"distance", "--dataset", at("data"), "--pairs", at("pairs.csv"), "--method", "greed",
             "--greed-model", at("greed.pt"), "-o", at(input)});
  }
}

TEST_F(OutputsCliTest, FilesThatACommandNamesItselfFollowNoLinksIntoInputs) {
  fs::create_symlink(at("model.safetensors"), at("elsewhere/x.graphml"));
  refuses(explain({"-o", at("out.json"), "--export", at("elsewhere/x.graphml")}));
  fs::create_symlink(at("model.safetensors"), at("elsewhere/run.fewedits"));
  refuses(explain({"-o", at("out.json"), "--run-dir", at("elsewhere")}));
  fs::create_symlink(at("why.json"), at("elsewhere/counterfactual-01.svg"));
  refuses({"draw", at("why.json"), "-o", at("elsewhere")});
}

TEST_F(OutputsCliTest, OtherFilesInADatasetsFolderMayBeReplaced) {
  folder_.write("data/out.csv", "of yesterday");
  const Outcome outcome = fewedits(
      {"distance", "--dataset", at("data"), "--pairs", at("pairs.csv"), "-o", at("data/out.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_file(at("data/out.csv")), HasSubstr("graph_a"));
}

}  // namespace
}  // namespace fewedits
