// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/log.h>

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

namespace rankscope {
namespace {

constexpr std::array<const char*, 4> kNames{"debug", "info", "warning", "error"};

const char* name_of(LogLevel level) {
    return kNames.at(static_cast<std::size_t>(level));
}

LogLevel level_from_environment() {
    const char* wanted = std::getenv("RANKSCOPE_LOG");
    for (std::size_t i = 0; wanted != nullptr && i < kNames.size(); ++i) {
        if (std::string_view(wanted) == kNames.at(i)) {
            return static_cast<LogLevel>(i);
        }
    }
    return LogLevel::Info;
}

std::atomic<LogLevel>& least_level() {
    static std::atomic<LogLevel> level = level_from_environment();
    return level;
}

struct Sink {
    std::mutex mutex;
    LogSink call;
};

Sink& sink() {
    static Sink the_sink;
    return the_sink;
}

void append_escaped(std::string& line, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            line += c;
        } else if (c == '\n') {
            line += "\\n";
        } else {
            std::array<char, 5> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
            line += escaped.data();
        }
    }
}

}  // namespace

std::string to_line(const LogRecord& record) {
    const auto seconds = static_cast<std::time_t>(record.t_us / 1000000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 32> time{};
    std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::array<char, 8> fraction{};
    std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(record.t_us / 1000 % 1000));
    std::string line = std::string(time.data()) + fraction.data() + ' ' + ::program_invocation_short_name +
                       ' ' + name_of(record.level) + ": ";
    append_escaped(line, record.text);
    return line;
}

void set_log_level(LogLevel least) {
    least_level() = least;
}

void set_log_sink(LogSink call) {
    const std::lock_guard lock(sink().mutex);
    sink().call = std::move(call);
}

void log_message(LogLevel level, std::string_view text) {
    if (level < least_level()) {
        return;
    }
    const LogRecord record{level, now_us(), text};
    const std::lock_guard lock(sink().mutex);
    if (sink().call) {
        return sink().call(record);
    }
    const std::string line = to_line(record) + '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace rankscope
