// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/config/slurm_options.h>
#include <remote/desk/config/yaml_reader.h>
#include <remote/desk/text.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace rankscope {
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

void check_extra(YamlMapping& map, const SlurmOptions& options) {
    for (const auto& word : options.extra) {
        const auto report = [&](const std::string& what, const std::string& remedy) {
            map.problems().add(map.at("extra"), map.path_of("extra"), what, remedy);
        };
        if (word.empty() || word.find('\0') != std::string::npos) {
            return report(text(kContext, "an empty word"), text(kContext, "Leave it out."));
        }
        // "--mem 4G" as two words is not told from a script's name: sbatch would take it for one.
        if (word.front() != '-') {
            return report(text(kContext, "\"%1\" is no option of sbatch", {word}),
                          text(kContext, "Write options in one word each, for example --mem=4G."));
        }
        if (const Owned* found = owned(word)) {
            return report(text(kContext, "%1 is Rankscope's own", {std::string(found->option)}),
                          *found->instead == '\0' ? text(kContext, "Leave it out.")
                                                  : text(kContext, "Use the key %1.", {found->instead}));
        }
    }
}

}  // namespace

void read_slurm_options(YamlMapping& map, SlurmOptions& options) {
    if (!map.text("login", options.login) && !map.has("login")) {
        map.require("login", "login: node1");
    }
    map.whole("nodes", options.nodes, 1, 4096);
    map.text("partition", options.partition);
    map.text("account", options.account);
    map.text("qos", options.qos);
    if (map.text("time", options.time) &&
        options.time.find_first_not_of("0123456789:-") != std::string::npos && options.time != "UNLIMITED") {
        map.problems().add(map.at("time"), map.path_of("time"),
                           text(kContext, "\"%1\" is not a time as Slurm reads it", {options.time}),
                           text(kContext, "Write minutes, \"HH:MM:SS\" or \"D-HH:MM:SS\"."));
    }
    map.text("gres", options.gres);
    map.texts("extra", options.extra);
    check_extra(map, options);
}

std::string to_yaml(const SlurmOptions& options) {
    nlohmann::json json{{"login", options.login}, {"nodes", options.nodes}};
    const auto add = [&json](const char* key, const std::string& value) {
        if (!value.empty()) {
            json[key] = value;
        }
    };
    add("partition", options.partition);
    add("account", options.account);
    add("qos", options.qos);
    add("time", options.time);
    add("gres", options.gres);
    if (!options.extra.empty()) {
        json["extra"] = options.extra;
    }
    return json.dump();
}

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
    return gpus;
}

}  // namespace rankscope
