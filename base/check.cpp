// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <base/log.h>

#include <string>

namespace rankscope {

void report_failed_check(const char* condition, const char* file, int line) {
    log_message(LogLevel::Error,
                std::string("check failed: ") + condition + " (" + file + ':' + std::to_string(line) + ')');
}

}  // namespace rankscope
