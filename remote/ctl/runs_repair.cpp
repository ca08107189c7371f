// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/ctl/output.h>
#include <remote/ctl/runs_repair.h>
#include <remote/desk/runs/store/set_aside.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace rankscope::ctl {
namespace {

void print(const GlobalOptions& options, const std::string& old, const Failure* problem) {
    if (options.json) {
        nlohmann::ordered_json json{{"store", options.store_path().string()}, {"old", old}};
        json["problem"] = problem != nullptr ? problem->code.str() : "";
        print_json(json);
    } else if (old.empty()) {
        std::printf("The run store is in order: nothing was changed.\n");
    } else {
        std::printf("%s A new run store is in use.\nThe old one is kept as %s.\n", problem->what.c_str(),
                    old.c_str());
    }
}

int repair(const GlobalOptions& options) {
    const auto problem = store_problem(options.store_path());
    if (!problem) {
        print(options, {}, nullptr);
        return kDone;
    }
    if (!can_set_aside(*problem)) {
        report(*problem, options.json);
        return kUsage;
    }
    const auto old = set_aside_store(options.store_path(), now_us());
    if (!old) {
        report(old.failure(), options.json);
        return kUsage;
    }
    if (!open_store(options)) {
        return kUsage;
    }
    print(options, old->string(), &*problem);
    return kDone;
}

}  // namespace

void add_repair_command(CLI::App& runs, GlobalOptions& options, int& code) {
    auto* command = runs.add_subcommand(
        "repair", "Check the run store; if it is damaged, keep it under another name and begin a new one");
    command->callback([&options, &code] { code = repair(options); });
}

}  // namespace rankscope::ctl
