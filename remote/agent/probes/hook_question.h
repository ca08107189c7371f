// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/probes/proc_folder.h>

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace rankscope::agent {

/// Asks the hook in a Python program (ranks/stack_hook.h) where its main thread stands. Its thread walks the frames while it
/// owns the interpreter's lock; where it does not get the lock within a second, that is the answer. The program is neither
/// stopped nor interrupted.
class HookQuestion {
public:
    /// `folder`: stack_folder_of() its rank.
    HookQuestion(pid_t pid, const std::filesystem::path& folder);

    /// The program has had the hook, whatever became of it: it is Python.
    bool is_python() const { return python_; }
    /// true: it is asked. Else see why_not().
    bool ask(double now);
    /// true: it has answered, or will not.
    bool step(double now);

    /// Which rank it is, as it last told (inner/inner_tree.h, parse_told()); empty: it has not.
    std::string told() const;
    /// For parse_interpreter(); empty: see why_not().
    const std::string& answer() const { return answer_; }
    const std::string& why_not() const { return why_not_; }

private:
    std::filesystem::path link(int part) const;
    bool refuse(std::string why);
    void explain_silence();
    double starved() const;

    pid_t pid_;
    ProcFolder process_;
    std::filesystem::path name_;
    bool python_ = false;
    pid_t thread_ = 0;
    double until_ = 0;
    double starved_before_ = 0;
    std::string answer_;
    std::string why_not_;
};

}  // namespace rankscope::agent
