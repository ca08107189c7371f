// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>
#include <base/clock.h>
#include <base/run_program.h>
#include <base/text.h>
#include <base/wait_fd.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace rankscope {
namespace {

constexpr double kLookAgain = 0.1;
constexpr std::size_t kMostOfReason = 2000;
constexpr std::size_t kReasonLines = 6;

class Kept {
public:
    Kept(UniqueFd& fd, std::string& text, const ProgramLimits& limits, bool& cut, bool lines)
        : fd_(fd), text_(text), limits_(limits), cut_(cut), lines_(lines && limits.on_line) {}

    /// Reads what is there; closes at the end.
    void read() {
        std::array<char, 65536> bytes;
        ssize_t got = -1;
        while (fd_ && !(cut_ && limits_.until_full) &&
               (got = ::read(fd_.get(), bytes.data(), bytes.size())) > 0) {
            const std::string_view piece(bytes.data(), static_cast<std::size_t>(got));
            const auto room = limits_.output - std::min(limits_.output, text_.size());
            text_ += piece.substr(0, room);
            cut_ = cut_ || piece.size() > room;
            if (lines_) {
                report(piece);
            }
        }
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            fd_.reset();
        }
    }

private:
    void report(std::string_view piece) {
        for (const char c : piece) {
            if (c != '\n' && c != '\r') {
                line_ += c;
            } else if (!line_.empty()) {
                limits_.on_line(line_);
                line_.clear();
            }
        }
    }

    UniqueFd& fd_;
    std::string& text_;
    const ProgramLimits& limits_;
    bool& cut_;
    bool lines_;
    std::string line_;
};

}  // namespace

ProgramOutput run_program(const std::vector<std::string>& argv, const ProgramLimits& limits) {
    ProgramOutput result;
    auto child = ChildProcess::start(argv, {.output = ChildProcess::Stream::Pipe,
                                            .error = ChildProcess::Stream::Pipe,
                                            .own_session = true,
                                            .environment = limits.environment});
    if (!child) {
        result.start_error = errno;
        return result;
    }
    const double deadline = monotonic_s() + limits.seconds;
    Kept output(child->output(), result.output, limits, result.cut, true);
    Kept errors(child->error(), result.errors, limits, result.cut, false);
    bool ended = false;
    while (!ended) {
        if (monotonic_s() >= deadline || limits.stop.stop_requested() || (result.cut && limits.until_full)) {
            child->kill();
            child->wait();
            return result;
        }
        ended = child->has_ended();  // before the last read
        output.read();
        errors.read();
        if (!ended) {
            std::array<pollfd, 2> entries{{{child->output() ? child->output().get() : -1, POLLIN, 0},
                                           {child->error() ? child->error().get() : -1, POLLIN, 0}}};
            if (entries[0].fd < 0 && entries[1].fd < 0) {
                sleep_s(kLookAgain / 10);
            } else {
                wait_any(entries, kLookAgain);
            }
        }
    }
    result.status = child->status().value_or(-1);
    return result;
}

std::string error_lines(std::string_view printed) {
    const auto lines = split(trimmed(printed), '\n');
    auto first = std::find_if(lines.begin(), lines.end(), [](std::string_view line) {
        const auto text = lower_case(trimmed(line));
        return text.starts_with("error") || text.starts_with("\u00d7");
    });
    if (first == lines.end()) {
        first = lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), kReasonLines));
    }
    return joined(std::vector(first, lines.end()), "\n").substr(0, kMostOfReason);
}

}  // namespace rankscope
