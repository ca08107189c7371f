// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/sha256.h>
#include <base/text.h>
#include <remote/agent/container/container_command.h>
#include <remote/agent/container/container_failure.h>
#include <remote/agent/inspection/container_look.h>
#include <remote/agent/inspection/host_inspection.h>
#include <remote/agent/node/ask_program.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnswerWord =
    "rankscope-container ";  // begins the line among those of the runtime
constexpr double kLookWithin = 60;
constexpr double kCheckWithin = 20;
constexpr double kPullWithin = 3600;

std::string hex_of(const std::string& bytes) {
    return to_hex({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

std::string namespace_of(const char* kind) {
    std::error_code ignored;
    return fs::read_symlink(std::string("/proc/self/ns/") + kind, ignored).string();
}

bool has_file(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

// Where the runtimes put the driver's libraries, and where a loader looks.
bool finds_cuda_driver() {
    std::vector<fs::path> folders{
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",     "/.singularity.d/libs",       "/usr/lib"};
    if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) {
        for (const auto folder : split(path, ':')) {
            folders.emplace_back(folder);
        }
    }
    return std::any_of(folders.begin(), folders.end(),
                       [](const fs::path& folder) { return has_file(folder / "libcuda.so.1"); });
}

// Nothing: the answer is not there.
std::optional<wire::ContainerState> read_answer(const std::string& output) {
    const auto begin = output.find(kAnswerWord);
    if (begin == std::string::npos) {
        return std::nullopt;
    }
    const auto hex = std::string_view(output).substr(begin + kAnswerWord.size());
    const auto bytes = bytes_from_hex(trimmed(hex.substr(0, hex.find('\n'))));
    wire::ContainerState state;
    if (!bytes || !state.ParseFromString(*bytes)) {
        return std::nullopt;
    }
    return state;
}

AgentFailure failure_of(const wire::Container& container, const ProgramAnswer& answer) {
    if (answer.start_error != 0) {
        return no_container_runtime(container, answer.start_error);
    }
    std::string said = answer.output + '\n' + answer.errors;
    return container_failure(container, answer.late ? said + '\n' + answer.why() : said);
}

// "~/" of a job is the node's home folder, also for who has another one in the container. Its paths come back as they were.
class NodesHome {
public:
    wire::InspectHost expand(const wire::InspectHost& asked) {
        wire::InspectHost inside = asked;
        for (auto& path : *inside.mutable_paths()) {
            path = whole(path);
        }
        for (auto& program : *inside.mutable_programs()) {
            program = whole(program);
        }
        inside.set_python(whole(asked.python()));
        inside.set_venv(whole(asked.venv()));
        inside.set_conda(whole(asked.conda()));
        return inside;
    }
    void restore(wire::HostInspection& seen) const {
        for (auto& path : *seen.mutable_paths()) {
            path.set_path(as_asked(path.path()));
        }
        for (auto& program : *seen.mutable_programs()) {
            program.set_name(as_asked(program.name()));
        }
    }

private:
    std::string whole(const std::string& path) {
        if (!path.starts_with("~/")) {
            return path;
        }
        std::string expanded = expand_home(path).string();
        asked_[expanded] = path;
        return expanded;
    }
    std::string as_asked(const std::string& path) const {
        const auto asked = asked_.find(path);
        return asked == asked_.end() ? path : asked->second;
    }

    std::map<std::string, std::string> asked_;
};

fs::path own_file() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored);
}

std::optional<AgentFailure> pull(const NodePaths& paths, const wire::Container& container,
                                 const std::stop_token& stop) {
    std::vector<std::string> command;
    if (comes_with_commands(container)) {
        const auto place = container_place(container, "", {paths.root(), own_file().parent_path()});
        command = container_command(container, place, {own_file().string(), "--version"});
    } else if (const auto check = image_check(container); !check.empty()) {
        const auto known = ask_program({.argv = check, .seconds = kCheckWithin}, stop);
        auto failure = failure_of(container, known);
        if (!known.good() && failure.code != "no-container-image") {
            return failure;
        }
        command = known.good() ? command : image_pull(container);
    }
    if (command.empty()) {
        return std::nullopt;  // it is there, or a file
    }
    const auto pulled = ask_program({.argv = command, .seconds = kPullWithin}, stop);
    if (pulled.good()) {
        return std::nullopt;
    }
    auto why = failure_of(container, pulled);
    why.code = why.code == "container-start" ? "no-container-image" : why.code;
    return why;
}

}  // namespace

wire::ContainerState inspect_container(const NodePaths& paths, const wire::InspectContainer& request,
                                       const std::stop_token& stop) {
    const auto container = with_runtime(request.container());
    wire::ContainerState state;
    if (request.pull()) {
        if (const auto failure = pull(paths, container, stop)) {
            *state.mutable_failure() = to_wire(*failure);
        }
        state.set_runtime(container.runtime());
        return state;
    }
    const fs::path program = own_file();
    const auto place = container_place(container, "", {paths.root(), program.parent_path()});
    NodesHome home;
    const auto command = container_command(container, place,
                                           {program.string(), "container-look", paths.root().string(),
                                            hex_of(home.expand(request.inside()).SerializeAsString())});
    const auto answer = ask_program({.argv = command, .seconds = kLookWithin}, stop);
    if (auto seen = answer.good() ? read_answer(answer.output) : std::nullopt) {
        state = std::move(*seen);
        home.restore(*state.mutable_inside());
        state.set_own_network(state.network_namespace() != namespace_of("net"));
        state.set_own_processes(state.process_namespace() != namespace_of("pid"));
    } else {
        auto failure = failure_of(container, answer);
        if (answer.late && comes_with_commands(container)) {
            failure.code = "no-container-image";  // it is still on its way
        }
        *state.mutable_failure() = to_wire(failure);
    }
    state.set_node_has_gpus(place.gpus);
    state.set_runtime(container.runtime());
    return state;
}

int container_look(const NodePaths& paths, const std::string& request) {
    const auto bytes = bytes_from_hex(request);
    wire::InspectHost asked;
    if (!bytes || !asked.ParseFromString(*bytes)) {
        return 2;
    }
    wire::ContainerState state;
    *state.mutable_inside() = inspect_host(paths, asked, {});
    state.set_gpu_devices(has_file("/dev/nvidiactl"));
    state.set_cuda_driver(finds_cuda_driver());
    state.set_network_namespace(namespace_of("net"));
    state.set_process_namespace(namespace_of("pid"));
    std::printf("%s%s\n", std::string(kAnswerWord).c_str(), hex_of(state.SerializeAsString()).c_str());
    return 0;
}

}  // namespace rankscope::agent
