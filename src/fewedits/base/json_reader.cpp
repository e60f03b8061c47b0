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

  bool null() override { return counted(); }
  bool boolean(bool /*value*/) override { return counted(); }
  bool number_integer(std::int64_t /*value*/) override { return counted(); }
  bool number_unsigned(std::uint64_t /*value*/) override { return counted(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return counted(); }
  bool string(std::string& /*value*/) override { return counted(); }
  bool binary(binary_t& /*value*/) override { return counted(); }

  bool start_object(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto& keys = open_.back();
    if (!keys.insert(name).second) {
      fail(fmt::format("key {} occurs twice", in_quotes(name)), "keep one of the two");
    }
    if (keys.size() > limits_.keys) {
      fail(fmt::format("has an object with more than {} keys", limits_.keys),
           "take out keys that are not needed");
    }
    return counted();
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
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Error(Location{file_, 0}, what, remedy);
  }

  bool open() {
    if (open_.size() == limits_.depth) {
      fail(fmt::format("is nested more than {} deep", limits_.depth), "take the nesting out");
    }
    open_.emplace_back();
    return counted();
  }
  bool counted() {
    ++count_;
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
  std::size_t count_ = 0;
  std::vector<std::set<std::string>> open_;  ///< lists and objects around, with their keys so far
};

}  // namespace

std::size_t check_json(std::string_view text, const std::string& file, const std::string& remedy,
                       const JsonLimits& limits) {
  Checker checker(text, file, remedy, limits);
  nlohmann::json::sax_parse(text, &checker);
  return checker.count();
}

}  // namespace fewedits
