// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/key_table.h>
#include <base/config/train_config.h>

namespace rankscope::config {

/// Every key of the train section, paths from below `train`.
const KeyTable<TrainConfig>& train_keys();

/// The keys below `ddp` and `parallel`, for train_keys().
void add_parallel_keys(KeyTable<TrainConfig>& table);
/// The keys below `dataset`, for train_keys().
void add_dataset_keys(KeyTable<TrainConfig>& table);

}  // namespace rankscope::config
