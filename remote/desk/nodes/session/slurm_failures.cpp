// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/slurm_failures.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/wire/slurm_exit.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "SlurmFailures";

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

// The message of sbatch, without the prefixes that all its messages have.
std::string reason_of_sbatch(const std::string& errors) {
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
        return text(kContext, "`sinfo -o '%P %l'` there shows the limits: correct slurm.time.");
    }
    if (contains(said, "gres")) {
        return text(kContext,
                    "`sinfo -o '%N %G'` there lists the resources of the nodes: correct slurm.gres.");
    }
    if (contains(said, "node configuration") || contains(said, "More processors") ||
        contains(said, "node count")) {
        return text(
            kContext,
            "`sinfo -o '%P %D %c %m %G'` there shows the resources: correct slurm.nodes, procs_per_node, "
            "slurm.gres or slurm.extra.");
    }
    if (contains(said, "Unable to contact") || contains(said, "Connection refused")) {
        return text(
            kContext,
            "The Slurm controller does not answer: run `scontrol ping` there, then ask the administrator.");
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

// "node3 is drained: disk replaced", of each.
std::string describe_unfit(const wire::SlurmState& state) {
    std::string all;
    for (const auto& node : state.unfit()) {
        all += all.empty() ? "" : "; ";
        all += node.reason().empty()
                   ? text(kContext, "%1 is %2", {node.name(), node.state()})
                   : text(kContext, "%1 is %2 (%3)", {node.name(), node.state(), node.reason()});
    }
    return all;
}

// A reason as people read it: without the nodes that Slurm appends, which have their own sentence.
std::string short_reason(const std::string& reason) {
    std::string words = reason.substr(0, reason.find_first_of(",:"));
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

// The meaning of a reason that Slurm gives; empty: the reason is clear.
std::string explain_reason(const std::string& reason) {
    struct Meaning {
        const char* reason;
        const char* meaning;
    };
    static constexpr std::array<Meaning, 13> kMeanings{{
        {"Resources", "waits for nodes to become free"},
        {"Priority", "jobs with a higher priority come first"},
        {"PartitionConfig", "the partition does not have the requested resources"},
        {"PartitionNodeLimit", "the partition has fewer nodes"},
        {"PartitionTimeLimit", "the partition does not allow so much time"},
        {"JobHeldUser", "held: scontrol release starts it"},
        {"JobHeldAdmin", "held by an administrator"},
        {"ReqNodeNotAvail", "nodes are down or reserved"},
        {"Nodes_required", "the nodes are down, drained or reserved"},
        {"Dependency", "waits for another job"},
        {"BeginTime", "waits for its start time"},
        {"PartitionDown", "the partition does not start jobs now"},
        {"PartitionInactive", "the partition does not start jobs now"},
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
    FailureId id = FailureId::from(failure.code());
    const CatalogueEntry* entry = catalogue_entry(id);
    if (entry == nullptr) {
        id = "slurm-cancel";
        entry = catalogue_entry(id);
    }
    const CatalogueArguments arguments{.node = login.name, .detail = failure.detail()};
    Failure explained{.code = id,
                      .where = login.name,
                      .what = fill_places(text("FailureCatalogue", entry->title), arguments),
                      .remedy = fill_places(text("FailureCatalogue", entry->remedy), arguments),
                      .detail = failure.detail()};
    if (id == "slurm-refused") {
        const std::string reason = reason_of_sbatch(failure.detail());
        explained.what = text(kContext, "Slurm does not accept the job: %1.", {reason});
        explained.remedy = remedy_of_refusal(reason);
    }
    return explained;
}

std::optional<Failure> explain_slurm_end(const NodeSpec& login, const wire::SlurmState& state,
                                         bool cancelled_by_us) {
    const std::string job = std::to_string(state.job_id());
    const std::string& name = state.state();
    const auto failure = [&](FailureId id, const std::string& what, const std::string& remedy) {
        return Failure{id, login.name, what, remedy, state.output_tail()};
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
            text(kContext, "The nodes of job %1 do not share the cache folder of the login node.", {job}),
            text(kContext, "Set cache_dir: of %1 in the inventory to a folder that all nodes share.",
                 {login.name}));
    }
    if (exited_with(kSlurmExitNoExec)) {
        return failure(
            "no-exec",
            text(kContext, "The nodes of job %1 do not run programs from the cache folder.", {job}),
            text(kContext, "Set cache_dir: of %1 to a shared folder that is not mounted noexec.",
                 {login.name}));
    }
    if (name == "TIMEOUT" || name == "DEADLINE") {
        return failure(
            "slurm-time-limit",
            text(kContext, "Slurm ended job %1 at its time limit of %2.", {job, state.time_limit()}),
            text(kContext, "Request more time with slurm.time, or train for fewer epochs."));
    }
    if (name == "PREEMPTED") {
        return failure(
            "slurm-preempted",
            text(kContext, "Slurm gave the nodes of job %1 to a job with a higher priority.", {job}),
            text(kContext, "Start the run again, or use a partition or QOS without preemption."));
    }
    if (name == "NODE_FAIL" || name == "BOOT_FAIL") {
        const std::string unfit = describe_unfit(state);
        return failure("slurm-node-failed",
                       unfit.empty()
                           ? text(kContext, "A node of job %1 failed (%2).", {job, name})
                           : text(kContext, "A node of job %1 failed (%2): %3.", {job, name, unfit}),
                       text(kContext, "`sinfo -R` on %1 shows the node and the reason. Start the run again.",
                            {login.name}));
    }
    if (name == "OUT_OF_MEMORY") {
        return failure(
            "slurm-out-of-memory", text(kContext, "Job %1 used more memory than Slurm granted.", {job}),
            text(kContext, "Request more, for example slurm.extra: [--mem=16G], or use a smaller batch."));
    }
    if ((name == "CANCELLED" || name == "REVOKED") && !cancelled_by_us) {
        return failure("slurm-cancelled",
                       state.reason().starts_with("CANCELLED by")
                           ? text(kContext, "Job %1 was cancelled in Slurm (%2).", {job, state.reason()})
                           : text(kContext, "Job %1 was cancelled in Slurm, not by Rankscope.", {job}),
                       text(kContext, "You or an administrator used scancel."));
    }
    if (name == "FAILED" && !state.has_allocation()) {
        return failure(
            "slurm-job-failed",
            text(kContext, "Job %1 failed before a rank started (exit %2, signal %3).",
                 {job, std::to_string(state.exit_code()), std::to_string(state.exit_signal())}),
            text(kContext,
                 "The output of its script is below. If it is empty, check that all nodes share the "
                 "cache folder of %1.",
                 {login.name}));
    }
    return std::nullopt;
}

std::string describe_slurm_queue(const wire::SlurmState& state) {
    std::string state_text = state.state().empty() ? "?" : state.state();
    if (!state.reason().empty() && state.state() == "PENDING") {  // later it is that of an earlier state
        const std::string meaning = explain_reason(state.reason());
        state_text += " (" + short_reason(state.reason()) + (meaning.empty() ? "" : ": " + meaning) + ')';
        if (const std::string unfit = describe_unfit(state); !unfit.empty()) {
            state_text += ": " + unfit;
        }
    }
    std::string line = text(kContext, "job %1: %2", {std::to_string(state.job_id()), state_text});
    if (state.state() == "PENDING" && state.start_us() > 0) {
        line += text(kContext, ", start estimated %1", {clock_time(state.start_us())});
    }
    if (!state.problem().empty()) {
        line += text(kContext, "; Slurm did not answer: %1", {state.problem()});
    }
    return line;
}

std::string describe_slurm_end(const wire::SlurmState& state) {
    if (state.state() == "FORGOTTEN" || state.state().empty()) {
        return text(kContext, "Slurm no longer knows job %1: its ranks tell how it ended.",
                    {std::to_string(state.job_id())});
    }
    std::string line = text(kContext, "Slurm job %1: %2, exit %3:%4, elapsed %5",
                            {std::to_string(state.job_id()), state.state(), std::to_string(state.exit_code()),
                             std::to_string(state.exit_signal()), state.elapsed()});
    if (state.max_rss_bytes() > 0) {
        line += text(kContext, ", largest memory of a task %1 MB",
                     {std::to_string((state.max_rss_bytes() + 500000) / 1000000)});
    }
    return line + (state.accounted() ? " (sacct)" : " (scontrol)");
}

}  // namespace rankscope::inline nodes
