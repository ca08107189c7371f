// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/json_text.h>
#include <base/paths.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/programs.h>
#include <remote/agent/node/isolated_look.h>
#include <remote/agent/ranks/python_environment.h>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr double kProgramPatience = 1;
constexpr double kQuickProgramPatience = 0.1;
constexpr int kMostPrograms = 64;
constexpr std::size_t kMostOfAScript = 256;  // the kernel reads no more of its first line
constexpr const char* kSystemFolders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::array<const char*, 11> kTools{"getent",
                                             "nft",
                                             "iptables-save",
                                             "ip6tables-save",
                                             "iptables-legacy-save",
                                             "ip6tables-legacy-save",
                                             "ufw",
                                             "firewall-cmd",
                                             "sudo",
                                             "nvidia-smi",
                                             "getconf"};

std::string own_path() {
    const char* path = std::getenv("PATH");
    return path != nullptr ? path : "";
}

Tools find_tools(const std::string& search) {
    Tools tools;
    for (const char* name : kTools) {
        if (const auto state = program_state(name, search); state.executable()) {
            tools[name] = state.path();
        }
    }
    return tools;
}

// What the child process has found, as text for its parent.
std::string search_all(const wire::InspectHost& request) {
    wire::OwnProgram own;
    own.set_venv(request.venv());
    own.set_conda(request.conda());
    std::map<std::string, std::string> variables{{"PATH", own_path()}};
    auto environment = find_python_environment(own);
    nlohmann::json found{{"programs", nlohmann::json::array()}, {"environment", nlohmann::json::object()}};
    if (environment) {
        environment->apply(variables);
        found["environment"] = environment->set;
    }
    // Without the job's environment a name means nothing, even where PATH has a program of that name.
    const auto state_of = [&](const std::string& name) {
        auto state = program_state(name, variables["PATH"]);
        if (!environment && name.find('/') == std::string::npos) {
            state.set_executable(false);
            state.set_error(environment.failure().code);
        }
        return state;
    };
    for (int i = 0; i < std::min(request.programs_size(), kMostPrograms); ++i) {
        const auto state = state_of(request.programs(i));
        found["programs"].push_back({state.path(), state.executable(), state.error()});
    }
    const auto python = state_of(request.python());
    found["python"] = python.executable() ? python.path() : "";
    found["tools"] = find_tools(own_path() + ':' + kSystemFolders);
    return found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void read_found(const nlohmann::json& found, FoundPrograms& result) {
    for (int i = 0; i < result.found.programs_size(); ++i) {
        const auto& state = found.at("programs").at(static_cast<std::size_t>(i));
        auto* program = result.found.mutable_programs(i);
        program->set_path(state.at(0).get<std::string>());
        program->set_executable(state.at(1).get<bool>());
        program->set_error(state.at(2).get<std::string>());
    }
    result.python = found.at("python").get<std::string>();
    result.environment = found.at("environment").get<std::map<std::string, std::string>>();
    result.tools = found.at("tools").get<Tools>();
}

bool is_file(const fs::path& path, struct stat& info) {
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool can_run(const fs::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

std::string head_of(const fs::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::string head(kMostOfAScript, '\0');
    const auto got = fd ? ::read(fd.get(), head.data(), head.size()) : 0;
    head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return head;
}

}  // namespace

std::string interpreter_of(std::string_view head) {
    if (!head.starts_with("#!")) {
        return {};
    }
    head = head.substr(2, head.find('\n') == std::string_view::npos ? head.npos : head.find('\n') - 2);
    const auto begin = head.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    head.remove_prefix(begin);
    return std::string(head.substr(0, head.find_first_of(std::string_view(" \t\r\0", 4))));
}

wire::ProgramState program_state(const std::string& name, const std::string& search) {
    wire::ProgramState state;
    state.set_name(name);
    std::vector<fs::path> places;
    if (name.find('/') != std::string::npos) {
        const fs::path expanded = expand_home(name);
        places.push_back(expanded.is_absolute() ? expanded : home_dir() / expanded);
    } else if (!name.empty()) {
        for (const auto folder : split(search, ':')) {
            if (folder.starts_with('/')) {
                places.push_back(fs::path(folder) / name);
            }
        }
    }
    state.set_error("not-found");
    for (const auto& place : places) {
        struct stat info {};
        if (!is_file(place, info)) {
            continue;
        }
        if (!can_run(place)) {
            if (state.path().empty()) {
                state.set_path(as_utf8(place.string()));
                state.set_error("not-executable");
            }
            continue;  // as execvp(3) does
        }
        state.set_path(as_utf8(place.string()));
        const std::string interpreter = interpreter_of(head_of(place));
        const bool runs = interpreter.empty() || can_run(interpreter);
        state.set_executable(runs);
        state.set_error(runs ? "" : "no-interpreter");
        break;
    }
    return state;
}

FoundPrograms find_programs(const InspectionScope& scope) {
    FoundPrograms result;
    const double patience = scope.patience(kProgramPatience, kQuickProgramPatience);
    IsolatedLook look([&scope] { return search_all(scope.request); }, patience);
    if (scope.request.programs_size() > kMostPrograms) {
        add_unseen(result.found, "programs", "only the first 64 programs are looked for");
    }
    for (int i = 0; i < std::min(scope.request.programs_size(), kMostPrograms); ++i) {
        auto* program = result.found.add_programs();
        program->set_name(scope.request.programs(i));
        program->set_error("late");
    }
    if (const auto text = look.wait(scope.stop)) {
        read_found(read_json(*text), result);
    } else {
        add_unseen(result.found, "programs", late_text(patience));
        result.tools = find_tools(kSystemFolders);
    }
    return result;
}

}  // namespace rankscope::agent
