// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/agent/probes/system_call.h>
#include <remote/agent/probes/thread_states.h>

#include <unistd.h>

#include <cerrno>
#include <string>

namespace rankscope::agent {
namespace {

bool look_at(const ProcFolder& tasks, int tid, ThreadLook& look, int& denied) {
    const std::string folder = std::to_string(tid) + '/';
    const auto stat = parse_process_stat(tasks.read(folder + "stat"));
    if (!stat) {
        return false;
    }
    static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    look.state.set_tid(tid);
    look.state.set_name(as_utf8(stat->command));
    look.state.set_state(as_utf8(std::string(1, stat->state)));
    look.state.set_cpu_s(static_cast<double>(stat->cpu_ticks) / ticks);
    if (stat->state == 'R') {
        return true;  // it waits for nothing
    }
    const std::string channel = tasks.read(folder + "wchan");
    if (channel != "0") {
        look.state.set_wait_channel(as_utf8(channel));
    }
    if (denied != 0) {
        return true;
    }
    const std::string text = tasks.read(folder + "syscall");
    const int error = tasks.error();
    if (error == EACCES || error == EPERM) {
        denied = error;
        return true;
    }
    look.call = parse_system_call(text);
    if (look.call) {
        look.state.set_system_call(name_of(*look.call));
    }
    return true;
}

}  // namespace

std::vector<ThreadLook> look_at_threads(pid_t pid, const ProcFolder& process, std::size_t most, int& denied) {
    std::vector<ThreadLook> threads;
    const ProcFolder tasks(process, "task");
    if (!tasks) {
        return threads;
    }
    // The main thread has the process's number, and may have ended before the others.
    ThreadLook main;
    if (look_at(tasks, pid, main, denied)) {
        threads.push_back(std::move(main));
    }
    for (const int tid : tasks.numbers(most + 1)) {
        ThreadLook look;
        if (tid != pid && threads.size() < most && look_at(tasks, tid, look, denied)) {
            threads.push_back(std::move(look));
        }
    }
    return threads;
}

}  // namespace rankscope::agent
