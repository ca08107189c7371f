// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/distribuuuu/config/settings.h>
#include <engine/distribuuuu/config/settings_error.h>
#include <engine/distribuuuu/config/train_config_of.h>

/// The configuration, which the desk reads, too.
namespace rankscope::engine::distribuuuu {

using namespace rankscope::distribuuuu;

}  // namespace rankscope::engine::distribuuuu
