// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <base/text.h>
#include <remote/desk/nodes/session/agent_failures.h>
#include <remote/desk/nodes/session/agent_script.h>
#include <remote/desk/nodes/session/slurm_failures.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <csignal>
#include <cstring>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "AgentFailures";
constexpr int kExitNoLogin = 254;  // of sshd itself where /run/nologin exists, without PAM

// What a program is ended by that breaks; all other signals are sent to it.
bool is_crash(int signal) {
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
}

// The catalogue's title and remedy, with what the agent reports in their places.
Failure from_catalogue(const NodeSpec& node, FailureId id, const std::string& detail,
                       std::vector<std::string> args = {}) {
    const CatalogueEntry* entry = catalogue_entry(id);
    const bool known = entry != nullptr;
    entry = known ? entry : catalogue_entry("unknown-failure");
    const CatalogueArguments arguments{.node = node.name, .detail = detail, .args = std::move(args)};
    return {.code = id,
            .where = node.name,
            .what = fill_places(text("FailureCatalogue", entry->title), arguments) +
                    (known ? "" : " (" + id.str() + ')'),
            .remedy = fill_places(text("FailureCatalogue", entry->remedy), arguments),
            .detail = detail};
}

// `said` holds the marker, then mode, owner and path.
Failure unsafe_cache(const NodeSpec& node, const std::string& said) {
    const auto marker = said.find(kUnsafeMarker);
    const std::string found =
        marker == std::string::npos ? said : said.substr(marker + std::strlen(kUnsafeMarker));
    const std::string line = found.substr(0, found.find('\n'));
    const auto path = line.find('/');
    return from_catalogue(node, "cache-unsafe", line, {path == std::string::npos ? line : line.substr(path)});
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
    const FailureId id = FailureId::from(failure.code());
    if (id.text().starts_with("slurm-")) {
        return explain_slurm_failure(node, failure);
    }
    Failure explained =
        from_catalogue(node, id, failure.detail(), {failure.args().begin(), failure.args().end()});
    if (id == "port-in-use" && failure.args_size() > 1) {
        explained.remedy =
            text(kContext,
                 "The process is yours: `rankscopectl clean %1 --port %2 --end` ends it. Or write "
                 "master_port: 0 in the job to use a free port.",
                 {node.name, failure.args(0)});
    }
    return explained;
}

Failure explain_agent_start(const NodeSpec& node, int status, const std::string& output,
                            const std::string& errors) {
    const std::string all = output + '\n' + errors;
    const std::string said(trimmed(all));
    if (contains(said, "No space left") || contains(said, "quota exceeded") || contains(said, "Disk quota")) {
        return from_catalogue(node, "disk-full", said);
    }
    if (contains(said, "Session open refused by peer")) {  // OpenSSH's words for what libssh says in exec()
        return no_session(node.name, said);
    }
    if (contains(said, "exec request failed on channel") || contains(said, "Cannot fork") ||
        contains(said, "Resource temporarily unavailable")) {
        return no_process(node.name, node.user, said);
    }
    switch (status) {
        case kExitNotExecutable:
        case 126:
            return from_catalogue(node, "no-exec", said);
        case kExitUnsafeFolder:
            return unsafe_cache(node, said);
        case kExitCannotMakeFolder:
        case kExitCannotWrite:
            return from_catalogue(node, "no-permission", said);
        case kExitDamaged:
            return {.code = "damaged",
                    .where = node.name,
                    .what = text(kContext, "The agent arrived damaged."),
                    .remedy = text(kContext,
                                   "Try again. If it happens again, something changes bytes on the way: for "
                                   "example a login script that reads stdin."),
                    .detail = said};
        case kExitNoLogin:
            return said.empty() ? from_catalogue(node, "agent-start", said)
                                : login_denied(node.name, said, said);
        case -1:
            return from_catalogue(node, "agent-lost", said);
        default:
            break;
    }
    if (contains(said, "This account is currently not available") || contains(said, "nologin")) {
        return from_catalogue(node, "no-shell", said);
    }
    Failure failure = from_catalogue(node, "agent-start", said);
    failure.what = text(kContext, "The agent cannot be started (exit status %1).", {std::to_string(status)});
    return failure;
}

std::string describe_exit(const ExitEvent& exit) {
    if (exit.status_unknown) {
        return text(kContext, "ended");
    }
    if (exit.signal == SIGTERM && !exit.requested && exit.failed_us != 0 && !exit.reason.empty()) {
        return text(kContext, "failed: %1", {exit.reason});  // the signal met it on its way out
    }
    if (exit.signal != 0) {
        const char* name = ::sigabbrev_np(exit.signal);
        const std::string signal =
            std::to_string(exit.signal) + (name != nullptr ? std::string(" (SIG") + name + ')' : "");
        if (exit.signal == SIGSTOP || exit.signal == SIGTSTP || exit.signal == SIGTTIN ||
            exit.signal == SIGTTOU) {
            return text(kContext, "was stopped by signal %1 for longer than the job allows", {signal});
        }
        if (!exit.oom.empty()) {
            return text(kContext, "was killed by the kernel because memory ran out");
        }
        const std::string where = is_crash(exit.signal) && !exit.reason.empty() ? ": " + exit.reason : "";
        if (exit.core_dumped && !exit.core_file.empty()) {
            return text(kContext, "was killed by signal %1, core dumped to %2", {signal, exit.core_file}) +
                   where;
        }
        return (exit.core_dumped ? text(kContext, "was killed by signal %1, core dumped", {signal})
                                 : text(kContext, "was killed by signal %1", {signal})) +
               where;
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
                text(kContext, "Install the package that contains it there (`apt-file search NAME`).")};
    }
    if (const auto line = line_with(exit, "GLIBC_"); !line.empty() && contains(line, "not found")) {
        return {"worker-old-libc", text(kContext, "The C library of %1 is too old: %2", {node, line}),
                text(kContext, "Build the program on the oldest node, or use a node with a newer system.")};
    }
    if (const auto line = line_with(exit, "can't open file"); exit.code == 2 && !line.empty()) {
        return {
            "script-missing", text(kContext, "The script is not on %1: %2", {node, line}),
            text(kContext, "Copy it with push: in the job, or set workdir: to the folder that contains it.")};
    }
    if (const auto line = line_with(exit, "failed to map segment from shared object"); !line.empty()) {
        return {"host-oom",
                text(kContext, "It may not use as much address space on %1 as its libraries need: %2",
                     {node, line}),
                text(kContext, "Raise the limit there (`ulimit -v`), or remove it.")};
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
            "host-oom",
            exit.signal != 0
                ? text(kContext, "The kernel of %1 killed it because memory ran out (source: %2).",
                       {node, exit.oom})
                : text(kContext,
                       "The kernel of %1 killed one of its processes because memory ran out (source: %2).",
                       {node, exit.oom}),
            text(kContext,
                 "Use a smaller batch size or fewer data loader workers, or run fewer ranks there.")};
    }
    if (const auto line = line_with(exit, "CUDA out of memory"); !line.empty()) {
        return {"gpu-oom", text(kContext, "A GPU of %1 has no free memory: %2", {node, line}),
                text(kContext, "Use a smaller batch size or model, or more GPUs.")};
    }
    for (const char* sign : {"MemoryError", "std::bad_alloc", "Cannot allocate memory"}) {
        if (const auto line = line_with(exit, sign); !line.empty()) {
            return {
                "host-oom", text(kContext, "It could not allocate memory on %1: %2", {node, line}),
                text(kContext,
                     "Use a smaller batch size, or raise the limit (`ulimit -v`, or that of the cgroup).")};
        }
    }
    if (exit.signal == SIGKILL && !exit.requested) {
        return {
            "killed-external",
            text(kContext, "A user, a program or the kernel (if memory ran out) killed it."),
            text(kContext, "On %1: `journalctl -k | grep -i oom` shows whether the kernel did it.", {node})};
    }
    if (exit.code == kExitPeerLost) {
        return {"peer-lost", text(kContext, "It lost the connection to another rank."),
                text(kContext, "Check the end of the other rank first.")};
    }
    return {};
}

}  // namespace rankscope::inline nodes
