// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "commands.hpp"
#include "console.hpp"
#include "fewedits/formats/dataset_file.hpp"
#include "fewedits/formats/tu_writer.hpp"
#include "fewedits/synthetic/generator.hpp"

namespace fewedits::cli {

void add_generate_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("generate", "Write a dataset of molecule-like graphs with a planted rule");
  command->footer(
      "A graph is undesired when it contains a nitro group or an aromatic amine.\n\n"
      "Example:\n  fewedits generate --graphs 2000 --seed 7 -o planted");
  auto options = std::make_shared<GeneratorOptions>();
  auto folder = std::make_shared<std::string>();
  command
      ->add_option("-o,--output", *folder, "folder to create (TU format), or file to write (.few)")
      ->required();
  command->add_option("--graphs", options->graphs, "number of graphs")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "random seed")
      ->check(check_unsigned)
      ->capture_default_str();
  command->add_option("--undesired-share", options->undesired_share, "share with a planted motif")
      ->check(number_from(0, 1))
      ->capture_default_str();
  add_threads(*command, options->threads);
  command->callback([=, &action] {
    action = [=] {
      RawDataset raw = generate(*options);
      const std::size_t graphs = raw.graphs.size();
      if (has_dataset_extension(*folder)) {
        ThreadPool pool(options->threads);
        write_dataset_file(*folder, {std::move(raw), generated_metadata()}, pool);
      } else {
        write_tu(*folder, raw, generated_metadata());
      }
      fmt::print("wrote {} graphs to {}\n", grouped(graphs), *folder);
      return kFine;
    };
  });
}

}  // namespace fewedits::cli
