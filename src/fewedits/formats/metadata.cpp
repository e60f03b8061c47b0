// SPDX-License-Identifier: MIT
#include "fewedits/formats/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "fewedits/base/error.hpp"
#include "fewedits/base/json_reader.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {

extern const std::string_view kBuiltinDatasetsJson;

namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "fewedits.dataset/2";
constexpr const char* kKnownKeys =
    "known keys: format, name, domain, node_labels, edge_labels, classes, desired_class, "
    "model_columns, rare_label_threshold";

[[noreturn]] void fail(const std::string& origin, const std::string& message,
                       const std::string& remedy = {}) {
  throw Error(Location{origin, 0}, message, remedy);
}

Json parse(std::string_view text, const std::string& origin) {
  return parse_json<Json>(text, origin, "docs/formats.md shows a complete metadata file");
}

std::string text_value(const Json& value, const std::string& key, const std::string& origin) {
  if (!value.is_string()) {
    fail(origin, fmt::format("{} is not a string but {}", in_quotes(key), value.type_name()));
  }
  const auto& text = value.get_ref<const std::string&>();
  // Names are shown on terminals and used in tables.
  const bool printable = std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (text.empty() || !printable) {
    fail(origin, fmt::format("{} is empty or has control characters", in_quotes(key)));
  }
  return text;
}

std::int64_t integer_value(const Json& value, const std::string& key, const std::string& origin) {
  const bool too_large =
      value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value.is_number_integer() || too_large) {
    fail(origin, fmt::format("{} is not a 64-bit integer but {}", in_quotes(key),
                             value.is_number() ? value.dump() : value.type_name()));
  }
  return value.get<std::int64_t>();
}

// Only the canonical spelling: "00" beside "0" would name one value twice.
std::int64_t key_value(const std::string& text, const std::string& key, const std::string& origin) {
  const auto value = number_in<std::int64_t>(text);
  if (!value || std::to_string(*value) != text) {
    fail(origin, fmt::format("{}: {} is not an integer", in_quotes(key), in_quotes(text)),
         "the keys are the values in the dataset's files, e.g. {\"0\": \"C\", \"1\": \"O\"}");
  }
  return *value;
}

std::map<std::int64_t, std::string> names_value(const Json& value, const std::string& key,
                                                const std::string& origin) {
  if (!value.is_object()) {
    fail(origin, fmt::format("{} is not an object but {}", in_quotes(key), value.type_name()),
         "write it as {\"0\": \"C\", \"1\": \"O\"}");
  }
  std::map<std::int64_t, std::string> names;
  for (const auto& [text, name] : value.items()) {
    names[key_value(text, key, origin)] = text_value(name, key + "." + text, origin);
  }
  return names;
}

std::vector<std::int64_t> integers_value(const Json& value, const std::string& key,
                                         const std::string& origin) {
  if (!value.is_array() || value.empty()) {
    fail(origin,
         fmt::format("{} is not a list of class values but {}", in_quotes(key), value.type_name()),
         "write the classes in the order of the model's outputs, e.g. [1, 0]");
  }
  std::vector<std::int64_t> out;
  for (const Json& item : value) out.push_back(integer_value(item, key, origin));
  return out;
}

std::string domain_value(const Json& value, const std::string& key, const std::string& origin) {
  std::string domain = text_value(value, key, origin);
  if (domain != "molecule" && domain != "generic") {
    fail(origin, fmt::format("{} is {}", in_quotes(key), in_quotes(domain)),
         "it is \"molecule\" or \"generic\"");
  }
  return domain;
}

std::int64_t threshold_value(const Json& value, const std::string& key, const std::string& origin) {
  const std::int64_t threshold = integer_value(value, key, origin);
  if (threshold < 0) {
    fail(origin, fmt::format("{} is negative: {}", in_quotes(key), threshold),
         "leave the key out for no filter");
  }
  return threshold;
}

void check_format(const Json& object, const std::string& origin) {
  if (!object.is_object()) {
    fail(origin, fmt::format("is not a JSON object but {}", object.type_name()),
         "docs/formats.md shows a complete metadata file");
  }
  const auto format = object.find("format");
  if (format == object.end()) {
    fail(origin, "the key 'format' is missing", fmt::format("add \"format\": \"{}\"", kFormat));
  }
  const std::string found = text_value(*format, "format", origin);
  if (found != kFormat) {
    fail(origin, fmt::format("format {} is not known", in_quotes(found)),
         fmt::format("this version reads \"{}\"", kFormat));
  }
}

DatasetMetadata from_json(const Json& object, const std::string& origin) {
  check_format(object, origin);
  DatasetMetadata out;
  for (const auto& [key, value] : object.items()) {
    if (key == "name") {
      out.name = text_value(value, key, origin);
    } else if (key == "domain") {
      out.domain = domain_value(value, key, origin);
    } else if (key == "node_labels") {
      out.node_label_names = names_value(value, key, origin);
    } else if (key == "edge_labels") {
      out.edge_label_names = names_value(value, key, origin);
    } else if (key == "classes") {
      out.class_names = names_value(value, key, origin);
    } else if (key == "desired_class") {
      out.desired_class = integer_value(value, key, origin);
    } else if (key == "model_columns") {
      out.model_columns = integers_value(value, key, origin);
    } else if (key == "rare_label_threshold") {
      out.rare_label_threshold = threshold_value(value, key, origin);
    } else if (key != "format") {
      fail(origin, fmt::format("unknown key {}", in_quotes(key)), kKnownKeys);
    }
  }
  return out;
}

const std::vector<DatasetMetadata>& builtin_entries() {
  static const std::vector<DatasetMetadata> entries = [] {
    const std::string origin = "built-in datasets.json";
    std::vector<DatasetMetadata> list;
    for (const Json& entry : parse(kBuiltinDatasetsJson, origin)) {
      list.push_back(from_json(entry, origin));
    }
    return list;
  }();
  return entries;
}

bool equal_ignoring_case(const std::string& a, const std::string& b) {
  return ascii_lower(a) == ascii_lower(b);
}

nlohmann::ordered_json names_object(const std::map<std::int64_t, std::string>& names) {
  auto object = nlohmann::ordered_json::object();
  for (const auto& [value, name] : names) object[std::to_string(value)] = name;
  return object;
}

}  // namespace

DatasetMetadata parse_metadata(const std::string& json, const std::string& origin) {
  return from_json(parse(json, origin), origin);
}

std::optional<DatasetMetadata> builtin_metadata(const std::string& name) {
  for (const DatasetMetadata& entry : builtin_entries()) {
    if (equal_ignoring_case(entry.name, name)) return entry;
  }
  return std::nullopt;
}

std::vector<std::string> builtin_metadata_names() {
  std::vector<std::string> names;
  for (const DatasetMetadata& entry : builtin_entries()) names.push_back(entry.name);
  return names;
}

std::string to_json(const DatasetMetadata& metadata) {
  nlohmann::ordered_json out;
  out["format"] = kFormat;
  if (!metadata.name.empty()) out["name"] = metadata.name;
  out["domain"] = metadata.domain;
  const auto add_names = [&](const char* key, const std::map<std::int64_t, std::string>& names) {
    if (!names.empty()) out[key] = names_object(names);
  };
  add_names("node_labels", metadata.node_label_names);
  add_names("edge_labels", metadata.edge_label_names);
  add_names("classes", metadata.class_names);
  if (metadata.desired_class) out["desired_class"] = *metadata.desired_class;
  if (!metadata.model_columns.empty()) out["model_columns"] = metadata.model_columns;
  if (metadata.rare_label_threshold) out["rare_label_threshold"] = *metadata.rare_label_threshold;
  // Names from code may be any bytes; JSON text is UTF-8.
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fewedits
