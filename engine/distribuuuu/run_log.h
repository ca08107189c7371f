// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace rankscope::engine::distribuuuu {

/// Distribuuuu's log: "[2021-05-01 12:00:00] message", on stderr and, on rank 0, in a file. A file that
/// cannot be written to any more is reported once on stderr; training continues.
class RunLog {
public:
    /// stderr only.
    RunLog() = default;
    /// And a new file; throws Error when it cannot be made.
    explicit RunLog(const std::string& file);

    void write(const std::string& message);

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string name_;
    std::unique_ptr<std::FILE, Close> file_;
};

/// "[YYYY-MM-DD HH:mm:ss] " of a moment, in local time.
std::string time_prefix(std::int64_t unix_seconds);
/// "1619866800.1234567.log": named after the moment, as Python prints time.time().
std::string log_file_name(double unix_seconds);

}  // namespace rankscope::engine::distribuuuu
