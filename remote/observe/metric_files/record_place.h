// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/tensorboard/scalars.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::metric_files {

using tensorboard::Scalars;
/// One record of a log: a row, an object, a call of log(). Names are as the program has them.
using Record = std::vector<std::pair<std::string, double>>;

/// A name that counts: "step", "trainer/global_step", "time/total_timesteps", "Epoch".
bool is_counter(const std::string& name);
/// The record with its place: of its counters the one that counts the steps of the whole run most surely is the step, an
/// epoch is the epoch, and both are no values. A record that only has an epoch is counted by it. Clocks are left out.
/// `row`: its number from 1, where nothing but a batch within the epoch counts. Nothing: no counter, or no value.
std::optional<Scalars> placed(const Record& record, std::int64_t row);

}  // namespace rankscope::metric_files
