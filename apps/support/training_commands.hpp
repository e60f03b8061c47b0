// SPDX-License-Identifier: MIT
// The commands that fewedits lists and fewedits-train carries out.
#pragma once

namespace fewedits::cli {

inline constexpr const char* kTrainingProgram = "fewedits-train";

struct TrainingCommand {
  const char* name;
  const char* description;
};

inline constexpr TrainingCommand kTrain{"train", "Train a graph classifier"};
inline constexpr TrainingCommand kTrainDistance{
    "train-distance", "Train the neural distance (GREED) on exact distances"};

}  // namespace fewedits::cli
