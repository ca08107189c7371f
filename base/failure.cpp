// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/failure.h>

namespace rankscope {

std::string to_line(const Failure& failure) {
    std::string line;
    if (!failure.where.empty()) {
        line += failure.where + ": ";
    }
    line += failure.what;
    if (!failure.remedy.empty()) {
        line += ' ' + failure.remedy;
    }
    if (!failure.detail.empty()) {
        line += " [" + failure.detail + ']';
    }
    return line;
}

}  // namespace rankscope
