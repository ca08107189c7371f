// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/ctl/options.h>
#include <remote/ctl/output.h>
#include <remote/ctl/terminal_text.h>

#include <nlohmann/json.hpp>

#include <cstdio>

namespace rankscope::ctl {

std::filesystem::path GlobalOptions::inventory_path() const {
    return cluster.empty() ? default_inventory_path() : std::filesystem::path(cluster);
}

std::filesystem::path GlobalOptions::store_path() const {
    return data_dir.empty() ? RunStore::default_path() : std::filesystem::path(data_dir) / "runs.sqlite";
}

std::optional<Inventory> load_inventory(const GlobalOptions& options) {
    auto read = read_inventory(options.inventory_path(), !options.cluster.empty());
    if (!read.problems.empty()) {
        report(read.problems, options.json);
        return std::nullopt;
    }
    return read.inventory;
}

std::shared_ptr<RunStore> open_store(const GlobalOptions& options) {
    auto store = RunStore::open(options.store_path());
    if (!store) {
        report(store.failure(), options.json);
        return nullptr;
    }
    return *store;
}

std::optional<StoredRun> open_run(const GlobalOptions& options, const std::string& run_id) {
    auto store = open_store(options);
    if (!store) {
        return std::nullopt;
    }
    auto record = store->run(run_id);
    if (!record) {
        report(record.failure(), options.json);
        return std::nullopt;
    }
    return StoredRun{std::move(store), std::move(*record)};
}

void report(const Failure& failure, bool json) {
    if (json) {
        nlohmann::ordered_json line{{"event", "error"},         {"id", failure.code.text()},
                                    {"where", failure.where},   {"what", statement(failure)},
                                    {"remedy", failure.remedy}, {"detail", failure.detail}};
        if (!failure.key.empty()) {
            line["key"] = failure.key;
        }
        if (!failure.file.empty()) {
            line["file"] = failure.file;
            line["line"] = failure.line > 0 ? nlohmann::ordered_json(failure.line) : nullptr;
        }
        print_json(line);
        std::fflush(stdout);
        return;
    }
    const std::string where = failure.where.empty() ? "" : failure.where + ": ";
    std::fprintf(stderr, "%s\n", safe_text(where + statement(failure)).c_str());
    if (!failure.remedy.empty()) {
        std::fprintf(stderr, "  -> %s\n", safe_text(failure.remedy).c_str());
    }
    if (!failure.detail.empty()) {
        std::fprintf(stderr, "     %s\n", safe_text(failure.detail).c_str());
    }
}

void report(const std::vector<Failure>& failures, bool json) {
    for (const auto& failure : failures) {
        report(failure, json);
    }
}

}  // namespace rankscope::ctl
