// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Prints NCCL's library and the layout that ras_process wants, a line each; or why there is none, with exit status 1.

#include "support/ras_network.h"

#include <cstdio>

int main() {
    const auto& layout = rankscope::test::nccl_layout();
    if (!layout.problem.empty()) {
        std::printf("%s\n", layout.problem.c_str());
        return 1;
    }
    std::printf("%s\n%s\n", layout.library.c_str(), layout.entries.c_str());
    return 0;
}
