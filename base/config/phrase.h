// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <initializer_list>
#include <string>

namespace rankscope::config {

/// How a program translates the sentences of this folder: it gets the English pattern, with %1, %2 … in it.
using Translation = std::string (*)(const char* pattern);
/// For programs with translations, once, before the first check. Without it messages are English.
void set_translation(Translation translation);

/// A user-facing sentence; %1, %2 … are replaced by the arguments. Any thread.
std::string phrase(const char* pattern, std::initializer_list<std::string> arguments = {});

}  // namespace rankscope::config
