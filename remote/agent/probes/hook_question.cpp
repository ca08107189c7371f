// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/probes/hook_question.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/agent/ranks/stack_hook.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 1;  // that the interpreter's lock is not to be had for so long is an answer, too
constexpr double kMostStarved = 5;
constexpr std::size_t kMostTasks = 1024;
constexpr int kMostParts = 16;

std::optional<std::string> target_of(const fs::path& link) {
    std::array<char, 4096> bytes;
    const auto size = ::readlink(link.c_str(), bytes.data(), bytes.size());
    return size < 0 ? std::nullopt : std::optional(std::string(bytes.data(), static_cast<std::size_t>(size)));
}

// Its own number: in a container another one than ours.
std::string number_within(std::string_view status) {
    const auto all = field_of_status(status, "NSpid");
    return std::string(all.substr(all.find_last_of(" \t") + 1));
}

// As the hook's thread is: no signal reaches it but the one that it waits for. (The kernel lists that one as open while it
// waits.) Another thread with its number, after its end, is not sent anything.
bool takes_no_signals(std::string_view status) {
    const auto bit = [](int signal) { return std::uint64_t{1} << static_cast<unsigned>(signal - 1); };
    const std::uint64_t others = (bit(32) - 1) & ~(bit(SIGKILL) | bit(SIGSTOP) | bit(kStackSignal));
    const auto blocked = number_of(field_of_status(status, "SigBlk"), 16).value_or(0);
    return (blocked & others) == others;
}

}  // namespace

HookQuestion::HookQuestion(pid_t pid, const fs::path& folder)
    : pid_(pid),
      process_("/proc/" + std::to_string(pid)),
      name_(folder / number_within(process_.read("status"))),
      python_(target_of(name_).has_value()) {}

fs::path HookQuestion::link(int part) const {
    return name_.string() + '.' + std::to_string(part);
}

std::string HookQuestion::told() const {
    return target_of(name_.string() + ".rank").value_or("");
}

bool HookQuestion::refuse(std::string why) {
    why_not_ = std::move(why);
    return false;
}

bool HookQuestion::ask(double now) {
    const auto number = target_of(name_);
    if (!number || number->empty()) {
        return refuse("the program has no hook of ours");
    }
    if (number->front() == '!') {
        return refuse(number->substr(1));
    }
    const ProcFolder tasks(process_, "task");
    const auto status_of = [&](int thread) { return tasks.read(std::to_string(thread) + "/status"); };
    const auto inside = parse_number<int>(*number).value_or(0);
    std::vector<int> threads{inside};
    if (number_within(process_.read("status")) != std::to_string(pid_)) {
        threads = tasks.numbers(kMostTasks);
    }
    const auto found = std::find_if(threads.begin(), threads.end(), [&](int thread) {
        const auto status = status_of(thread);
        return number_within(status) == *number && takes_no_signals(status);
    });
    if (found == threads.end()) {
        return refuse("the hook in the program has ended");
    }
    thread_ = *found;
    ::unlink(link(0).c_str());
    if (::syscall(SYS_tgkill, pid_, thread_, kStackSignal) != 0) {
        return refuse("the program cannot be asked");
    }
    until_ = now + kPatience;
    starved_before_ = starved();
    return true;
}

// How long both threads together were ready to run and did not (schedstat, in proc(5)'s task folder): on a busy node that
// says nothing about the lock.
double HookQuestion::starved() const {
    const ProcFolder tasks(process_, "task");
    double seconds = 0;
    for (const pid_t thread : {pid_, thread_}) {
        const std::string stat = tasks.read(std::to_string(thread) + "/schedstat");
        const auto fields = split(stat, ' ');
        seconds += fields.size() > 1
                       ? static_cast<double>(parse_number<std::uint64_t>(fields[1]).value_or(0)) / 1e9
                       : 0;
    }
    return seconds;
}

// "LOOK PARTS" in a line, then the text. The first part comes last; a question of somebody else's may replace them meanwhile.
bool HookQuestion::step(double now) {
    std::string whole;
    std::string look;
    int parts = 1;
    for (int i = 0; i < parts; ++i) {
        const auto part = target_of(link(i));
        if (!part) {
            break;
        }
        std::string_view text = *part;
        const auto head = next_line(text);
        if (i == 0) {
            look = head;
            parts = std::clamp(parse_number<int>(head.substr(head.find(' ') + 1)).value_or(1), 1, kMostParts);
        } else if (head != look) {
            break;
        }
        whole += text;
        if (i + 1 == parts) {
            if (whole.starts_with('!')) {
                why_not_ = whole == "!no frames" ? "its main thread runs no Python code" : whole.substr(1);
            } else {
                answer_ = std::move(whole);
            }
            return true;
        }
    }
    if (now < until_ || now < until_ + std::min(starved() - starved_before_, kMostStarved)) {
        return false;
    }
    explain_silence();
    return true;
}

void HookQuestion::explain_silence() {
    const ProcFolder tasks(process_, "task");
    const auto state_of = [&](pid_t thread) {
        const auto stat = parse_process_stat(tasks.read(std::to_string(thread) + "/stat"));
        return stat ? stat->state : '?';
    };
    const auto waits_in = [&](pid_t thread) { return tasks.read(std::to_string(thread) + "/wchan"); };
    // It has taken the signal, and waits for something else since: for the lock.
    if (waits_in(thread_).find("futex") == std::string::npos) {
        why_not_ = "the program has not answered";
    } else if (state_of(pid_) == 'R') {
        why_not_ = "busy in native code, holds the interpreter's lock";
    } else {
        const auto where = waits_in(pid_);
        why_not_ = "waits in native code" + (where.empty() || where == "0" ? "" : " (" + where + ')') +
                   ", holds the interpreter's lock";
    }
}

}  // namespace rankscope::agent
