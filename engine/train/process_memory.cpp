// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/process_memory.h>

#include <fstream>
#include <string>

namespace rankscope::engine {

double peak_rss_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    }
    return 0.0;
}

}  // namespace rankscope::engine
