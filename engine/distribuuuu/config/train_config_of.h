// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/distribuuuu/config/settings.h>

namespace rankscope::distribuuuu {

/// What the settings mean to our trainer. Throws SettingsError for what it cannot do (another model, weights to
/// be downloaded).
///
/// Where it differs from Distribuuuu: validation counts every sample once (`pad_validation`: as there,
/// repeated until all ranks have as many); it crops to TRAIN.IM_SIZE, there always to 224, and dummy images
/// have that size, too; without RNG_SEED a run is still reproducible (seed 0); with it all ranks begin with
/// the same model and augmentation depends on the sample, not on the rank.
config::TrainConfig train_config_of(const Settings& settings, bool pad_validation);

}  // namespace rankscope::distribuuuu
