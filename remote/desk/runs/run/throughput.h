// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a figure was computed from: "batch_per_rank" 64 from "--batch-size 64".
struct ThroughputInput {
    std::string name;
    double value = 0;
    std::string
        from;  ///< the words that say so: an option, a line, a key of the job, a metric; empty: it was measured
};

struct ThroughputFigure {
    double value = 0;
    bool printed = false;  ///< the program says so itself
    std::vector<ThroughputInput> inputs;
};

/// Why there is no figure, in the words of a name that JSON has.
struct MissingThroughput {
    std::string figure;             ///< "steps_per_s", "samples_per_s", "mfu"
    std::string reason;             ///< "no-batch", …
    std::vector<std::string> args;  ///< what it is about
};

/// Of all ranks together. What is not certain has no figure, but a reason.
struct ThroughputReport {
    std::optional<ThroughputFigure> steps_per_s;
    std::optional<ThroughputFigure> samples_per_s;
    std::optional<ThroughputFigure> images_per_s;  ///< only where the program calls its samples so
    std::optional<ThroughputFigure> tokens_per_s;
    std::optional<ThroughputFigure> mfu;  ///< share of what the GPUs can compute, 0…1
    std::vector<MissingThroughput> missing;

    bool empty() const { return !steps_per_s && !samples_per_s && !images_per_s && !tokens_per_s && !mfu; }
};

/// Rates that the program prints itself come first; others from steps per second, the batch and the model, as the job
/// (throughput: …), the output and the command say them.
ThroughputReport throughput_of(const RunState& run);

/// A sentence for the user.
std::string to_sentence(const MissingThroughput& missing);
/// "3.2 × 64 (--batch-size 64) × 8 (ranks)"; of a printed one, which metric it is.
std::string derivation(const ThroughputFigure& figure);
/// "1,234 samples/s · 3.2 steps/s · MFU 41 %"; empty: nothing is known.
std::string throughput_line(const ThroughputReport& report);
/// {"steps_per_s": {"value", "printed", "inputs": [{"name", "value", "from"}]}, …, "missing": [{"figure", "reason", "text"}]}
nlohmann::ordered_json to_json(const ThroughputReport& report);

}  // namespace rankscope::inline runs
