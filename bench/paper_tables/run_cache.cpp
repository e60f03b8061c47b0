// SPDX-License-Identifier: MIT
#include "run_cache.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "gcfx/base/error.hpp"
#include "gcfx/gcfx.hpp"

namespace gcfx::bench {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string run_key(const std::string& dataset, const ExplainOptions& options) {
  Json settings = Json::object();
  for (const auto& [name, value] : describe(options)) settings[name] = value;
  const bool search = options.method == ExplainMethod::kGcf;
  return Json{{"dataset", dataset},
              {"method", search ? "gcf" : "ground-truth"},
              {"options", settings},
              {"seed", options.seed},
              {"version", version()}}
      .dump();
}

RunCache::RunCache(std::filesystem::path path) : path_(std::move(path)) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    cut_off_ = file.eof();
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("run")) continue;
    const Json& run = json["run"];
    runs_[json.at("key").dump()] = {run.at("coverage"), run.at("cost"), run.at("seconds"),
                                    run.at("threads")};
  }
}

const Run* RunCache::find(const std::string& key) const {
  const auto it = runs_.find(key);
  return it == runs_.end() ? nullptr : &it->second;
}

void RunCache::add(const std::string& key, const Run& run) {
  runs_[key] = run;
  if (path_.empty()) return;
  const Json line{{"key", Json::parse(key)},
                  {"run",
                   {{"coverage", run.coverage},
                    {"cost", run.cost},
                    {"seconds", run.seconds},
                    {"threads", run.threads}}}};
  std::ofstream file(path_, std::ios::app);
  if (std::exchange(cut_off_, false)) file << "\n";
  file << line.dump() << std::endl;
  if (!file) throw Error("cannot write " + quoted(path_.string()));
}

}  // namespace gcfx::bench
