// SPDX-License-Identifier: MIT
// Internal to rules: what the readers and writers of its files share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/json_reader.hpp"
#include "fewedits/explanation/explanation.hpp"
#include "fewedits/rules/rule.hpp"

namespace fewedits {

using Json = nlohmann::ordered_json;

inline constexpr const char* kFormatRemedy = "docs/formats.md describes the format";
inline constexpr JsonLimits kRuleJsonLimits{.depth = 16, .keys = 64};

/// A value of the document and the way to it. Its members throw Error for what is not as they want
/// it.
class JsonValue {
 public:
  JsonValue(const Json& json, std::string path, const std::string& file)
      : json_(&json), path_(std::move(path)), file_(&file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Location{*file_, 0}, path_.empty() ? what : path_ + " " + what, kFormatRemedy);
  }
  [[nodiscard]] bool has(const char* key) const {
    return json_->is_object() && json_->contains(key);
  }
  [[nodiscard]] bool is_null() const { return json_->is_null(); }
  [[nodiscard]] bool is_text() const { return json_->is_string(); }
  [[nodiscard]] JsonValue operator[](const char* key) const {
    if (!json_->is_object()) fail("is no object");
    const auto at = json_->find(key);
    if (at == json_->end()) fail(fmt::format("lacks the key \"{}\"", key));
    return {*at, path_.empty() ? key : path_ + "." + key, *file_};
  }
  [[nodiscard]] std::size_t size() const {
    if (!json_->is_array()) fail("is no list");
    return json_->size();
  }
  [[nodiscard]] JsonValue at(std::size_t i) const {
    return {(*json_)[i], fmt::format("{}[{}]", path_, i), *file_};
  }
  [[nodiscard]] std::vector<JsonValue> items() const {
    std::vector<JsonValue> out;
    for (std::size_t i = 0, n = size(); i < n; ++i) out.push_back(at(i));
    return out;
  }
  [[nodiscard]] std::vector<JsonValue> items(std::size_t count) const {
    if (size() != count) fail(fmt::format("is no list of {}", count));
    return items();
  }
  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> members() const {
    if (!json_->is_object()) fail("is no object");
    std::vector<std::pair<std::string, JsonValue>> out;
    for (const auto& [key, value] : json_->items()) {
      out.emplace_back(key, JsonValue{value, path_ + "." + key, *file_});
    }
    return out;
  }
  [[nodiscard]] std::string text() const {
    if (!json_->is_string()) fail("is no text");
    return json_->get<std::string>();
  }
  [[nodiscard]] bool flag() const {
    if (!json_->is_boolean()) fail("is neither true nor false");
    return json_->get<bool>();
  }
  [[nodiscard]] double number() const {
    if (!json_->is_number()) fail("is no number");
    const auto value = json_->get<double>();
    if (!(value >= 0) || !std::isfinite(value)) fail("is no number from 0 on");
    return value;
  }
  [[nodiscard]] std::uint64_t whole(std::uint64_t most) const {
    if (!json_->is_number_unsigned() || json_->get<std::uint64_t>() > most) {
      fail(fmt::format("is no whole number from 0 to {}", most));
    }
    return json_->get<std::uint64_t>();
  }
  [[nodiscard]] std::uint32_t index() const {
    return static_cast<std::uint32_t>(whole(kAbsent - 1));
  }
  [[nodiscard]] std::size_t count() const { return whole(std::uint64_t{1} << 53); }

 private:
  const Json* json_;
  std::string path_;
  const std::string* file_;
};

/// An option that is given several times has a list of values.
Json options_json(const std::vector<std::pair<std::string, std::string>>& options);

std::vector<std::string> read_texts(const JsonValue& value);
/// "software", "dataset", "model", "seed" and "options".
Provenance read_provenance(const JsonValue& value);

}  // namespace fewedits
