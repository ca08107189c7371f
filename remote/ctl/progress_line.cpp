// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/progress_line.h>

#include <unistd.h>

#include <cstdio>

namespace rankscope::ctl {
namespace {

bool shows_progress(const GlobalOptions& options) {
    return !options.json && ::isatty(STDERR_FILENO) != 0;
}

void show_share(std::uint64_t done, std::uint64_t total) {
    std::fprintf(
        stderr, "\r\x1b[K%s %%",
        fixed_text(total > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 0.0, 0)
            .c_str());
}

}  // namespace

std::function<void(std::uint64_t done, std::uint64_t total)> progress_line(const GlobalOptions& options) {
    return shows_progress(options) ? show_share
                                   : std::function<void(std::uint64_t done, std::uint64_t total)>();
}

void end_progress_line(const GlobalOptions& options) {
    if (shows_progress(options)) {
        std::fprintf(stderr, "\r\x1b[K");
    }
}

}  // namespace rankscope::ctl
