// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// `rankscope-worker bench`: times the training step on batches that lie ready in memory, with the TrainingStep
/// that training uses, and prints one JSON line (rank 0, for all ranks): images_per_s, step_ms {median, p99},
/// phases_ms {data, forward, backward, communication (exposed), optimizer}, cpu_s_per_step, peak_rss_mb,
/// first_step_at (seconds since 1970), versions, layout, ranks. The ranks meet as those of a training run do.
/// argv[0] is the word "bench"; returns the exit code. Throws ConfigError, Error, PeerLostError.
/// engine/bench/peers/train_step.py prints the same of PyTorch.
int bench_command(int argc, char** argv);

}  // namespace rankscope::engine
