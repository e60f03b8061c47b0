// SPDX-License-Identifier: MIT
#include "fewedits/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "fewedits/base/error.hpp"

namespace fewedits {
namespace {

/// Hears of every value while the text is parsed and throws at the first that is not sound.
class Checker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Checker(std::string_view text, const std::string& file, const std::string& remedy,
          const JsonLimits& limits)
      : text_(text), file_(file), remedy_(remedy), limits_(limits) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  bool null() override { return item(); }
  bool boolean(bool /*value*/) override { return item(); }
  bool number_integer(std::int64_t /*value*/) override { return item(); }
  bool number_unsigned(std::uint64_t /*value*/) override { return item(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return item(); }
  bool string(std::string& /*value*/) override { return item(); }
  bool binary(binary_t& /*value*/) override { return item(); }

  bool start_object(std::size_t /*size*/) override { return open(false); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(true); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto& keys = open_.back().keys;
    if (!keys.insert(name).second) {
      fail(fmt::format("key {} occurs twice", in_quotes(name)), "keep one of the two");
    }
    if (keys.size() > limits_.keys) {
      fail(fmt::format("has an object with more than {} keys", limits_.keys),
           "take out keys that are not needed");
    }
    ++count_;
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(position, text_.size()));
    std::string what = error.what();
    // "[json.exception.parse_error.101] " means nothing to a user.
    if (const auto at = what.find("] "); at != std::string::npos) what.erase(0, at + 2);
    throw Error(Location{file_, 1 + std::count(text_.begin(), end, '\n')},
                fmt::format("is not valid JSON: {}", in_quotes(what, 200)), remedy_);
  }

 private:
  /// A list or object that is not closed yet.
  struct Around {
    bool is_list = false;
    std::size_t items = 0;       ///< of a list, so far
    std::set<std::string> keys;  ///< of an object
  };

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Error(Location{file_, 0}, what, remedy);
  }

  /// Another value where the text is.
  bool item() {
    ++count_;
    if (open_.empty() || !open_.back().is_list || ++open_.back().items <= limits_.items) {
      return true;
    }
    fail(fmt::format("has a list of more than {} items", limits_.items), remedy_);
  }

  bool open(bool is_list) {
    item();
    if (open_.size() == limits_.depth) {
      fail(fmt::format("is nested more than {} deep", limits_.depth), "take the nesting out");
    }
    open_.push_back({is_list, 0, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  const std::string& remedy_;
  const JsonLimits& limits_;
  std::size_t count_ = 0;  ///< of values and keys
  std::vector<Around> open_;
};

}  // namespace

std::size_t check_json(std::string_view text, const std::string& file, const std::string& remedy,
                       const JsonLimits& limits) {
  if (text.empty()) throw Error(Location{file, 0}, "the file is empty", remedy);
  Checker checker(text, file, remedy, limits);
  nlohmann::json::sax_parse(text, &checker);
  return checker.count();
}

}  // namespace fewedits
