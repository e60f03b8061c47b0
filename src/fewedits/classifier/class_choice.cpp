// SPDX-License-Identifier: MIT
#include "fewedits/classifier/class_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fewedits/base/error.hpp"
#include "fewedits/base/text.hpp"

namespace fewedits {
namespace {

std::size_t with_column(std::size_t column, const Classifier& classifier) {
  for (std::size_t c = 0; c < classifier.num_classes(); ++c) {
    if (classifier.column_of(c) == column) return c;
  }
  throw Error({classifier.origin()},
              fmt::format("the model has {} outputs, and none of the number {}",
                          classifier.num_classes(), column),
              "they are counted from 0");
}

std::string all_classes(const Dataset& dataset, const Classifier& classifier) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < classifier.num_classes(); ++c) {
    names.push_back(class_name(c, dataset, classifier));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::size_t desired_class(const Dataset& dataset, const Classifier& classifier) {
  if (dataset.desired_column) return with_column(*dataset.desired_column, classifier);
  if (dataset.desired_name) return class_meant(*dataset.desired_name, dataset, classifier);
  if (!dataset.desired_class) {
    throw Error(fmt::format("dataset {}: nobody said which class is desired", dataset.name),
                dataset.class_labels.empty()
                    ? "its graphs have no classes: name one of the model's, or its output (model:0)"
                    : fmt::format("its classes are: {}; choose one, or name it in the metadata "
                                  "(\"desired_class\")",
                                  in_words(dataset.class_labels)));
  }
  const auto desired = static_cast<std::size_t>(*dataset.desired_class);
  if (desired >= classifier.num_classes()) {
    throw Error(fmt::format("the classifier tells {} classes apart, the desired class has index {}",
                            classifier.num_classes(), desired),
                "use the classifier that was trained for this dataset");
  }
  return desired;
}

std::size_t class_meant(const std::string& text, const Dataset& dataset,
                        const Classifier& classifier) {
  if (const auto column = model_column(text)) return with_column(*column, classifier);
  if (classifier.knows_classes()) {
    const auto found = find_class(dataset.class_labels, text);
    if (found && static_cast<std::size_t>(*found) < classifier.num_classes()) {
      return static_cast<std::size_t>(*found);
    }
  }
  const auto names = classifier.class_names();
  const auto it = std::ranges::find(names, text);
  const bool is_value = number_in<std::int64_t>(text).has_value();
  if (it != names.end() && !is_value) return static_cast<std::size_t>(it - names.begin());
  throw Error(fmt::format("there is no class {}", in_quotes(text)),
              fmt::format("the dataset and the model have: {}; model:N is the model's output N, "
                          "from 0",
                          all_classes(dataset, classifier)));
}

std::string class_name(std::size_t index, const Dataset& dataset, const Classifier& classifier) {
  if (classifier.knows_classes() && index < dataset.class_labels.size()) {
    return dataset.class_labels[index].name;
  }
  const auto names = classifier.class_names();
  if (index < names.size()) return names[index];
  return fmt::format("model:{}", classifier.column_of(index));
}

}  // namespace fewedits
