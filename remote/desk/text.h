// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <initializer_list>
#include <string>

namespace rankscope {

/// A sentence for people, through Qt's translation; %1, %2 … are replaced by the arguments. `context` groups
/// the sentences for translators. Works without a QCoreApplication (then in English). (lupdate:
/// -tr-function-alias translate+=text)
std::string text(const char* context, const char* source, std::initializer_list<std::string> arguments = {});

}  // namespace rankscope
