// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs::job_key_parts {
namespace {

using config::ConfigNode;
using config::KeyReader;
using config::kNamedNodes;
using config::kNative;
using config::kOwnProgram;
using config::Scope;
using nlohmann::json;

constexpr const char* kLife = "Safety";  // with preflight
constexpr const char* kMeasured = "Measurements";

void read_telemetry(const KeyReader& reader, Job& job) {
    constexpr double kOftenest = 0.1;
    double every_s = job.telemetry_s;
    if (read_value(reader, every_s)) {
        job.telemetry_s = every_s;
        if (every_s > 0 && every_s < kOftenest) {
            reader.add(text(kJobContext, "is too often"),
                       text(kJobContext, "Write 0 for none, or at least 0.1."));
        }
    }
}

void read_signal(const KeyReader& reader, Job& job) {
    std::string name;
    ConfigNode bare = reader.node;  // SIGUSR1 is USR1
    bare.text = bare.text.starts_with("SIG") ? bare.text.substr(3) : bare.text;
    if (config::read_value({bare, reader.info, reader.path, false, reader.problems}, name)) {
        job.checkpoint_signal = name;
    }
}

}  // namespace

void add_life(JobKeyTable& table) {
    table.sections.push_back({.path = "on_failure", .example = "on_failure: { grace_s: 5 }"});
    table.sections.push_back({.path = "checkpoint", .example = "checkpoint: { signal: USR1, wait_s: 30 }"});
    table.sections.push_back({.path = "telemetry", .example = "telemetry: { every_s: 1 }"});
    add_special(table, "telemetry.every_s",
                {.kind = config::KeyKind::Number,
                 .range = {0, 3600},
                 .label = "Sample nodes every (s)",
                 .help = "Seconds between two samples of GPU and host; 0: never.",
                 .group = kMeasured,
                 .rare = true,
                 .scope = Scope::Node},
                read_telemetry, [](const Job& job) -> json { return job.telemetry_s; });
    add(table, "on_failure.grace_s", RANKSCOPE_JOB_MEMBER(grace_s),
        {.range = {0, 3600},
         .label = "Grace time (s)",
         .help = "Seconds between SIGTERM and SIGKILL when ranks are stopped.",
         .group = kLife,
         .rare = true,
         .written = true});
    add(table, "on_failure.max_restarts", RANKSCOPE_JOB_MEMBER(max_restarts),
        {.range = {0, 1000},
         .label = "Restarts",
         .help = "How often all ranks are started again after one has failed.",
         .group = kLife,
         .written = true,
         .applies = kNamedNodes | kNative | kOwnProgram,
         .refusal = "Write 0, or leave it out: the launcher restarts a job, not Rankscope."});
    add(table, "on_failure.peer_timeout_s", RANKSCOPE_JOB_MEMBER(peer_timeout_s),
        {.range = {0, kDay},
         .label = "Lost node after (s)",
         .help = "A node that the others have not heard from for this time ends the run; 0: never.",
         .group = kLife,
         .written = true,
         .applies = kNamedNodes | kNative | kOwnProgram});
    add(table, "on_failure.stopped_limit_s", RANKSCOPE_JOB_MEMBER(stopped_limit_s),
        {.range = {0, 1e9},
         .label = "Stopped rank after (s)",
         .help = "A rank that a signal has stopped for this time fails the run; 0: never.",
         .group = kLife,
         .rare = true,
         .written = true});
    table.keys.push_back(config::choice_key<Job, OnHang>(
        "on_hang", RANKSCOPE_JOB_MEMBER(on_hang),
        {{"report", OnHang::Report}, {"dump", OnHang::Dump}, {"stop", OnHang::Stop}},
        {.label = "When it hangs",
         .help = "report: name the cause. dump: keep the stacks of all ranks, too. stop: stop the run.",
         .group = kLife,
         .rare = true}));
    add(table, "hang_after_s", RANKSCOPE_JOB_MEMBER(hang_after_s),
        {.range = {0, kDay},
         .label = "It hangs after (s)",
         .help = "Without progress for this time the ranks are inspected; 0: learnt from the run.",
         .group = kLife,
         .rare = true});
    table.keys.push_back(
        config::choice_key<Job, NcclProfiler>("nccl_profiler", RANKSCOPE_JOB_MEMBER(nccl_profiler),
                                              {{"auto", NcclProfiler::Auto},
                                               {"light", NcclProfiler::Light},
                                               {"full", NcclProfiler::Full},
                                               {"off", NcclProfiler::Off}},
                                              {.label = "Observe NCCL",
                                               .help = "auto: operations and their GPU times, where ranks "
                                                       "have GPUs. light: without GPU times. full: and "
                                                       "the network.",
                                               .group = kMeasured,
                                               .rare = true}));
    add_special(table, "checkpoint.signal",
                {.kind = config::KeyKind::Choice,
                 .choices = {"USR1", "USR2", "HUP", "INT", "ALRM"},
                 .label = "Before a stop",
                 .help = "Signal that the ranks get so that they write a checkpoint and end by themselves.",
                 .absent = "none",
                 .example = "signal: USR1",
                 .group = kLife,
                 .required = true,
                 .scope = Scope::Rank},
                read_signal, [](const Job& job) -> json {
                    return job.checkpoint_signal.empty() ? json() : json(job.checkpoint_signal);
                });
    add(table, "checkpoint.wait_s", RANKSCOPE_JOB_MEMBER(checkpoint_wait_s),
        {.range = {0, kDay},
         .label = "and wait (s)",
         .help = "Seconds after that signal until SIGTERM follows.",
         .group = kLife});
}

}  // namespace rankscope::inline jobs::job_key_parts
