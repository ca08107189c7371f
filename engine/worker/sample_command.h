// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// `rankscope-worker sample WEIGHTS`: continues a prompt with the weights of a GPT, token by token, on the CPU. A model of
/// bytes (data set text) reads and writes text; of another vocabulary, tokens as numbers, or text where a vocab.json
/// names them. argv[0] is the word "sample"; returns the exit code. Throws ConfigError, Error.
int sample_command(int argc, char** argv);

}  // namespace rankscope::engine
