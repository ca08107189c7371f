// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/failure.h>

namespace rankscope {

std::string statement(const Failure& failure) {
    return (failure.key.empty() ? "" : failure.key + ": ") + failure.what;
}

std::string to_line(const Failure& failure) {
    std::string line;
    if (!failure.where.empty()) {
        line += failure.where + ": ";
    }
    line += statement(failure);
    if (!failure.remedy.empty()) {
        line += ' ' + failure.remedy;
    }
    if (!failure.detail.empty()) {
        line += " [" + failure.detail + ']';
    }
    return line;
}

}  // namespace rankscope
