// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_labels.h>
#include <remote/ctl/terminal_text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ctl {
namespace {

struct LabelChanges {
    std::string run_id;
    bool star = false;
    bool unstar = false;
    std::vector<std::string> tags;
    std::vector<std::string> untags;
    std::optional<std::string> group;
    std::optional<std::string> note;

    void apply(RunLabels& labels) const {
        labels.starred = star || (labels.starred && !unstar);
        for (const auto& tag : untags) {
            labels.remove_tag(tag);
        }
        for (const auto& tag : tags) {
            labels.add_tag(tag);
        }
        labels.group = group.value_or(labels.group);
        labels.note = note.value_or(labels.note);
    }
};

void print(const GlobalOptions& options, const std::string& run_id, const RunLabels& labels) {
    if (options.json) {
        const nlohmann::ordered_json json{{"run", run_id},
                                          {"starred", labels.starred},
                                          {"tags", labels.tags},
                                          {"group", labels.group},
                                          {"note", labels.note}};
        print_json(json);
        return;
    }
    std::printf("%s  %s\n", run_id.c_str(), labels.starred ? "starred" : "not starred");
    std::printf("  tags   %s\n", safe_text(joined(labels.tags)).c_str());
    std::printf("  group  %s\n", safe_text(labels.group).c_str());
    std::printf("  note   %s\n", safe_text(labels.note).c_str());
}

int label(const GlobalOptions& options, const LabelChanges& changes) {
    const auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    const auto run = store->run(changes.run_id);
    auto labels = run ? RunLabelStore::open(options.store_path())
                      : Result<std::shared_ptr<RunLabelStore>>(run.failure());
    auto current = labels ? (*labels)->of(changes.run_id) : Result<RunLabels>(labels.failure());
    if (!current) {
        report(current.failure(), options.json);
        return kUsage;
    }
    RunLabels changed = *current;
    changes.apply(changed);
    if (changed != *current) {
        if (const auto stored = (*labels)->set(changes.run_id, changed); !stored) {
            report(stored.failure(), options.json);
            return kUsage;
        }
    }
    print(options, changes.run_id, changed);
    return kDone;
}

}  // namespace

std::map<std::string, RunLabels> labels_of_runs(const GlobalOptions& options) {
    const auto store = RunLabelStore::open(options.store_path());
    auto labels = store ? (*store)->all() : Result<std::map<std::string, RunLabels>>(store.failure());
    if (!labels) {
        report(labels.failure(), options.json);
        return {};
    }
    return std::move(*labels);
}

void add_label_command(CLI::App& runs, GlobalOptions& options, int& code) {
    auto changes = std::make_shared<LabelChanges>();
    auto* command = runs.add_subcommand("label", "Show or change star, tags, group and note of one");
    command->add_option("run", changes->run_id, "Id, as `runs list` shows it")->required();
    auto* star = command->add_flag("--star", changes->star, "Mark it");
    command->add_flag("--unstar", changes->unstar, "Remove the mark")->excludes(star);
    command->add_option("--tag", changes->tags, "Add a tag; may be repeated")->allow_extra_args(false);
    command->add_option("--untag", changes->untags, "Remove a tag; may be repeated")->allow_extra_args(false);
    command->add_option("--group", changes->group, "The group of runs it belongs to; \"\": none");
    command->add_option("--note", changes->note, "Any text; \"\": none");
    command->callback([&options, &code, changes] { code = label(options, *changes); });
}

}  // namespace rankscope::ctl
