// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/runs/watch/hang_sentences.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Watcher";
constexpr std::size_t kStackLines = 12;

std::string seconds(double value) {
    return std::to_string(std::lround(value));
}

std::string two_decimals(double value) {
    return fixed_text(value, 2);
}

std::string server_of(const RankActivity& activity) {
    const auto colon = activity.source.find(":/");
    return colon == std::string::npos ? std::string() : activity.source.substr(0, colon);
}

std::string describe_file(const RankActivity& activity) {
    const std::string name = !activity.file.empty() ? activity.file
                             : activity.file_system.empty()
                                 ? text(kContext, "a file")
                                 : text(kContext, "a file on %1",
                                        {activity.source.empty() ? activity.file_system : activity.source});
    const std::string who = activity.helper == 0
                                ? text(kContext, "its main thread")
                                : text(kContext, "its process %1", {std::to_string(activity.helper)});
    const std::string server = server_of(activity);
    if (!server.empty()) {
        return text(kContext, "%1 uses %2, and the file server %3 does not answer", {who, name, server});
    }
    return activity.file_system.empty()
               ? text(kContext, "%1 uses %2, and gets no answer", {who, name})
               : text(kContext, "%1 uses %2, and the file system (%3) does not answer",
                      {who, name, activity.file_system});
}

std::string describe_kind(const RankSeen& seen) {
    const auto& activity = seen.activity;
    switch (activity.kind) {
        case Activity::Stopped:
            return text(kContext, "its process %1 is stopped by a signal", {std::to_string(seen.state.pid)});
        case Activity::Traced:
            return activity.by.empty() ? text(kContext, "a debugger holds it")
                                       : text(kContext, "a debugger holds it: %1", {activity.by});
        case Activity::Throttled:
            return activity.cpu_limit > 0 ? text(kContext, "its cgroup %1 permits %2 cores, and throttles it",
                                                 {activity.by, two_decimals(activity.cpu_limit)})
                                          : text(kContext, "its cgroup %1 throttles it", {activity.by});
        case Activity::UsesFile:
            return describe_file(activity);
        case Activity::WaitsForFileLock:
            return activity.file.empty() ? text(kContext, "it waits for a lock on a file")
                                         : text(kContext, "it waits for the lock on %1", {activity.file});
        case Activity::WaitsForPipe:
            return activity.file.empty() || activity.file.starts_with("pipe:")
                       ? text(kContext, "it waits for data from another process, for example a data loader")
                       : text(kContext, "it waits for data from %1", {activity.file});
        case Activity::WaitsForLock:
            return text(kContext, "it waits for a lock, a queue or another thread of the program");
        case Activity::WaitsForChild:
            return text(kContext, "it waits for a process that it has started");
        case Activity::Sleeps:
            return text(kContext, "it sleeps");
        case Activity::SpinsOnCpu:
            return text(kContext, "it uses a CPU without end");
        case Activity::Runs:
            return text(kContext, "it computes");
        case Activity::WaitsForPeer:
            return text(kContext, "it waits for data from %1:%2",
                        {activity.peer_address, std::to_string(activity.peer_port)});
        case Activity::Exited:
            return text(kContext, "its process has ended");
        default:
            return text(kContext, "what it does cannot be seen");
    }
}

Evidence sentence(std::string line) {
    return {.text = std::move(line)};
}

}  // namespace

std::string list_ranks(const std::vector<int>& ranks) {
    std::string list;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        const bool range = last > i + 1;
        const std::string part = std::to_string(ranks[i]) + (range ? "–" + std::to_string(ranks[last]) : "");
        i = range ? last + 1 : i + 1;
        const bool end = i >= ranks.size();
        list += list.empty() ? part : end ? text(kContext, " and %1", {part}) : ", " + part;
    }
    return list;
}

std::string capitalized(std::string sentence) {
    if (!sentence.empty()) {
        sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
    }
    return sentence;
}

std::string name_rank(int rank, const std::string& node) {
    return text(kContext, "rank %1 on %2", {std::to_string(rank), node});
}

std::string describe_activity(const RankSeen& seen) {
    std::string what = describe_kind(seen);
    if (!seen.activity.line.empty()) {
        what += text(kContext, " (%1)", {seen.activity.line});
    }
    return what;
}

std::string describe_socket(const RankSocket& socket) {
    std::string line = socket.state + ' ' + socket.local_address + ':' + std::to_string(socket.local_port);
    if (socket.peer_port != 0) {
        line += " → " + socket.peer_address + ':' + std::to_string(socket.peer_port);
    }
    if (socket.unsent > 0) {
        line += text(kContext, ", %1 bytes not acknowledged", {std::to_string(socket.unsent)});
    }
    if (socket.unread > 0) {
        line += text(kContext, ", %1 bytes not read", {std::to_string(socket.unread)});
    }
    if (socket.retransmits > 0) {
        line += text(kContext, ", sent again %1 times", {std::to_string(socket.retransmits)});
    }
    if (socket.zero_window) {
        line += text(kContext, ", zero window");
    }
    if (socket.idle_s > 0) {
        line += text(kContext, ", nothing received for %1 s", {seconds(socket.idle_s)});
    }
    if (socket.answer_idle_s > 0) {
        line += text(kContext, ", nothing acknowledged for %1 s", {seconds(socket.answer_idle_s)});
    }
    return line;
}

std::vector<Evidence> facts_of(int rank, const RankSeen& seen, bool stack) {
    const auto& state = seen.state;
    const auto& activity = seen.activity;
    std::string line = name_rank(rank, seen.node) + ": pid " + std::to_string(state.pid) + ", " +
                       to_string(activity.kind) + ", state " + state.state;
    if (!activity.system_call.empty()) {
        line += ", " + activity.system_call;
    }
    if (!state.wait_channel.empty()) {
        line += " (" + state.wait_channel + ')';
    }
    if (activity.cpu_share >= 0) {
        line += text(kContext, ", %1 cores used", {two_decimals(activity.cpu_share)});
    }
    if (!stack && !activity.line.empty()) {
        line += ", " + activity.line;
    }
    std::vector<Evidence> facts = {sentence(std::move(line))};
    if (!activity.file.empty() || !activity.source.empty()) {
        facts.push_back(sentence(text(kContext, "file %1, file system %2, mounted from %3",
                                      {activity.file.empty() ? "?" : activity.file,
                                       activity.file_system.empty() ? "?" : activity.file_system,
                                       activity.source.empty() ? "?" : activity.source})));
    }
    if (stack) {
        for (std::size_t i = 0; i < std::min(kStackLines, state.python_stack.size()); ++i) {
            facts.push_back(sentence("  " + state.python_stack[i]));
        }
        for (std::size_t i = 0;
             state.python_stack.empty() && i < std::min(kStackLines, state.native_stack.size()); ++i) {
            facts.push_back(sentence("  " + state.native_stack[i]));
        }
        for (const auto& unseen : state.unseen) {
            if (unseen.what == "python_stack" && state.python_stack.empty()) {
                facts.push_back(sentence(text(kContext, "no Python stack: %1", {unseen.why})));
            }
        }
    }
    for (const auto& socket : state.sockets) {
        if (socket.retransmits > 0 || socket.zero_window || socket.unread > 0 ||
            (socket.unsent > 0 && socket.state != "LISTEN")) {
            facts.push_back(sentence("  " + describe_socket(socket)));
        }
    }
    return facts;
}

void add_fixes(Verdict& verdict, const RankSeen& seen) {
    const auto& activity = seen.activity;
    const std::string pid = std::to_string(seen.state.pid);
    switch (activity.kind) {
        case Activity::Stopped:
            if (const auto process = Pid::of(seen.state.pid)) {
                verdict.fixes.push_back(command_fix(seen.node, ShellCommand("kill -CONT").pid(*process),
                                                    ShellCommand("kill -STOP").pid(*process)));
                verdict.fix.push_back(
                    text(kContext, "On %1: `kill -CONT %2` continues it.", {seen.node, pid}));
            }
            return;
        case Activity::Traced:
            verdict.fix.push_back(text(kContext, "Let the debugger continue the process, or detach it."));
            return;
        case Activity::Throttled:
            verdict.fix.push_back(text(kContext, "Raise the CPU limit (cpu.max) of the cgroup %1 on %2.",
                                       {activity.by, seen.node}));
            return;
        case Activity::UsesFile: {
            const std::string server = server_of(activity);
            verdict.fix.push_back(
                server.empty() ? text(kContext, "Check the file system there: kernel log and mount.")
                               : text(kContext, "Check the file server %1 and the network to it.", {server}));
            return;
        }
        case Activity::WaitsForFileLock:
            verdict.fix.push_back(text(kContext, "`lslocks` on %1 shows who holds the lock.", {seen.node}));
            return;
        case Activity::WaitsForPipe:
        case Activity::WaitsForChild:
            verdict.fix.push_back(text(kContext,
                                       "Check the processes that rank %1 has started: `pstree -p %2`.",
                                       {std::to_string(seen.state.rank), pid}));
            return;
        default:
            verdict.fix.push_back(
                seen.activity.line.empty()
                    ? text(kContext, "On %1: `py-spy dump --pid %2` shows where it is.", {seen.node, pid})
                    : text(kContext, "Check the program at %1.", {seen.activity.line}));
            return;
    }
}

}  // namespace rankscope::inline runs
