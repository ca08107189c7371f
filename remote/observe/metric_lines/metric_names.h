// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::metric_lines {

/// What programs call a series → the name that base/metrics_line.h gives it: "train_loss", "Loss" →
/// "loss", "Loss/train" too; "eval_accuracy", "Acc@1" of a validation → "val_acc1", "acc1"; "learning rate" →
/// "lr". A name it does not know stays, spaces become '_'.
std::string metric_name(std::string_view name);
/// The name as the program has it, without blanks and control characters, at most 100 bytes.
std::string tidy_name(std::string_view name);
/// metric_name behind a validation: "loss" → "val_loss".
std::string validation_name(std::string_view name);
/// A share of 1 that programs like to write as a percentage.
bool is_accuracy(std::string_view metric);
/// "val_acc5" for 5. No program asks for more than kLargestK: then it is no such line.
inline constexpr double kLargestK = 1e6;
std::string top_k_name(double k);

}  // namespace rankscope::metric_lines
