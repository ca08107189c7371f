// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failed_dial.h>
#include <base/stage.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The line format between a rank and its agent: the only thing the two share, specified here.
///
/// The environment variable RANKSCOPE_METRICS names a pipe (a FIFO). A rank, in any language, writes lines to
/// it; each line is one JSON object, at most kMaxMetricsLine bytes, ended by '\n', written with one write(2)
/// so that lines of several processes do not mix (POSIX: writes up to PIPE_BUF = 4096 bytes are atomic).
///
/// Keys with a meaning of their own; every other key with a number is a series of its own name, every other
/// key with a string is a fact of the run (shown, never plotted); null, and NaN or ±Infinity as Python's json
/// writes them, is a value that is not a number; other booleans, arrays and objects are ignored.
///
///   step         optimizer steps done by this rank, from 1
///   epoch        current epoch, from 1 (fractions allowed)
///   epochs, steps_per_epoch, steps   totals (steps: of the whole run), for progress and ETA
///   loss         mean loss of this rank's batch            acc1   top-1 accuracy of it, 0…1
///   acc5         top-5 accuracy (accK where another k was asked for)
///   loss_all, acc1_all, acc5_all   the same over the batches of all ranks; rank 0, every few steps
///   grad_norm    norm of the averaged gradients, before clipping
///   lr           learning rate of the step                  samples  samples this rank has seen so far
///   images_per_s, tokens_per_s   throughput of this rank
///   t_data_ms, t_forward_ms, t_backward_ms, t_comm_ms, t_optimizer_ms, t_step_ms
///                time of the step: in data, forward, backward, *exposed* waiting for communication, update,
///                and all of it
///   t_bubble_ms  of a pipeline: waiting for the other stages
///   pipeline_passes  with step: the passes of its micro-batches (base/pipeline_passes.h)
///   sent_mb      what the rank gave to others in the update, MB; each byte counts once for each rank that takes it
///   peak_rss_mb  largest resident memory of the rank so far, MiB
///   val_loss, val_acc1, val_acc5, val_samples  validation over all ranks, after an epoch
///   params       checksum of the parameters, "sha256:<hex>"
///   params_differ  with step: the parameters of this rank are not those of the other ranks any more; the name of the first
///                one that differs
///   stage        instead of a metric: the rank has reached a stage of base/stage.h ("rendezvous", "data",
///                "train", "validate", "done"; another name is read as a "note" that contains it); with "detail"
///                (text) and, where it is known, "done" and "total" (progress), "waiting_for" (array of ranks),
///                "failed_dial" ({"address", "port", "errno"})
namespace rankscope {

inline constexpr std::size_t kMaxMetricsLine = 65536;
inline constexpr std::size_t kMaxWaitingFor = 256;
inline constexpr const char* kParametersDifferKey = "params_differ";
inline constexpr const char* kMetricsPipeVariable = "RANKSCOPE_METRICS";
/// The run's random token (64 hex digits): whatever listens for a rank of this run demands it.
inline constexpr const char* kTokenVariable = "RANKSCOPE_TOKEN";
/// Exit code of rankscope-worker when another rank went away: its own end is a consequence, not the cause.
inline constexpr int kExitPeerLost = 75;

struct MetricsLine {
    std::optional<std::int64_t> step;
    std::optional<double> epoch;
    std::optional<StageName> stage{};         ///< none: a metric
    std::string detail;                       ///< with a stage
    std::vector<int> waiting_for{};           ///< with a stage: ranks, at most kMaxWaitingFor of them
    std::optional<FailedDial> failed_dial{};  ///< with a stage: the connection that this rank waits for
    std::vector<std::pair<std::string, double>> values;
    std::vector<std::pair<std::string, std::string>> texts;

    bool operator==(const MetricsLine&) const = default;
};

/// Reads one line (without '\n'). On failure nothing is returned and *why names the fault, for the user.
std::optional<MetricsLine> parse_metrics_line(std::string_view line, std::string* why = nullptr);

/// Writes one line, '\n' included. Values that are not finite are written as null: JSON has no NaN, and a
/// reader must be able to distinguish "not a number" (the key is there) from "not measured" (it is not).
std::string format_metrics_line(const MetricsLine& line);

}  // namespace rankscope
