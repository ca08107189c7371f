// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::logs {

/// What the name of a file, or of a part of one, says. The views point into the name.
struct NameFacts {
    std::string_view host;
    int rank = -1;
    int local_rank = -1;
    std::int64_t pid = -1;
};

/// "logs/node-a.log", "gpu-01-rank-3.out", "nccl.gpu-01.4711.log", "kernel log of node-b", and the folders of
/// torchrun --log-dir ("…/attempt_0/3/stderr.log"). A word is a host only if it looks like one.
NameFacts facts_of_name(std::string_view name);

/// Whether a word can be the name of a machine in a prefix: letters, digits, '-', '_', '.', and a digit or '-' in it.
bool looks_like_host(std::string_view word);

}  // namespace rankscope::logs
