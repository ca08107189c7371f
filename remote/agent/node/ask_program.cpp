// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/event_loop.h>
#include <base/number_text.h>
#include <base/utf8.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/node/command.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <optional>
#include <utility>

namespace rankscope::agent {
namespace {

// A program may close its output and continue, or leave it to a child and end: both are looked for.
constexpr double kLookAgain = 0.02;
constexpr std::size_t kLongestReason = 200;

struct Running {
    ProgramAnswer* answer;
    double started;
    Command command;
};

void finish(Running& running) {
    ProgramAnswer& answer = *running.answer;
    answer.status = running.command.status();
    answer.late = running.command.timed_out();
    answer.seconds = monotonic_s() - running.started;
    answer.output = std::move(running.command.output());
    answer.errors = running.command.errors();
}

}  // namespace

std::string ProgramAnswer::why() const {
    if (start_error != 0) {
        return std::string("it cannot be started: ") + std::strerror(start_error);
    }
    if (late) {
        return "no answer within " + fixed_text(seconds, 1) + " s";
    }
    const auto begin = errors.find_first_not_of(" \t\r\n");
    if (begin != std::string::npos) {
        return as_utf8(errors.substr(begin, std::min(errors.find('\n', begin) - begin, kLongestReason)));
    }
    return status < 0 ? "ended by a signal" : "exit status " + std::to_string(status);
}

std::vector<ProgramAnswer> ask_programs(const std::vector<ProgramQuestion>& questions,
                                        const std::stop_token& stop) {
    std::vector<ProgramAnswer> answers(questions.size());
    EventLoop loop;
    std::list<Running> running;
    for (std::size_t i = 0; i < questions.size() && !stop.stop_requested(); ++i) {
        const auto& question = questions[i];
        auto command = Command::start(question.argv, question.seconds, question.environment);
        if (!command) {
            answers[i].start_error = errno;
            continue;
        }
        running.push_back({&answers[i], monotonic_s(), std::move(*command)});
        running.back().command.wake(loop);
    }
    while (!running.empty()) {
        if (stop.stop_requested()) {
            for (auto& one : running) {
                one.command.abandon();
                one.answer->late = true;
            }
            break;
        }
        for (auto it = running.begin(); it != running.end();) {
            if (it->command.step()) {
                finish(*it);
                it = running.erase(it);
            } else {
                ++it;
            }
        }
        if (!running.empty()) {
            loop.run_once(kLookAgain);
        }
    }
    return answers;
}

ProgramAnswer ask_program(const ProgramQuestion& question, const std::stop_token& stop) {
    return ask_programs({question}, stop).front();
}

}  // namespace rankscope::agent
