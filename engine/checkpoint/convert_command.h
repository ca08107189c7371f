// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// `rankscope-worker convert IN OUT`: weights from one kind of file to another. IN is a safetensors file, one
/// of torch.save's (a state dict or a checkpoint) or a checkpoint folder of ours; OUT's end decides what is
/// written. argv[0] is the word "convert"; returns the exit code. Throws ConfigError, Error.
int convert_command(int argc, char** argv);

}  // namespace rankscope::engine
