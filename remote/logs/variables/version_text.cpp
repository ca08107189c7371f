// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/scan.h>
#include <remote/logs/variables/version_text.h>

namespace rankscope::logs {

bool is_newer(std::string_view version, std::string_view other) {
    while (true) {
        const auto left = take_int(version);
        const auto right = take_int(other);
        if (!left || !right) {
            return false;
        }
        if (*left != *right) {
            return *left > *right;
        }
        if (!take(version, ".") || !take(other, ".")) {
            return false;
        }
    }
}

}  // namespace rankscope::logs
