// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/spool/spool.h>
#include <remote/agent/spool/spool_summary.h>

namespace rankscope::agent {
namespace {

constexpr std::uint64_t kTail =
    512U << 10U;  // several chunks of a log, which are what is largest and frequent

}  // namespace

SpoolSummary summarize_spool(const std::filesystem::path& file) {
    SpoolSummary summary;
    SpoolReader reader(file);
    wire::Event event;
    if (!reader.is_open() || !reader.next_kept(event)) {
        return summary;
    }
    summary.started_us = event.t_us();
    // An event that is longer than this tail: a longer one has it.
    for (std::uint64_t tail = kTail; tail <= (64U << 20U) && !reader.skip_to_tail(tail); tail *= 4) {
    }
    do {
        summary.last_us = event.t_us();
        summary.last_seq = event.seq();
        if (event.has_end()) {
            summary.end = event.end();
        }
    } while (reader.next_kept(event));
    return summary;
}

}  // namespace rankscope::agent
