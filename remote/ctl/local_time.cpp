// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/local_time.h>

#include <ctime>

namespace rankscope::ctl {

std::string local_time_text(std::int64_t t_us) {
    const std::time_t seconds = t_us / 1000000;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
    return buffer;
}

}  // namespace rankscope::ctl
