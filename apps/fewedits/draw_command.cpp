// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "console.hpp"
#include "explained.hpp"
#include "fewedits/base/file.hpp"
#include "fewedits/pictures.hpp"
#include "png.hpp"

namespace fewedits::cli {
namespace {

struct DrawArguments {
  std::string file;
  ExplainedArguments explained;
  std::string folder;
  std::string format = "svg";
  int width = 1600;
  std::size_t recourses = 3;
  std::vector<std::uint32_t> graphs;
};

int run(const DrawArguments& arguments) {
  if (arguments.format == "png") check_png();
  ExplainedArguments from = arguments.explained;
  from.files = {arguments.file};
  const Explained explained = open_explained(std::move(from));
  std::filesystem::create_directories(arguments.folder);
  const auto inputs = files_behind(explained);
  ThreadPool pool(arguments.explained.threads);
  const PictureCounts drawn = draw_pictures(
      explained.explanations.front().explanation, explained.data,
      {arguments.recourses, arguments.graphs}, arguments.file, pool, [&](const Picture& picture) {
        const auto file =
            std::filesystem::path(arguments.folder) / (picture.name + "." + arguments.format);
        protect_inputs(file.string(), inputs);
        write_file_atomically(file, arguments.format == "svg"
                                        ? picture.svg
                                        : png_of_svg(picture.svg, arguments.width));
      });
  fmt::print("wrote {} counterfactuals and {} recourses into {}\n", drawn.counterfactuals,
             drawn.recourses, arguments.folder);
  return kFine;
}

}  // namespace

void add_draw_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("draw", "Counterfactuals and recourses as pictures, for papers");
  command->footer(
      "Removed parts are red and dashed, added ones green with a plus, relabelled ones ringed.\n\n"
      "Examples:\n"
      "  fewedits draw explanation.json -o pictures\n"
      "  fewedits draw explanation.json -o pictures --format png --graph 7 12");
  auto arguments = std::make_shared<DrawArguments>();
  command->add_option("FILE", arguments->file, "explanation (JSON)")->required();
  command->add_option("-o,--output", arguments->folder, "folder for the pictures")->required();
  command->add_option("--format", arguments->format, "svg or png")
      ->check(CLI::IsMember({"svg", "png"}))
      ->capture_default_str();
  command->add_option("--width", arguments->width, "of PNGs, in pixels")
      ->check(CLI::Range(16, 10'000))
      ->capture_default_str();
  command
      ->add_option("--recourses", arguments->recourses,
                   "nearest inputs to draw beside each counterfactual")
      ->check(check_unsigned)
      ->capture_default_str();
  command
      ->add_option("--graph", arguments->graphs,
                   "draw these inputs beside their nearest counterfactual instead")
      ->check(check_unsigned);
  arguments->explained.add_to(*command);
  command->callback([=, &action] { action = [=] { return run(*arguments); }; });
}

}  // namespace fewedits::cli
