// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <initializer_list>
#include <string>

namespace rankscope {

/// A user-facing sentence, translated; %1, %2 … are replaced by the arguments. `context` groups the sentences
/// for translators. (lupdate: -tr-function-alias translate+=text)
std::string text(const char* context, const char* source, std::initializer_list<std::string> arguments = {});

/// Translates `source`; without one, text() is English. The window installs Qt's before it starts threads;
/// rankscopectl has none, so that it runs where Qt is not installed.
using Translator = std::string (*)(const char* context, const char* source);
void set_translator(Translator translator);

}  // namespace rankscope
