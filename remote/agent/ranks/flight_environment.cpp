// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/agent/ranks/flight_environment.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>

namespace rankscope::agent {
namespace {

constexpr const char* kEntries = "2000";  // some megabytes of memory
constexpr const char* kPipeVariable = "TORCH_NCCL_DEBUG_INFO_PIPE_FILE";
constexpr std::array kSizeVariables{"TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE"};
constexpr std::array kDumpVariables{"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"};

template <std::size_t N>
bool sets_any(const std::map<std::string, std::string>& variables, const std::array<const char*, N>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return variables.contains(name); });
}

bool make_folder(const std::filesystem::path& folder) {
    struct stat state {};
    return ::mkdir(folder.c_str(), 0700) == 0 || (errno == EEXIST && ::lstat(folder.c_str(), &state) == 0 &&
                                                  S_ISDIR(state.st_mode) && (state.st_mode & 0077U) == 0);
}

}  // namespace

std::filesystem::path flight_folder_of(const RunDir& dir) {
    return dir.dir / "flight";
}

bool starts_container(const std::vector<std::string>& command) {
    static constexpr std::array<std::string_view, 7> kPrograms{
        "docker", "podman", "apptainer", "singularity", "nerdctl", "enroot", "charliecloud"};
    return std::any_of(command.begin(), command.end(), [](const std::string& word) {
        const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
        return std::find(kPrograms.begin(), kPrograms.end(), name) != kPrograms.end();
    });
}

void add_flight_recorder(std::map<std::string, std::string>& variables, const RunDir& dir) {
    const auto folder = flight_folder_of(dir);
    if (variables.contains(kPipeVariable) || !make_folder(folder)) {
        return;
    }
    variables[kPipeVariable] = (folder / "rank").string();
    const bool own_size = sets_any(variables, kSizeVariables);
    if (own_size || sets_any(variables, kDumpVariables)) {
        // Its dumps are where the user looks for them.
        for (const char* name : kSizeVariables) {
            if (!own_size) {
                variables[name] = kEntries;
            }
        }
        return;
    }
    for (const char* name : kSizeVariables) {
        variables[name] = kEntries;
    }
    for (const char* name : kDumpVariables) {
        variables[name] = (folder / "dump").string();
    }
}

FlightPlace flight_place_of(std::string_view environment) {
    std::map<std::string_view, std::string_view> variables;
    for (const auto entry : split(environment, '\0')) {
        if (const auto equals = entry.find('='); equals != std::string_view::npos) {
            variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
        }
    }
    const auto value = [&](std::string_view name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string_view() : found->second;
    };
    FlightPlace place;
    const auto rank = parse_number<int>(value("RANK"));
    const auto pipe = value(kPipeVariable);
    if (!rank || *rank < 0 || pipe.empty()) {
        return place;
    }
    place.rank = *rank;
    const std::string number = std::to_string(*rank);
    place.pipe = std::string(pipe) + number + ".pipe";
    for (const char* name : kDumpVariables) {  // the newer name wins
        if (place.dumps.empty() && !value(name).empty()) {
            place.dumps = {std::string(value(name)) + number};
        }
    }
    if (place.dumps.empty()) {
        // Its default moved twice (torch/csrc/distributed/c10d/FlightRecorder.cpp), and the version is not known here.
        const std::filesystem::path home = value("HOME").empty() ? "/tmp" : value("HOME");
        std::vector<std::filesystem::path> folders{home / ".cache" / "torch"};
        if (!value("XDG_CACHE_HOME").empty()) {
            folders.insert(folders.begin(), std::filesystem::path(value("XDG_CACHE_HOME")) / "torch");
        }
        for (const auto& folder : folders) {
            place.dumps.push_back(folder / ("comm_lib_trace_rank_" + number));
        }
        place.dumps.emplace_back("/tmp/nccl_trace_rank_" + number);
    }
    return place;
}

}  // namespace rankscope::agent
