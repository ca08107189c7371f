// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "SlurmOptions";

struct Owned {
    std::string_view option;
    const char* instead;
};

// What the run itself depends on: given twice, sbatch would take the last.
constexpr std::array<Owned, 17> kOwned{{{"--nodes", "nodes"},
                                        {"-N", "nodes"},
                                        {"--ntasks", "procs_per_node"},
                                        {"-n", "procs_per_node"},
                                        {"--ntasks-per-node", "procs_per_node"},
                                        {"--partition", "partition"},
                                        {"-p", "partition"},
                                        {"--gres", "gres"},
                                        {"--output", ""},
                                        {"-o", ""},
                                        {"--array", ""},
                                        {"-a", ""},
                                        {"--wrap", ""},
                                        {"--wait", ""},
                                        {"-W", ""},
                                        {"--requeue", ""},
                                        {"--parsable", ""}}};

const Owned* owned(const std::string& word) {
    for (const auto& entry : kOwned) {
        const bool is_long = entry.option.starts_with("--");
        const std::string_view name = is_long ? std::string_view(word).substr(0, word.find('=')) : word;
        if (is_long ? name == entry.option : name.substr(0, 2) == entry.option) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

std::optional<std::pair<std::string, std::string>> fault_of_sbatch_word(const std::string& word) {
    if (word.empty() || word.find('\0') != std::string::npos) {
        return std::pair(text(kContext, "an empty word"), text(kContext, "Leave it out."));
    }
    // "--mem 4G" as two words cannot be distinguished from the name of a script: sbatch would take it for one.
    if (word.front() != '-') {
        return std::pair(text(kContext, "\"%1\" is no option of sbatch", {word}),
                         text(kContext, "Write options in one word each, for example --mem=4G."));
    }
    if (const Owned* found = owned(word)) {
        if (found->option == "--array" || found->option == "-a") {
            return std::pair(
                text(kContext, "%1: an array is one job for each index, and a run is one job", {word}),
                text(kContext, "Leave it out, and start the run once for each value."));
        }
        if (found->option == "--requeue") {
            return std::pair(
                text(kContext, "%1: the second start of a run would mix its events with the first", {word}),
                text(kContext, "Leave it out, and start the run again from its checkpoint."));
        }
        return std::pair(text(kContext, "%1 is Rankscope's own", {std::string(found->option)}),
                         *found->instead == '\0' ? text(kContext, "Leave it out.")
                                                 : text(kContext, "Use the key %1.", {found->instead}));
    }
    return std::nullopt;
}

namespace {

// "4", "a100:4" of --gpus-per-node and --gpus.
int last_number(const std::string& value) {
    const std::string number = value.substr(value.rfind(':') + 1);
    return std::clamp(parse_number<int>(number).value_or(0), 0, 1024);
}

// What `extra` asks for instead of `gres`.
int gpus_of_extra(const SlurmOptions& options) {
    int gpus = 0;
    for (const auto& word : options.extra) {
        const std::string name = word.substr(0, word.find('='));
        const std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
        if (name == "--gpus-per-node") {
            return last_number(value);
        }
        const bool all = name == "--gpus" || (word.starts_with("-G") && word.size() > 2);
        if (const int asked = all ? last_number(name == "--gpus" ? value : word.substr(2)) : 0;
            asked % std::max(1, options.nodes) == 0) {
            gpus = std::max(gpus, asked / std::max(1, options.nodes));
        }
    }
    return gpus;
}

}  // namespace

int gpus_per_node(const SlurmOptions& options) {
    int gpus = 0;
    std::istringstream parts(options.gres);
    for (std::string part; std::getline(parts, part, ',');) {
        if (part.starts_with("gres:")) {
            part.erase(0, 5);
        }
        const auto end = part.find_first_of(":(=");
        if (part.substr(0, end) != "gpu") {
            continue;
        }
        const auto last = part.find_last_of(":=");
        const long count = last == std::string::npos ? 1 : std::strtol(part.c_str() + last + 1, nullptr, 10);
        gpus += static_cast<int>(std::clamp(count, 1L, 1024L));
    }
    return gpus > 0 ? gpus : gpus_of_extra(options);
}

}  // namespace rankscope::inline jobs
