// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/node/slurm_failures.h>
#include <remote/desk/text.h>
#include <remote/wire/slurm_exit.h>

#include <array>
#include <ctime>

namespace rankscope {
namespace {

constexpr const char* kContext = "SlurmFailures";

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// sbatch's own sentence, without the words that every one begins with.
std::string said_by_sbatch(const std::string& errors) {
    std::string said;
    std::size_t begin = 0;
    while (begin < errors.size()) {
        const auto end = std::min(errors.find('\n', begin), errors.size());
        std::string line = errors.substr(begin, end - begin);
        begin = end + 1;
        for (const char* prefix : {"sbatch: ", "error: ", "Batch job submission failed: "}) {
            if (line.starts_with(prefix)) {
                line.erase(0, std::string_view(prefix).size());
            }
        }
        if (!line.empty() && !line.starts_with("Try \"sbatch --help\"")) {
            said += (said.empty() ? "" : "; ") + line;
        }
    }
    return said;
}

std::string remedy_of_refusal(const std::string& said) {
    if (contains(said, "partition") && !contains(said, "account")) {
        return text(kContext, "`sinfo -s` there lists the partitions: correct slurm.partition.");
    }
    if (contains(said, "account")) {
        return text(kContext,
                    "`sacctmgr show associations user=$USER` there lists yours: correct slurm.account.");
    }
    if (contains(said, "qos") || contains(said, "QOS")) {
        return text(kContext, "`sacctmgr show qos` there lists them: correct slurm.qos.");
    }
    if (contains(said, "time limit")) {
        return text(kContext,
                    "`sinfo -o '%P %l'` there shows what the partitions allow: correct slurm.time.");
    }
    if (contains(said, "gres")) {
        return text(kContext, "`sinfo -o '%N %G'` there shows what the nodes have: correct slurm.gres.");
    }
    if (contains(said, "node configuration") || contains(said, "More processors") ||
        contains(said, "node count")) {
        return text(
            kContext,
            "`sinfo -o '%P %D %c %m %G'` there shows what there is: correct slurm.nodes, procs_per_node or "
            "slurm.gres.");
    }
    if (contains(said, "Unable to contact") || contains(said, "Connection refused")) {
        return text(kContext,
                    "Slurm's controller does not answer: `scontrol ping` there, then ask its administrator.");
    }
    if (contains(said, "unrecognized option") || contains(said, "invalid option")) {
        return text(kContext, "Correct slurm.extra: `sbatch --help` there lists the options.");
    }
    return text(kContext, "Correct the section slurm of the job file.");
}

std::string clock_time(std::int64_t t_us) {
    const std::time_t seconds = t_us / 1000000;
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    const bool soon = seconds - now < 12 * 3600;
    std::array<char, 32> buffer{};
    std::strftime(buffer.data(), buffer.size(), soon ? "%H:%M" : "%Y-%m-%d %H:%M", &parts);
    return buffer.data();
}

// What Slurm means by its word; empty: the word says it.
std::string explain_reason(const std::string& reason) {
    struct Meaning {
        const char* reason;
        const char* meaning;
    };
    static constexpr std::array<Meaning, 9> kMeanings{{
        {"Resources", "waits for nodes to become free"},
        {"Priority", "jobs with a higher priority come first"},
        {"PartitionConfig", "the partition can never give what is asked for"},
        {"PartitionNodeLimit", "the partition can never give so many nodes"},
        {"PartitionTimeLimit", "the partition never gives so much time"},
        {"JobHeldUser", "held: scontrol release starts it"},
        {"JobHeldAdmin", "held by an administrator"},
        {"ReqNodeNotAvail", "nodes are down or reserved"},
        {"Dependency", "waits for another job"},
    }};
    for (const auto& entry : kMeanings) {
        if (reason.starts_with(entry.reason)) {
            return text(kContext, entry.meaning);
        }
    }
    if (reason.starts_with("QOS") || reason.starts_with("Assoc")) {
        return text(kContext, "a limit of your account or QOS");
    }
    return {};
}

}  // namespace

Failure explain_slurm_failure(const NodeSpec& login, const wire::Failure& failure) {
    const std::string& code = failure.code();
    const std::string& detail = failure.detail();
    if (code == "slurm-missing") {
        return {code, login.name,
                text(kContext, "There is no Slurm on this node: %1 is not found.", {detail}),
                text(kContext,
                     "Name a login node of the cluster in slurm.login; a module that brings Slurm must be "
                     "loaded in ~/.bashrc there."),
                detail};
    }
    if (code == "slurm-refused") {
        const std::string said = said_by_sbatch(detail);
        return {code, login.name, text(kContext, "Slurm refuses the job: %1.", {said}),
                remedy_of_refusal(said), detail};
    }
    if (code == "slurm-silent") {
        return {code, login.name, text(kContext, "sbatch gave no answer within a minute."),
                text(kContext, "Slurm's controller is busy or down: `scontrol ping` there, then try again."),
                detail};
    }
    return {code, login.name, text(kContext, "Slurm could not be told to cancel the job: %1.", {detail}),
            text(kContext, "Look at it there with `squeue --me`."), detail};
}

std::optional<Failure> explain_slurm_end(const NodeSpec& login, const wire::SlurmState& state,
                                         bool cancelled_by_us) {
    const std::string job = std::to_string(state.job_id());
    const std::string& name = state.state();
    const auto failure = [&](const char* code, const std::string& what, const std::string& remedy) {
        return Failure{code, login.name, what, remedy, state.output_tail()};
    };
    // srun's own exit is that of the first task it noticed; a task that it ended for another's sake may be
    // it.
    const auto exited_with = [&](int code) {
        const std::string line = "Exited with exit code " + std::to_string(code) + '\n';
        return state.exit_code() == code || (state.output_tail() + '\n').find(line) != std::string::npos;
    };
    if (exited_with(kSlurmExitNotShared)) {
        return failure(
            "home-not-shared",
            text(kContext, "The nodes of job %1 do not see the cache folder of the login node.", {job}),
            text(kContext, "Set cache_dir: of %1 in the inventory to a folder that all nodes share.",
                 {login.name}));
    }
    if (exited_with(kSlurmExitNoExec)) {
        return failure(
            "no-exec",
            text(kContext, "Programs may not be started from the cache folder on the nodes of job %1.",
                 {job}),
            text(kContext, "Set cache_dir: of %1 to a shared folder that is not mounted noexec.",
                 {login.name}));
    }
    if (name == "TIMEOUT" || name == "DEADLINE") {
        return failure(
            "slurm-time-limit",
            text(kContext, "Slurm ended job %1 at its time limit of %2.", {job, state.time_limit()}),
            text(kContext, "Ask for more time with slurm.time, or train for fewer epochs."));
    }
    if (name == "PREEMPTED") {
        return failure("slurm-preempted",
                       text(kContext, "Slurm took the nodes of job %1 for a job of higher priority.", {job}),
                       text(kContext, "Start it again; a partition or QOS that is not preempted avoids it."));
    }
    if (name == "NODE_FAIL" || name == "BOOT_FAIL") {
        return failure(
            "slurm-node-failed", text(kContext, "A node of job %1 failed (%2).", {job, name}),
            text(kContext, "`sinfo -R` on %1 shows which and why; start the run again.", {login.name}));
    }
    if (name == "OUT_OF_MEMORY") {
        return failure(
            "slurm-out-of-memory", text(kContext, "Job %1 used more memory than Slurm had granted.", {job}),
            text(kContext, "Ask for more, for example slurm.extra: [--mem=16G], or make the batch smaller."));
    }
    if ((name == "CANCELLED" || name == "REVOKED") && !cancelled_by_us) {
        return failure("slurm-cancelled",
                       state.reason().starts_with("CANCELLED by")
                           ? text(kContext, "Job %1 was cancelled in Slurm (%2).", {job, state.reason()})
                           : text(kContext, "Job %1 was cancelled in Slurm, not by Rankscope.", {job}),
                       text(kContext, "Somebody used scancel: you elsewhere, or an administrator."));
    }
    if (name == "FAILED" && !state.has_allocation()) {
        return failure("slurm-job-failed",
                       text(kContext, "Job %1 failed before a rank could be started (exit %2, signal %3).",
                            {job, std::to_string(state.exit_code()), std::to_string(state.exit_signal())}),
                       text(kContext,
                            "What its script printed is below. If that is nothing: is the cache folder of %1 "
                            "on a file system that all nodes share?",
                            {login.name}));
    }
    return std::nullopt;
}

std::string describe_slurm_queue(const wire::SlurmState& state) {
    std::string state_text = state.state().empty() ? "?" : state.state();
    if (!state.reason().empty()) {
        const std::string meaning = explain_reason(state.reason());
        state_text += " (" + state.reason() + (meaning.empty() ? "" : ": " + meaning) + ')';
    }
    std::string line = text(kContext, "job %1: %2", {std::to_string(state.job_id()), state_text});
    if (state.state() == "PENDING" && state.start_us() > 0) {
        line += text(kContext, ", start estimated %1", {clock_time(state.start_us())});
    }
    if (!state.problem().empty()) {
        line += text(kContext, "; Slurm could not be asked: %1", {state.problem()});
    }
    return line;
}

std::string describe_slurm_end(const wire::SlurmState& state) {
    std::string line = text(kContext, "Slurm job %1: %2, exit %3:%4, elapsed %5",
                            {std::to_string(state.job_id()), state.state(), std::to_string(state.exit_code()),
                             std::to_string(state.exit_signal()), state.elapsed()});
    if (state.max_rss_bytes() > 0) {
        line += text(kContext, ", largest memory of a task %1 MB",
                     {std::to_string((state.max_rss_bytes() + 500000) / 1000000)});
    }
    return line + (state.accounted() ? " (sacct)" : " (scontrol)");
}

}  // namespace rankscope
