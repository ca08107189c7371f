// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <remote/desk/node/agent_failures.h>
#include <remote/desk/node/agent_script.h>
#include <remote/desk/node/slurm_failures.h>
#include <remote/desk/text.h>
#include <remote/desk/transport/ssh_failures.h>

#include <csignal>
#include <cstring>

namespace rankscope {
namespace {

constexpr const char* kContext = "AgentFailures";

std::string trimmed(std::string text) {
    text.erase(0, std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
}

Failure disk_full(const NodeSpec& node, const std::string& detail) {
    return {"disk-full", node.name, text(kContext, "The disk of the node is full (or the user's quota is)."),
            text(kContext,
                 "Free space there (`df -h`), `rankscopectl clean %1` removes what Rankscope keeps, or set "
                 "cache_dir: to another disk.",
                 {node.name}),
            detail};
}

Failure not_executable(const NodeSpec& node, const std::string& detail) {
    return {"no-exec", node.name,
            text(kContext, "Programs may not be started from the cache folder of the node."),
            text(kContext,
                 "It is probably mounted noexec (`findmnt -T ~/.cache`). Set cache_dir: for this node to a "
                 "folder on another file system that no other user can write to."),
            detail};
}

// `said` holds the marker, then mode, owner and path.
Failure unsafe_cache(const NodeSpec& node, const std::string& said) {
    const auto marker = said.find(kUnsafeMarker);
    const std::string found =
        marker == std::string::npos ? said : said.substr(marker + std::strlen(kUnsafeMarker));
    const std::string line = found.substr(0, found.find('\n'));
    const auto path = line.find('/');
    const std::string folder = path == std::string::npos ? line : line.substr(path);
    return {
        "cache-unsafe", node.name,
        text(kContext, "Other users of the node can change %1, where programs are started from.", {folder}),
        text(kContext,
             "Set cache_dir: for this node to a folder that only you can write, with parents of yours or "
             "root's; or take the permission from the others: `chmod go-w %1`.",
             {folder}),
        line};
}

Failure own_program_failure(const NodeSpec& node, const wire::Failure& failure) {
    const std::string& code = failure.code();
    const std::string name = failure.args_size() > 0 ? failure.args(0) : "";
    if (code == "no-venv") {
        return {code, node.name, text(kContext, "There is no virtual environment in %1.", {name}),
                text(kContext, "Make it there (`python3 -m venv %1`), or correct venv: in the job.", {name}),
                failure.detail()};
    }
    if (code == "broken-venv") {
        return {code, node.name,
                text(kContext, "The virtual environment in %1 has no Python that runs.", {name}),
                text(kContext,
                     "The Python it was made from is gone or belongs to another machine: make it anew there "
                     "(`python3 -m venv --clear %1`).",
                     {name}),
                failure.detail()};
    }
    if (code == "no-conda") {
        return {
            code, node.name, text(kContext, "There is no conda environment %1.", {name}),
            text(kContext,
                 "`conda env list` on the node shows what there is; conda: takes a name or the path of its "
                 "folder."),
            failure.detail()};
    }
    return {code, node.name, text(kContext, "The folder for log files %1 cannot be made.", {name}),
            text(kContext, "Correct log_dir: in the job, or leave it out: the run keeps every line anyway."),
            failure.detail()};
}

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::string line_with(const ExitEvent& exit, const char* part) {
    for (const auto& line : exit.last_lines) {
        if (contains(line, part)) {
            return line;
        }
    }
    return contains(exit.reason, part) ? exit.reason : std::string();
}

}  // namespace

Failure explain_agent_failure(const NodeSpec& node, const wire::Failure& failure) {
    const std::string& code = failure.code();
    if (code == "disk-full") {
        return disk_full(node, failure.detail());
    }
    if (code == "no-permission" || code == "read-only") {
        return {code, node.name, text(kContext, "The cache folder of the node cannot be written."),
                text(kContext, "Check its owner and permissions, or set cache_dir: for this node."),
                failure.detail()};
    }
    if (code == "port-busy") {
        const std::string port = failure.args_size() > 0 ? failure.args(0) : "";
        return {"port-busy", node.name, text(kContext, "Port %1 is held by %2.", {port, failure.detail()}),
                failure.args_size() > 1
                    ? text(kContext,
                           "It is your own: `rankscopectl clean %1 --port %2 --end` ends it; or write "
                           "master_port: 0 to take a free port.",
                           {node.name, port})
                    : text(kContext, "End that program, or write master_port: 0 to take a free port."),
                failure.detail()};
    }
    const auto arg = [&failure](int i) {
        return i < failure.args_size() ? failure.args(i) : std::string("?");
    };
    if (code == "not-own") {
        return {code, node.name, text(kContext, "Process %1 is %2's: it is left alone.", {arg(0), arg(1)}),
                text(kContext, "Ask %1 to end it, or take another port or GPU.", {arg(1)}), failure.detail()};
    }
    if (code == "run-live") {
        return {code, node.name, text(kContext, "Process %1 belongs to a run that goes on.", {arg(0)}),
                text(kContext, "Stop the run: `rankscopectl runs stop`."), failure.detail()};
    }
    if (code == "still-there") {
        return {code, node.name,
                text(kContext, "Process %1 could not be ended, not even by SIGKILL.", {arg(0)}),
                text(kContext, "It waits for a device or a file system: look at the node's kernel log."),
                failure.detail()};
    }
    if (code == "damaged") {
        return {code, node.name, text(kContext, "A file arrived damaged."),
                text(kContext, "Try again; if it happens again, check the node's memory and disk."),
                failure.detail()};
    }
    if (code == "run-exists") {
        return {code, node.name, text(kContext, "A run of this name is there already."), "",
                failure.detail()};
    }
    if (code == "no-such-run") {
        return {code, node.name, text(kContext, "The node knows nothing of this run."),
                text(kContext, "It was cleaned there, or never started."), failure.detail()};
    }
    if (code == "workdir-not-writable") {
        return {code, node.name, text(kContext, "The files of push: cannot be written there."),
                text(kContext,
                     "Name a folder with workdir: in the job that you may write on the node, or leave "
                     "workdir: out: "
                     "then the job gets one of its own."),
                failure.detail()};
    }
    if (code == "push-changed") {
        return {code, node.name, text(kContext, "%1 changed while it was pushed.", {failure.detail()}),
                text(kContext, "Start again when nothing writes to it."), failure.detail()};
    }
    if (code == "no-venv" || code == "broken-venv" || code == "no-conda" || code == "log-dir") {
        return own_program_failure(node, failure);
    }
    if (code == "supervisor-died") {
        return {code, node.name, text(kContext, "The supervisor could not be started."),
                text(kContext, "Check the limits of processes (ulimit -u) and memory on the node."),
                failure.detail()};
    }
    if (code.starts_with("slurm-")) {
        return explain_slurm_failure(node, failure);
    }
    return {code, node.name, text(kContext, "The agent could not do it."), "", failure.detail()};
}

Failure explain_agent_start(const NodeSpec& node, int status, const std::string& output,
                            const std::string& errors) {
    const std::string said = trimmed(trimmed(output) + '\n' + trimmed(errors));
    if (contains(said, "No space left") || contains(said, "quota exceeded") || contains(said, "Disk quota")) {
        return disk_full(node, said);
    }
    if (contains(said, "Session open refused by peer")) {  // OpenSSH's words for what libssh says in exec()
        return no_session(node.name, said);
    }
    switch (status) {
        case kExitNotExecutable:
        case 126:
            return not_executable(node, said);
        case kExitUnsafeFolder:
            return unsafe_cache(node, said);
        case kExitCannotMakeFolder:
        case kExitCannotWrite:
            return {
                "no-permission", node.name, text(kContext, "The cache folder of the node cannot be written."),
                text(kContext, "Check its owner and permissions, or set cache_dir: for this node."), said};
        case kExitDamaged:
            return {"damaged", node.name, text(kContext, "The agent arrived damaged."),
                    text(kContext,
                         "Try again; if it happens again, something on the way changes bytes (a login script "
                         "that reads stdin?)."),
                    said};
        case -1:
            return {"agent-lost", node.name,
                    text(kContext, "The connection broke while the agent was started."),
                    text(kContext, "Check the network and the node's load."), said};
        default:
            break;
    }
    if (contains(said, "This account is currently not available") || contains(said, "nologin")) {
        return {"no-shell", node.name, text(kContext, "The account has no login shell on the node."),
                text(kContext, "Give it one there: `sudo chsh -s /bin/bash USER`."), said};
    }
    return {"agent-start", node.name,
            text(kContext, "The agent could not be started (exit status %1).", {std::to_string(status)}),
            text(kContext, "What the node said is below."), said};
}

std::string describe_exit(const ExitEvent& exit) {
    if (exit.signal != 0) {
        const char* name = ::sigabbrev_np(exit.signal);
        const std::string signal =
            std::to_string(exit.signal) + (name != nullptr ? std::string(" (SIG") + name + ')' : "");
        if (exit.signal == SIGSTOP || exit.signal == SIGTSTP || exit.signal == SIGTTIN ||
            exit.signal == SIGTTOU) {
            return text(kContext, "was stopped by signal %1 for longer than the job allows", {signal});
        }
        if (!exit.oom.empty()) {
            return text(kContext, "was killed by the kernel for want of memory");
        }
        if (exit.core_dumped && !exit.core_file.empty()) {
            return text(kContext, "was killed by signal %1, core dumped to %2", {signal, exit.core_file});
        }
        return exit.core_dumped ? text(kContext, "was killed by signal %1, core dumped", {signal})
                                : text(kContext, "was killed by signal %1", {signal});
    }
    if (exit.code == 127 && !exit.reason.empty() && exit.last_lines.empty()) {
        return text(kContext, "could not be started: %1", {exit.reason});
    }
    std::string sentence = text(kContext, "exited with code %1", {std::to_string(exit.code)});
    if (!exit.reason.empty()) {
        sentence += ": " + exit.reason;
    }
    return sentence;
}

ExitHint hint_for_exit(const std::string& node, const ExitEvent& exit) {
    if (const auto line = line_with(exit, "error while loading shared libraries"); !line.empty()) {
        return {"worker-missing-library",
                text(kContext, "A shared library is missing on %1: %2", {node, line}),
                text(kContext, "Install the package that holds it there (`apt-file search NAME`).")};
    }
    if (const auto line = line_with(exit, "GLIBC_"); !line.empty() && contains(line, "not found")) {
        return {
            "worker-old-libc", text(kContext, "The C library of %1 is too old: %2", {node, line}),
            text(kContext,
                 "Use a node with Debian 12, Ubuntu 24.04 or newer, or build Rankscope on the oldest one.")};
    }
    if (const auto line = line_with(exit, "can't open file"); exit.code == 2 && !line.empty()) {
        return {"script-missing", text(kContext, "The script is not on %1: %2", {node, line}),
                text(kContext, "Push it with push: in the job, or name the folder it is in with workdir:.")};
    }
    if (const auto line = line_with(exit, "ModuleNotFoundError: "); !line.empty()) {
        return {
            "module-missing", text(kContext, "A Python package is missing on %1: %2", {node, line}),
            text(kContext,
                 "Install it there, or name the environment that has it with venv: or conda: in the job.")};
    }
    if (contains(exit.reason, "noexec")) {
        return {"no-exec", exit.reason,
                text(kContext, "Set cache_dir: for %1 to a file system without noexec.", {node})};
    }
    if (!exit.oom.empty()) {
        return {
            "out-of-memory",
            text(kContext, "The kernel of %1 killed it for want of memory (%2 shows it).", {node, exit.oom}),
            text(kContext,
                 "Lower the batch size or the number of data loader workers, or run fewer ranks there.")};
    }
    for (const char* sign :
         {"MemoryError", "std::bad_alloc", "Cannot allocate memory", "CUDA out of memory"}) {
        if (const auto line = line_with(exit, sign); !line.empty()) {
            return {"out-of-memory", text(kContext, "It had no memory left on %1: %2", {node, line}),
                    text(kContext, "Lower the batch size, or raise the limit (`ulimit -v`, the cgroup's).")};
        }
    }
    if (exit.signal == SIGKILL && !exit.requested) {
        return {"rank-killed", text(kContext, "Somebody, or the kernel for want of memory, killed it."),
                text(kContext, "On %1: `journalctl -k | grep -i oom` shows whether it was the OOM killer.",
                     {node})};
    }
    if (exit.code == kExitPeerLost) {
        return {"peer-lost", text(kContext, "It lost another rank: look for that one's end."), ""};
    }
    return {};
}

}  // namespace rankscope
