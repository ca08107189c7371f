// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <remote/desk/runs/run/run_id.h>

#include <array>
#include <ctime>

namespace rankscope::inline runs {

std::string new_run_id() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> stamp{};
    std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S-", &parts);
    return stamp.data() + random_token().substr(0, 6);
}

}  // namespace rankscope::inline runs
