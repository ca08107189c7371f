// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/distribuuuu/settings.h>
#include <base/distribuuuu/settings_error.h>
#include <base/distribuuuu/train_config_of.h>

/// The configuration is read in base/distribuuuu, so that the desk has it, too.
namespace rankscope::engine::distribuuuu {

using rankscope::distribuuuu::default_values;
using rankscope::distribuuuu::FlatValues;
using rankscope::distribuuuu::merge;
using rankscope::distribuuuu::parse_python_literal;
using rankscope::distribuuuu::PythonList;
using rankscope::distribuuuu::PythonNone;
using rankscope::distribuuuu::PythonValue;
using rankscope::distribuuuu::read_overrides;
using rankscope::distribuuuu::read_yaml;
using rankscope::distribuuuu::repr;
using rankscope::distribuuuu::Settings;
using rankscope::distribuuuu::settings_of;
using rankscope::distribuuuu::SettingsError;
using rankscope::distribuuuu::train_config_of;
using rankscope::distribuuuu::write_yaml;

}  // namespace rankscope::engine::distribuuuu
