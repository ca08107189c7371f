// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/shared/text.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "SecretEnv";

using Variables = std::map<std::string, std::string>;

// Calls visit for each of the three places where a job has variables: for all ranks, a node, a rank.
template <typename JobType, typename Visit>
void each_environment(JobType& job, Visit visit) {
    visit("env", job.env);
    for (auto& [node, env] : job.node_env) {
        visit("node_env." + node, env);
    }
    for (auto& [rank, env] : job.rank_env) {
        visit("rank_env." + std::to_string(rank), env);
    }
}

void mask(YAML::Node env, const std::set<std::string>& secrets) {
    if (!env.IsMap()) {
        return;
    }
    for (const auto& name : secrets) {
        if (env[name].IsDefined()) {
            env[name] = kSecretMask;
        }
    }
}

}  // namespace

bool is_secret_name(std::string_view name) {
    static constexpr auto kEnds = std::to_array<std::string_view>(
        {"TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE",
         "CREDENTIAL", "CREDENTIALS", "_KEY", "_KEYS", "APIKEY", "_PASS", "_PWD", "_PAT"});
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return upper == "KEY" || std::any_of(kEnds.begin(), kEnds.end(),
                                         [&](std::string_view end) { return upper.ends_with(end); });
}

std::set<std::string> secret_names(const Job& job) {
    std::set<std::string> names;
    each_environment(job, [&](const std::string&, const Variables& env) {
        for (const auto& [name, value] : env) {
            if (is_secret_name(name) ||
                std::find(job.secret_env.begin(), job.secret_env.end(), name) != job.secret_env.end()) {
                names.insert(name);
            }
        }
    });
    return names;
}

std::string with_masked_secrets(const std::string& yaml, const Job& job) {
    const std::set<std::string> secrets = secret_names(job);
    if (secrets.empty()) {
        return yaml;
    }
    try {
        YAML::Node root = load_yaml(yaml);
        mask(root["env"], secrets);
        for (const char* level : {"node_env", "rank_env"}) {
            if (root[level].IsMap()) {
                for (auto entry : root[level]) {
                    mask(entry.second, secrets);
                }
            }
        }
        return YAML::Dump(root) + '\n';
    } catch (const YAML::Exception&) {
        Job masked = job;
        each_environment(masked, [&](const std::string&, Variables& env) {
            for (auto& [name, value] : env) {
                value = secrets.contains(name) ? kSecretMask : value;
            }
        });
        return to_yaml(masked);
    }
}

std::optional<Failure> missing_secret(const Job& job) {
    const std::set<std::string> secrets = secret_names(job);
    std::optional<Failure> missing;
    each_environment(job, [&](const std::string& place, const Variables& env) {
        for (const auto& [name, value] : env) {
            if (!missing && value == kSecretMask && secrets.contains(name)) {
                const std::string key = place + '.' + name;
                missing = Failure{
                    .code = "secret-missing",
                    .where = job.file.string(),
                    .what =
                        text(kContext, "The value of %1 is not known: the run store does not keep secrets.",
                             {name}),
                    .remedy = text(kContext,
                                   "Set it in the job file, or start again with `rankscopectl runs rerun RUN "
                                   "--set %1=VALUE`.",
                                   {key}),
                    .key = key};
            }
        }
    });
    return missing;
}

}  // namespace rankscope::inline jobs
