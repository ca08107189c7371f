// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/desk_name.h>

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace rankscope::inline runs {

std::string desk_name() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const char* user = std::getenv("USER");
    return std::string(user != nullptr && *user != '\0' ? user : "me") + '@' + host.data();
}

}  // namespace rankscope::inline runs
