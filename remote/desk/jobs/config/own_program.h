// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The rank as an argument, for scripts of before torchrun: torch.distributed.launch has passed both
/// spellings.
enum class LocalRankArgument { None, Dash, Underscore };

/// Where the metrics of a program come from that does not write to the pipe of RANKSCOPE_METRICS.
struct MetricSources {
    bool lines = true;                  ///< the known line shapes on stdout and stderr (remote/metric_lines)
    std::vector<std::string> patterns;  ///< and these (metric_lines/pattern.h)
    std::string tensorboard;            ///< folder on the node, from workdir, placeholders allowed: the event
                                        ///< files below it; lines is then false unless the job says otherwise

    bool operator==(const MetricSources&) const = default;
};

/// The part of a job that is only there with `command:`.
struct OwnProgram {
    LocalRankArgument local_rank_argument = LocalRankArgument::None;
    bool own_ranks = false;  ///< the program starts its ranks itself: it gets no rank's variables
    std::string venv;        ///< folder on the node, `~` allowed
    std::string conda;       ///< name or folder on the node
    std::string log_dir;     ///< folder on the node for per-rank files, from workdir; empty: none
    MetricSources metrics;

    bool operator==(const OwnProgram&) const = default;
};

const char* to_string(LocalRankArgument argument);

}  // namespace rankscope::inline jobs
