// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/foreign_yaml.h>
#include <base/text.h>
#include <remote/desk/jobs/launch_lines/named_files.h>
#include <remote/desk/nodes/inventory/node_import.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

bool has_text(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The value of an option, which is taken out: "--config_file x", "--config-file=x".
std::string take_option(Words& words, std::initializer_list<std::string_view> names) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        std::string name = words[i].substr(0, words[i].find('='));
        std::replace(name.begin(), name.end(), '-', '_');
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            continue;
        }
        const bool joined = has_text(words[i], "=");
        std::string value = joined                 ? words[i].substr(words[i].find('=') + 1)
                            : i + 1 < words.size() ? words[i + 1]
                                                   : "";
        words.erase(
            words.begin() + static_cast<std::ptrdiff_t>(i),
            words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), i + (joined ? 1 : 2))));
        return value;
    }
    return {};
}

bool has_option(const Words& words, const std::string& wanted) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        std::string name = word.substr(0, word.find('='));
        std::replace(name.begin(), name.end(), '-', '_');
        return name == "__" + wanted;
    });
}

std::optional<std::string> file_at(const std::string& name,
                                   const std::vector<std::filesystem::path>& folders) {
    for (const auto& folder : folders) {
        if (folder.is_absolute() && !name.empty()) {
            if (auto content = read_file(folder / name); content) {
                return content;
            }
        }
    }
    return std::nullopt;
}

Words with_accelerate_file(Words words, const std::string& name, const std::string& content,
                           std::vector<std::string>& notes) {
    std::string read;
    try {
        const YAML::Node file = load_yaml(content);
        for (const char* key :
             {"num_machines", "num_processes", "main_process_port", "gpu_ids", "mixed_precision"}) {
            if (!file.IsMap() || !file[key] || !file[key].IsScalar() || has_option(words, key)) {
                continue;
            }
            read += (read.empty() ? "" : ", ") + std::string(key);
            words.insert(words.begin() + 2, "--" + std::string(key) + '=' + file[key].Scalar());
        }
    } catch (const YAML::Exception& error) {
        notes.push_back(text(kContext, "--config_file %1 cannot be read: %2.", {name, error.what()}));
        return words;
    }
    notes.push_back(
        text(kContext, "--config_file %1: read (%2); what else it says is accelerate's own.", {name, read}));
    return words;
}

Words with_hostfile(Words words, const std::string& name, const std::string& content,
                    std::vector<std::string>& notes) {
    const NodeImport list = import_nodes(content, name, ImportFormat::Auto, {});
    std::string hosts;
    int slots = 0;
    for (const auto& entry : list.nodes) {
        hosts += (hosts.empty() ? "" : "@") + entry.node.name;
        slots = std::max(slots, entry.node.cpu_slots);
    }
    if (hosts.empty() || !list.problems.empty()) {
        notes.push_back(text(kContext, "--hostfile %1 cannot be read.", {name}));
        return words;
    }
    if (!has_option(words, "include")) {
        words.insert(words.begin() + 1, "--include=" + hosts);
    }
    if (!has_option(words, "num_gpus") && slots > 0) {
        words.insert(words.begin() + 1, "--num_gpus=" + std::to_string(slots));
    }
    return words;
}

}  // namespace

Words with_named_files(Words words, const std::vector<std::filesystem::path>& folders,
                       std::vector<std::string>& notes) {
    const std::string program = words.empty() ? "" : base_name(words.front());
    if (program == "accelerate" && words.size() > 1 && words[1] == "launch") {
        Words without = words;
        const std::string name = take_option(without, {"__config_file"});
        if (const auto content = file_at(name, folders)) {
            return with_accelerate_file(std::move(without), name, *content, notes);
        }
    } else if (program == "deepspeed" || program == "ds") {
        Words without = words;
        const std::string name = take_option(without, {"__hostfile", "_H"});
        if (const auto content = file_at(name, folders)) {
            return with_hostfile(std::move(without), name, *content, notes);
        }
    }
    return words;
}

// torchtune's launcher takes torchrun's options; its recipe starts without them.
Words as_known_launcher(const Words& words) {
    if (words.size() < 3 || base_name(words[0]) != "tune" || words[1] != "run") {
        return words;
    }
    std::size_t recipe = 2;
    while (recipe < words.size() && words[recipe].starts_with("-")) {
        const bool alone = has_text(words[recipe], "=") || words[recipe] == "--standalone";
        recipe += alone ? std::size_t{1} : std::size_t{2};
    }
    recipe = std::min(recipe, words.size());
    Words launcher{"torchrun"};
    launcher.insert(launcher.end(), words.begin() + 2, words.begin() + static_cast<std::ptrdiff_t>(recipe));
    launcher.insert(launcher.end(), {"--no-python", words[0], words[1]});
    launcher.insert(launcher.end(), words.begin() + static_cast<std::ptrdiff_t>(recipe), words.end());
    return launcher;
}

}  // namespace rankscope::inline jobs::launch_lines
