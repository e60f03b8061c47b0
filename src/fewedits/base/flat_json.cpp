// SPDX-License-Identifier: MIT
#include "fewedits/base/flat_json.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "fewedits/base/error.hpp"

namespace fewedits {

/// Hears of every value of a text that check_json has found sound.
class FlatJson::Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(FlatJson& to) : items_(to.items_), texts_(to.texts_) {}

  bool null() override { return add(Type::kNull, 0); }
  bool boolean(bool value) override { return add(Type::kBoolean, value ? 1 : 0); }
  bool number_integer(std::int64_t value) override {
    return add(Type::kNegative, std::bit_cast<std::uint64_t>(value));
  }
  bool number_unsigned(std::uint64_t value) override { return add(Type::kUnsigned, value); }
  bool number_float(double value, const std::string& /*text*/) override {
    return add(Type::kFloat, std::bit_cast<std::uint64_t>(value));
  }
  bool string(std::string& value) override { return add_text(value, true); }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return open(Type::kObject); }
  bool key(std::string& name) override { return add_text(name, false); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(Type::kList); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    throw Error(error.what());  // check_json has read the very same text
  }

 private:
  bool add(Type type, std::uint64_t bits) {
    if (!open_.empty()) ++items_[open_.back()].bits;
    items_.push_back({bits, 1, type});
    return true;
  }
  /// Keys are no items of their own: they do not count.
  bool add_text(const std::string& text, bool counts) {
    if (counts && !open_.empty()) ++items_[open_.back()].bits;
    items_.push_back({texts_.size(), static_cast<std::uint32_t>(text.size()), Type::kText});
    texts_ += text;
    return true;
  }
  bool open(Type type) {
    add(type, 0);
    open_.push_back(items_.size() - 1);
    return true;
  }
  bool close() {
    items_[open_.back()].length = static_cast<std::uint32_t>(items_.size() - open_.back());
    open_.pop_back();
    return true;
  }

  std::vector<Item>& items_;
  std::string& texts_;
  std::vector<std::size_t> open_;  ///< lists and objects around
};

FlatJson::FlatJson(std::string_view text, const std::string& file, const std::string& remedy,
                   const JsonLimits& limits) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error({file}, "is too large", remedy);  // there are no more items than bytes
  }
  items_.reserve(check_json(text, file, remedy, limits));
  Builder builder(*this);
  nlohmann::json::sax_parse(text, &builder);
}

FlatValue FlatJson::root() const { return {*this, 0}; }

double FlatValue::number() const {
  if (is_unsigned()) return static_cast<double>(whole());
  return is_negative() ? static_cast<double>(negative()) : std::bit_cast<double>(item().bits);
}

std::string_view FlatValue::text() const {
  return std::string_view(doc_->texts_).substr(item().bits, item().length);
}

FlatValue FlatValue::at(std::size_t index) const {
  FlatValue out(*doc_, at_ + 1);
  for (std::size_t i = 0; i < index; ++i) out = out.after();
  return out;
}

std::optional<FlatValue> FlatValue::find(std::string_view key) const {
  FlatValue name(*doc_, at_ + 1);
  for (std::size_t i = 0; i < size(); ++i) {
    const FlatValue value = name.after();
    if (name.text() == key) return value;
    name = value.after();
  }
  return std::nullopt;
}

std::string FlatValue::described() const {
  constexpr std::array<const char*, 8> kNames = {"null",   "boolean", "number", "number",
                                                 "number", "string",  "array",  "object"};
  if (is_unsigned()) return std::to_string(whole());
  if (is_negative()) return std::to_string(negative());
  return is_number() ? fmt::format("{}", number()) : kNames[static_cast<std::size_t>(item().type)];
}

}  // namespace fewedits
