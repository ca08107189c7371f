// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/container_spec.h>
#include <remote/desk/runs/preflight/job_needs.h>

#include <filesystem>
#include <set>
#include <string>

namespace rankscope::inline runs {
namespace {

// A file is mounted with its folder: programs write next to it.
std::string folder_of(const std::string& path) {
    const std::filesystem::path file(path);
    return file.has_extension() ? file.parent_path().string() : path;
}

// Placeholders are different for each rank: of such a folder, what is above them.
std::string without_places(const std::string& path) {
    const auto place = path.find('{');
    return place == std::string::npos ? path : path.substr(0, path.rfind('/', place));
}

bool is_whole(const std::string& path) {
    return path.starts_with('/') || path.starts_with("~/");
}

// A relative folder is below the working folder: home, where none is given. Of pushed files it is with them, in a folder
// that is mounted anyway.
std::string whole_path(const Job& job, const std::string& folder) {
    const std::string path = without_places(folder);
    if (path.empty() || is_whole(path)) {
        return path;
    }
    if (job.workdir.empty() && !job.push.empty()) {
        return {};
    }
    return std::filesystem::path((job.workdir.empty() ? "~" : job.workdir) + '/' + path)
        .lexically_normal()
        .string();
}

std::string checkpoint_text(const Job& job, const char* key) {
    if (!job.train || !job.train->is_object()) {
        return {};
    }
    const auto checkpoint = job.train->find("checkpoint");
    if (checkpoint == job.train->end() || !checkpoint->is_object()) {
        return {};
    }
    const auto value = checkpoint->find(key);
    return value != checkpoint->end() && value->is_string() ? value->get<std::string>() : std::string();
}

}  // namespace

wire::Container container_spec(const Job& job) {
    wire::Container container;
    container.set_runtime(to_string(job.container.runtime));
    container.set_image(job.container.image);
    container.set_name(job.container.name);
    for (const auto& mount : job.container.mounts) {
        container.add_mounts(mount);
    }
    for (const auto& option : job.container.options) {
        container.add_options(option);
    }
    const HostNeeds needs = needs_of(job);
    std::set<std::string> folders{job.workdir, job.own.venv, job.own.conda, folder_of(needs.script)};
    for (const auto* paths : {&needs.data_paths, &needs.maybe_paths}) {
        for (const auto& path : *paths) {
            folders.insert(folder_of(path));
        }
    }
    for (const char* key : {"resume", "init_from"}) {
        folders.insert(folder_of(checkpoint_text(job, key)));
    }
    for (const auto& folder : folders) {
        if (is_whole(folder)) {
            container.add_folders(folder);
        }
    }
    for (const auto& folder :
         {checkpoint_text(job, "folder"), job.own.log_dir, job.own.metrics.tensorboard}) {
        if (const auto path = whole_path(job, folder); is_whole(path)) {
            container.add_output_folders(path);
        }
    }
    return container;
}

}  // namespace rankscope::inline runs
