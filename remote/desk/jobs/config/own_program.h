// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The rank as an argument, for scripts of before torchrun: torch.distributed.launch has passed both
/// spellings.
enum class LocalRankArgument { None, Dash, Underscore };

/// Where the metrics of a program come from that does not write to the pipe of RANKSCOPE_METRICS.
struct MetricSources {
    bool files = true;                  ///< files that the program writes anyway are found and read
    bool lines = true;                  ///< the known line shapes on stdout and stderr (remote/metric_lines)
    std::vector<std::string> patterns;  ///< and these (metric_lines/pattern.h)
    std::string tensorboard;            ///< folder on the node, from workdir, placeholders allowed: the event
                                        ///< files below it; lines is then false unless the job says otherwise

    bool operator==(const MetricSources&) const = default;
};

/// Sizes for the throughput of a program that does not print them.
struct ThroughputKeys {
    std::optional<double> batch;  ///< samples of all ranks in a step; or
    std::optional<double> batch_per_rank;
    std::optional<double> tokens_per_sample;
    std::optional<double> flops_per_sample;  ///< of the model, forward and backward
    std::optional<double> parameters;        ///< of a transformer: 6 FLOPs each for a token
    std::optional<double> peak_tflops;       ///< of one GPU

    bool operator==(const ThroughputKeys&) const = default;
};

/// The part of a job that is only there with `command:`.
struct OwnProgram {
    LocalRankArgument local_rank_argument = LocalRankArgument::None;
    bool own_ranks = false;  ///< the program starts its ranks itself: it gets no rank's variables
    bool mpi = false;        ///< the command is mpirun: it starts ranks on all nodes of the run
    std::string venv;        ///< folder on the node, `~` allowed
    std::string conda;       ///< name or folder on the node
    std::string log_dir;     ///< folder on the node for per-rank files, from workdir; empty: none
    MetricSources metrics;
    ThroughputKeys throughput;

    bool operator==(const OwnProgram&) const = default;
};

const char* to_string(LocalRankArgument argument);

}  // namespace rankscope::inline jobs
