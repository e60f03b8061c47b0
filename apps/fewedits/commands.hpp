// SPDX-License-Identifier: MIT
// The subcommands. Each adds itself to the app and stores what to run when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "arguments.hpp"
#include "fewedits/fewedits.hpp"

namespace fewedits::cli {

void add_casestudy_command(CLI::App& app, Action& action);
void add_dataset_command(CLI::App& app, Action& action);
void add_demo_command(CLI::App& app, Action& action);
void add_distance_command(CLI::App& app, Action& action);
void add_draw_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_fragility_command(CLI::App& app, Action& action);
void add_glance_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_model_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_recourse_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_rules_command(CLI::App& app, Action& action);

/// Rows: the true class; columns: the predicted one. Needs a dataset with classes.
std::string confusion_table(const Dataset& dataset, const Predictions& predictions);

}  // namespace fewedits::cli
