// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/job_needs.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

namespace rankscope::inline runs {
namespace {

bool is_path(const std::string& word) {
    return word.starts_with('/') || word.starts_with("~/");
}

bool has_placeholder(const std::string& word) {
    return word.find('{') != std::string::npos;
}

// A file that push: sends arrives with the run.
bool is_pushed(const Job& job, const std::string& file) {
    const std::string name = std::filesystem::path(file).filename();
    return std::any_of(job.push.begin(), job.push.end(), [&](const std::string& entry) {
        const std::filesystem::path path(entry);
        return path.filename() == name || entry.find('*') != std::string::npos || !path.has_extension();
    });
}

// An item of a list in a job file.
std::string item_of(const std::string& entry) {
    const bool plain = std::all_of(entry.begin(), entry.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::strchr("_./-+", c) != nullptr;
    });
    return plain && entry.front() != '-' ? entry : nlohmann::json(entry).dump();
}

// What is pushed keeps its place beside the job file: the command finds it there, as here.
std::string push_with(const Job& job, const std::string& script) {
    const std::filesystem::path file(script);
    std::error_code error;
    if (script.empty() || file.is_absolute() || script.starts_with('~') || !job.workdir.empty() ||
        !std::filesystem::is_regular_file(job.file.parent_path() / file, error)) {
        return {};
    }
    std::string list;
    for (const auto& entry : job.push) {
        list += item_of(entry) + ", ";
    }
    const auto folder = file.lexically_normal().begin()->string();
    return '[' + list + item_of(file.has_parent_path() && folder != ".." ? folder : script) + ']';
}

// "--output_dir", "--logging-dir", "--save": what rank 0 writes exists where it ran before, and on no other node.
bool is_written(const std::string& option) {
    static const std::set<std::string_view> kWritten{"out",         "output", "outputs", "outdir",  "save",
                                                     "saved",       "log",    "logs",    "logging", "logdir",
                                                     "runs",        "result", "results", "report",  "project",
                                                     "tensorboard", "export", "dump",    "profile", "trace"};
    std::string name = option.substr(0, option.find('='));
    std::replace(name.begin(), name.end(), '_', '-');
    bool folder = false;
    bool checkpoint = false;
    bool work = false;
    for (const auto part : split(name, '-')) {
        if (kWritten.contains(part)) {
            return true;
        }
        folder = folder || part == "dir" || part == "folder" || part == "path";
        checkpoint =
            checkpoint || part == "checkpoint" || part == "checkpoints" || part == "ckpt" || part == "ckpts";
        work = work || part == "work";
    }
    return folder && (checkpoint || work);
}

void add_program(const Job& job, HostNeeds& needs) {
    if (job.command.empty()) {
        return;
    }
    if (!has_placeholder(job.command.front())) {
        needs.program = job.command.front();
    }
    for (std::size_t i = 1; i < job.command.size(); ++i) {
        const std::string& word = job.command[i];
        if (has_placeholder(word)) {
            continue;
        }
        if (needs.script.empty() && word.ends_with(".py") && !word.starts_with('-')) {
            if (!is_pushed(job, word)) {
                needs.script = is_path(word) || job.workdir.empty() ? word : job.workdir + '/' + word;
            }
            continue;
        }
        const auto equals = word.find('=');
        const std::string value =
            word.starts_with('-') && equals != std::string::npos ? word.substr(equals + 1) : word;
        const std::string& before = job.command[i - 1];
        const bool written =
            value.size() < word.size()
                ? is_written(word)
                : before.starts_with('-') && before.find('=') == std::string::npos && is_written(before);
        if (is_path(value) && !written) {
            needs.maybe_paths.insert(value);
        }
    }
}

}  // namespace

HostNeeds needs_of(const Job& job) {
    HostNeeds needs;
    needs.native = job.train.has_value();
    needs.workdir = job.workdir;
    add_program(job, needs);
    needs.push = push_with(job, needs.script);
    if (job.container.wanted() && job.workdir.empty() && !is_path(needs.script)) {
        needs.script.clear();  // in the image's working folder, which only its start knows
    }
    if (job.train && job.train->is_object()) {
        const auto dataset = job.train->find("dataset");
        if (dataset != job.train->end() && dataset->is_object()) {
            const auto root = dataset->find("root");
            if (root != dataset->end() && root->is_string() && !root->get<std::string>().empty()) {
                // With another set to fall back on, it must be on all nodes or on none.
                (dataset->contains("otherwise") ? needs.maybe_paths : needs.data_paths)
                    .insert(root->get<std::string>());
            }
        }
    }
    return needs;
}

void ask_for(const Job& job, const HostNeeds& needs, wire::InspectHost& host) {
    host.set_venv(job.own.venv);
    host.set_conda(job.own.conda);
    if (!needs.program.empty()) {
        host.add_programs(needs.program);
        if (needs.program.find("python") != std::string::npos) {
            host.set_python(needs.program);
        }
    }
    for (const auto* paths : {&needs.data_paths, &needs.maybe_paths}) {
        for (const auto& path : *paths) {
            host.add_paths(path);
        }
    }
    for (const auto& path : {needs.script, needs.workdir}) {
        if (!path.empty()) {
            host.add_paths(path);
        }
    }
}

}  // namespace rankscope::inline runs
