// SPDX-License-Identifier: MIT
// JSON documents for large files that nobody vouches for: all values in one list, sixteen bytes
// each, and all texts in another. A tree of small objects takes up to seventy times the text.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fewedits/base/json_reader.hpp"

namespace fewedits {

class FlatValue;

/// Takes at most eight times the text, for its values, and three times the text, for texts in it.
class FlatJson {
 public:
  /// Throws what check_json throws.
  FlatJson(std::string_view text, const std::string& file, const std::string& remedy,
           const JsonLimits& limits = {});

  /// Lives no longer than the document.
  [[nodiscard]] FlatValue root() const;

 private:
  friend class FlatValue;
  class Builder;

  enum class Type : std::uint32_t {
    kNull,
    kBoolean,
    kUnsigned,
    kNegative,
    kFloat,
    kText,
    kList,
    kObject
  };

  /// Keys of an object stand before their values, as texts.
  struct Item {
    std::uint64_t bits =
        0;  ///< the value; of a text, where it begins; else how many items there are
    std::uint32_t length =
        1;  ///< of a text; of lists and objects: items of the document up to its end
    Type type = Type::kNull;
  };

  std::vector<Item> items_;
  std::string texts_;
};

class FlatValue {
 public:
  [[nodiscard]] bool is_null() const { return is(Type::kNull); }
  [[nodiscard]] bool is_boolean() const { return is(Type::kBoolean); }
  [[nodiscard]] bool is_text() const { return is(Type::kText); }
  [[nodiscard]] bool is_list() const { return is(Type::kList); }
  [[nodiscard]] bool is_object() const { return is(Type::kObject); }
  [[nodiscard]] bool is_unsigned() const { return is(Type::kUnsigned); }
  [[nodiscard]] bool is_negative() const { return is(Type::kNegative); }  ///< and whole
  [[nodiscard]] bool is_number() const {
    return is_unsigned() || is_negative() || is(Type::kFloat);
  }

  // What it is of the kind.
  [[nodiscard]] bool boolean() const { return item().bits != 0; }
  [[nodiscard]] std::uint64_t whole() const { return item().bits; }
  [[nodiscard]] std::int64_t negative() const { return std::bit_cast<std::int64_t>(item().bits); }
  [[nodiscard]] double number() const;
  [[nodiscard]] std::string_view text() const;
  /// Of a list or an object.
  [[nodiscard]] std::size_t size() const { return item().bits; }

  /// Calls `visit(index, value)` for each item of a list.
  template <typename Visit>
  void for_items(const Visit& visit) const {
    FlatValue at(*doc_, at_ + 1);
    for (std::size_t i = 0; i < size(); ++i, at = at.after()) visit(i, at);
  }
  /// Calls `visit(key, value)` for each member of an object, in the order of the text.
  template <typename Visit>
  void for_members(const Visit& visit) const {
    FlatValue key(*doc_, at_ + 1);
    for (std::size_t i = 0; i < size(); ++i) {
      const FlatValue value = key.after();
      visit(key.text(), value);
      key = value.after();
    }
  }
  /// The item of a list; looks at those before it.
  [[nodiscard]] FlatValue at(std::size_t index) const;
  /// The member of an object; looks at those before it.
  [[nodiscard]] std::optional<FlatValue> find(std::string_view key) const;

  /// For messages: a number as it is, anything else by its kind.
  [[nodiscard]] std::string described() const;

 private:
  friend class FlatJson;
  using Type = FlatJson::Type;

  FlatValue(const FlatJson& doc, std::size_t at) : doc_(&doc), at_(at) {}
  [[nodiscard]] const FlatJson::Item& item() const { return doc_->items_[at_]; }
  [[nodiscard]] bool is(Type type) const { return item().type == type; }
  [[nodiscard]] FlatValue after() const {
    return {*doc_, at_ + (is_list() || is_object() ? item().length : 1)};
  }

  const FlatJson* doc_;
  std::size_t at_;
};

}  // namespace fewedits
