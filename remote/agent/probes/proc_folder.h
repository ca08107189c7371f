// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <string>
#include <vector>

namespace rankscope::agent {

/// A folder of /proc that is held open: its files are found without the way from "/", and never those of another
/// process that has got the same number meanwhile.
class ProcFolder {
public:
    explicit ProcFolder(const std::string& path);
    ProcFolder(const ProcFolder& parent, const std::string& name);

    explicit operator bool() const { return static_cast<bool>(fd_); }

    /// The whole file; empty: not there, or not permitted (see error()).
    std::string read(const std::string& name) const;
    /// errno of the last read() or link(); 0: it succeeded.
    int error() const { return error_; }
    /// What a link leads to, as the kernel names it; empty: see error(). No file is touched by it.
    std::string link(const std::string& name) const;
    /// The entries that are numbers (processes, threads, descriptors), in the kernel's order, at most `most`.
    std::vector<int> numbers(std::size_t most) const;

private:
    UniqueFd fd_;
    mutable int error_ = 0;
};

}  // namespace rankscope::agent
