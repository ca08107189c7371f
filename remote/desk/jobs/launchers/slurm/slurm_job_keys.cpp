// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs {
namespace {

using namespace job_key_parts;

using config::kChosenNodes;
using config::KeyInfo;
using config::KeyReader;
using config::kNative;
using config::kOwnProgram;
using config::Scope;
using nlohmann::json;

constexpr const char* kSlurmGroup = "Slurm";
constexpr const char* kSlurmSection = "slurm: { login: node1, nodes: 2 }";

// clang-format off
#define SLURM_MEMBER(path) [](auto& job) -> auto& { return slurm_options(job).path; }
// clang-format on

void read_slurm_time(const KeyReader& reader, Job& job) {
    std::string& time = slurm_options(job).time;
    if (read_value(reader, time) && time.find_first_not_of("0123456789:-") != std::string::npos &&
        time != "UNLIMITED") {
        reader.add(text(kJobContext, "\"%1\" is not a time as Slurm reads it", {time}),
                   text(kJobContext, "Write minutes, \"HH:MM:SS\" or \"D-HH:MM:SS\"."));
    }
}

void read_slurm_extra(const KeyReader& reader, Job& job) {
    if (!read_value(reader, slurm_options(job).extra)) {
        return;
    }
    for (const std::string& word : slurm_options(job).extra) {
        if (const auto fault = fault_of_sbatch_word(word)) {
            reader.add(fault->first, fault->second);
            return;
        }
    }
}

void add_slurm_keys(config::KeyTable<Job>& table) {
    table.sections.push_back({.path = kSlurmLauncher, .example = kSlurmSection});
    const auto slurm_info = [](KeyInfo info) {
        info.group = kSlurmGroup;
        info.launcher = kSlurmLauncher;
        info.applies = kChosenNodes | kNative | kOwnProgram;
        return info;
    };
    add(table, "slurm.login", SLURM_MEMBER(login),
        slurm_info({.label = "Login &node",
                    .help = "Inventory name of a node that has sbatch; local: this computer.",
                    .example = "login: node1",
                    .required = true}));
    add(table, "slurm.nodes", SLURM_MEMBER(nodes),
        slurm_info({.range = {1, 4096},
                    .label = "N&umber of nodes",
                    .help = "Nodes to ask Slurm for.",
                    .written = true}));
    add(table, "slurm.partition", SLURM_MEMBER(partition),
        slurm_info({.label = "Part&ition", .absent = "Slurm's default"}));
    add(table, "slurm.account", SLURM_MEMBER(account),
        slurm_info({.label = "Acc&ount", .absent = "Slurm's default"}));
    add(table, "slurm.qos", SLURM_MEMBER(qos),
        slurm_info({.label = "QOS", .absent = "Slurm's default", .rare = true}));
    add_special(table, "slurm.time",
                slurm_info({.kind = config::KeyKind::Text,
                            .label = "&Time limit",
                            .help = "Minutes, HH:MM:SS or D-HH:MM:SS.",
                            .absent = "Slurm's default"}),
                read_slurm_time, [](const Job& job) -> json { return slurm_options(job).time; });
    table.keys.back().info.kind = config::KeyKind::Text;
    add(table, "slurm.gres", SLURM_MEMBER(gres),
        slurm_info({.label = "&GRES per node",
                    .help = "As sbatch --gres, for example gpu:4.",
                    .absent = "none",
                    .scope = Scope::Node}));
    add_special(table, "slurm.extra",
                slurm_info({.kind = config::KeyKind::Words,
                            .label = "E&xtra for sbatch",
                            .help = "Further options in one word each: --mem=32G --exclusive.",
                            .absent = "none",
                            .example = "extra: [--mem=32G, --exclusive]",
                            .rare = true}),
                read_slurm_extra, [](const Job& job) -> json { return slurm_options(job).extra; });
}

#undef SLURM_MEMBER

}  // namespace

SlurmOptions& slurm_options(Job& job) {
    std::any& options = job.launcher_options[kSlurmLauncher];
    if (!options.has_value()) {
        options = SlurmOptions();
    }
    return *std::any_cast<SlurmOptions>(&options);
}

const SlurmOptions& slurm_options(const Job& job) {
    static const SlurmOptions none{};
    const auto found = job.launcher_options.find(kSlurmLauncher);
    return found == job.launcher_options.end() ? none : *std::any_cast<SlurmOptions>(&found->second);
}

JobLauncher slurm_job_launcher() {
    return {.name = kSlurmLauncher,
            .help = "nodes that Slurm chooses",
            .chooses_nodes = true,
            .submit_key = "slurm.login",
            .node_count_key = "slurm.nodes",
            .command = "srun",
            .section = kSlurmSection,
            .add_keys = add_slurm_keys};
}

}  // namespace rankscope::inline jobs
