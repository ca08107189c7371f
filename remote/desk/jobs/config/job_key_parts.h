// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job_keys.h>

#include <functional>
#include <string>
#include <utility>

/// How the parts of the table of job keys are made, for the files job_keys_*.cpp and the keys of launchers.
namespace rankscope::inline jobs::job_key_parts {

using JobKeyTable = config::KeyTable<Job>;
/// The context of the texts, as the translations know it.
inline constexpr const char* kJobContext = "Job";
inline constexpr double kDay = 86400;  ///< seconds
inline constexpr const char* kLauncherChooses = "Leave it out: the launcher chooses the nodes.";

// In the order of the documentation.
void add_where(JobKeyTable& table);
void add_what(JobKeyTable& table);
void add_container(JobKeyTable& table);
void add_life(JobKeyTable& table);
void add_environment(JobKeyTable& table);

/// A key that is one member of Job: RANKSCOPE_JOB_MEMBER(name).
template <typename Get>
void add(JobKeyTable& table, std::string path, Get get, config::KeyInfo info) {
    table.keys.push_back(config::key<Job>(std::move(path), get, std::move(info)));
}

/// A key whose value is read and written by functions of its own. Its kind is Special unless `info` has
/// another one than Text.
inline void add_special(JobKeyTable& table, std::string path, config::KeyInfo info,
                        std::function<void(const config::KeyReader&, Job&)> read,
                        std::function<nlohmann::json(const Job&)> write) {
    if (info.kind == config::KeyKind::Text) {
        info.kind = config::KeyKind::Special;
    }
    table.keys.push_back(
        config::special_key<Job>(std::move(path), std::move(info), std::move(read), std::move(write)));
}

/// Whether the value is a mapping; reports it when it is not.
bool is_mapping(const config::KeyReader& reader);
/// The reader of one entry of a mapping, for its own problems.
config::KeyReader entry_reader(const config::KeyReader& reader, const config::ConfigNode::Entry& entry);
/// A whole word as a number from 0 to `max`; −1: it is not one.
int index_of(const std::string& word, int max);

}  // namespace rankscope::inline jobs::job_key_parts

// clang-format off
#define RANKSCOPE_JOB_MEMBER(path) [](auto& job) -> auto& { return job.path; }
// clang-format on
