// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/number_text.h>
#include <base/utf8.h>
#include <remote/agent/node/command.h>
#include <remote/agent/slurm/slurm_job.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr std::array<const char*, 5> kUsualFolders{"/usr/bin", "/usr/local/bin", "/opt/slurm/bin",
                                                   "/usr/local/slurm/bin",
                                                   "/cm/shared/apps/slurm/current/bin"};
constexpr double kSqueueTimeout = 10;

// " Key=value": the first one, because user-chosen text (a comment, a command) follows the fields.
std::string value_of(std::string_view text, std::string_view key) {
    std::size_t at = 0;
    while ((at = text.find(key, at)) != std::string_view::npos) {
        const bool starts = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
        const auto equals = at + key.size();
        if (starts && equals < text.size() && text[equals] == '=') {
            const auto begin = equals + 1;
            const auto end = std::min(text.find_first_of(" \n", begin), text.size());
            return as_utf8(std::string(text.substr(begin, end - begin)));
        }
        at += key.size();
    }
    return {};
}

template <typename T>
T number(std::string_view text) {
    T value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// "2:9" is exit status and signal.
void set_exit(wire::SlurmState& state, std::string_view text) {
    const auto colon = text.find(':');
    state.set_exit_code(number<int>(text.substr(0, colon)));
    state.set_exit_signal(colon == std::string_view::npos ? 0 : number<int>(text.substr(colon + 1)));
}

std::int64_t epoch_us(const std::string& text) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == nullptr) {
        return 0;  // "Unknown", "N/A"
    }
    parts.tm_isdst = -1;
    const std::time_t seconds = std::mktime(&parts);
    return seconds <= 0 ? 0 : static_cast<std::int64_t>(seconds) * 1000000;
}

// "1234K", "1.5G", "0".
std::uint64_t bytes_of(const std::string& text) {
    std::string_view rest = text;
    const double value = take_number(rest).value_or(0);
    constexpr std::string_view kUnits = "KMGTP";
    const auto unit = rest.empty() ? std::string_view::npos : kUnits.find(rest.front());
    const double scaled =
        unit == std::string_view::npos ? value : value * static_cast<double>(1ULL << (10 * (unit + 1)));
    return scaled > 0 && scaled < 1e18 ? static_cast<std::uint64_t>(scaled) : 0;
}

std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(std::move(part));
    }
    return parts;
}

}  // namespace

std::optional<std::uint64_t> slurm_job_of(const SlurmDir& dir) {
    const auto content = read_file(dir.job_id());
    const auto id = content ? number<std::uint64_t>(*content) : 0;
    return id == 0 ? std::nullopt : std::optional(id);
}

std::optional<wire::SlurmAllocation> read_allocation(const SlurmDir& dir) {
    const auto content = read_file(dir.allocation());
    wire::SlurmAllocation allocation;
    if (!content || !allocation.ParseFromString(*content) || allocation.hosts().empty()) {
        return std::nullopt;
    }
    return allocation;
}

std::string find_slurm_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    auto folders = split(path != nullptr ? path : "", ':');
    folders.insert(folders.end(), kUsualFolders.begin(), kUsualFolders.end());
    for (const auto& folder : folders) {
        std::string file = folder + '/' + name;
        if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0) {
            return file;
        }
    }
    return {};
}

std::optional<wire::SlurmState> parse_scontrol_job(std::string_view text) {
    wire::SlurmState state;
    state.set_job_id(number<std::uint64_t>(value_of(text, "JobId")));
    state.set_state(value_of(text, "JobState"));
    if (state.job_id() == 0 || state.state().empty()) {
        return std::nullopt;
    }
    const auto known = [](const std::string& value) {
        return value == "None" || value == "(null)" || value == "N/A" ? std::string() : value;
    };
    state.set_reason(known(value_of(text, "Reason")));
    state.set_start_us(epoch_us(value_of(text, "StartTime")));
    state.set_partition(known(value_of(text, "Partition")));
    state.set_time_limit(known(value_of(text, "TimeLimit")));
    state.set_elapsed(known(value_of(text, "RunTime")));
    set_exit(state, value_of(text, "ExitCode"));
    return state;
}

std::optional<wire::SlurmState> parse_sacct(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::optional<wire::SlurmState> found;
    for (std::string line; std::getline(lines, line);) {
        const auto fields = split(line, '|');
        if (fields.size() < 4) {
            continue;
        }
        if (fields[0].find('.') == std::string::npos) {
            if (number<std::uint64_t>(fields[0]) == 0) {
                continue;
            }
            found.emplace();
            found->set_job_id(number<std::uint64_t>(fields[0]));
            found->set_state(as_utf8(fields[1].substr(0, fields[1].find(' '))));  // "CANCELLED by 1000"
            if (fields[1].find(' ') != std::string::npos) {
                found->set_reason(as_utf8(fields[1]));
            }
            set_exit(*found, fields[2]);
            found->set_elapsed(as_utf8(fields[3]));
            found->set_accounted(true);
        } else if (found && fields.size() >= 5) {
            found->set_max_rss_bytes(std::max<std::uint64_t>(found->max_rss_bytes(), bytes_of(fields[4])));
        }
    }
    return found;
}

std::vector<wire::SlurmNode> parse_unfit_nodes(std::string_view text) {
    constexpr std::array<std::string_view, 6> kUnfit{"down",  "drain",   "fail",
                                                     "maint", "unknown", "no_respond"};
    std::vector<wire::SlurmNode> unfit;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find('|');
        const auto second = first == std::string::npos ? first : line.find('|', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string name = line.substr(0, first);
        const std::string state = line.substr(first + 1, second - first - 1);
        const bool known = std::any_of(unfit.begin(), unfit.end(),
                                       [&](const wire::SlurmNode& node) { return node.name() == name; });
        if (known || std::none_of(kUnfit.begin(), kUnfit.end(),
                                  [&](std::string_view start) { return state.starts_with(start); })) {
            continue;
        }
        wire::SlurmNode& node = unfit.emplace_back();
        node.set_name(as_utf8(name));
        node.set_state(as_utf8(state.substr(0, state.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"))));
        if (const std::string reason = line.substr(second + 1); reason != "none") {
            node.set_reason(reason);
        }
    }
    return unfit;
}

bool slurm_state_is_final(std::string_view state) {
    constexpr std::array<std::string_view, 10> kFinal{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",
                                                      "FAILED",    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY",
                                                      "REVOKED",   "TIMEOUT"};
    return std::find(kFinal.begin(), kFinal.end(), state) != kFinal.end();
}

bool slurm_job_is_alive(const SlurmDir& dir) {
    const auto id = slurm_job_of(dir);
    if (!id) {
        return false;
    }
    const std::string squeue = find_slurm_program("squeue");
    auto command = squeue.empty() ? std::nullopt
                                  : Command::start({squeue, "-h", "-j", std::to_string(*id), "-o", "%T"},
                                                   kSqueueTimeout);
    if (!command) {
        return true;
    }
    command->wait();
    if (command->status() != 0) {
        return command->errors().find("Invalid job id") == std::string::npos;
    }
    const std::string state = command->output().substr(0, command->output().find('\n'));
    return !state.empty() && !slurm_state_is_final(state);
}

}  // namespace rankscope::agent
