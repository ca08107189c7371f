// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/run_log.h>
#include <engine/error.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace rankscope::engine::distribuuuu {

RunLog::RunLog(const std::string& file) : name_(file), file_(std::fopen(file.c_str(), "we")) {
    if (!file_) {
        throw Error(file + ": the log cannot be made: " + std::strerror(errno) +
                    ". OUT_DIR must be a folder that can be written to.");
    }
}

void RunLog::write(const std::string& message) {
    const std::string line = time_prefix(std::time(nullptr)) + message + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    if (!file_) {
        return;
    }
    const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
    if (std::fflush(file_.get()) != 0 || !written) {
        std::fprintf(stderr, "%s: cannot be written to: %s; the log continues here only\n", name_.c_str(),
                     std::strerror(errno));
        file_.reset();
    }
}

std::string time_prefix(std::int64_t unix_seconds) {
    const std::time_t moment = unix_seconds;
    std::tm parts{};
    localtime_r(&moment, &parts);
    std::array<char, 64> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "[%Y-%m-%d %H:%M:%S] ", &parts);
    return {text.data(), size};
}

std::string log_file_name(double unix_seconds) {
    return repr(unix_seconds) + ".log";
}

}  // namespace rankscope::engine::distribuuuu
