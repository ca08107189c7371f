// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/text.h>
#include <remote/agent/container/container_command.h>
#include <remote/agent/ranks/rank_process.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kInfinibandDevices = "/dev/infiniband";

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

struct Mount {
    std::string source;
    std::string target;
    bool read_only = false;
};

Mount mount_of(const std::string& text) {
    const auto parts = split(text, ':');
    Mount mount;
    mount.source = expand_home(std::string(parts[0])).string();
    mount.target = parts.size() > 1 ? std::string(parts[1]) : mount.source;
    mount.read_only = parts.size() > 2 && parts[2] == "ro";
    return mount;
}

// What the job mounts itself wins over what would be mounted there anyway.
std::vector<Mount> mounts_of(const wire::Container& container, const ContainerPlace& place) {
    std::vector<Mount> mounts;
    for (const auto& text : container.mounts()) {
        mounts.push_back(mount_of(text));
    }
    for (const auto& folder : place.folders) {
        const std::string path = folder.string();
        const bool taken = std::any_of(mounts.begin(), mounts.end(),
                                       [&path](const Mount& mount) { return mount.target == path; });
        if (!taken) {
            mounts.push_back({path, path, false});
        }
    }
    return mounts;
}

bool has_option(const wire::Container& container, std::string_view option) {
    return std::any_of(container.options().begin(), container.options().end(), [option](const auto& word) {
        return word == option || word.starts_with(std::string(option) + '=');
    });
}

// An option of the job comes last and wins; of those that may be given twice, ours is left out.
void add_default(Words& words, const wire::Container& container, const std::string& option,
                 const std::string& value) {
    if (!has_option(container, option)) {
        words.push_back(option + '=' + value);
    }
}

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

std::string user_of(const ContainerPlace& place) {
    return std::to_string(place.user) + ':' + std::to_string(place.group);
}

// Docker's daemon is root: without a user, files of the run belong to root, and its processes cannot be signalled.
bool needs_user(const wire::Container& container, const ContainerPlace& place) {
    return container.runtime() == "docker" && place.user != 0 && !has_option(container, "--user") &&
           !has_option(container, "-u");
}

void add_gpus(Words& words, const wire::Container& container) {
    const bool chosen =
        std::any_of(container.options().begin(), container.options().end(),
                    [](const auto& word) { return word.starts_with("--device=nvidia.com/gpu"); });
    if (container.runtime() == "docker") {
        add_default(words, container, "--gpus", "all");
    } else if (!has_option(container, "--gpus") && !chosen) {
        words.emplace_back("--device=nvidia.com/gpu=all");  // the Container Device Interface
    }
}

Words docker_like(const wire::Container& container, const ContainerPlace& place, const Words& program) {
    Words words{container.runtime()};
    if (!container.name().empty()) {
        words.emplace_back("exec");
        if (needs_user(container, place)) {
            words.push_back("--user=" + user_of(place));
        }
        append(words, {container.options().begin(), container.options().end()});
        words.push_back(container.name());
        append(words, program);
        return words;
    }
    append(words, {"run", "--rm", place.pull ? "--pull=missing" : "--pull=never"});
    if (!place.name.empty()) {
        words.push_back("--name=" + place.name);
    }
    for (const char* space : {"--network", "--pid", "--ipc"}) {
        add_default(words, container, space, "host");
    }
    add_default(words, container, "--log-driver", "none");  // a rank writes into the supervisor's own pipes
    words.emplace_back("--security-opt=label=disable");     // SELinux would keep it from the run's folder
    if (needs_user(container, place)) {
        words.push_back("--user=" + user_of(place));
    }
    if (place.gpus) {
        add_gpus(words, container);
    }
    if (place.infiniband) {
        words.push_back(std::string("--device=") + kInfinibandDevices);
        if (container.runtime() == "docker" || place.user == 0) {
            words.emplace_back("--ulimit=memlock=-1:-1");  // memory of RDMA is locked
        }
    }
    for (const auto& mount : mounts_of(container, place)) {
        words.push_back("--volume=" + mount.source + ':' + mount.target + (mount.read_only ? ":ro" : ""));
    }
    append(words, {container.options().begin(), container.options().end()});
    words.push_back("--entrypoint=" + program.front());
    words.push_back(container.image());
    words.insert(words.end(), program.begin() + 1, program.end());
    return words;
}

bool has_program(const char* name) {
    const char* path = std::getenv("PATH");
    const auto file = find_program(name, path != nullptr ? path : "", "/");
    return !file.empty() && ::access(file.c_str(), X_OK) == 0;
}

// The older name of the same program.
std::string apptainer_program() {
    return !has_program("apptainer") && has_program("singularity") ? "singularity" : "apptainer";
}

Words apptainer(const wire::Container& container, const ContainerPlace& place, const Words& program) {
    Words words{apptainer_program(), "exec", "--cleanenv"};
    if (place.gpus && !has_option(container, "--nv")) {
        words.emplace_back("--nv");
    }
    if (container.name().empty()) {
        for (const auto& mount : mounts_of(container, place)) {
            words.push_back("--bind=" + mount.source + ':' + mount.target + (mount.read_only ? ":ro" : ""));
        }
    }
    append(words, {container.options().begin(), container.options().end()});
    words.push_back(container.name().empty() ? expand_home(container.image()).string()
                                             : "instance://" + container.name());
    append(words, program);
    return words;
}

Words enroot(const wire::Container& container, const ContainerPlace& place, const Words& program) {
    Words words{"enroot", "start"};
    if (place.gpus) {
        append(words, {"--env", "NVIDIA_VISIBLE_DEVICES=all", "--env",
                       "NVIDIA_DRIVER_CAPABILITIES=compute,utility"});  // what its hook asks for
    }
    for (const auto& mount : mounts_of(container, place)) {
        append(words, {"--mount", mount.source + ':' + mount.target + ":none:x-create=auto,rbind" +
                                      (mount.read_only ? ",ro" : "")});
    }
    append(words, {container.options().begin(), container.options().end()});
    words.push_back(container.name().empty() ? expand_home(container.image()).string() : container.name());
    append(words, program);
    return words;
}

bool is_docker_like(const wire::Container& container) {
    return container.runtime() == "podman" || container.runtime() == "docker";
}

bool lies_below(const fs::path& path, const fs::path& folder) {
    const auto relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

ContainerPlace container_place(const wire::Container& container, std::string name,
                               std::vector<fs::path> needed) {
    ContainerPlace place;
    place.name = std::move(name);
    place.user = ::getuid();
    place.group = ::getgid();
    place.gpus = is_there("/dev/nvidiactl");
    place.infiniband = is_there(kInfinibandDevices);
    for (const auto& folder : container.folders()) {
        needed.push_back(expand_home(folder));
    }
    for (const auto& folder : container.output_folders()) {
        needed.push_back(expand_home(folder));
        std::error_code ignored;
        fs::create_directories(needed.back(), ignored);
    }
    for (const auto& folder : needed) {
        const bool covered =
            std::any_of(place.folders.begin(), place.folders.end(),
                        [&folder](const fs::path& other) { return lies_below(folder, other); });
        if (folder.is_absolute() && folder != folder.root_path() && !covered && is_there(folder)) {
            place.folders.push_back(folder);
        }
    }
    return place;
}

Words container_command(const wire::Container& container, const ContainerPlace& place, const Words& program) {
    if (is_docker_like(container)) {
        return docker_like(container, place, program);
    }
    return container.runtime() == "enroot" ? enroot(container, place, program)
                                           : apptainer(container, place, program);
}

Words container_removal(const wire::Container& container, const std::string& name) {
    if (!is_docker_like(container) || !container.name().empty()) {
        return {};
    }
    return {container.runtime(), "rm", "--force", name};
}

Words image_check(const wire::Container& container) {
    if (!is_docker_like(container) || container.image().empty()) {
        return {};
    }
    return {container.runtime(), "image", "inspect", "--format={{.Id}}", container.image()};
}

Words image_pull(const wire::Container& container) {
    return {container.runtime(), "pull", "--quiet", container.image()};
}

bool comes_with_commands(const wire::Container& container) {
    return container.runtime() == "apptainer" && container.image().find("://") != std::string::npos;
}

wire::Container with_runtime(const wire::Container& container) {
    wire::Container chosen = container;
    if (container.runtime() != "auto" && !container.runtime().empty()) {
        return chosen;
    }
    const std::string& image = container.image();
    if (image.ends_with(".sqsh") || image.ends_with(".squashfs")) {
        chosen.set_runtime("enroot");
    } else if (image.ends_with(".sif")) {
        chosen.set_runtime("apptainer");
    } else {
        chosen.set_runtime("podman");
        for (const char* runtime : {"podman", "docker", "apptainer", "singularity", "enroot"}) {
            if (has_program(runtime)) {
                chosen.set_runtime(std::string_view(runtime) == "singularity" ? "apptainer" : runtime);
                break;
            }
        }
    }
    return chosen;
}

}  // namespace rankscope::agent
