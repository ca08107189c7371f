// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/shared/text.h>

#include <limits>

namespace rankscope::inline jobs::job_key_parts {
namespace {

using config::KeyReader;
using config::kNamedNodes;
using config::kNative;
using config::kOwnProgram;
using config::Scope;
using nlohmann::json;

constexpr const char* kEnvironment = "Environment";

void check_names(const KeyReader& reader, const std::map<std::string, std::string>& env) {
    for (const auto& [name, value] : env) {
        if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos) {
            reader.add(text(kJobContext, "\"%1\" is not a variable's name", {name}),
                       text(kJobContext, "Write it as { NAME: value, OTHER: value }."));
        }
    }
}

void read_env(const KeyReader& reader, Job& job) {
    if (read_value(reader, job.env)) {
        check_names(reader, job.env);
    }
}

void read_node_env(const KeyReader& reader, Job& job) {
    job.node_env.clear();
    if (is_mapping(reader)) {
        for (const auto& entry : reader.node.entries) {
            read_value(entry_reader(reader, entry), job.node_env[entry.key]);
            check_names(entry_reader(reader, entry), job.node_env[entry.key]);
        }
    }
}

void read_rank_env(const KeyReader& reader, Job& job) {
    job.rank_env.clear();
    if (!is_mapping(reader)) {
        return;
    }
    for (const auto& entry : reader.node.entries) {
        const KeyReader inner = entry_reader(reader, entry);
        const int rank = index_of(entry.key, std::numeric_limits<int>::max());
        if (rank < 0) {
            inner.add(text(kJobContext, "\"%1\" is not a rank", {entry.key}), reader.info.example);
        } else if (read_value(inner, job.rank_env[rank])) {
            check_names(inner, job.rank_env[rank]);
        }
    }
}

json rank_env_json(const Job& job) {
    json ranks = json::object();
    for (const auto& [rank, env] : job.rank_env) {
        ranks[std::to_string(rank)] = env;
    }
    return ranks.empty() ? json() : ranks;
}

}  // namespace

void add_environment(JobKeyTable& table) {
    add_special(table, "env",
                {.kind = config::KeyKind::TextMap,
                 .label = "Variables",
                 .help = "Environment of all ranks. Placeholders such as {rank} and {node} are replaced.",
                 .absent = "none",
                 .example = "env: { NCCL_DEBUG: INFO }",
                 .group = kEnvironment,
                 .scope = Scope::Rank},
                read_env, [](const Job& job) -> json { return job.env.empty() ? json() : json(job.env); });
    add(table, "secret_env", RANKSCOPE_JOB_MEMBER(secret_env),
        {.label = "Secret variables",
         .help = "Variables whose values are shown as *** and not stored. Names such as HF_TOKEN or "
                 "DB_PASSWORD are "
                 "secret without this list.",
         .absent = "none",
         .example = "secret_env: [LICENCE]",
         .group = kEnvironment,
         .rare = true});
    add_special(table, "node_env",
                {.label = "of a node",
                 .help = "Environment of the ranks of a node; wins over env.",
                 .absent = "none",
                 .example = "node_env: { node1: { NCCL_SOCKET_IFNAME: eth1 } }",
                 .group = kEnvironment,
                 .rare = true,
                 .applies = kNamedNodes | kNative | kOwnProgram,
                 .scope = Scope::Node,
                 .refusal = kLauncherChooses},
                read_node_env,
                [](const Job& job) -> json { return job.node_env.empty() ? json() : json(job.node_env); });
    add_special(table, "rank_env",
                {.label = "of a rank",
                 .help = "Environment of one rank; wins over env and node_env.",
                 .absent = "none",
                 .example = "rank_env: { 0: { NCCL_DEBUG: INFO } }",
                 .group = kEnvironment,
                 .rare = true,
                 .scope = Scope::Rank},
                read_rank_env, rank_env_json);
}

}  // namespace rankscope::inline jobs::job_key_parts
