// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/ctl/options.h>

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

void report(const Failure& failure, bool json) {
    if (json) {
        const nlohmann::ordered_json line{{"event", "error"},         {"id", failure.code},
                                          {"where", failure.where},   {"what", failure.what},
                                          {"remedy", failure.remedy}, {"detail", failure.detail}};
        std::printf("%s\n",
                    line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
        std::fflush(stdout);
        return;
    }
    std::fprintf(stderr, "%s%s%s\n", failure.where.c_str(), failure.where.empty() ? "" : ": ",
                 failure.what.c_str());
    if (!failure.remedy.empty()) {
        std::fprintf(stderr, "  -> %s\n", failure.remedy.c_str());
    }
    if (!failure.detail.empty()) {
        std::fprintf(stderr, "     %s\n", failure.detail.c_str());
    }
}

void report(const std::vector<Failure>& failures, bool json) {
    for (const auto& failure : failures) {
        report(failure, json);
    }
}

}  // namespace rankscope::ctl
