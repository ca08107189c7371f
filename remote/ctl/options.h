// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/config/inventory.h>
#include <remote/desk/store/run_store.h>
#include <remote/desk/transport/prompter.h>

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

/// What every command understands.
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
/// Asks on the terminal: yes or no for host keys, secrets without echo. Without a terminal nobody is asked.
Prompter terminal_prompter(const GlobalOptions& options);

/// Which rows of a list of `count` a person means: "yes" (all), "no" (none), "1 3-5". Not understood: none.
std::set<std::size_t> choose_rows(const std::string& answer, std::size_t count);

/// Asks on the terminal, whichever thread; nothing without one, or when it was closed.
std::optional<std::string> ask_terminal(const std::string& question, bool echo);

/// One failure for the person on stderr, or for a machine on stdout.
void report(const Failure& failure, bool json);
void report(const std::vector<Failure>& failures, bool json);

}  // namespace rankscope::ctl
