// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_keys.h>
#include <engine/distribuuuu/config/settings_error.h>
#include <engine/distribuuuu/config/train_config_of.h>
#include <remote/desk/jobs/config/distribuuuu_job.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_tree.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace rankscope::inline jobs {
namespace {

using nlohmann::json;

constexpr const char* kContext = "Distribuuuu";

/// Only the keys that differ from their defaults, where that says the same.
json short_section(const config::TrainConfig& config) {
    json section = json::object();
    const auto& table = config::train_keys();
    for (const auto& key : table.keys) {
        const auto* condition = *key.info.when_key == '\0' ? nullptr : table.find(key.info.when_key);
        const json value = key.write(config);
        const bool meant = condition == nullptr || config::is_meant(key.info, condition->write(config));
        if (!value.is_null() && value != "" && value != key.info.normal && meant) {
            config::set_at(section, key.info.path, value);
        }
    }
    const bool same =
        config::check_train_config(section).empty() && config::parse_train_config(section) == config;
    return same ? section : config::to_json(config);
}

/// Comments of the job file: a file's name may hold anything.
std::string comment(const distribuuuu::Settings& settings, std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    std::string lines = "# " + text(kContext, "Made from Distribuuuu's %1.", {name}) + '\n';
    if (!settings.model.weights.empty()) {
        lines += "# " +
                 text(kContext, "MODEL.WEIGHTS is not read; train.checkpoint.init_from takes its file.") +
                 '\n';
    }
    return lines;
}

}  // namespace

bool is_distribuuuu(const std::string& yaml) {
    config::ConfigProblems problems;
    const auto root = read_yaml(yaml, problems);
    if (!root || !root->is_mapping()) {
        return false;
    }
    constexpr std::array<std::string_view, 7> kTheirs{"MODEL", "TRAIN",   "TEST",    "CUDNN",
                                                      "OPTIM", "OUT_DIR", "RNG_SEED"};
    bool theirs = false;
    for (const auto& entry : root->entries) {
        const bool known = std::find(kTheirs.begin(), kTheirs.end(), entry.key) != kTheirs.end();
        theirs = theirs || known;
        if (entry.key == "train" || entry.key == "command" || entry.key == "nodes") {
            return false;
        }
    }
    return theirs;
}

Result<std::string> job_of_distribuuuu(const std::string& yaml, const std::filesystem::path& file,
                                       const std::vector<std::string>& overrides,
                                       const std::vector<std::string>& nodes) {
    try {
        distribuuuu::FlatValues values = distribuuuu::default_values();
        distribuuuu::merge(values, distribuuuu::read_yaml(yaml, file.filename().string()),
                           file.filename().string());
        distribuuuu::merge(values, distribuuuu::read_overrides(overrides), "KEY VALUE");
        const distribuuuu::Settings settings = distribuuuu::settings_of(values);
        config::TrainConfig config = distribuuuu::train_config_of(settings, false);
        config.checkpoint.folder = settings.out_dir;
        config.checkpoint.resume = settings.train.auto_resume ? "auto" : "never";
        Job job;
        job.file = file;
        job.name = file.stem().string().empty() ? "distribuuuu" : file.stem().string();
        job.all_nodes = nodes.empty() || nodes == std::vector<std::string>{"all"};
        job.nodes = job.all_nodes ? std::vector<std::string>() : nodes;
        job.train = short_section(config);
        return comment(settings, file.filename().string()) + to_yaml(job);
    } catch (const distribuuuu::SettingsError& error) {
        return Failure{"bad-file", file.string(), error.what(), "", ""};
    }
}

}  // namespace rankscope::inline jobs
