// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/train/metrics_sink.h>

namespace rankscope::engine::distribuuuu {

/// `rankscope-worker distribuuuu --cfg FILE [KEY VALUE]…`: what Distribuuuu's train_net.py does
/// (github.com/BIGBALLON/distribuuuu), with its configuration, lines and files. Started by torchrun, by srun
/// or by Rankscope. argv[0] is the word "distribuuuu"; returns the exit code. Throws ConfigError,
/// PeerLostError.
int command(int argc, char** argv, MetricsSink& metrics);

}  // namespace rankscope::engine::distribuuuu
