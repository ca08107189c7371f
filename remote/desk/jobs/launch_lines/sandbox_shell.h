// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// A program that a script started, as the shell called it: all is filled in.
struct RecordedStart {
    enum class Kind {
        Start,  ///< a launcher, Python, a program that trains
        Other,  ///< a program that neither the sandbox nor its recorder knows
        Tool    ///< something that prepares: conda activate, docker build
    };

    Kind kind = Kind::Start;
    std::vector<std::string> words = {};
    std::vector<std::string> before =
        {};  ///< of the launcher around a shell that it started: "srun", "--wait=30"
    std::vector<std::string> wrappers = {};  ///< what else was around it: "docker run --rm image"
    std::map<std::string, std::string> environment = {};  ///< what the script has set
    std::string node = {};                                ///< the host of the ssh around it; empty: none
    std::string folder =
        {};  ///< where it started; relative to where the script did, or absolute; empty: there
};

struct EvaluatedScript {
    std::vector<RecordedStart> starts = {};  ///< in their order
    /// Variables and arguments that the script needs from outside: "CODE", "1". Their text stays: "${CODE}", "$1".
    std::vector<std::string> missing = {};
    bool takes_arguments = false;  ///< "$@": whatever its caller gives it
};

struct ScriptRequest {
    std::string text = {};
    std::vector<std::string> nodes = {"node1"};  ///< what `scontrol show hostnames` and `hostname` answer
    int gpus = 0;                                ///< of each, for nvidia-smi
    std::map<std::string, std::string> variables =
        {};  ///< what the script finds in its environment; "1": its argument
    /// Where it lies: files there that it misses, or in the folder above, are copied to it. Empty: none are.
    std::filesystem::path folder = {};
};

/// Whether this computer has a sandbox for scripts: bubblewrap, and user namespaces.
bool has_script_sandbox();

/// Runs a script in a shell of its own that can do nothing: the root is empty but for a read-only /usr, there is no network,
/// no process and no file of the user but copies of those that it asks for in its own folder, and it ends after seconds. Every program but a few tools of text is a recorder
/// (recorder.sh). Blocks for a tenth of a second, at most for 5 s.
/// Failure: "bad-command-line": there is no sandbox, or it does not end.
Result<EvaluatedScript> evaluate_script(const ScriptRequest& request);

/// What the recorders print, and the errors of the shell behind it: for evaluate_script(), and for tests.
struct SandboxOutput {
    std::vector<RecordedStart> starts;  ///< with the whole environment
    std::string errors;
    bool is_whole = false;
};
SandboxOutput read_sandbox_output(std::string_view output);

}  // namespace rankscope::inline jobs::launch_lines
