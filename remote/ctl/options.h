// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/runs/store/run_store.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace rankscope::ctl {

/// Exit codes of every command (design page, "rankscopectl").
inline constexpr int kDone = 0;
inline constexpr int kTrainingFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kPreflight = 3;
inline constexpr int kUnreachable = 4;
inline constexpr int kStopped = 130;

/// Options of every command.
struct GlobalOptions {
    std::string cluster;  ///< empty: the user's own inventory
    std::string data_dir;
    bool json = false;
    bool accept_new_host_keys = false;

    std::filesystem::path inventory_path() const;
    std::filesystem::path store_path() const;
};

/// Reads the inventory; problems go to stderr (or stdout as JSON). Nothing: there were some.
std::optional<Inventory> load_inventory(const GlobalOptions& options);
std::shared_ptr<RunStore> open_store(const GlobalOptions& options);
struct StoredRun {
    std::shared_ptr<RunStore> store;
    RunRecord record;
};
/// Nothing: the store or the run cannot be read, which is reported.
std::optional<StoredRun> open_run(const GlobalOptions& options, const std::string& run_id);
/// Asks on the terminal: yes or no for host keys, secrets without echo. Without a terminal no question is asked:
/// unknown keys are refused (unless accepted by option), and `secret` is empty.
Prompter terminal_prompter(const GlobalOptions& options);

/// The rows of a list of `count` that an answer names: "yes" (all), "no" (none), "1 3-5". Not understood: none.
std::set<std::size_t> choose_rows(const std::string& answer, std::size_t count);

/// Asks on the terminal, from any thread; nothing without a terminal, or when it was closed. A process in the
/// background of its terminal, or with neither stdin nor stderr at a terminal, has none.
std::optional<std::string> ask_terminal(const std::string& question, bool echo);

/// One failure for the user on stderr, or as JSON on stdout.
void report(const Failure& failure, bool json);
void report(const std::vector<Failure>& failures, bool json);

}  // namespace rankscope::ctl
