// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/distribuuuu/config/python_value.h>

#include <map>
#include <string>

/// YAML as yacs reads and writes it through PyYAML (YAML 1.1).
namespace rankscope::distribuuuu {

/// Values by their dotted keys: {"OPTIM.BASE_LR", 0.2}.
using FlatValues = std::map<std::string, PythonValue>;

/// Reads a file of nested mappings whose leaves are scalars and lists. Text that is a Python literal becomes
/// its value, as yacs does. Throws SettingsError naming file, line and key.
FlatValues read_yaml(const std::string& text, const std::string& file);

/// What yaml.safe_dump() writes: keys sorted, block style.
std::string write_yaml(const FlatValues& values);

}  // namespace rankscope::distribuuuu
